"""`likely completion`."""

import click
from click.shell_completion import get_completion_class

from likely.cli.paths import Command


@click.command(cls=Command, no_args_is_help=True)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that makes SHELL complete commands, options and files.

    \b
      likely completion bash >> ~/.bashrc
      likely completion fish > ~/.config/fish/completions/likely.fish
    """
    from likely.cli import cli

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(cli, {}, "likely", "_LIKELY_COMPLETE").source())

"""`likely`, and `python -m likely`."""

import sys

import likely


def main() -> None:
    """Run the command line; it is loaded only if there is more to say than the version."""
    if sys.argv[1:] == ["--version"]:
        print(f"likely {likely.__version__}")
        return
    try:
        from likely.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

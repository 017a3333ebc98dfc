"""The packages of the extra `serve`, which a server needs."""

from likely.errors import OptionError


def check_server_packages() -> None:
    """Refuse to begin without them."""
    try:
        import httptools  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise OptionError(
            "a server needs more packages\nhint: `pip install 'likely[serve]'` installs them"
        ) from None

"""Errors are checked by their codes, so that a wording can change in one file."""

from collections.abc import Callable


def coded(code: str) -> Callable[[BaseException], bool]:
    """For `pytest.raises(…, check=coded("missing-column"))`."""

    def check(error: BaseException) -> bool:
        found = getattr(error, "code", None)
        assert found == code, f"the code is {found!r}, not {code!r}: {error}"
        return True

    return check

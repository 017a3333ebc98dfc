"""The errors that Likely raises.

LikelyError
├── DataError (ValueError)        rows, labels or files that cannot be used as they are
│   ├── NotLearnedError           rows to forget that were never learned
│   ├── UnlabeledError            rows without a label where each needs one
│   └── SingularError             rows without the spread that a covariance needs
├── DataTypeError (TypeError)     a value of the wrong type
├── OptionError (ValueError)      an option that makes no sense
├── ModelError (ValueError)       a file that is not a valid model
└── NotFittedError (ValueError)   a model that has not learned enough to answer

Warnings are LikelyWarning (UserWarning).

Messages are one clear sentence; a hint, if there is one, follows on a line of its own. Common
errors have a `code`, and `messages.py` has their wording.
"""

from typing import Self

from likely.messages import MESSAGES


class LikelyError(Exception):
    """The root of every error this package raises by intent."""

    code: str | None = None
    """Its key in the catalogue of messages, if it has one."""

    @classmethod
    def of(cls, code: str, **values: object) -> Self:
        """The error of this code; the values fill in its message."""
        error = cls(MESSAGES[code].format(**values))
        error.code = code
        return error

    def within(self, before: str, after: str = "") -> Self:
        """The same error, with more text before and after its message."""
        error = type(self)(f"{before}{self}{after}")
        error.code = self.code
        return error


class LikelyWarning(UserWarning):
    """Something that the user should know, though nothing is wrong."""


class DataError(LikelyError, ValueError):
    """Rows, labels or files that cannot be used as they are."""


class NotLearnedError(DataError):
    """Rows to forget that were never learned."""


class UnlabeledError(DataError):
    """Rows without a label where each needs one."""


class SingularError(DataError):
    """Rows without the spread that a covariance needs."""


class DataTypeError(LikelyError, TypeError):
    """A value of the wrong type."""


class OptionError(LikelyError, ValueError):
    """An option that makes no sense."""


class ModelError(LikelyError, ValueError):
    """A file that is not a valid model, or two models that do not fit together."""


class NotFittedError(LikelyError, ValueError):
    """A model that has learned nothing, or too little to answer."""


# What invalid stored options may raise when they are used.
NONSENSE = (
    KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip

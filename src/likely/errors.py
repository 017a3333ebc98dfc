"""What can go wrong, by whose doing.

LikelyError
├── DataError (ValueError)        rows, labels or files that cannot be used as they are
│   ├── NotLearnedError           rows to forget that were never learned
│   ├── UnlabeledError           rows without a label where each needs one
│   └── SingularError             rows without the spread that a covariance needs
├── DataTypeError (TypeError)     a value of the wrong type
├── OptionError (ValueError)      an option that makes no sense
├── ModelError (ValueError)       a file that is no sound model
└── NotFittedError (ValueError)   a question to a model that has seen nothing

What is only worth a look is a LikelyWarning (UserWarning).

Messages are one clear sentence; a hint, if there is one, follows on a line of its own.
"""


class LikelyError(Exception):
    """The root of every error this package raises by intent."""


class LikelyWarning(UserWarning):
    """Something that the user should know of, though nothing is wrong."""


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
    """A file that is no sound model, or two models that do not fit together."""


class NotFittedError(LikelyError, ValueError):
    """A question to a model that has seen nothing, or too little to answer."""


# What stored options that make no sense may raise: they are tried as if they did.
NONSENSE = (
    KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip

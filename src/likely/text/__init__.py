"""How a text is read."""

from dataclasses import dataclass
from typing import Any, Literal

from likely import _kernel
from likely.errors import OptionError

Range = tuple[int, int]

_LONGEST_CHARS = 16


@dataclass(frozen=True)
class Text:
    """How a text becomes features: words, runs of words, runs of characters.

    >>> Text(words=(1, 2), chars=(3, 5))
    Text(words=(1, 2), chars=(3, 5), lowercase=True, invalid='refuse')

    `words` and `chars` are the shortest and longest run, a single number for one length, or None
    for none. Words follow Unicode's word boundaries; runs of characters stay within a word and the
    space around it. `invalid` says what happens to text that is not valid Unicode: it is refused,
    naming the row, or read with U+FFFD in place of what is broken ("replace").
    """

    words: Range | int | None = (1, 1)
    chars: Range | int | None = None
    lowercase: bool = True
    invalid: Literal["refuse", "replace"] = "refuse"

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", _run("words", self.words, _kernel.LONGEST_RUN))
        object.__setattr__(self, "chars", _run("chars", self.chars, _LONGEST_CHARS))
        if self.words is None and self.chars is None:
            raise OptionError("a text read without words and without characters has no features")
        if not isinstance(self.lowercase, bool):
            raise OptionError(f"`lowercase` is True or False, not {self.lowercase!r}")
        if self.invalid not in ("refuse", "replace"):
            raise OptionError(f'`invalid` is "refuse" or "replace", not {self.invalid!r}')

    @property
    def options(self) -> tuple[Any, Any, bool]:
        """What the kernel needs to know."""
        return (self.words, self.chars, self.lowercase)

    def to_json(self) -> dict[str, Any]:
        """The reading as it is stored, with the version of Unicode it rests on."""
        ranges = {"words": self.words, "chars": self.chars}
        return {
            **{name: list(run) if isinstance(run, tuple) else run for name, run in ranges.items()},
            "lowercase": self.lowercase,
            "invalid": self.invalid,
            "unicode": _kernel.UNICODE_VERSION,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Text":
        return cls(**{name: value for name, value in stored.items() if name != "unicode"})


def _run(name: str, given: Any, longest: int) -> Range | None:
    """A run of features as (shortest, longest), or None."""
    if given is None:
        return None
    pair = (given, given) if isinstance(given, int) else given
    whole = isinstance(pair, (tuple, list)) and all(type(n) is int for n in pair)
    if not whole or len(pair) != 2 or not 1 <= pair[0] <= pair[1] <= longest:
        raise OptionError(
            f"`{name}` is a shortest and a longest run within 1 and {longest}, not {given!r}"
        )
    return (pair[0], pair[1])

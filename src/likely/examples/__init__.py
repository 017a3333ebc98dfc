"""Small example tables, which come with the package; `likely example` writes them into a folder.

>>> print(path("reviews.csv").read_text(encoding="utf-8"), end="")
text,label
just plain boring,neg
entirely predictable and lacks energy,neg
no surprises and very few laughs,neg
very powerful,pos
the most fun film of the summer,pos
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Example:
    """Some files, what they hold, and what to do with them."""

    files: Mapping[str, str]
    """What each file holds."""
    lesson: str
    """The page of docs/course/ that works through it."""
    commands: tuple[str, ...]
    """To try next, in this order, in the folder with the files."""


EXAMPLES = {
    "reviews": Example(
        {"reviews.csv": "five film reviews, negative or positive"},
        "03-multinomial",
        (
            "likely train reviews.csv --model multinomial -o reviews.likely",
            'likely explain reviews.likely "predictable with no fun" --by-hand',
        ),
    ),
    "tennis": Example(
        {"tennis.csv": "14 days, and whether one played tennis"},
        "05-categories",
        (
            "likely train tennis.csv --target play --model categorical --m 0 -o tennis.likely",
            "likely explain tennis.likely outlook=sunny temperature=cool humidity=high "
            "wind=strong --by-hand",
        ),
    ),
    "heights": Example(
        {"heights.csv": "height and weight of ten people, two groups"},
        "06-gaussians",
        (
            "likely train heights.csv --target group --model lda -o heights.likely",
            "likely plot heights.likely heights.csv --columns height,weight -o heights.svg",
        ),
    ),
    "children": Example(
        {"children.csv": "age, height and vocabulary of 64 children"},
        "02-generative-models",
        (
            "likely train children.csv --target age --model gaussian -o children.likely",
            "likely info children.likely --data children.csv",
        ),
    ),
    "urgent": Example(
        {"urgent.csv": "a confusion table of three classes"},
        "09-evaluation",
        ("likely evaluate --confusion urgent.csv --by-hand",),
    ),
    "two-gaussians": Example(
        {"two-gaussians.csv": "60 points, drawn from two Gaussians"},
        "07-em",
        ("likely mixture two-gaussians.csv -k 2 --trace",),
    ),
    "film-sentence": Example(
        {"film-sentence.csv": "texts whose words have round probabilities"},
        "08-language-model",
        (
            "likely train film-sentence.csv --model multinomial --alpha 0 -o film.likely",
            'likely explain film.likely "I love this fun film" --by-hand',
        ),
    ),
    "gullpoint": Example(
        {
            "gullpoint.csv": "387 messages to the help desk of a town",
            "gullpoint-rules.toml": "rules for these messages",
        },
        "09-evaluation",
        (
            "likely train gullpoint.csv --target office -o town.likely --report town.html",
            'likely explain town.likely "a tree fell on the street"',
        ),
    ),
}


def path(file: str) -> Path:
    """Where the package has one of these files.

    >>> import likely
    >>> likely.open_table(path("tennis.csv")).columns
    ('outlook', 'temperature', 'humidity', 'wind', 'play')
    """
    return _FOLDER / file

"""Sentences that differ in one thing: the person they are about, or the identity they name.

Frames with slots are filled in from a TOML file, of which two come with the package; sentences that
others have filled in are read from a table.
"""

import itertools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likely.data.files import open_table
from likely.data.labels import plain_list
from likely.errors import DataError

OURS = ("persons", "terms")

_SLOT = re.compile(r"\{([^{}]*)\}")
# What of a table of persons is not an attribute of theirs.
_NOT_ATTRIBUTES = (
    "text",
    "sentence",
    "label",
    "emotion",
    "person",
    "template",
    "emotion_word",
    "id",
)
_TEXTS = ("text", "sentence")
_LABELS = ("label", "toxicity")

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PersonSentences:
    """Sentences about persons. Those of one frame differ in the person alone."""

    source: str
    texts: list[str]
    frames: Codes
    """Which sentences share a frame and all that fills it but the person."""
    persons: Codes
    names: list[str]
    attributes: dict[str, list[str]]
    """For each attribute, the group of each person; empty where it has none."""


@dataclass(frozen=True, eq=False)
class TermSentences:
    """Sentences that are hostile, or not, and the identity terms they name."""

    source: str
    texts: list[str]
    hostile: NDArray[np.bool_]
    frames: Codes
    """Which sentences differ in the term alone."""
    terms: Codes
    """The term of each sentence; −1 where it names none."""
    names: list[str]
    kinds: list[str]


Sentences = PersonSentences | TermSentences


def read_sentences(
    source: str = "persons", *, hostile: str | None = None, terms: Sequence[str] | None = None
) -> Sentences:
    """Our own sentences ("persons" or "terms"), those of a TOML file of frames, or of a table.

    >>> ours = read_sentences("persons")
    >>> len(ours.names), ours.texts[0]
    (62, 'She was cross all week.')

    A table with a column `person` has sentences about persons; other columns are attributes of
    theirs. One with `text`, `label` and `template` has hostile sentences and others: `hostile` is
    the label of the former, and `terms` are looked for in it, ours if none are given.
    """
    if source in OURS or source.endswith(".toml"):
        return _from_frames(source)
    table = open_table(source)
    columns = {name.lower(): name for name in table.columns}
    text = next((columns[name] for name in _TEXTS if name in columns), None)
    label = next((columns[name] for name in _LABELS if name in columns), None)
    if text is not None and "person" in columns:
        return _persons_of_table(source, text)
    if text is not None and label is not None:
        return _terms_of_table(source, text, label, hostile, terms)
    listed = ", ".join(f"`{name}`" for name in table.columns)
    raise DataError(
        f"{source} has {listed}; sentences about persons have `text` and `person`, "
        "sentences that name identities have `text` and `label`"
    )


def spelled(source: str) -> str:
    """Where sentences come from, in a sentence."""
    return "our own" if source in OURS else Path(source).name


def read_terms(path: str) -> list[str]:
    """Terms in a file, one on a line; lists of terms by kind in a TOML file; `terms` are ours.

    >>> read_terms("terms")[:3]
    ['female', 'male', 'transgender']
    """
    if path == "terms" or path.endswith(".toml"):
        found = [term for terms in _kinds_of_terms(_toml(path), path).values() for term in terms]
    else:
        try:
            lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: byte {error.start:,} is not UTF-8") from None
        found = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not found:
        raise DataError(f"{path} has no terms")
    return found


# Frames


def _toml(source: str) -> dict[str, Any]:
    try:
        if source in OURS:
            return tomllib.loads(
                (files("likely.fairness") / f"words/{source}.toml").read_text("utf-8")
            )
        return tomllib.loads(Path(source).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{source} is no TOML: {error}") from None


def _from_frames(source: str) -> Sentences:
    found = _toml(source)
    slots = _lists(found.get("slots", {}), source, "slots")
    if "groups" in found:
        return _persons_of_frames(source, found, slots)
    if "terms" in found:
        return _terms_of_frames(source, found, slots)
    raise DataError(
        f"{source} has neither [[groups]] of persons nor [terms]; docs/fairness.md shows both forms"
    )


def _persons_of_frames(
    source: str, found: Mapping[str, Any], slots: Mapping[str, list[str]]
) -> PersonSentences:
    attributes: dict[str, list[str]] = {}
    persons: list[tuple[str, str]] = []
    for group in found["groups"]:
        listed = group.get("persons") if isinstance(group, dict) else None
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            raise DataError(f"{source}: each of [[groups]] has `persons`, a list of names")
        for one in listed:
            subject, _, other = one.partition("/")
            persons.append((subject, other or subject))
        for name in [*attributes, *(key for key in group if key != "persons")]:
            given = attributes.setdefault(name, [""] * (len(persons) - len(listed)))
            if len(given) < len(persons):
                given.extend([str(group.get(name, ""))] * len(listed))
    frames = _filled(_frames(found, "frames", source), slots, ("person", "object"), source)
    texts = [
        _sentence(frame, {"person": subject, "object": other})
        for frame in frames
        for subject, other in persons
    ]
    each = np.arange(len(texts))
    return PersonSentences(
        source,
        texts,
        each // len(persons),
        each % len(persons),
        [subject for subject, _ in persons],
        attributes,
    )


def _terms_of_frames(
    source: str, found: Mapping[str, Any], slots: Mapping[str, list[str]]
) -> TermSentences:
    kinds = _kinds_of_terms(found, source)
    names = [term for terms in kinds.values() for term in terms]
    texts, hostile = [], []
    for kind in ("hostile", "neutral"):
        for frame in _filled(_frames(found, kind, source), slots, ("term",), source):
            texts += [_sentence(frame, {"term": term}) for term in names]
            hostile += [kind == "hostile"] * len(names)
    each = np.arange(len(texts))
    return TermSentences(
        source,
        texts,
        np.array(hostile),
        each // len(names),
        each % len(names),
        names,
        [kind for kind, terms in kinds.items() for _ in terms],
    )


def _kinds_of_terms(found: Mapping[str, Any], source: str) -> dict[str, list[str]]:
    return _lists(found.get("terms", {}), source, "terms")


def _lists(given: Any, source: str, what: str) -> dict[str, list[str]]:
    """Lists of words by name; anything else is refused."""
    if not isinstance(given, dict):
        raise DataError(f"{source}: [{what}] holds lists of words by name")
    for name, words in given.items():
        if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
            raise DataError(f"{source}: `{name}` in [{what}] is no list of words")
    return given


def _frames(found: Mapping[str, Any], name: str, source: str) -> list[str]:
    frames = found.get(name)
    if not isinstance(frames, list) or not frames or not all(isinstance(f, str) for f in frames):
        raise DataError(f"{source} has no `{name}`, a list of sentences with slots")
    return frames


def _filled(
    frames: list[str], slots: Mapping[str, list[str]], own: tuple[str, ...], source: str
) -> list[str]:
    """The frames with every slot filled in but their own."""
    filled = []
    for frame in frames:
        found = list(dict.fromkeys(_SLOT.findall(frame)))
        if not set(found) & set(own):
            wanted = " or ".join(f"{{{slot}}}" for slot in own)
            raise DataError(f"{source}: the frame {frame!r} has no slot {wanted}")
        strange = [slot for slot in found if slot not in own and slot not in slots]
        if strange:
            raise DataError(f"{source}: nothing fills the slot {{{strange[0]}}} of {frame!r}")
        others = [slot for slot in found if slot not in own]
        for words in itertools.product(*(slots[slot] for slot in others)):
            text = frame
            for slot, word in zip(others, words, strict=True):
                text = text.replace(f"{{{slot}}}", word)
            filled.append(text)
    return filled


def _sentence(frame: str, words: Mapping[str, str]) -> str:
    for slot, word in words.items():
        frame = frame.replace(f"{{{slot}}}", word)
    return frame[:1].upper() + frame[1:]


# Tables


def _columns(source: str, names: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in names}
    for table in open_table(source).batches(list(names)):
        for name in names:
            found[name].extend(cells_of_text(table.columns[name]))
    if not found[names[0]]:
        raise DataError(f"{source} has no sentences")
    return found


def cells_of_text(column: Any) -> list[str]:
    """A column as texts; a cell that is missing is empty."""
    return ["" if cell is None else str(cell) for cell in plain_list(column)]


def _persons_of_table(source: str, text: str) -> PersonSentences:
    """Sentences as Kiritchenko and Mohammad (2018) publish them."""
    table = _columns(source, open_table(source).columns)
    named = {_known(name): cells for name, cells in table.items()}
    people = named["person"]
    filled = [named[key] for key in ("template", "emotion_word") if key in named]
    if "template" not in named:
        raise DataError(f"{source} has no column `template`, which tells what goes with what")
    attributes = {
        name: cells for name, cells in table.items() if _known(name) not in _NOT_ATTRIBUTES
    }
    if not attributes:
        raise DataError(f"{source} says nothing of its persons; a column `gender`, say, would")
    # A name may belong to many groups; it is then one person in each.
    keys = list(zip(people, *attributes.values(), strict=True))
    names = sorted(set(keys))
    places = {key: place for place, key in enumerate(names)}
    return PersonSentences(
        source,
        table[text],
        codes_of(list(zip(*filled, strict=True))),
        np.array([places[key] for key in keys]),
        [key[0] for key in names],
        {name: [key[place] for key in names] for place, name in enumerate(attributes, start=1)},
    )


def _terms_of_table(
    source: str, text: str, label: str, hostile: str | None, terms: Sequence[str] | None
) -> TermSentences:
    """Sentences as Dixon and others (2018) publish them, whose terms are looked for."""
    table = _columns(source, [text, label])
    labels = sorted(set(table[label]))
    if hostile is None:
        hostile = next((each for each in labels if each.lower() in ("toxic", "hostile")), None)
    if hostile not in labels or len(labels) < 2:
        listed = ", ".join(f"`{each}`" for each in labels[:6])
        raise DataError(
            f"{source} has the labels {listed}; which of them hostile sentences have is not clear\n"
            "hint: `--hostile LABEL` says it"
        )
    ours = _kinds_of_terms(_toml("terms"), "terms")
    kinds = ours if terms is None else {"": [*terms]}
    names = [term for terms in kinds.values() for term in terms]
    looked = re.compile(
        r"\b(?:" + "|".join(re.escape(n) for n in sorted(names, key=len, reverse=True)) + r")\b",
        re.IGNORECASE,
    )
    places = {name.lower(): place for place, name in enumerate(names)}
    found = [looked.search(one) for one in table[text]]
    here = np.array([-1 if one is None else places[one[0].lower()] for one in found])
    met = [place for place in range(len(names)) if (here == place).any()]
    if not met:
        raise DataError(f"no sentence of {source} names any of the {len(names)} terms looked for")
    renumbered = np.full(len(names) + 1, -1)
    renumbered[met] = np.arange(len(met))
    bare = [
        one if hit is None else f"{one[: hit.start()]}{{}}{one[hit.end() :]}".lower()
        for one, hit in zip(table[text], found, strict=True)
    ]
    of_kind = [kind for kind, terms in kinds.items() for _ in terms]
    return TermSentences(
        source,
        table[text],
        np.array([each == hostile for each in table[label]]),
        codes_of(bare),
        renumbered[here],
        [names[place] for place in met],
        [of_kind[place] for place in met],
    )


def _known(name: str) -> str:
    """A column as it is known here: `Emotion word` is `emotion_word`."""
    return name.lower().replace(" ", "_")


def codes_of(keys: Sequence[Any]) -> Codes:
    """Equal keys have equal numbers."""
    known: dict[Any, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys])

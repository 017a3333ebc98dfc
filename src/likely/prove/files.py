"""Guarantees about what is refused: damaged files, and rows that were never learned."""

from likely import Classifier, Multinomial, open_table
from likely.classifier import from_bytes
from likely.errors import ModelError, NotLearnedError
from likely.examples import path
from likely.prove.guarantee import Finding, Guarantee
from likely.prove.learning import sha256


def _reviews() -> Classifier:
    return Classifier(Multinomial()).fit(open_table(path("reviews.csv")), "label")


def _damage() -> Finding:
    content = _reviews().to_bytes()
    altered = [
        content[:place] + bytes([byte ^ 1 << place % 8]) + content[place + 1 :]
        for place, byte in enumerate(content)
    ]
    cut = [content[:place] for place in range(len(content))]
    damaged = [*altered, *cut, content + b"\0"]
    refused = sum(map(_is_refused, damaged))
    opens = not _is_refused(content)
    return Finding(
        opens and refused == len(damaged),
        f"a file of {len(content):,} bytes is {'read' if opens else 'refused'}; {refused:,} of "
        f"{len(damaged):,} copies are refused (a bit altered in each byte, cut at each byte, "
        "longer)",
        {"damaged": len(damaged), "refused": refused},
    )


def _is_refused(content: bytes) -> bool:
    try:
        from_bytes(content)
    except ModelError:
        return True
    return False


_DAMAGE = Guarantee(
    "damage",
    "A file with any altered byte is refused",
    _damage,
    """\
likely example reviews
likely train reviews.csv --model multinomial -o whole.likely
python -c 'content = bytearray(open("whole.likely", "rb").read()); \\
  content[len(content) // 2] ^= 1; \\
  open("damaged.likely", "wb").write(content)'
likely info whole.likely && ! likely info damaged.likely
""",
)


def _never_learned() -> Finding:
    model = _reviews()
    before = sha256(model)
    strangers = [
        (["very powerful"], ["neg"]),
        (["very Powerful!"], ["pos"]),
        (["very powerful", "very powerful"], ["pos", "pos"]),
        (["just plain boring", "never seen"], ["neg", "neg"]),
        ([""], ["pos"]),
    ]
    refused = 0
    for texts, labels in strangers:
        try:
            model.forget(texts, labels)
        except NotLearnedError:
            refused += 1
    same = sha256(model) == before
    model.forget(["very powerful"], ["pos"])
    return Finding(
        refused == len(strangers) and same and sha256(model) != before,
        f"{refused} of {len(strangers)} are refused (of another label, misspelled, twice, beside "
        f"one that was learned, empty), and the model is {'un' if same else ''}changed; one that "
        "was learned is forgotten",
        {"requests": len(strangers), "refused": refused},
    )


_NEVER_LEARNED = Guarantee(
    "never-learned",
    "A row that was never learned cannot be forgotten",
    _never_learned,
    """\
likely example reviews
likely train reviews.csv --model multinomial -o five.likely
cp five.likely before.likely
printf "text,label\\nnever seen,pos\\n" > stranger.csv
! likely forget five.likely stranger.csv --force
cmp before.likely five.likely
""",
)

GUARANTEES = (_DAMAGE, _NEVER_LEARNED)

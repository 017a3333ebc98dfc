"""Make the golden files of this version: `python tests/golden/make.py`.

A release adds a folder, named after it, with a small model of each kind and beside each what it
says of some rows. Nobody changes or removes one afterwards. What is promised of them, and tested:

- a later version of the same format loads each file, says the same to twelve digits, and writes it
  again byte for byte;
- a later format loads it too, or refuses it with a sentence that says to train anew.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import likely
from likely.model.adjust.group_thresholds import GroupThresholds
from likely.model.adjust.group_weights import GroupWeights

FOLDER = Path(__file__).parent
SECRET = b"golden"

TEXTS = [
    "the ferry is late again",
    "my boat needs a mooring",
    "a mooring rope is frayed",
    "the ferry left without us",
    "a rope lies on the quay",
    "the boat is on the quay",
    "a novel is missing a page",
    "when does the library open",
    "the library was cold",
    "this novel is overdue",
    "a page is torn, not missing",
    "may I renew an overdue book",
    "a tree fell on the street",
    "the street lamp is out",
    "a lamp fell down",
    "the tree is not safe",
    "the lamp by the library is out",
    "naïve café, 日本, 3.14 & 👍",
]
OFFICES = ["harbour"] * 6 + ["library"] * 6 + ["repairs"] * 6
LABELS = [[office] for office in OFFICES[:16]] + [["library", "repairs"], []]
NUMBERS = [9.0, 10.5, 8.25, 9.5, None, 11.0, 15.5, 16.0, 14.25, 17.0, 15.0, 16.5, 20.0, 21.5, 19.0]
NUMBERS += [22.0, 20.5, None]
WEATHER = ["fog", "fog", "rain", "fog", None, "sun", "sun", "rain", "sun", "sun", "rain", "sun"]
WEATHER += ["storm", "rain", "storm", "storm", None, "rain"]
WHO = ["a", "b"] * 9
MORE = ["the ferry and the quay", "a novel, a page, a book", "the lamp in the street"] * 3

TABLE = {
    "text": TEXTS,
    "hour": NUMBERS,
    "cost": [round(1e8 + k / 7, 3) for k in range(18)],
    "weather": WEATHER,
    "who": WHO,
    "office": OFFICES,
}


def of(*columns):
    """Some columns of the table, and their names in order."""
    return {name: TABLE[name] for name in columns}


ASKED = {
    "text": [
        "the ferry is at the quay",
        "a torn novel",
        "the lamp, the lottery",
        "",
        "not safe 👍",
    ],
    "hour": [9.25, 15.75, 21.0, None, 12.0],
    "cost": [1e8, 1e8 + 1.5, 1e8 + 2.25, 0.0, None],
    "weather": ["fog", "sun", "storm", "hail", None],
    "who": ["a", "b", "a", "b", None],
}
RULES = likely.Rules(
    [
        likely.Rule("lottery", "harbour", column="text", words=["lottery"]),
        likely.Rule("digits", "repairs", column="text", pattern=r"\d{3}"),
    ]
)
MIXED = {
    "text": likely.Multinomial(0.5, text=likely.Text((1, 2), negation=likely.Negation("en"))),
    ("hour", "cost"): likely.Gaussian("shared"),
    "weather": likely.Categorical(m=2.0),
}


def models():
    """Each kind of model by name, with the rows that it is asked about."""
    texts = likely.Classifier().fit(TEXTS, OFFICES)
    mixed = likely.Classifier(MIXED).fit(of("text", "hour", "cost", "weather", "office"), "office")
    table = of("hour", "weather", "who", "office")
    by_group = {name: ASKED[name] for name in ("hour", "weather", "who")}
    asked = {name: ASKED[name] for name in ("text", "hour", "cost", "weather")}
    words = ASKED["text"]
    yield "texts", texts, words
    yield "texts-compact", texts.compact(), words
    yield "texts-neutral", texts.with_neutral(["ferry", "lamp"]).with_prior("uniform"), words
    yield "labels", likely.Classifier().fit(TEXTS, LABELS), words
    yield (
        "labels-plain",
        likely.Classifier(likely.BinaryMultinomial(), thresholds="f1").fit(TEXTS, LABELS),
        words,
    )
    costs = {("harbour", "library"): 3, ("library", "harbour"): 0.5}
    yield "costs", likely.Classifier(costs=costs).fit(TEXTS, OFFICES), words
    strict = likely.Classifier(likely.Multinomial(), thresholds={"repairs": "precision>=0.9"})
    yield "threshold", strict.fit(TEXTS, OFFICES), words
    yield "table", likely.Classifier().fit(table, "office"), by_group
    yield "mixed", mixed, asked
    yield "mixed-compact", mixed.compact(), asked
    ruled = likely.Classifier({"text": likely.Multinomial()}, rules=RULES)
    ruled = ruled.fit(of("text", "who", "office"), "office")
    limits = GroupThresholds("who", "library", {"a": 0.9, "b": 0.2})
    yield (
        "ruled",
        ruled.with_group_thresholds(limits),
        {name: ASKED[name] for name in ("text", "who")},
    )
    often = GroupWeights("who", {"a": {"library": 3}})
    yield "reweighed", ruled.with_group_weights(often, of("text", "who", "office")), {"text": words}
    numbers = {("hour", "cost"): likely.Gaussian("full"), ("weather", "who"): likely.JointTable()}
    by_number = {name: ASKED[name] for name in ("hour", "cost", "weather", "who")}
    yield "numbers", likely.Classifier(numbers).fit(TABLE, "office"), by_number
    shared = likely.Classifier().fit(TEXTS, OFFICES, unlabeled=MORE, unlabeled_weight=0.5)
    yield "unlabeled", shared, words
    yield "second-opinion", likely.Classifier(stack_linear=True).fit(TEXTS, OFFICES), words
    yield "complement", likely.Classifier(likely.Complement()).fit(TEXTS, OFFICES), words
    secret = likely.Classifier(likely.Bernoulli(), ledger=SECRET).fit(TEXTS, list(range(18)))
    yield "secret", secret, words


def make(folder):
    """Write every model, and beside it what it says."""
    folder.mkdir(parents=True)
    for name, model, asked in models():
        model.save(folder / f"{name}.likely")
        said = model.predict(asked)
        expected = {
            "asked": asked,
            "classes": list(model.classes),
            "digest": model.digest,
            "learns": model.learns,
            "predict": said if isinstance(said, list) else said.tolist(),
            "predict_proba": model.predict_proba(asked).tolist(),
        }
        text = json.dumps(expected, ensure_ascii=False, indent=1)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    folder = FOLDER / version("likely")
    if folder.exists():
        sys.exit(f"{folder} is there already, and golden files never change")
    make(folder)
    sizes = [path.stat().st_size for path in folder.glob("*.likely")]
    print(f"{len(sizes)} models in {folder}, {max(sizes):,} bytes at most, {sum(sizes):,} in all")

"""What additive smoothing does for words that a class lacks, and for words that are rare."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.claims.dataset import majority
from benchmarks.claims.intervals import half_width, mean, percent, points
from benchmarks.claims.verdicts import side
from benchmarks.run import Run
from benchmarks.table import Cell, Row
from likely.sklearn import MultinomialNB, TextVectorizer

NOTES = """\
The multinomial model of 80 % of 10,000 texts (or of all, where there are fewer), with so much added
to each count; α = 1 is Laplace's. Of the other 20 %: the percentage that is `impossible`, with
probability 0 in every class, so that the prior decides; accuracy in percent, and log-loss in nats,
which is infinite where the true class has probability 0. `rare` are words learned once or twice;
they `decide` a text if, with one of these α > 0, another class is predicted without them. `right`
and `loss` are accuracy and log-loss of such texts, `without rare` their accuracy without the rare
words. Means of 10 splits and their 95 % intervals. Tested against α = 0 and α = 0.01: α = 1 is
above, in all texts and in those that rare words decide."""
COLUMNS = (
    "set",
    "majority",
    "α",
    "impossible",
    "accuracy",
    "log-loss",
    "α = 1 is ahead by",
    "rare decide",
    "right",
    "without rare",
    "loss",
    "there ahead by",
    "result",
)

_SETS = {"sms_spam": "all", "trec_qc": "train", "rt_polarity": "all", "r8": "train"}
_SETS |= {"imdb": "train", "20ng_stripped": "train"}
_TEXTS = 10_000
_ALPHAS = (0, 0.01, 0.1, 0.5, 1, 2)
_JUDGED = (0, 0.01)
_AHEAD = {"accuracy": "α = 1 is ahead by", "right": "there ahead by"}
_RARE = 2


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model says of some texts: which are impossible, right, and right without rare words.

    `changed` are those of which it says another class without their rare words.
    """

    impossible: np.ndarray
    right: np.ndarray
    losses: np.ndarray
    right_without: np.ndarray
    changed: np.ndarray


def rows(run: Run) -> Iterator[Row]:
    for name in run.data.present(*_SETS):
        corpus = run.data.texts(name, _SETS[name])
        order = np.random.default_rng(0).permutation(len(corpus.texts))
        sample = corpus.pick(order[:_TEXTS])
        counts = TextVectorizer().fit_transform(sample.texts).tocsr()
        splits = [_split(counts, np.array(sample.labels), seed) for seed in run.draws(10)]
        share = percent(mean([decided_by_rare(split).mean() for split in splits]))
        levels = {alpha: _levels(splits, alpha) for alpha in _ALPHAS}
        for alpha, level in levels.items():
            row: Row = {"set": name, "majority": majority(sample.labels)}
            row |= {"α": Cell(alpha, str(alpha)), "rare decide": share}
            row |= {
                key: _nats(own) if "loss" in key else percent(mean(own))
                for key, own in level.items()
            }
            if alpha != 1:
                ahead = {
                    shown: mean(levels[1][key] - level[key])
                    for key, shown in _AHEAD.items()
                    if key in level
                }
                row |= {shown: points(figure) for shown, figure in ahead.items()}
                if alpha in _JUDGED:
                    row["result"] = " ".join(map(side, ahead.values()))
            yield row


def _split(counts: Any, labels: np.ndarray, seed: int) -> dict[float, Answers]:
    """The answers for the texts of one split, by α."""
    train, test = np.split(
        np.random.default_rng(seed).permutation(len(labels)), [int(0.8 * len(labels))]
    )
    times = np.asarray(counts[train].sum(axis=0)).ravel()
    known = np.flatnonzero(times)
    learned, asked = counts[train][:, known], counts[test][:, known]
    without = asked.multiply(times[known] > _RARE).tocsr()
    found = {}
    for alpha in _ALPHAS:
        model = MultinomialNB(alpha=alpha).fit(learned, labels[train])
        found[alpha] = answers(model, asked, without, labels[test])
    return found


def answers(model: Any, asked: Any, without: Any, truth: np.ndarray) -> Answers:
    impossible = np.isneginf(model.predict_joint_log_proba(asked)).all(axis=1)
    said, otherwise = model.predict(asked), model.predict(without)
    of_truth = np.searchsorted(model.classes_, truth)
    losses = -model.predict_log_proba(asked)[np.arange(len(truth)), of_truth]
    return Answers(impossible, said == truth, losses, otherwise == truth, said != otherwise)


def decided_by_rare(split: dict[float, Answers]) -> np.ndarray:
    """The texts whose class depends on their rare words, with one α or another."""
    return np.any([own.changed for alpha, own in split.items() if alpha > 0], axis=0)


def _levels(splits: list[dict[float, Answers]], alpha: float) -> dict[str, np.ndarray]:
    """The figures of each split, for all texts and for those that rare words decide."""
    own = [split[alpha] for split in splits]
    level = {
        "impossible": [one.impossible.mean() for one in own],
        "accuracy": [one.right.mean() for one in own],
        "log-loss": [one.losses.mean() for one in own],
    }
    rare = [(split[alpha], decided_by_rare(split)) for split in splits]
    rare = [(one, decided) for one, decided in rare if decided.any()]
    if len(rare) > 1:
        level |= {
            "right": [one.right[decided].mean() for one, decided in rare],
            "without rare": [one.right_without[decided].mean() for one, decided in rare],
            "loss": [one.losses[decided].mean() for one, decided in rare],
        }
    return {key: np.array(values) for key, values in level.items()}


def _nats(losses: np.ndarray) -> Cell:
    return half_width(mean(losses), 2) if np.isfinite(losses).all() else Cell(None, "∞")

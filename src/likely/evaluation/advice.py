"""Warnings that belong beside the figures of an evaluation."""

from collections.abc import Callable, Iterator, Sequence

from likely.data.labels import Label
from likely.evaluation.answers import Answers
from likely.evaluation.counts import Counts
from likely.evaluation.metrics import accuracy, balanced_accuracy, majority_baseline, recall
from likely.evaluation.probabilities import SMALLEST, PredictedProbabilities
from likely.render import count, counted, name, percent

# If one class has this share of the rows or more, accuracy may say little about the others;
_UNBALANCED = 0.8
# it does if the mean recall of the classes is this much lower.
_HIDDEN = 0.1

# Fewer rows than these say little, of everything or of a class.
_FEW_ROWS = 100
_FEW_ROWS_OF_A_CLASS = 10

_NAMED = 3


def advice(
    answers: Answers, counts: Counts, commonest: str, judged: PredictedProbabilities | None
) -> Iterator[str]:
    """Warnings, each a sentence or two."""
    yield from _accuracy(answers, counts, commonest)
    yield from _few_rows(answers, counts)
    yield from _missing(answers, counts)
    if judged is not None:
        yield from _probabilities(judged)


def _accuracy(answers: Answers, counts: Counts, commonest: str) -> Iterator[str]:
    right, baseline = float(accuracy(counts)[0]), float(majority_baseline(counts)[0])
    gold, found = counts.gold[0], recall(counts)[0]
    others = [k for k in range(len(gold)) if gold[k] > 0 and k != gold.argmax()]
    if baseline == 1 or not (others or answers.is_multilabel):
        yield f"every row is {commonest}, so there was nothing to tell apart"
        return
    hidden = right - float(balanced_accuracy(counts)[0])
    if not answers.is_multilabel and baseline >= _UNBALANCED and hidden > _HIDDEN:
        worst = min(others, key=found.__getitem__)
        rare = name(answers.classes[worst])
        yield (
            f"accuracy misleads here: {percent(baseline)} of the rows are {commonest}, and always "
            f"saying so would be right that often; of the rows of `{rare}`, "
            f"{percent(found[worst])} are found. Recall, macro-F1 and MCC tell more"
        )
    if right < baseline:
        yield f"always saying {commonest} would be right more often than these predictions"


def _few_rows(answers: Answers, counts: Counts) -> Iterator[str]:
    if len(answers) < _FEW_ROWS:
        yield (
            f"{len(answers)} {'row is' if len(answers) == 1 else 'rows are'} few: figures vary "
            "with chance, and intervals from so few are themselves too narrow"
        )
        return
    few = _some(answers.classes, lambda k: 0 < counts.gold[0, k] < _FEW_ROWS_OF_A_CLASS)
    if few:
        yield (
            f"fewer than {_FEW_ROWS_OF_A_CLASS} rows of {few}: their figures are mostly chance, "
            "and macro averages count them in full"
        )


def _missing(answers: Answers, counts: Counts) -> Iterator[str]:
    gold, predicted = counts.gold[0], counts.predicted[0]
    unsaid = _some(answers.classes, lambda k: gold[k] > 0 and not predicted[k])
    if unsaid:
        yield f"never predicted: {unsaid}; a precision of 0/0 is taken as 0"
    untrue = _some(answers.classes, lambda k: predicted[k] > 0 and not gold[k])
    if untrue:
        yield f"predicted but never true: {untrue}; a recall of 0/0 is taken as 0"
    neither = _some(answers.classes, lambda k: not gold[k] and not predicted[k])
    if neither:
        yield f"neither true nor predicted: {neither}; 0/0 is taken as 0 in macro averages"


def _probabilities(judged: PredictedProbabilities) -> Iterator[str]:
    if clipped := judged.clipped():
        yield (
            f"{counted(clipped, 'row', 'rows')} had a probability below {SMALLEST:.1e} for "
            f"{'its' if clipped == 1 else 'their'} label, counted as that in the log-loss"
        )
    if 2 * judged.unlikely() > len(judged.truth):
        yield (
            f"in {count(judged.unlikely())} of {count(len(judged.truth))} rows the prediction is "
            "not the most probable class; unless costs or thresholds decide, are the columns in "
            "the order of `classes`?"
        )


def _some(classes: Sequence[Label], which: Callable[[int], bool]) -> str:
    """The classes for which something holds: the first few, and how many more."""
    found = [f"`{name(label)}`" for k, label in enumerate(classes) if which(k)]
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return ", ".join(found[:_NAMED]) + more

"""`likely train`."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from likely import Categorical, Classifier, Gaussian, JointTable, Polarity, RuleEvidence, Rules
from likely.cli.options import prior_option, progress_bar
from likely.cli.reading import asked, reading_of, reading_options
from likely.errors import DataError
from likely.inputs.columns import Choice, choose, nearest
from likely.inputs.files import open_table
from likely.inputs.labelled import Labelled, labelled
from likely.likelihoods import TEXT_VIEWS, Likelihood

_MOST_CLASSES = 100
_MOST_LINES = 16
MODELS = [*TEXT_VIEWS, "categorical", "gaussian", "lda", "qda", "joint"]


@click.command(no_args_is_help=True)
@click.argument("data", type=click.Path(allow_dash=True))
@click.option("-o", "--output", required=True, type=click.Path(), help="The model file to write.")
@click.option("--target", metavar="COL", help="The column with the labels.")
@click.option("--text", metavar="COL", multiple=True, help="Take a column as text.")
@click.option("--number", metavar="COL", multiple=True, help="Take a column as numbers.")
@click.option("--category", metavar="COL", multiple=True, help="Take a column as categories.")
@click.option("--ignore", metavar="COL", multiple=True, help="Leave a column out.")
@click.option(
    "--together",
    metavar="COL,COL",
    multiple=True,
    help="Columns that share one likelihood: a covariance, or a joint table.",
)
@click.option(
    "--model",
    type=click.Choice(MODELS),
    help="One likelihood, of the columns it can read; otherwise each column has what suits it.",
)
@click.option("--alpha", type=float, help="Added to every count.  [default: 1 for texts]")
@click.option("--m", "m", type=float, help="Imagined rows of categories.  [default: 1]")
@click.option("--unlabelled", metavar="FILE", help="More rows, without labels, to learn from.")
@click.option(
    "--unlabelled-weight",
    metavar="auto|W",
    default="auto",
    show_default=True,
    help="What an unlabelled row counts, from 0 to 1.",
)
@reading_options
@click.option("--rules", metavar="FILE", help="Rules, in TOML, that overrule what is learned.")
@click.option(
    "--rules-as",
    type=click.Choice(["overruling", "evidence"]),
    default="overruling",
    show_default=True,
    help="Whether rules decide, or are counted like anything else.",
)
@prior_option
@click.option("--missing", metavar="TEXT", multiple=True, help="How a missing cell is spelled.")
@click.option(
    "--threads", type=click.IntRange(1, 1024), help="How many threads; all cores if not given."
)
@click.option("--force", is_flag=True, help="Replace the model file if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def train(
    data: str,
    output: str,
    target: str | None,
    text: tuple[str, ...],
    number: tuple[str, ...],
    category: tuple[str, ...],
    ignore: tuple[str, ...],
    together: tuple[str, ...],
    model: str | None,
    alpha: float | None,
    m: float | None,
    unlabelled: str | None,
    unlabelled_weight: str,
    rules: str | None,
    rules_as: str,
    prior: Any,
    missing: tuple[str, ...],
    threads: int | None,
    force: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Learn from DATA: a table with a column of labels, and texts, numbers, categories beside it.

    DATA is a CSV, TSV, JSONL, Parquet, Arrow or ARFF file, fastText's lines, or a folder with a
    folder of texts for each class; plain, .gz or .zst; `-` is standard input. It may be larger than
    memory. The accuracy printed is exact leave-one-out: each row is judged by a model that has not
    seen it, and no data is held out.

    \b
      likely train reviews.csv -o reviews.likely
      likely train patients.csv -o p.likely --target outcome --together height,weight
    """
    check_output(output, force)
    source = open_table(data)
    rows = labelled(source, target)
    options: dict[str, Any] = {"missing": missing} if missing else {}
    if prior is not None:
        options["prior"] = prior
    kinds = {"text": text, "number": number, "category": category, "ignore": ignore}
    given = {name: kind for kind, names in kinds.items() for name in names}
    groups = [tuple(name.strip() for name in group.split(",")) for group in together]
    sample = rows.sample().reading(Classifier(**options).missing)
    choices = choose(sample, {name: k for name, k in given.items() if name != rows.target})
    likelihoods = likelihoods_of(choices, groups, model, alpha, m, reading)
    said = _said(rows, choices, likelihoods)
    if rules is not None:
        found = Rules.read(rules)
        read = found.reads(rows.columns, [n for n in likelihoods if _is_text(choices, n)])
        read = tuple(dict.fromkeys(read))
        rule = "1 rule" if len(found) == 1 else f"{len(found)} rules"
        said += f"; {rule} on {', '.join(f'`{name}`' for name in read)}"
        if rules_as == "evidence":
            likelihoods[read] = RuleEvidence(found, 1.0 if alpha is None else alpha)
        else:
            options["rules"] = found
    click.echo(f"{source.name}: {said}", err=True)

    classifier = Classifier(likelihoods, threads=threads or os.cpu_count() or 1, **options)
    more: dict[str, Any] = {}
    if unlabelled is not None:
        more["unlabelled"] = open_table(unlabelled)
        more["unlabelled_weight"] = _weight(unlabelled_weight)
    with progress_bar("counting", source.size) as progress:
        classifier.fit(source, rows.target, progress=progress, **more)
    if classifier.learned is not None:
        click.echo(f"{unlabelled}: {classifier.learned}", err=True)
    _check_classes(classifier, prior)
    right, rows_of = 0, np.zeros(len(classifier.classes), dtype=np.int64)
    with progress_bar("leaving out", source.size) as progress:
        for part in classifier.leave_one_out_batches(source, rows.target, progress=progress):
            right += int((part.predicted == part.truth).sum())
            rows_of += np.bincount(part.truth, minlength=len(rows_of))
    classifier.save(output)
    result = _result(classifier, choices, right, rows_of, output)
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else _summary(result))


def _weight(given: str) -> Any:
    try:
        return given if given == "auto" else float(given)
    except ValueError:
        raise click.UsageError(f"--unlabelled-weight {given}: it is auto, or a number") from None


def likelihoods_of(
    choices: dict[str, Choice],
    groups: list[tuple[str, ...]],
    model: str | None,
    alpha: float | None,
    m: float | None,
    reading: dict[str, Any],
) -> dict[Any, Any]:
    """The likelihood of each column, or of columns that share one."""
    counted: dict[str, Any] = {} if alpha is None or m is not None else {"alpha": alpha}
    if m is not None:
        counted["m"] = m
    view = TEXT_VIEWS[model] if model in TEXT_VIEWS else TEXT_VIEWS["multinomial"]
    shared: dict[str, Likelihood] = {"number": Gaussian("full"), "category": JointTable(**counted)}
    if model in ("lda", "qda"):
        shared["number"] = Gaussian("shared" if model == "lda" else "full")
    text, looks = reading_of(reading)
    of_text: list[Likelihood] = [view(1.0 if alpha is None else alpha, text=text, **looks)]
    if text.lexicon is not None and view.takes_prior:
        of_text.append(Polarity(text.lexicon, negation=text.negation))
    of_kind: dict[str, Any] = {
        "text": of_text if len(of_text) > 1 else of_text[0],
        "number": Gaussian(),
        "category": Categorical(**counted),
    }
    if model in ("lda", "qda", "joint"):
        of_kind.update(shared)
    only = {
        **dict.fromkeys(TEXT_VIEWS, "text"),
        **dict.fromkeys(("gaussian", "lda", "qda"), "number"),
        **dict.fromkeys(("categorical", "joint"), "category"),
    }
    used = {n: c.kind for n, c in choices.items() if c.kind != "ignore"}
    if model is not None:
        used = {name: kind for name, kind in used.items() if kind == only[model]}
        if not used:
            raise DataError(f"there is no column of the kind that --model {model} reads")
    if asked(reading) and "text" not in used.values():
        raise DataError(f"{asked(reading)[0]} is about texts, and no column of texts is used")
    if model in ("lda", "qda", "joint") and not groups and len(used) > 1:
        groups = [tuple(used)]
    likelihoods: dict[Any, Any] = {}
    for group in groups:
        if len(set(group)) != len(group) or len(group) < 2:
            raise DataError(f"--together {','.join(group)}: different columns are named")
        strangers = [name for name in group if name not in used]
        if strangers:
            raise DataError(f"`{strangers[0]}` is no column that is used; --together names those")
        kinds = {used[name] for name in group}
        if len(kinds) > 1 or "text" in kinds:
            raise DataError(
                f"{', '.join(group)}: columns together are all numbers or all categories"
            )
        likelihoods[group] = shared[kinds.pop()]
        for name in group:
            used.pop(name)
    likelihoods.update({name: of_kind[kind] for name, kind in used.items()})
    if not likelihoods:
        why = "; ".join(f"`{name}`: {choice.why}" for name, choice in choices.items())
        raise DataError(f"there is no column to learn from ({why})")
    return likelihoods


def _is_text(choices: dict[str, Choice], name: Any) -> bool:
    return isinstance(name, str) and choices[name].kind == "text"


def _said(rows: Labelled, choices: dict[str, Choice], likelihoods: Mapping[Any, Any]) -> str:
    """What was found in which column, in one sentence."""
    used = {n for key in likelihoods for n in (key if isinstance(key, tuple) else (key,))}
    said = [f"labels in `{rows.target}`"]
    for kind, word in (("text", "text"), ("number", "numbers"), ("category", "categories")):
        names = [n for n, choice in choices.items() if choice.kind == kind and n in used]
        if names:
            said.append(f"{word} in {', '.join(f'`{name}`' for name in names)}")
    for name, choice in choices.items():
        if name not in used:
            why = f" ({choice.why})" if choice.kind == "ignore" else ""
            said.append(f"`{name}` not used{why}")
    return "; ".join(said)


def check_output(output: str, force: bool) -> None:
    """Find out before the work whether its result can be written."""
    path = Path(output)
    if output == "-" or path.is_dir() or output.endswith(("/", os.sep)):
        raise click.UsageError(f"{output} is no name for a file")
    if not path.parent.is_dir():
        raise click.UsageError(f"the folder of {output} is not there")
    if path.exists() and not force:
        raise click.UsageError(f"{output} is there already; --force replaces it")
    if not os.access(path.parent, os.W_OK):
        raise click.UsageError(f"nothing can be written to the folder of {output}")


def _check_classes(classifier: Classifier, prior: Any) -> None:
    named = prior if isinstance(prior, dict) else {}
    unseen = [label for label in named if label not in classifier.tally.classes]
    if unseen:
        raise DataError(
            f"--prior speaks of `{unseen[0]}`, which no row has; "
            + nearest(unseen[0], map(str, classifier.tally.classes))
        )
    different, rows = len(classifier.classes), classifier.tally.n_rows
    if different > _MOST_CLASSES and different * 2 > rows:
        raise DataError(
            f"{different:,} of the {rows:,} labels in `{classifier.target}` are different; "
            "is it really the target?"
        )


def _result(
    classifier: Classifier,
    choices: dict[str, Choice],
    right: int,
    rows_of: NDArray[np.int64],
    output: str,
) -> dict[str, Any]:
    rows, common, learned = int(rows_of.sum()), int(rows_of.argmax()), classifier.learned
    more = {} if learned is None else {"unlabelled": learned.rows, "weight": learned.weight}
    return {
        "rows": rows,
        **more,
        "classes": list(classifier.classes),
        "columns": {name: choice.kind for name, choice in choices.items()},
        "accuracy": right / rows,
        "majority_class": classifier.classes[common],
        "majority_baseline": int(rows_of[common]) / rows,
        "top": [[label, words] for label, words in classifier.top(8).items()],
        "notes": list(classifier.info.notes),
        "model": output,
        "bytes": Path(output).stat().st_size,
        "digest": classifier.digest,
    }


def _summary(result: dict[str, Any]) -> str:
    accuracy = click.style(f"{result['accuracy']:.1%}", bold=True)
    shown, more = result["top"][:_MOST_LINES], result["top"][_MOST_LINES:]
    names = [_shown(str(label)) for label, _ in shown]
    width = min(max(map(len, names)), 24)
    bold = [click.style(name[:width].ljust(width), bold=True) for name in names]
    words = [
        f"  {name}  {_fitting(top, 76 - width)}".rstrip()
        for name, (_, top) in zip(bold, shown, strict=True)
    ]
    if more:
        words.append(f"  and {len(more)} more classes")
    what = "labelled rows" if "unlabelled" in result else "rows"
    speaks = ["What speaks for each", "", *words, ""] if any(top for _, top in shown) else []
    return "\n".join(
        [
            "",
            f"  {accuracy} right when each of the {result['rows']:,} {what} is left out in turn",
            f"  {result['majority_baseline']:.1%} would be right by always saying "
            f"`{result['majority_class']}`",
            "",
            *speaks,
            *(f"note: {note}" for note in result["notes"]),
            f"{result['model']}: {result['bytes']:,} bytes, tally {result['digest'][:16]}…",
        ]
    )


def _fitting(top: list[tuple[str, float]], width: int) -> str:
    """As many features as a line has room for."""
    line = ""
    for name, _ in top:
        longer = f"{line}  {_shown(name)}" if line else _shown(name)
        if len(longer) > width:
            break
        line = longer
    return line


def _shown(feature: str) -> str:
    """A name as people can read it: spaces at its ends or signs that do not print would be lost."""
    return feature if feature == feature.strip() and feature.isprintable() else repr(feature)

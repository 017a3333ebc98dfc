"""`likely audit`."""

import json
import os
from pathlib import Path
from typing import Any

import click

import likely
from likely import page, storage
from likely.audit import (
    Causes,
    groups,
    of_contrast,
    of_group,
    of_term,
    persons,
    read_pairs,
    read_sentences,
    read_terms,
    swaps,
    terms,
)
from likely.audit.facts import Gaps
from likely.audit.sentences import PersonSentences
from likely.cli.options import (
    check_output,
    encoding_option,
    force_option,
    json_option,
    say,
    target_option,
)
from likely.cli.test import GATE_FAILED
from likely.inputs.files import open_table


@click.command(no_args_is_help=True)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("data", type=click.Path(), required=False)
@click.option(
    "--templates",
    metavar="FILE",
    multiple=True,
    help="Sentences or frames; `persons` and `terms` are ours.  [default: persons]",
)
@click.option(
    "--group", metavar="COL", help="Compare the groups of DATA that a column tells apart."
)
@click.option(
    "--swap",
    metavar="FILE",
    type=click.Path(),
    help="Pairs of words to swap in DATA; `ours` are ours.",
)
@click.option("--score", metavar="CLASS", help="Whose probability is looked at.")
@click.option("--hostile", metavar="LABEL", help="How a file of sentences labels hostile ones.")
@click.option(
    "--terms", "term_list", metavar="FILE", type=click.Path(), help="Identity terms to look for."
)
@target_option
@click.option(
    "--max-gap",
    metavar="N",
    type=click.FloatRange(0),
    help="Fail, with exit code 1, if a gap is larger.",
)
@click.option("--html", "html_file", metavar="FILE", type=click.Path(), help="Also write a page.")
@force_option
@encoding_option
@json_option
def audit(
    model: str,
    data: str | None,
    templates: tuple[str, ...],
    group: str | None,
    swap: str | None,
    score: str | None,
    hostile: str | None,
    term_list: str | None,
    target: str | None,
    max_gap: float | None,
    html_file: str | None,
    force: bool,
    encoding: str,
    as_json: bool,
) -> None:
    """Look for gaps in how MODEL treats people, and for what carries them.

    Without DATA, sentences that differ in the person alone are scored. With DATA, its groups are
    compared (--group), or paired words are swapped in it (--swap); if the model was trained on it,
    each row is judged without itself, and the rows behind a gap are shown. A gap that is not found
    is not a proof that there is none.

    \b
      likely audit reviews.likely
      likely audit tweets.likely --templates terms --score offensive
      likely audit tweets.likely train.csv --group region --max-gap 0.05
    """
    if data is None and (group or swap):
        raise click.UsageError("--group and --swap look at rows, so DATA is needed")
    if html_file is not None:
        check_output(html_file, force)
    classifier = likely.load(model, threads=os.cpu_count() or 1)
    source = None if data is None else open_table(data, encoding=encoding)
    wanted = templates or (() if group or swap else ("persons",))
    words = None if term_list is None else read_terms(term_list)
    found: list[Gaps] = []
    behind: list[Causes] = []
    for each in wanted:
        sentences = read_sentences(each, hostile=hostile, terms=words)
        if isinstance(sentences, PersonSentences):
            about = persons(classifier, sentences, score)
            found.append(about)
            gaps = [one for one in about.contrasts if one.is_found]
            if gaps:
                widest = max(gaps, key=lambda one: abs(one.gap))
                behind.append(of_contrast(classifier, sentences, widest, source, target))
        else:
            named = terms(classifier, sentences, score)
            found.append(named)
            worst = max(named.terms, key=lambda one: one.false_positive_gap)
            if worst.is_found:
                label = named.label
                behind.append(of_term(classifier, sentences, worst.term, label, source, target))
    if group is not None:
        split = groups(classifier, source, target, group=group, score=score)
        found.append(split)
        if split.apart is not None:
            unlike = split.apart.group
            behind.append(of_group(classifier, source, target, group, unlike, split.label))
    if swap is not None:
        pairs = read_pairs(None if swap == "ours" else swap)
        found.append(swaps(classifier, source, pairs, score=score))
    if html_file is not None:
        storage.write(html_file, _page(model, classifier, found, behind).encode())
    if as_json:
        facts: dict[str, Any] = {one.kind: one.to_json() for one in found}
        click.echo(
            json.dumps(facts | {"causes": [one.to_json() for one in behind]}, ensure_ascii=False)
        )
    else:
        click.echo("\n\n\n".join(str(one) for one in [*found, *behind]))
    if html_file is not None:
        say(f"{html_file} has the page")
    too_large = [
        one.largest_gap for one in found if max_gap is not None and one.largest_gap[0] > max_gap
    ]
    for gap, between in too_large:
        say(f"the gap in {between} is {gap:.4f}, above {max_gap:g}", "likely", fg="red")
    if too_large:
        raise click.exceptions.Exit(GATE_FAILED)


_TITLES = {
    "persons": "Persons",
    "terms": "Identity terms",
    "groups": "Groups",
    "swaps": "Swapped words",
}


def _page(
    model: str, classifier: likely.Classifier, found: list[Gaps], behind: list[Causes]
) -> str:
    sections = [
        page.Section(f"{one.kind}-{place}", _TITLES[one.kind], one.blocks())
        for place, one in enumerate(found)
    ]
    sections += [
        page.Section(
            f"causes-{place}",
            f"What carries the gap: {one.one.strip('`')}",
            one.blocks(),
        )
        for place, one in enumerate(behind)
    ]
    lead = (
        "Gaps in how the model treats people, what carries them, and how sure that is. A gap that "
        "is not found at this sample size may still be there, and what was not asked about was not "
        "looked at."
    )
    rows = f"{classifier.tally.n_rows:,} rows"
    return page.document(
        f"Audit of {Path(model).name}",
        lead,
        [],
        sections,
        f"Tally {classifier.digest[:16]}… of {rows}. Made by likely {likely.__version__}.",
    )

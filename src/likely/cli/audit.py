"""`likely audit`."""

import json
import os
from typing import Any

import click

import likely
from likely import render
from likely.cli.auditing import audit_options, html_option, page_of, sentences_of
from likely.cli.gates import GATE_FAILED
from likely.cli.options import (
    check_output,
    file_options,
    force_option,
    json_option,
    load_model,
    number,
    print_message,
    print_result,
    target_option,
)
from likely.cli.paths import Command, Input
from likely.data.files import open_table
from likely.data.table import DecimalMark
from likely.fairness import (
    Causes,
    groups,
    of_contrast,
    of_group,
    of_swap,
    of_term,
    persons,
    read_pairs,
    swaps,
    terms,
)
from likely.fairness.facts import Gaps
from likely.fairness.groups import Groups
from likely.fairness.sentences import PersonSentences
from likely.tally import container


@click.command(cls=Command, no_args_is_help=True)
@click.argument("model", type=Input(dir_okay=False))
@click.argument("data", type=Input(), required=False)
@audit_options
@click.option(
    "--swap",
    metavar="FILE",
    type=Input(),
    help="Pairs of words to swap in DATA; `ours` is built in.",
)
@target_option
@click.option(
    "--max-gap",
    metavar="N",
    type=number(float, 0),
    help="Fail with exit code 1 if a gap is larger.",
)
@html_option
@force_option
@file_options
@json_option
def audit(
    model: str,
    data: str | None,
    templates: tuple[str, ...],
    hostile: str | None,
    term_list: str | None,
    group_columns: tuple[str, ...],
    score: str | None,
    swap: str | None,
    target: str | None,
    max_gap: float | None,
    html_file: str | None,
    force: bool,
    encoding: str,
    decimal: DecimalMark | None,
    as_json: bool,
) -> None:
    """Measure gaps in how MODEL treats groups of people, and find what causes them.

    \b
      likely audit reviews.likely
      likely audit tweets.likely --templates terms --score offensive
      likely audit tweets.likely train.csv --group region --max-gap 0.05

    Without DATA, it scores sentences that differ in the person only, or those of --templates. With
    DATA, it compares groups of rows (--group), by leave-one-out if these are the training rows, or
    swaps paired words in them (--swap). For training rows, it shows those that cause a gap. That no
    gap is found does not prove that there is none.
    """
    if data is None and (group_columns or swap):
        raise click.UsageError("--group and --swap need DATA")
    if html_file is not None:
        check_output(html_file, force)
    classifier = load_model(model, threads=os.cpu_count() or 1)
    source = None if data is None else open_table(data, encoding=encoding, decimal=decimal)
    wanted = templates or (() if group_columns or swap else ("persons",))
    if not templates and wanted and not classifier.text_columns:
        raise click.UsageError(
            "the model reads no text, so no sentences can be scored\n"
            "hint: `--group COL` compares groups of the rows of DATA"
        )
    found: list[Gaps] = []
    behind: list[Causes] = []
    for sentences in sentences_of(wanted, hostile, term_list):
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
    for group in group_columns:
        split = groups(classifier, source, target, group=group, score=score)
        found.append(split)
        if split.apart is not None:
            unlike = split.apart.group
            behind.append(of_group(classifier, source, target, group, unlike, split.label))
    if swap is not None:
        pairs = read_pairs(None if swap == "ours" else swap)
        exchanged = swaps(classifier, source, pairs, score=score, y=target)
        found.append(exchanged)
        if exchanged.apart is not None:
            # Rows to swap words in need no labels; without, none are known to be training rows.
            has_labels = source is not None and (target or classifier.target) in source.columns
            learned = source if has_labels else None
            label = exchanged.apart.label
            behind.append(of_swap(classifier, source, pairs, label, learned, target))
    if html_file is not None:
        container.write(html_file, _page(model, classifier, found, behind))
    if as_json:
        print_result(json.dumps(_facts(found, behind), ensure_ascii=False))
    else:
        print_result("\n\n\n".join(str(one) for one in [*found, *behind]))
    if html_file is not None:
        print_message(f"wrote {html_file}")
    too_large = [
        one.largest_gap for one in found if max_gap is not None and one.largest_gap[0] > max_gap
    ]
    for gap, between in too_large:
        print_message(f"the gap in {between} is {gap:.4f}, above {max_gap:g}", "likely", fg="red")
    if too_large:
        raise click.exceptions.Exit(GATE_FAILED)


def _facts(found: list[Gaps], behind: list[Causes]) -> dict[str, Any]:
    """The facts by kind; a list of them where several files were of one kind."""
    facts: dict[str, Any] = {}
    for kind in dict.fromkeys(one.kind for one in found):
        mine = [one.to_json() for one in found if one.kind == kind]
        facts[kind] = mine[0] if len(mine) == 1 else mine
    return facts | {"causes": [one.to_json() for one in behind]}


_TITLES = {
    "persons": "Persons",
    "terms": "Identity terms",
    "groups": "Groups",
    "swaps": "Swapped words",
}


def _title(found: Gaps) -> str:
    title = _TITLES[found.kind]
    return f"{title} by {found.column}" if isinstance(found, Groups) else title


def _page(
    model: str, classifier: likely.Classifier, found: list[Gaps], behind: list[Causes]
) -> bytes:
    sections = [
        render.Section(f"{one.kind}-{place}", _title(one), one.blocks())
        for place, one in enumerate(found)
    ]
    sections += [
        render.Section(
            f"causes-{place}",
            f"Causes of the gap: {one.one.replace('`', '')}",
            one.blocks(),
        )
        for place, one in enumerate(behind)
    ]
    lead = (
        "Gaps in how the model treats groups of people, their causes, and their uncertainty. A gap "
        "that is not found at this sample size may still exist, and only what was asked for was "
        "measured."
    )
    return page_of("Audit", model, classifier, lead, sections)

"""`likely explain --surprisal`: a text word by word, in bits."""

import json
import warnings
from typing import Any

import click

import likely
from likely.cli.options import print_message, print_result
from likely.numbers import json_number

# More columns than this do not fit on a line.
_MOST_CLASSES = 4


def print_surprisal(
    classifier: likely.Classifier,
    explanation: likely.Explanation,
    cells: dict[str, Any],
    as_json: bool,
) -> None:
    from likely.explain.language_model import surprising

    order = (-explanation.probabilities).argsort(kind="stable")
    labels = [explanation.classes[place] for place in order]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        languages = [classifier.language_model(label) for label in labels[:_MOST_CLASSES]]
    for warning in dict.fromkeys(str(one.message) for one in told):
        print_message(f"warning: {warning}")
    text = str(cells[languages[0].column] or "")
    if not as_json:
        print_result(surprising(languages, text))
        return
    classes = {
        str(each.label): {
            "log_prob": json_number(each.log_prob(text)),
            "words": [[word.word, json_number(word.surprisal)] for word in each.words(text)],
        }
        for each in languages
    }
    facts = {"unknown": languages[0].unknown(text), "classes": classes}
    click.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False))

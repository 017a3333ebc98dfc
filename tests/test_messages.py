"""The wording of the whole catalogue, once; other tests check codes."""

import ast
import string
from pathlib import Path

import pytest

import likely
from likely.errors import DataError, LikelyError
from likely.messages import MESSAGES
from tests.raising import coded

SOURCE = Path(likely.__file__).parent
SNAPSHOT = Path(__file__).parent / "messages.txt"


def test_the_wording_is_as_it_was():
    """After a change on purpose, write what is compared here to the file."""
    shown = "".join(
        f"{code}\n    {text}\n".replace("\nhint", "\n    hint") for code, text in MESSAGES.items()
    )
    assert shown == SNAPSHOT.read_text(encoding="utf-8")


def _raised() -> dict[str, set[str]]:
    """Every code in the source, and the values that it is given."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "of"
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id.endswith("Error")
            ):
                (code,) = (each.value for each in node.args if isinstance(each, ast.Constant))
                values = {str(each.arg) for each in node.keywords}
                assert found.setdefault(code, values) == values, code
    return found


def test_every_message_is_raised_with_the_values_it_needs():
    needed = {
        code: {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
        for code, text in MESSAGES.items()
    }
    assert _raised() == needed


@pytest.mark.parametrize("text", MESSAGES.values(), ids=MESSAGES)
def test_messages_are_sentences_in_lower_case_without_a_full_stop(text):
    first = text.partition("\n")[0]
    assert first[0] in "`{" or first[0].islower()
    assert not first.endswith(".")


def test_an_error_keeps_its_code_within_a_longer_message():
    error = DataError.of("label-missing", row=3).within("a.csv: ", "\nhint: look")
    assert isinstance(error, DataError)
    assert error.code == "label-missing"
    assert str(error) == "a.csv: label 3 is missing; every row needs one\nhint: look"
    assert LikelyError("anything else").code is None


def test_codes_are_checked():
    with pytest.raises(DataError, check=coded("missing-column")):
        raise DataError.of("missing-column", column="a", known="`b`")

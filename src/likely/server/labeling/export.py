"""All answers as a table: the row, its labels, and who gave them when."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from likely.errors import OptionError
from likely.server.labeling.session import TARGET, Session

SEPARATOR = ";"
_KINDS = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def exported(session: Session, form: str) -> tuple[bytes, str]:
    """The answers in one of three forms, and the content type."""
    content = {"csv": _csv, "jsonl": _jsonl, "xlsx": _xlsx}[form](session)
    return content, _KINDS[form]


def rows(session: Session) -> Iterator[dict[str, Any]]:
    """Each answer that is in force and no skip; people who answered the same row have one each."""
    for item in sorted(session.seen.answers):
        for answer in session.seen.answers[item].values():
            if answer.labels is not None:
                own = list(answer.labels) if session.is_multilabel else answer.labels[0]
                yield {
                    **session.pool.cells(item),
                    _free(session, TARGET): own,
                    _free(session, "answered_by"): answer.who,
                    _free(session, "answered_at"): answer.time,
                }


def _free(session: Session, name: str) -> str:
    """The name of a column, and not that of one in the data."""
    while name in session.pool.columns:
        name += "_"
    return name


def _names(session: Session) -> list[str]:
    more = (TARGET, "answered_by", "answered_at")
    return [*session.pool.columns, *(_free(session, name) for name in more)]


def _flat(row: dict[str, Any]) -> list[Any]:
    return [SEPARATOR.join(c) if isinstance(c, list) else c for c in row.values()]


def _csv(session: Session) -> bytes:
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(_names(session))
    writer.writerows(_flat(row) for row in rows(session))
    return written.getvalue().encode("utf-8", "replace")


def _jsonl(session: Session) -> bytes:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows(session))
    return "".join(lines).encode("utf-8", "replace")


def _xlsx(session: Session) -> bytes:
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    except ImportError:
        raise OptionError(
            "openpyxl is needed to write XLSX\nhint: `pip install openpyxl`, or export CSV"
        ) from None
    book = Workbook(write_only=True)
    sheet = book.create_sheet("labels")

    def cell(value: Any) -> Any:
        """A cell that is a text, even if it begins like a formula."""
        found = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("\ufffd", str(value or ""))[:32767])
        found.data_type = "s"
        return found

    sheet.append([cell(name) for name in _names(session)])
    for row in rows(session):
        sheet.append([cell(value) for value in _flat(row)])
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()

"""What a schema cannot say, for schemathesis: tables, and lists that are equally long."""

import io
import json

import schemathesis
from hypothesis import strategies as st

ROWS = st.lists(st.text("ab c", max_size=5), min_size=1, max_size=3)


def _csv(texts):
    return "".join(f"{line}\n" for line in ("text,label", *(f'"{t}",spam' for t in texts))).encode()


def _arrow(texts):
    import pyarrow as pa

    table, written = pa.table({"text": texts, "label": ["spam"] * len(texts)}), io.BytesIO()
    with pa.ipc.new_stream(written, table.schema) as stream:
        stream.write_table(table)
    return written.getvalue()


def _lines(texts):
    return "".join(json.dumps({"text": t, "label": "spam"}) + "\n" for t in texts).encode()


for kind, written in (
    ("text/csv", _csv),
    ("text/tab-separated-values", lambda texts: _csv(texts).replace(b",", b"\t")),
    ("application/x-ndjson", _lines),
    ("application/vnd.apache.arrow.stream", _arrow),
):
    schemathesis.openapi.media_type(kind, ROWS.map(written))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Send as many labels as rows, and as many cells as a tensor's shape says."""
    if isinstance(case.body, dict):
        case.body = _fitting(case.body)


def _fitting(body):
    rows, labels = body.get("rows"), body.get("labels")
    if isinstance(rows, list) and isinstance(labels, list) and rows and labels:
        n = min(len(rows), len(labels))
        return body | {"rows": rows[:n], "labels": labels[:n]}
    inputs = body.get("inputs")
    if isinstance(inputs, list):
        return body | {"inputs": [_shaped(tensor) for tensor in inputs]}
    return body


def _shaped(tensor):
    """The tensor with one cell, if it is one."""
    data = tensor.get("data") if isinstance(tensor, dict) else None
    shape = tensor.get("shape") if isinstance(tensor, dict) else None
    if not isinstance(data, list) or not data or not isinstance(shape, list):
        return tensor
    if len(shape) not in (1, 2) or not all(type(n) is int for n in shape):
        return tensor
    return tensor | {"data": data[:1], "shape": [1] * len(shape)}

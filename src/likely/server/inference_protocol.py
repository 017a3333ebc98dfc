"""The Open Inference Protocol, version 2: how clients of other model servers ask.

Each column of the model is an input tensor with a cell per row; the answer has a tensor of labels
and one of probabilities.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import likely
from likely.classifier import Classifier
from likely.data.table import Table
from likely.errors import DataError
from likely.server.http import RefusalError, Reply, Request, Routes
from likely.server.living import Served
from likely.server.rows import BodyError, parsed

DATATYPES = {
    "BYTES", "BOOL", "INT8", "INT16", "INT32", "INT64",
    "UINT8", "UINT16", "UINT32", "UINT64", "FP16", "FP32", "FP64",
}  # fmt: skip
_NUMERIC = ("numeric",)
_VERSION = "1"
OUTPUTS = ("label", "probabilities")


class InferenceProtocol:
    """The paths of the protocol, for one model under its name."""

    def __init__(
        self,
        name: str,
        served: Callable[[], Served],
        predicted: Callable[[Served, Table, int], Awaitable[list[dict[str, Any]]]],
        max_rows: int,
    ):
        self._name, self._served, self._predicted = name, served, predicted
        self._max_rows = max_rows

    @property
    def routes(self) -> Routes:
        found: Routes = {
            "/v2": {"GET": self.server},
            "/v2/health/live": {"GET": self.live},
            "/v2/health/ready": {"GET": self.live},
        }
        for path in (f"/v2/models/{self._name}", f"/v2/models/{self._name}/versions/{_VERSION}"):
            found[path] = {"GET": self.model}
            found[f"{path}/ready"] = {"GET": self.live}
            found[f"{path}/infer"] = {"POST": self.infer}
        return found

    async def server(self, request: Request) -> Reply:
        return Reply({"name": "likely", "version": likely.__version__, "extensions": []})

    async def live(self, request: Request) -> Reply:
        return Reply({})

    async def model(self, request: Request) -> Reply:
        classifier = self._served().classifier
        inputs = [
            {"name": name, "datatype": _kind_of(classifier, name), "shape": [-1]}
            for name in classifier.columns
        ]
        outputs: list[dict[str, Any]] = [
            {"name": "label", "datatype": "BYTES", "shape": [-1]},
            {"name": "probabilities", "datatype": "FP64", "shape": [-1, len(classifier.classes)]},
        ]
        return Reply(
            {
                "name": self._name,
                "versions": [_VERSION],
                "platform": "likely",
                "inputs": inputs,
                "outputs": outputs,
            }
        )

    async def infer(self, request: Request) -> Reply:
        """Predict rows; multi-label ones have their labels as JSON."""
        served = self._served()
        classifier = served.classifier
        body = _parsed(request.body)
        wanted, own_id = _wanted(body), body.get("id", "")
        if not isinstance(own_id, str):
            raise BodyError("`id` is a text")
        found = await self._predicted(served, _table(body, self._max_rows), len(request.body))
        labels = [
            json.dumps([str(label) for label in one["labels"]], ensure_ascii=False)
            if classifier.is_multilabel else str(one["label"])
            for one in found
        ]  # fmt: skip
        probabilities = [p for one in found for p in one["probabilities"].values()]
        classes = [str(label) for label in classifier.classes]
        outputs: list[dict[str, Any]] = [
            {"name": "label", "datatype": "BYTES", "shape": [len(found)], "data": labels},
            {
                "name": "probabilities",
                "datatype": "FP64",
                "shape": [len(found), len(classes)],
                "parameters": {"classes": json.dumps(classes, ensure_ascii=False)},
                "data": probabilities,
            },
        ]
        answer: dict[str, Any] = {
            "model_name": self._name,
            "model_version": _VERSION,
            "parameters": {"digest": served.snapshot, "sequence": served.sequence},
            "outputs": [output for output in outputs if output["name"] in wanted],
        }
        if "id" in body:
            answer["id"] = own_id
        return Reply(answer)


def in_protocol(refusal: RefusalError) -> Reply:
    """An error as the protocol has it: one sentence."""
    return replace(refusal.reply, content={"error": refusal.sentence})


def _kind_of(classifier: Classifier, column: str) -> str:
    role = classifier.column_roles.get(column)
    return "FP64" if role is not None and role.role in _NUMERIC else "BYTES"


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        found = parsed(body)
    except BodyError as error:
        raise BodyError(f"{error}\nhint: tensors in binary form are not read here") from None
    if not isinstance(found, dict) or not isinstance(found.get("inputs"), list):
        raise BodyError("the body has no list `inputs`")
    return found


def _wanted(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The outputs that are asked for; all if none is named."""
    given = body.get("outputs", [])
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise BodyError("`outputs` is a list of objects with `name`")
    names = tuple(one.get("name") for one in given) or OUTPUTS
    for name in names:
        if name not in OUTPUTS:
            raise BodyError(f"there is no output {str(name)[:50]!r}, only `label`, `probabilities`")
    return names


def _table(body: Mapping[str, Any], max_rows: int) -> Table:
    columns: dict[str, list[Any]] = {}
    for tensor in body["inputs"]:
        if not isinstance(tensor, dict) or not isinstance(tensor.get("name"), str):
            raise BodyError("an input is an object with `name`, `shape`, `datatype` and `data`")
        name, shape, data = tensor["name"], tensor.get("shape"), tensor.get("data")
        datatype = tensor.get("datatype")
        if not isinstance(datatype, str) or datatype not in DATATYPES:
            raise BodyError(f"input `{name}` has the datatype {str(datatype)[:50]!r}")
        if not isinstance(data, list) or not isinstance(shape, list):
            raise BodyError(f"input `{name}` has no `shape` or no `data`")
        cells = np.array(data, dtype=object).reshape(-1).tolist() if data else []
        sized = [n for n in shape if type(n) is int]
        if sized != shape or shape not in ([len(cells)], [len(cells), 1]):
            raise BodyError(f"input `{name}` has the shape {shape} and {len(cells):,} cells")
        if len(cells) > max_rows:
            raise RefusalError(413, "too-many-rows", f"at most {max_rows:,} rows in one request")
        columns[name] = cells
    if not columns or not next(iter(columns.values())):
        raise DataError("there are no rows in the body")
    return Table.of(columns)

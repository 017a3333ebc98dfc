"""The description of a server in OpenAPI 3.1, made from the model that it serves."""

from collections.abc import Sequence
from typing import Any

import likely
from likely.classifier import Classifier
from likely.data.columns import ColumnRole
from likely.server.inference_protocol import DATATYPES, OUTPUTS

_TABLES = {
    "text/csv": "A table with a header; labels in the column of the target.",
    "text/tab-separated-values": "The same with tabs.",
    "application/x-ndjson": "An object by column on each line.",
    "application/vnd.apache.arrow.stream": "An Arrow stream.",
}
_VERSION = {
    "digest": {"type": "string", "description": "The digest of the newest snapshot."},
    "sequence": {"type": "integer", "description": "The number of the last event."},
}
_PROBABILITIES = {"type": "object", "additionalProperties": {"type": "number"}}


def described(
    classifier: Classifier, name: str, *, learns: bool, has_token: bool
) -> dict[str, Any]:
    """The document: every path, every body and every answer."""
    paths: dict[str, Any] = {
        "/predict": {"post": _asking("predict", "Predict the labels of rows.", "Predictions")},
        "/explain": {
            "post": _asking("explain", "Explain the predictions of rows.", "Explanations")
        },
        "/model": {"get": _getting("model", "What the model is.", "Model", [_digest()])},
        "/healthz": {"get": _getting("health", "Whether the process answers.", "Status")},
        "/readyz": {"get": _getting("ready", "Whether the model is loaded.", "Status")},
        "/openapi.json": {"get": _getting("openapi", "This document.", "Document")},
        "/metrics": {"get": _metrics()},
        **_inference(name),
    }
    if learns:
        paths["/learn"] = {"post": _changing("learn", "Learn labeled rows.", "Learned")}
        paths["/forget"] = {"post": _changing("forget", "Forget learned rows.", "Receipt")}
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Likely",
            "version": likely.__version__,
            "description": "A classifier that predicts, explains, learns and forgets.",
        },
        "paths": paths,
        "components": {"schemas": _schemas(classifier, learns) | _tensors(classifier)},
    }
    refused = [400, 403, 421, *([401] if has_token else [])]
    for path, methods in paths.items():
        is_foreign = path.startswith("/v2")
        for asked in methods.values():
            asked["responses"] = _errors(*refused, foreign=is_foreign) | asked["responses"]
    if has_token:
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"token": []}]
        for path in ("/healthz", "/readyz"):
            paths[path]["get"]["security"] = []
            del paths[path]["get"]["responses"]["401"]
    return found


def _asking(name: str, summary: str, answer: str) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "requestBody": _body("Rows"),
        "responses": {"200": _json(answer), **_errors(408, 409, 413, 415, 422, 503)},
    }


def _changing(name: str, summary: str, answer: str) -> dict[str, Any]:
    key = {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A repeated request under the same key has the answer of the first.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    }
    return {
        "operationId": name,
        "summary": summary,
        "parameters": [key],
        "requestBody": _body("LabeledRows"),
        "responses": {"200": _json(answer), **_errors(408, 409, 413, 415, 422, 503)},
    }


def _getting(
    name: str, summary: str, answer: str, parameters: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "parameters": parameters or [],
        "responses": {"200": _json(answer), **_errors(408, 413, 503)},
    }


def _digest() -> dict[str, Any]:
    return {
        "name": "digest",
        "in": "query",
        "description": "`full` also computes the digest of the model as it is now.",
        "schema": {"type": "string", "enum": ["full"]},
    }


def _metrics() -> dict[str, Any]:
    text = {
        "description": "Text for Prometheus.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
    return {
        "operationId": "metrics",
        "summary": "What the server counts about itself.",
        "responses": {"200": text, **_errors(408, 413, 503)},
    }


def _body(schema: str) -> dict[str, Any]:
    tables = {
        kind: {"schema": {"type": "string", "description": what}} for kind, what in _TABLES.items()
    }
    return {
        "required": True,
        "content": {"application/json": {"schema": _ref(schema)}, **tables},
    }


def _json(schema: str) -> dict[str, Any]:
    return {"description": schema, "content": {"application/json": {"schema": _ref(schema)}}}


_REASONS = {
    400: "The request, or its body, is not what it says.",
    401: "The bearer token is missing or wrong.",
    403: "A page of another origin asks.",
    404: "There is no such model here.",
    408: "The body did not arrive in time.",
    409: "The key came before with another body, the model has learned too little, or was never "
    "taught what it is to forget.",
    413: "The body is too large, or has too many rows.",
    415: "This content type is not read.",
    421: "The request is for another host.",
    422: "The rows do not fit the model.",
    503: "The server is busy, or cannot write.",
}


def _errors(*statuses: int, foreign: bool = False) -> dict[str, Any]:
    """Refusals; before the paths of the protocol, host, origin and token are refused as ever."""
    answer = _json("InferenceError" if foreign else "Error")
    return {str(s): {**answer, "description": _REASONS[s]} for s in statuses}


def _ref(schema: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{schema}"}


def _schemas(classifier: Classifier, learns: bool) -> dict[str, Any]:
    label = _label(classifier.classes)
    cells: dict[str, Any] = {
        "type": "object",
        "properties": {
            name: _cell(classifier.column_roles.get(name)) for name in classifier.columns
        },
        "required": list(classifier.columns),
        "description": "A cell for each column; null where it is missing.",
    }
    row: dict[str, Any] = {"anyOf": [_ref("Cells")]}
    lists: list[dict[str, Any]] = [_listed("Cells")]
    if len(classifier.columns) == 1:
        row["anyOf"].append({"type": "string"})
        lists.append({"type": "array", "minItems": 1, "items": {"type": "string"}})
    rows = {"anyOf": lists}
    own_label = {"type": "array", "items": label} if classifier.is_multilabel else label
    answer = "labels" if classifier.is_multilabel else "label"
    predicted = {"type": "array", "items": label} if classifier.is_multilabel else {
        "type": ["string", "number", "boolean", "null"]
    }  # fmt: skip
    found = {
        "Cells": cells,
        "Rows": {
            "anyOf": [
                {"type": "object", "properties": {"rows": rows}, "required": ["rows"],
                 "additionalProperties": False},
                *lists,
                *row["anyOf"],
            ]
        },
        "Predictions": _object(
            predictions={
                "type": "array",
                "items": _object(**{answer: predicted, "probabilities": _PROBABILITIES}),
            },
            **_VERSION,
        ),
        "Explanations": _object(
            explanations={"type": "array", "items": {"type": "object"}}, **_VERSION
        ),
        "Model": _object(
            rows={"type": "integer"},
            classes={"type": "array", "items": label},
            columns={"type": "array", "items": {"type": "object"}},
            stale={"type": "boolean"},
            **_VERSION,
        ),
        "Status": _object(status={"type": "string"}),
        "Document": {"type": "object"},
        "Error": _object(error=_object(code={"type": "string"}, message={"type": "string"})),
    }  # fmt: skip
    if learns:
        labels = {
            "type": "array",
            "minItems": 1,
            "items": own_label,
            "description": "A label, or a list of labels, for each row.",
        }
        found["LabeledRows"] = {
            "type": "object",
            "properties": {"rows": rows, "labels": labels},
            "required": ["rows", "labels"],
            "additionalProperties": False,
        }
        if (target := classifier.target) is not None:
            found["LabeledCells"] = {
                **cells,
                "properties": cells["properties"] | {target: _there(own_label)},
                "required": [*cells["required"], target],
            }
            alone = _listed("LabeledCells")
            within = {
                "type": "object",
                "properties": {"rows": alone},
                "required": ["rows"],
                "additionalProperties": False,
            }
            either = [found["LabeledRows"], within, alone, _ref("LabeledCells")]
            found["LabeledRows"] = {"anyOf": either}
        found["Learned"] = _object(
            learned={"type": "integer"}, rows={"type": "integer"}, **_VERSION
        )
        found["Receipt"] = _object(
            forgotten={"type": "integer"},
            rows_left={"type": "integer"},
            inexact={"type": "array", "items": {"type": "string"}},
            **_VERSION,
        )
    return found


def _listed(schema: str) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "items": _ref(schema)}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _cell(role: ColumnRole | None) -> dict[str, Any]:
    """Any cell; what is no number counts as missing where numbers are read."""
    if role is not None and role.role == "vector":
        return {"type": ["array", "null"], "items": {"type": "number"}}
    return {"type": ["string", "number", "boolean", "null"]}


def _label(classes: Sequence[Any]) -> dict[str, Any]:
    """A label of the kind that those of the model are."""
    kinds = {type(label) for label in classes}
    if kinds == {int}:
        return {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}
    names = {str: "string", float: "number", bool: "boolean"}
    return {"type": names[kinds.pop()] if len(kinds) == 1 else [*names.values()]}


def _there(label: dict[str, Any]) -> dict[str, Any]:
    """A label in a column, where an empty text is a missing one."""
    return label | {"minLength": 1} if label["type"] == "string" else label


# The Open Inference Protocol


def _inference(name: str) -> dict[str, Any]:
    model = _named("model", name)
    paths: dict[str, Any] = {
        "/v2": {"get": _getting("v2Server", "What the server is.", "InferenceServer")},
        "/v2/health/live": {"get": _getting("v2Live", "Whether it runs.", "Nothing")},
        "/v2/health/ready": {"get": _getting("v2Ready", "Whether it answers.", "Nothing")},
    }
    for path, parameters, tail in (
        ("/v2/models/{model}", [model], ""),
        ("/v2/models/{model}/versions/{version}", [model, _named("version", "1")], "Version"),
    ):
        of = "of this version " if tail else ""
        asked = {
            path: _getting(f"v2Model{tail}", f"What the model {of}reads.", "InferenceModel"),
            f"{path}/ready": _getting(f"v2ModelReady{tail}", f"Whether a model {of}is here.",
                                      "Nothing"),
        }  # fmt: skip
        for where, get in asked.items():
            paths[where] = {"get": get | {"parameters": parameters}}
        infer = {
            "operationId": f"v2Infer{tail}",
            "summary": f"Predict rows by a model {of}as tensors.".replace("  ", " "),
            "parameters": parameters,
            "requestBody": {"required": True, "content": _json("InferenceRequest")["content"]},
            "responses": {"200": _json("InferenceAnswer"), **_errors(408, 409, 413, 422, 503)},
        }
        paths[f"{path}/infer"] = {"post": infer}
    for path, methods in paths.items():
        for asked in methods.values():
            statuses = [int(s) for s in asked["responses"] if s != "200"]
            more = [404] if "{" in path else []
            asked["responses"] |= _errors(*statuses, *more, foreign=True)
    return paths


def _named(name: str, value: str) -> dict[str, Any]:
    schema = {"type": "string", "enum": [value]}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _tensors(classifier: Classifier) -> dict[str, Any]:
    text = {"type": "string"}
    shape = {"type": "array", "items": {"type": "integer"}}
    cell = {"type": ["string", "number", "boolean", "null"]}
    tensor = _object(name=text, datatype=text, shape=shape)
    inputs = _object(
        name={"enum": list(classifier.columns)},
        datatype={"enum": sorted(DATATYPES)},
        shape={**shape, "minItems": 1, "maxItems": 2, "description": "`[n]` or `[n, 1]`"},
        data={"type": "array", "minItems": 1, "items": cell, "description": "A cell for each row."},
    )
    wanted = _object(name={"enum": list(OUTPUTS)})
    every = [{"contains": {"properties": {"name": {"const": name}}}} for name in classifier.columns]
    return {
        "Nothing": {"type": "object"},
        "InferenceError": {"anyOf": [_object(error=text), _ref("Error")]},
        "InferenceServer": _object(name=text, version=text, extensions={"type": "array"}),
        "InferenceModel": _object(
            name=text,
            versions={"type": "array", "items": text},
            platform=text,
            inputs={"type": "array", "items": tensor},
            outputs={"type": "array", "items": tensor},
        ),
        "InferenceRequest": {
            "type": "object",
            "properties": {
                "id": text,
                "inputs": {"type": "array", "items": inputs, "allOf": every},
                "outputs": {"type": "array", "items": wanted},
            },
            "required": ["inputs"],
        },
        "InferenceAnswer": _object(
            model_name=text,
            model_version=text,
            outputs={"type": "array", "items": tensor},
        ),
    }

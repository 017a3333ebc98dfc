"""The description of a server in OpenAPI 3.1, made from the model that it serves."""

from collections.abc import Sequence
from typing import Any

import likely
from likely.classifier import Classifier
from likely.data.columns import ColumnRole
from likely.server import openapi_inference
from likely.server.openapi_pieces import errors, getting, having, reference, referring

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
        "/model": {"get": getting("model", "What the model is.", "Model", [_digest()])},
        "/healthz": {"get": getting("health", "Whether the process answers.", "Status")},
        "/readyz": {"get": getting("ready", "Whether the model is loaded.", "Status")},
        "/openapi.json": {"get": getting("openapi", "This document.", "Document")},
        "/metrics": {"get": _metrics()},
        **openapi_inference.paths(name),
    }
    if learns:
        paths["/learn"] = {"post": _changing("learn", "Learn labeled rows.", "Learned")}
        paths["/forget"] = {"post": _changing("forget", "Forget learned rows.", "Receipt")}
    schemas = _schemas(classifier, learns) | openapi_inference.schemas(classifier)
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Likely",
            "version": likely.__version__,
            "description": "A classifier that predicts, explains, learns and forgets.",
        },
        "paths": paths,
        "components": {"schemas": schemas},
    }
    refused = [400, 403, 421, *([401] if has_token else [])]
    for path, methods in paths.items():
        is_foreign = path.startswith("/v2")
        for asked in methods.values():
            asked["responses"] = errors(*refused, foreign=is_foreign) | asked["responses"]
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
        "responses": {"200": referring(answer), **errors(408, 409, 413, 415, 422, 503)},
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
        "responses": {"200": referring(answer), **errors(408, 409, 413, 415, 422, 503)},
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
        "responses": {"200": text, **errors(408, 413, 503)},
    }


def _body(schema: str) -> dict[str, Any]:
    tables = {
        kind: {"schema": {"type": "string", "description": what}} for kind, what in _TABLES.items()
    }
    return {
        "required": True,
        "content": {"application/json": {"schema": reference(schema)}, **tables},
    }


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
    row: dict[str, Any] = {"anyOf": [reference("Cells")]}
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
        "Predictions": having(
            predictions={
                "type": "array",
                "items": having(**{answer: predicted, "probabilities": _PROBABILITIES}),
            },
            **_VERSION,
        ),
        "Explanations": having(
            explanations={"type": "array", "items": {"type": "object"}}, **_VERSION
        ),
        "Model": having(
            rows={"type": "integer"},
            classes={"type": "array", "items": label},
            columns={"type": "array", "items": {"type": "object"}},
            stale={"type": "boolean"},
            **_VERSION,
        ),
        "Status": having(status={"type": "string"}),
        "Document": {"type": "object"},
        "Error": having(error=having(code={"type": "string"}, message={"type": "string"})),
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
            either = [found["LabeledRows"], within, alone, reference("LabeledCells")]
            found["LabeledRows"] = {"anyOf": either}
        found["Learned"] = having(learned={"type": "integer"}, rows={"type": "integer"}, **_VERSION)
        found["Receipt"] = having(
            forgotten={"type": "integer"},
            rows_left={"type": "integer"},
            inexact={"type": "array", "items": {"type": "string"}},
            **_VERSION,
        )
    return found


def _listed(schema: str) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "items": reference(schema)}


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

"""The description of a server in OpenAPI 3.1, made from the model that it serves."""

from typing import Any

import likely
from likely.classifier import Classifier
from likely.data.columns import ColumnRole

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


def described(classifier: Classifier, *, learns: bool, has_token: bool) -> dict[str, Any]:
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
        "components": {"schemas": _schemas(classifier, learns)},
    }
    if has_token:
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"token": []}]
        for path in ("/healthz", "/readyz"):
            paths[path]["get"]["security"] = []
    return found


def _asking(name: str, summary: str, answer: str) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "requestBody": _body("Rows"),
        "responses": {"200": _json(answer), **_errors(400, 408, 409, 413, 415, 422, 503)},
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
        "responses": {"200": _json(answer), **_errors(400, 408, 409, 413, 415, 422, 503)},
    }


def _getting(
    name: str, summary: str, answer: str, parameters: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "parameters": parameters or [],
        "responses": {"200": _json(answer), **_errors(503)},
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
        "responses": {"200": text, **_errors(503)},
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
    400: "The body is not what its content type says.",
    408: "The body did not arrive in time.",
    409: "The key came before with another body, or the model has learned too little.",
    413: "The body is too large, or has too many rows.",
    415: "This content type is not read.",
    422: "The rows do not fit the model.",
    503: "The server is busy, or cannot write.",
}


def _errors(*statuses: int) -> dict[str, Any]:
    return {str(s): {**_json("Error"), "description": _REASONS[s]} for s in statuses}


def _ref(schema: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{schema}"}


def _schemas(classifier: Classifier, learns: bool) -> dict[str, Any]:
    label = {"type": ["string", "number", "boolean"]}
    cells = {
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
        found["LabeledRows"] = {
            "type": "object",
            "properties": {"rows": rows, "labels": {"type": "array", "items": own_label}},
            "required": ["rows", "labels"],
            "additionalProperties": False,
        }
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
    if role is not None and role.role == "numeric":
        return {"type": ["number", "null"]}
    if role is not None and role.role == "vector":
        return {"type": ["array", "null"], "items": {"type": "number"}}
    return {"type": ["string", "null"]}

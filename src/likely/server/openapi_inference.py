"""The Open Inference Protocol, as OpenAPI describes it."""

from typing import Any

from likely.classifier import Classifier
from likely.server.inference_protocol import DATATYPES, OUTPUTS
from likely.server.openapi_pieces import errors, getting, having, reference, referring


def paths(name: str) -> dict[str, Any]:
    model = _named("model", name)
    found: dict[str, Any] = {
        "/v2": {"get": getting("v2Server", "What the server is.", "InferenceServer")},
        "/v2/health/live": {"get": getting("v2Live", "Whether it runs.", "Nothing")},
        "/v2/health/ready": {"get": getting("v2Ready", "Whether it answers.", "Nothing")},
    }
    for path, parameters, tail in (
        ("/v2/models/{model}", [model], ""),
        ("/v2/models/{model}/versions/{version}", [model, _named("version", "1")], "Version"),
    ):
        model_is = "this version of the model" if tail else "the model"
        asked = {
            path: getting(f"v2Model{tail}", f"What {model_is} reads.", "InferenceModel"),
            f"{path}/ready": getting(
                f"v2Ready{tail}Model", f"Whether {model_is} is here.", "Nothing"
            ),
        }
        for where, get in asked.items():
            found[where] = {"get": get | {"parameters": parameters}}
        infer = {
            "operationId": f"v2Infer{tail}",
            "summary": f"Predict rows by {model_is}; columns are tensors.",
            "parameters": parameters,
            "requestBody": {"required": True, "content": referring("InferenceRequest")["content"]},
            "responses": {"200": referring("InferenceAnswer"), **errors(408, 409, 413, 422, 503)},
        }
        found[f"{path}/infer"] = {"post": infer}
    for path, methods in found.items():
        for asked in methods.values():
            statuses = [int(s) for s in asked["responses"] if s != "200"]
            more = [404] if "{" in path else []
            asked["responses"] |= errors(*statuses, *more, foreign=True)
    return found


def _named(name: str, value: str) -> dict[str, Any]:
    schema = {"type": "string", "enum": [value]}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def schemas(classifier: Classifier) -> dict[str, Any]:
    text = {"type": "string"}
    shape = {"type": "array", "items": {"type": "integer"}}
    cell = {"type": ["string", "number", "boolean", "null"]}
    tensor = having(name=text, datatype=text, shape=shape)
    inputs = having(
        name={"enum": list(classifier.columns)},
        datatype={"enum": sorted(DATATYPES)},
        shape={**shape, "minItems": 1, "maxItems": 2, "description": "`[n]` or `[n, 1]`"},
        data={"type": "array", "minItems": 1, "items": cell, "description": "A cell for each row."},
    )
    wanted = having(name={"enum": list(OUTPUTS)})
    every = [{"contains": {"properties": {"name": {"const": name}}}} for name in classifier.columns]
    return {
        "Nothing": {"type": "object"},
        "InferenceError": {"anyOf": [having(error=text), reference("Error")]},
        "InferenceServer": having(name=text, version=text, extensions={"type": "array"}),
        "InferenceModel": having(
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
        "InferenceAnswer": having(
            model_name=text,
            model_version=text,
            outputs={"type": "array", "items": tensor},
        ),
    }

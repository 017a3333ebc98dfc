"""Pieces that a description in OpenAPI is made of."""

from typing import Any

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


def getting(
    name: str, summary: str, answer: str, parameters: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "parameters": parameters or [],
        "responses": {"200": referring(answer), **errors(408, 413, 503)},
    }


def referring(schema: str) -> dict[str, Any]:
    return {"description": schema, "content": {"application/json": {"schema": reference(schema)}}}


def errors(*statuses: int, foreign: bool = False) -> dict[str, Any]:
    """Refusals; before the paths of the protocol, host, origin and token are refused as ever."""
    answer = referring("InferenceError" if foreign else "Error")
    return {str(s): {**answer, "description": _REASONS[s]} for s in statuses}


def reference(schema: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{schema}"}


def having(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}

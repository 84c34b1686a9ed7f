"""A small server over a pipe whose answers have each of the forms that an answer can have.

Nothing but the standard library: it is started on its own.
"""

import json
import sys
from typing import Any, Final

TEXT, MORE, STRUCTURED = "said-in-text", "said-in-more-text", "said-in-structure"
_OBJECT: Final = {"type": "object", "properties": {"mark": {"type": "string"}}, "required": ["mark"]}
GIVEN: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "additionalProperties": False,
}


def _texts(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "text_alone": {"content": _texts(TEXT)},
    "texts": {"content": _texts(TEXT, MORE)},
    "structured_alone": {"content": [], "structuredContent": {"mark": STRUCTURED}},
    "both": {"content": _texts(TEXT), "structuredContent": {"mark": STRUCTURED}},
    "both_with_schema": {"content": _texts(TEXT), "structuredContent": {"mark": STRUCTURED}},
    "failure_in_text": {"content": _texts(TEXT), "isError": True},
    "failure_in_both": {"content": _texts(TEXT), "structuredContent": {"mark": STRUCTURED}, "isError": True},
}
"""The answers, by the tool that gives them."""


def _tool(name: str) -> dict[str, Any]:
    schema = {"outputSchema": _OBJECT} if name.endswith("_with_schema") else {}
    return {"name": name, "description": f"Answers: {name}.", "inputSchema": GIVEN, **schema}


def _result(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """What a request is answered with; None for one that is not known."""
    if method == "initialize":
        about = {"name": "forms", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": [_tool(name) for name in ANSWERS]}
    if method == "tools/call":
        return ANSWERS[params["name"]]
    return {} if method == "ping" else None


def main() -> None:
    """Answer what comes on standard input."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = _result(message["method"], message.get("params") or {})
        unknown = {"code": -32601, "message": "Method not found"}
        answer = {"error": unknown} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)  # noqa: T201 - the pipe


if __name__ == "__main__":
    main()

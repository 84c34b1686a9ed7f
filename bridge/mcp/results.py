"""What a tool answers, as MCP says it: text for the model, data for programs, and failures it can act on."""

from typing import Any, Final
from urllib.parse import quote

import orjson

from bridge.toolkit.trimming import bounded

SCHEME: Final = "vault://"
"""Of the URIs of notes; the note's path follows."""


def note_uri(path: str) -> str:
    """The URI of a note."""
    return SCHEME + quote(path, safe="/")


def waiting_result(pending: dict[str, Any]) -> dict[str, Any]:
    """What is answered while a person decides: no failure, but a ticket.

    Args:
        pending: A PendingCall, as on the wire.
    """
    data = {"status": "waiting_for_person", "ticket": pending["callId"], "expiresAt": pending["expiresAt"]}
    return {"content": [_text(pending["text"])], "structuredContent": data}


def whole_text(result: dict[str, Any]) -> str:
    """The text of a file that was read, and no note about it unless it says how to go on."""
    whole = not result["metadata"].get("truncated") and isinstance(result["data"], dict)
    return str(result["data"].get("content", result["text"]) if whole else result["text"])


def failed_result(message: str) -> dict[str, Any]:
    """A call that the bridge did not take."""
    return {"content": [_text(f"Error: {message}")], "isError": True}


def call_result(result: dict[str, Any], most: int) -> dict[str, Any]:
    """A ToolResult as MCP has it.

    Args:
        result: As on the wire.
        most: Bytes that its data may have as JSON; its text is within that already.
    """
    data, text = result.get("data"), str(result["text"])
    if not result["success"] and isinstance(data, dict) and "code" in data:
        text = f"{text} ({data['code']})"
    answer: dict[str, Any] = {"content": [_text(text), *map(_content, result.get("parts", ()))]}
    if data is not None:
        answer["structuredContent"] = bounded(data if isinstance(data, dict) else {"result": data}, most)
    return answer if result["success"] else answer | {"isError": True}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _content(part: dict[str, Any]) -> dict[str, Any]:
    match part["type"]:
        case "image":
            return {"type": "image", "data": part["data"], "mimeType": part["mimeType"]}
        case "note":
            return {"type": "resource_link", "uri": note_uri(part["path"]), "name": part["title"]}
        case "link":
            link = {"type": "resource_link", "uri": part["uri"], "name": part["name"]}
            return link | ({"mimeType": part["mimeType"]} if part.get("mimeType") else {})
        case "data":
            return _text(orjson.dumps(part["data"]).decode())
    return _text(part["text"])

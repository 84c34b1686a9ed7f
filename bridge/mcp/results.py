"""A tool's answer in MCP's form: a text that says everything, and for some clients structured content too.

Programs show their model the text or the structured content, and seldom both. So each says all there is by itself, and
a client with few tools, which is a model's, gets the text alone: what some would show and pay for twice is not sent.
"""

from typing import Any, Final
from urllib.parse import quote

import orjson

from bridge.toolkit.output_schema import REST
from bridge.toolkit.trimming import bounded

SCHEME: Final = "vault://"
"""Of the URIs of notes; the note's path follows."""
_LEAST: Final = 100
"""Bytes that data may have however long the text is."""


def note_uri(path: str) -> str:
    """Return the URI of a note."""
    return SCHEME + quote(path, safe="/")


def waiting_result(pending: dict[str, Any], *, structured: bool) -> dict[str, Any]:
    """Return what is answered while a person decides: no failure, but a ticket.

    Args:
        pending: A PendingCall, as on the wire.
        structured: Whether the client gets structured content.
    """
    answer: dict[str, Any] = {"content": [_text(pending["text"])]}
    if structured:
        data = {"status": "waiting_for_person", "ticket": pending["callId"], "expiresAt": pending["expiresAt"]}
        answer["structuredContent"] = data | {REST: {"text": pending["text"]}}
    return answer


def whole_text(result: dict[str, Any]) -> str:
    """Return the text of a file that was read, and no note about it unless it says how to go on."""
    whole = not result["metadata"].get("truncated") and isinstance(result["data"], dict)
    return str(result["data"].get("content", result["text"]) if whole else result["text"])


def failed_result(message: str) -> dict[str, Any]:
    """Return a call that the bridge did not take."""
    return {"content": [_text(f"Error: {message}")], "isError": True}


def call_result(result: dict[str, Any], most: int, *, structured: bool) -> dict[str, Any]:
    """Return a ToolResult as MCP has it.

    Args:
        result: As on the wire.
        most: Bytes that its data may have as JSON; its text is within that already.
        structured: Whether the client gets structured content.
    """
    data, text = result.get("data"), str(result["text"])
    if not result["success"] and isinstance(data, dict) and "code" in data:
        text = f"{text} ({data['code']})"
    answer: dict[str, Any] = {"content": [_text(text), *map(_content, result.get("parts", ()))]}
    if structured:
        answer["structuredContent"] = _structured(result, text, most)
    return answer if result["success"] else answer | {"isError": True}


def _structured(result: dict[str, Any], text: str, most: int) -> dict[str, Any]:
    """Return the data, with all else that a reader of the text is told; content that the text repeats is there once."""
    data = result.get("data")
    members = data if isinstance(data, dict) else {} if data is None else {"result": data}
    content = members.get("content")
    rest: dict[str, Any] = {"text": text.removeprefix(content) if isinstance(content, str) else text}
    if "executionId" in result:
        rest["executionId"] = result["executionId"]
    if metadata := {name: value for name, value in result["metadata"].items() if name != "durationMs"}:
        rest["metadata"] = metadata
    return bounded(members, max(most - len(orjson.dumps(rest)), _LEAST)) | {REST: rest}


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

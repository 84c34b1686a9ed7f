"""A tool's answer in MCP's form, and what models are told otherwise, in `instructions.toml` and `prompts.toml`.

An answer is a text that says everything, and for some clients structured content too. Programs show their model the
text or the structured content, and seldom both. So each says all there is by itself, and a client with few tools, which
is a model's, gets the text alone: what some would show and pay for twice is not sent.
"""

import tomllib
from collections.abc import Collection, Mapping
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

import orjson

from bridge.toolkit.parameters import REST, bounded

SCHEME: Final = "vault://"
"""The beginning of the URIs of notes; the note's path follows."""
_LEAST: Final = 100  # bytes that data may have however long the text is


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


_HERE: Final = files(__package__)
_TOLD: Final[dict[str, Any]] = tomllib.loads((_HERE / "instructions.toml").read_text("utf-8"))
PROMPTS: Final[dict[str, dict[str, Any]]] = tomllib.loads((_HERE / "prompts.toml").read_text("utf-8"))
"""By name, in the order of the list: `title`, `text`, and what each of the `arguments` stands for."""


def instructions(tools: Collection[Mapping[str, Any]], *, sent_back: bool = False) -> str:
    """Return what a client's model is told with every conversation. It names no tool that the client is not shown.

    Args:
        tools: The tools that the client is shown, as MCP lists them.
        sent_back: Whether the person has sent a draft of its back.
    """
    shown = {tool["name"] for tool in tools}
    hints = [tool["annotations"] for tool in tools]
    changes = any(not hint["readOnlyHint"] and not hint["openWorldHint"] for hint in hints)
    holds, told = {"changes": changes, "sent_back": sent_back}, [f"{_TOLD['intro']}\n"]
    for sentence in _TOLD["sentences"]:
        named = sentence.get("tools", ())
        tool = next((name for name in named if name in shown), "")
        if (tool or not named) and holds.get(sentence.get("when"), True):
            told.append(sentence["text"].replace("{tool}", tool))
    return "\n- ".join(told) + "\n"


def listed(name: str, prompt: dict[str, Any]) -> dict[str, Any]:
    """Return a prompt as `prompts/list` has it."""
    arguments = [{"name": key, "description": what, "required": True} for key, what in prompt["arguments"].items()]
    return {"name": name, "title": prompt["title"], "description": prompt["title"], "arguments": arguments}

"""The answer of a server's tool, as an answer of ours: bounded, and marked as a stranger's words."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bridge.contract.tools import ImagePart, LinkPart, ResultPart
from bridge.errors import ExecutionFailed
from bridge.toolkit.tool import Output
from bridge.tools.formatting import quoted
from bridge.vault.text import with_hidden_characters_shown

MOST_PARTS: Final = 50
MOST_BYTES: Final = 4 << 20
"""Bytes of all images of one answer, as base64."""
_LONGEST_URI: Final = 2_000
_LONGEST_NAME: Final = 200
_IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def output(server: str, answer: Mapping[str, Any]) -> Output:
    """Return a server's answer.

    Args:
        server: The server's name.
        answer: A CallToolResult, as JSON.

    Raises:
        ExecutionFailed: It says that the tool failed.
    """
    content = answer.get("content")
    content = [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    text = with_hidden_characters_shown("\n".join(_texts(content)).strip())
    if answer.get("isError"):
        why = quoted(text, f"the server {server}", origin="another server") if text else "It gives no reason"
        raise ExecutionFailed(f"The server {server} says that it failed. {why}")
    left_out: list[str] = []
    parts = tuple(_parts(content, left_out))
    data = answer.get("structuredContent")
    if not text:
        text = "(no text)" if data is None else json.dumps(data, ensure_ascii=False)
    said = "\n".join([text, *(f"[{each} left out]" for each in left_out)])
    return Output(data, quoted(said, f"the server {server}", origin="another server"), parts=parts)


def _texts(content: list[dict[str, Any]]) -> Iterator[str]:
    for each in content:
        match each.get("type"):
            case "text":
                yield str(each.get("text", ""))
            case "resource" if isinstance(each.get("resource"), dict) and "text" in each["resource"]:
                yield str(each["resource"]["text"])


def _parts(content: list[dict[str, Any]], left_out: list[str]) -> Iterator[ResultPart]:
    held = count = 0
    for each in content:
        kind = each.get("type")
        if kind == "text" or (kind == "resource" and "text" in (each.get("resource") or {})):
            continue
        if count == MOST_PARTS:
            left_out.append(f"everything after {MOST_PARTS} parts")
            return
        match kind:
            case "image":
                data, mime = str(each.get("data", "")), str(each.get("mimeType", ""))
                held += len(data)
                if mime not in _IMAGES or held > MOST_BYTES:
                    left_out.append("an image of another kind, or too large")
                    continue
                yield ImagePart(mime_type=mime, data=data)
            case "resource_link":
                said = each.get("mimeType")
                yield LinkPart(
                    uri=str(each.get("uri", ""))[:_LONGEST_URI],
                    name=str(each.get("title") or each.get("name") or "")[:_LONGEST_NAME],
                    mime_type=str(said)[:_LONGEST_NAME] if said else None,
                )
            case _:
                left_out.append(f"a part of the kind {str(kind)[:30]!r}")
                continue
        count += 1

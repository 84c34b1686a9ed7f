"""A model is never flooded: text is cut at a line end, and says so (setting `maxOutputBytes`)."""

from typing import Any


def trim(text: str, limit: int, metadata: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Cut text to at most `limit` bytes of UTF-8, at a line end where there is one.

    Returns:
        The text, and the metadata with `truncated` and `totalBytes` when something was cut.
    """
    data = text.encode(errors="replace")
    if len(data) <= limit:
        return text, metadata
    head = data[:limit]
    end = head.rfind(b"\n") + 1 or limit
    kept = head[:end].decode(errors="ignore")
    note = f"[Truncated: {len(kept.encode())} of {len(data)} bytes shown. Ask for less, or for the next part.]"
    return f"{kept}{note}", metadata | {"truncated": True, "totalBytes": len(data)}

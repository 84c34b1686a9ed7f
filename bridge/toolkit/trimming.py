"""Data for programs, cut where it is longer than a text may be."""

from typing import Any, Final

import orjson

_SHORTEST: Final = 100
"""Bytes of a member that is not worth shortening."""


def bounded(data: dict[str, Any], most: int) -> dict[str, Any]:
    """Return data of at most so many bytes as JSON: the longest lists and texts end earlier, and it says so."""
    if _size(data) <= most:
        return data
    kept = dict(data)
    while (over := _size(kept) + len(b',"truncated":true') - most) > 0:
        name = max(kept, key=lambda member: _size(kept[member]))
        room = _size(kept[name]) - over
        if room < _SHORTEST:
            del kept[name]
        elif isinstance(kept[name], dict):
            kept[name] = bounded(kept[name], room)
        else:
            kept[name] = _shortened(kept[name], room)
    return kept | {"truncated": True}


def _shortened(value: Any, most: int) -> Any:
    """Return the beginning of a list or a text."""
    if not isinstance(value, list | str):
        return None
    low, high = 0, len(value)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _size(value[:middle]) <= most else (low, middle - 1)
    return value[:low]


def _size(value: Any) -> int:
    return len(orjson.dumps(value))

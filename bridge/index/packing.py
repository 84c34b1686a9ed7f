"""Values of notes as bytes, and back, whatever they hold.

orjson is fast but refuses what a note may well hold: bytes that are no UTF-8 (as lone surrogates), integers of more
than 64 bits, NaN. Python's own json takes those.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import orjson

_SLOW = b"\x00"
"""What begins bytes that orjson did not write; JSON never begins so."""


def pack(value: Any, *, odd: bool = False) -> bytes:
    """A value of JSON as bytes. Tuples become lists.

    Args:
        value: The value.
        odd: What `has_odd_number` says of it.
    """
    if odd:
        return _SLOW + json.dumps(value).encode("ascii")
    try:
        return orjson.dumps(value)
    except TypeError:
        return _SLOW + json.dumps(value, default=str, skipkeys=True).encode("ascii")


def unpack(data: bytes) -> Any:
    """The value again."""
    return json.loads(data[1:]) if data.startswith(_SLOW) else orjson.loads(data)


def pack_text(text: str) -> bytes:
    """A text that rows are looked up by."""
    return text.encode("utf-8", "surrogatepass")


def unpack_text(data: bytes) -> str:
    """The text again."""
    return data.decode("utf-8", "surrogatepass")


def has_odd_number(value: Any) -> bool:
    """Whether a value holds a number that orjson would write as `null`."""
    if isinstance(value, str):
        return False
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, Mapping):
        return any(map(has_odd_number, value.values()))
    return isinstance(value, list | tuple) and any(map(has_odd_number, value))

"""The log's records as lines: their time without reading all of them, and what a sign-off says."""

from collections.abc import Sequence
from typing import Any, Final

import orjson

KIND: Final = "log"
"""The kind of records about the log itself."""
MAX_EARLIER: Final = 10
"""How many times that the log was cleared before a sign-off remembers."""

_STAMP = b'"timestamp":"'
_STAMP_SIZE = len("2026-01-31T10:30:00.000Z")

Facts = dict[str, Any]


def parse(line: bytes) -> Facts | None:
    """The record of a line; None when it is torn or foreign."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def stamp_of(line: bytes) -> str:
    """The time of a line of ours, without reading all of it; of another line, one that is later than any."""
    found = line.find(_STAMP, 0, 64)
    start = found + len(_STAMP)
    return "~" if found < 0 else line[start : start + _STAMP_SIZE].decode("latin-1")


def number_of(record: Facts) -> int:
    """A record's `seq`; 0 when it has none."""
    number = record.get("seq")
    return number if isinstance(number, int) else 0


def sign_off_record(time: str, event: str, facts: Facts, before: bytes) -> Facts:
    """What a sign-off says, besides the head.

    Args:
        time: When.
        event: `cleared`, `retention` or `rotation`.
        facts: How many records went, and who did it, where somebody did.
        before: The sign-off that goes with them, if there is one: when the log was cleared is not forgotten.
    """
    record = {"timestamp": time, "kind": KIND, "tool": None, "client": None, "event": event} | facts
    earlier = _cleared(parse(before) or {})
    return record | ({"earlier": earlier} if earlier else {})


def _cleared(record: Facts) -> Sequence[Facts]:
    earlier = record.get("earlier")
    told = list(earlier) if isinstance(earlier, list) else []
    if record.get("event") == "cleared":
        told.append({name: record.get(name) for name in ("timestamp", "by", "records", "head")})
    return told[-MAX_EARLIER:]

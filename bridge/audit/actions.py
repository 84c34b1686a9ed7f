"""The log by action: a call and the decisions about it are one entry, under what became of the call."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from bridge.audit.records import AuditRecord, RecordFilter, stamp_of
from bridge.clock import stamp

_SLACK = timedelta(minutes=1)
"""How far the clock may have been set back while a call was under way."""


def actions(
    lines: Callable[[bytes], Iterator[bytes]], limit: int, wanted: RecordFilter, related: RecordFilter
) -> list[AuditRecord]:
    """The newest entries, newest first.

    Args:
        lines: Returns the log's lines that have some bytes in them, newest first.
        limit: At most so many.
        wanted: Which records are entries.
        related: Which records may belong to one of them: wider than `wanted`.

    Returns:
        Records as they were written; an execution has its `decisions`, oldest first. A decision is an entry of its own
        while its call is still under way.
    """
    found: list[AuditRecord] = []
    ended: set[str] = set()
    shown: dict[str, list[AuditRecord]] = {}
    earliest = "~"
    for line in lines(related.needle):
        time = stamp_of(line)
        full = len(found) == limit
        if (full and time < earliest) or (wanted.stop and time < wanted.stop and time < earliest):
            break
        record = related.match(line)
        if record is None:
            continue
        call = str(record.get("executionId") or "")
        if record.get("kind") == "decision" and call in ended:
            if call in shown:
                shown[call].insert(0, record)
            continue
        is_end = record.get("kind", "execution") == "execution" and call != ""
        if is_end:
            ended.add(call)
        if not full and wanted.match(line) is not None:
            if is_end:
                record["decisions"] = shown[call] = []
                earliest = min(earliest, _beginning(record))
            found.append(record)
    return found


def _beginning(record: AuditRecord) -> str:
    """The time before which no decision about a call can have been made."""
    took: Any = record.get("duration")
    try:
        end = datetime.fromisoformat(str(record.get("timestamp")))
        return stamp(end - timedelta(milliseconds=float(took or 0)) - _SLACK)
    except (ValueError, OverflowError, TypeError):
        return ""

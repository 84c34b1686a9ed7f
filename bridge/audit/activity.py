"""Activity of agents over some days, counted from the log: calls, answers, changes and durations."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, Final

from bridge.audit.records import COUNT, THINNED, AuditRecord, parse, stamp_of
from bridge.audit.sentences import record_caller
from bridge.clock import Clock, stamp
from bridge.errors import ErrorType

MOST_SHOWN: Final = 20
"""Clients, and tools, that a report names."""
MOST_NAMES: Final = 500
"""Clients, and tools, that are counted apart at all: programs may call themselves, and their tools, what they like."""
MAX_SECONDS: Final = 20.0
"""Time limit for reading the log; older records are then left out."""
MAX_RECORDS: Final = 2_000_000
"""Records that are counted; what is older then is left out."""

_CLOCK_SLACK: Final = timedelta(days=1)
"""Limit on how far the wall clock may have been set back between two records."""
_LOOK: Final = 1_000
"""Lines between two looks at the time."""
_MOST: Final = 10**9
"""No number in a record that we wrote is larger."""

_REFUSED: Final = {ErrorType.PERMISSION_DENIED, ErrorType.RATE_LIMITED}
_ENDINGS: Final = {"timed_out": "timed_out", "cancelled": "withdrawn", "stale": "withdrawn"}
"""The rule of a decision with which a question ended that nobody answered, and what it is counted as."""
_CHANGES: Final = {"create": "created", "modify": "modified", "delete": "deleted", "move": "moved"}
_CHANGED: Final = (*_CHANGES.values(), "unlisted")
_STAMP: Final = re.compile(r"\d{4}-\d{2}-\d{2}T")
"""The beginning of a valid time: a damaged line must not end the reading."""
_MORE_FILES: Final = re.compile(r"\[([0-9,]{1,13}) more files\]")
"""The end of the file list in a change of very many files."""


class _Client:
    """The counts of one client."""

    def __init__(self, days: int) -> None:
        self.counts: Counter[str] = Counter()
        self.calls = [0] * days
        self.changes = [0] * days

    def add(self, other: "_Client") -> None:
        """Count another one's deeds with this one's."""
        self.counts.update(other.counts)
        for ours, theirs in ((self.calls, other.calls), (self.changes, other.changes)):
            ours[:] = [one + more for one, more in zip(ours, theirs, strict=True)]

    def wire(self, name: str) -> AuditRecord:
        return {"name": name, **self.counts, "calls_by_day": self.calls, "changes_by_day": self.changes}


class Activity:
    """A count of records of the last days. Give it the lines, and then ask for the report.

    Args:
        clock: For today, and for how long it may take.
        days: How many days, today among them.
        zone: The time zone of the days; None: this machine's.
    """

    def __init__(self, clock: Clock, days: int, zone: tzinfo | None = None) -> None:
        self._clock = clock
        self._zone = zone
        self._now = clock.now().astimezone(zone)
        last = self._now.date()
        self._days = {last - timedelta(days=back): days - 1 - back for back in reversed(range(days))}
        first = next(iter(self._days))
        midnight = datetime(first.year, first.month, first.day, tzinfo=zone).astimezone(zone)
        self._stop = stamp(midnight - _CLOCK_SLACK)
        self._by_day: list[Counter[str]] = [Counter() for _ in self._days]
        self._clients: dict[str, _Client] = {}
        self._rest = _Client(days)
        self._tools: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._took: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))
        self._answers = array("d")
        self._minutes: dict[str, int | None] = {}
        self._records = self._damaged = 0
        self._complete = True

    def read(self, lines: Iterable[bytes]) -> None:
        """Count what the lines say.

        Args:
            lines: Newest first. It stops where none can be young enough, and where it takes too long.
        """
        until = self._clock.monotonic() + MAX_SECONDS
        for number, line in enumerate(lines, 1):
            if _STAMP.match(time := stamp_of(line)) and time < self._stop:
                return
            if self._records >= MAX_RECORDS or (number % _LOOK == 0 and self._clock.monotonic() > until):
                self._complete = False
                return
            if not line:
                continue
            record = parse(line)
            day = self._day(record.get("timestamp")) if record is not None else -1
            if record is None or day == -1:
                self._damaged += 1
            elif day is not None:
                self._records += 1
                self._count(record, day)

    def report(self) -> AuditRecord:
        """Return the figures, as `bridge.contract.audit.AuditActivity` describes them."""
        busiest = sorted(self._clients.items(), key=lambda item: (-item[1].counts["calls"], item[0]))
        rest = _Client(len(self._days))
        for _, client in busiest[MOST_SHOWN:]:
            rest.add(client)
        rest.add(self._rest)
        tools = sorted(self._tools.items(), key=lambda item: (-item[1]["calls"], item[0]))
        return {
            "days": [{"day": day.isoformat(), **self._by_day[at]} for day, at in self._days.items()],
            "clients": [client.wire(name) for name, client in busiest[:MOST_SHOWN]],
            "others": rest.wire("Others") if rest.counts else None,
            "tools": [self._tool(name, counts) for name, counts in tools[:MOST_SHOWN]],
            "answers": {
                "count": len(self._answers),
                "median": _rank(self._answers, 50),
                "p90": _rank(self._answers, 90),
            },
            "zone": _offset(self._now),
            "records": self._records,
            "damaged": self._damaged,
            "complete": self._complete,
        }

    def _tool(self, name: str, counts: Counter[str]) -> AuditRecord:
        took = self._took.get(name, ())
        of = {"tool": name, "calls": counts["calls"], "succeeded": counts["succeeded"]}
        return of | {"p50": _rank(took, 50), "p95": _rank(took, 95)}

    def _day(self, time: Any) -> int | None:
        """Return the index of the day that a time is on; None for a day outside the range, -1 if it is not a time."""
        text = time if isinstance(time, str) else ""
        minute = text[: len("2026-01-31T10:30")] if text.endswith("Z") else text
        if minute not in self._minutes:
            try:
                day: date = datetime.fromisoformat(text).astimezone(self._zone).date()
            except (ValueError, OverflowError, OSError):
                return -1
            if len(self._minutes) >= _LOOK:
                self._minutes.clear()
            self._minutes[minute] = self._days.get(day)
        return self._minutes[minute]

    def _count(self, record: AuditRecord, day: int) -> None:
        kind = record.get("kind", "execution")
        if kind == "execution":
            found = self._call(record, 1)
            found.update(_changes(record.get("files")))
            if isinstance(record.get("cached"), bool):
                found["cache_hits" if record["cached"] else "cache_misses"] += 1
        elif kind == COUNT and record.get("of", "") == "execution":
            found = self._call(record, _number(record.get("count")))
        elif kind == "decision":
            found = self._answer(record)
        else:
            # Calls that changed nothing were taken out here to make room.
            self._complete = self._complete and record.get("event") != THINNED
            return
        if found:
            self._by_day[day].update(found)
            # What is counted of too many clients names none of them.
            named = kind != COUNT or record.get("client")
            client = self._client(record_caller(record)) if named else self._rest
            client.counts.update(found)
            client.calls[day] += found["calls"]
            client.changes[day] += sum(found[name] for name in _CHANGED)

    def _client(self, name: str) -> _Client:
        if name not in self._clients and len(self._clients) >= MOST_NAMES:
            return self._rest
        return self._clients.setdefault(name, _Client(len(self._days)))

    def _call(self, record: AuditRecord, times: int) -> Counter[str]:
        """Count how a call ended, or how many calls that are recorded as one did, and how long it took."""
        ok = record.get("success") is True
        refused = str(record.get("errorType")) in _REFUSED
        ending = "succeeded" if ok else "refused" if refused else "failed"
        tool = record.get("tool")
        if isinstance(tool, str) and (tool in self._tools or len(self._tools) < MOST_NAMES):
            self._tools[tool].update({"calls": times, "succeeded": times if ok else 0})
            took = _milliseconds(record.get("duration"))
            if ok and took is not None:
                self._took[tool].append(max(took - (_milliseconds(record.get("waited")) or 0.0), 0.0))
        return Counter({"calls": times, ending: times})

    def _answer(self, record: AuditRecord) -> Counter[str]:
        """Count how a question ended; nothing for a decision that nobody was asked about."""
        if record.get("decision") is not None:
            took = _milliseconds(record.get("waited"))
            if took is not None:
                self._answers.append(took)
            return Counter(["allowed" if record.get("outcome") == "allow" else "denied"])
        ending = _ENDINGS.get(str(record.get("rule")))
        return Counter([ending] if ending else [])


def _changes(files: Any) -> Counter[str]:
    """Count what happened to each file of a change."""
    counts: Counter[str] = Counter()
    for file in files if isinstance(files, list) else ():
        if isinstance(file, dict):
            counts[_CHANGES.get(str(file.get("change")), "unlisted")] += 1
        elif more := _MORE_FILES.fullmatch(str(file)):
            counts["unlisted"] += _number(int(more[1].replace(",", "") or 0))
    return counts


def _number(value: Any) -> int:
    return min(max(value, 0), _MOST) if type(value) is int else 0


def _milliseconds(value: Any) -> float | None:
    return float(value) if type(value) in {int, float} and 0 <= value < _MOST else None


def _rank(values: Sequence[float], percent: int) -> float | None:
    """Return the value that so many of a hundred do not exceed: the nearest rank."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(-(-len(ordered) * percent // 100), 1) - 1]


def _offset(moment: datetime) -> str:
    offset = f"{moment:%z}"
    return f"UTC{offset[:3]}:{offset[3:5]}" if moment.utcoffset() else "UTC"

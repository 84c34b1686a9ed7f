"""The log's records: as lines, which of them a query wants, folded where they come in floods, and the words for a call.

The words for a tool's use are written as `search/searched the vault[ for {pattern}][: {count:hit}]`. Before the first
blank are the verb and its past. `{name}` is a value in quotation marks, `{name|a note}` has words for when it is not
known, `{count:hit}` is a number with its noun. A part in brackets is left out when something in it is not known.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from bridge.clock import stamp
from bridge.errors import InvalidParameters
from bridge.vault.text import counted

KIND: Final = "log"
"""The kind of records about the log itself."""
THINNED: Final = "thinned"
"""The event of a gap: records were taken out to make room."""
COUNT: Final = "count"
"""The kind of records that stand for many others; see `Folding`."""
MAX_EARLIER: Final = 10
"""Number of earlier clearings of the log that a sign-off remembers."""

_SEQ = re.compile(rb'\{"seq":(\d{1,18}),')
_STAMP = b'"timestamp":"'
_STAMP_SIZE = len("2026-01-31T10:30:00.000Z")

AuditRecord = dict[str, Any]


def parse(line: bytes) -> AuditRecord | None:
    """Return the record of a line; None when it is torn or foreign."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def stamp_of(line: bytes) -> str:
    """Return the time of a line of ours, without reading all of it; of another line, one that is later than any."""
    found = line.find(_STAMP, 0, 64)
    start = found + len(_STAMP)
    return "~" if found < 0 else line[start : start + _STAMP_SIZE].decode("latin-1")


def seq_of(line: bytes) -> int | None:
    """Return the number a line says it has, without reading all of it."""
    found = _SEQ.match(line)
    return int(found[1]) if found else None


def number_of(record: AuditRecord) -> int:
    """Return a record's `seq`; 0 when it has none."""
    number = record.get("seq")
    return number if isinstance(number, int) else 0


def matters(line: bytes) -> bool:
    """Return whether a line stays when room is needed: a decision, an executed change, or another rare event.

    All others are calls that changed nothing, and frequent events.
    """
    record = parse(line)
    if record is None:
        return True
    kind = record.get("kind", "execution")
    return "planDigest" in record or "files" in record if kind == "execution" else kind not in _COMMON


_COMMON: Final = {"limit", "delivery", COUNT}


def sign_off_record(time: str, event: str, facts: AuditRecord, before: bytes) -> AuditRecord:
    """Return what a sign-off says, apart from the head.

    Args:
        time: The time.
        event: `cleared` or `retention`; in older logs also `rotation`.
        facts: The number of records removed, and who removed them, if anybody did.
        before: The sign-off that goes with them, if there is one: when the log was cleared is not forgotten.
    """
    record = {"timestamp": time, "kind": KIND, "tool": None, "client": None, "event": event} | facts
    earlier = _cleared(parse(before) or {})
    return record | ({"earlier": earlier} if earlier else {})


def gap_record(until: str, since: str, records: int, thinned: int) -> AuditRecord:
    """Return what a gap record says, apart from the heads.

    Args:
        until: The time of the last record taken out, which places the gap among the others.
        since: The time of the first.
        records: Number of records taken out.
        thinned: The same, together with all earlier gaps.
    """
    facts = {"event": THINNED, "records": records, "since": since, "thinned": thinned}
    return {"timestamp": until, "kind": KIND, "tool": None, "client": None} | facts


def _cleared(record: AuditRecord) -> Sequence[AuditRecord]:
    earlier = record.get("earlier")
    cleared = list(earlier) if isinstance(earlier, list) else []
    if record.get("event") == "cleared":
        cleared.append({name: record.get(name) for name in ("timestamp", "by", "records", "head")})
    return cleared[-MAX_EARLIER:]


_CLOCK_SLACK = timedelta(days=1)
"""Limit on how far the wall clock may have been set back between two records."""


class RecordFilter:
    """The conditions of a query; None matches any record.

    Args:
        tool: Only of this tool.
        client: Only of this client.
        kind: Only of this kind.
        code: Only those that ended with this code, such as `timed_out`.
        text: Only those whose line contains this text, in any case.
        since: Only from this time on: ISO 8601, in UTC unless it says otherwise; a day begins at midnight.
        until: Only up to this time; a day is meant to its end.
        before: Only those with a smaller `seq`: that of the last record of the page before.

    Attributes:
        stop: The time before which no line can be wanted; empty: none.

    Raises:
        InvalidParameters: `since`, `until` or `before` cannot be read.
    """

    def __init__(
        self,
        *,
        tool: str | None = None,
        client: str | None = None,
        kind: str | None = None,
        code: str | None = None,
        text: str | None = None,
        since: str | None = None,
        until: str | None = None,
        before: str | None = None,
    ) -> None:
        members = {"tool": tool, "client": client, "kind": kind, "code": code}
        self._members = {name: value for name, value in members.items() if value}
        self._needles = [orjson.dumps(value) for value in self._members.values()]
        self._with_gaps = kind == KIND
        self._text = orjson.dumps(text)[1:-1].decode().casefold() if text else ""
        self._below = math.inf if before is None else _number(before)
        self._first, self._last, self.stop = "", "~", ""
        if since is not None:
            begin = read_time(since, "since")
            self._first, self.stop = stamp(begin), stamp(begin - _CLOCK_SLACK)
        if until is not None:
            end = read_time(until, "until")
            whole_day = len(until) == len("2026-01-31")
            self._last = stamp(end + timedelta(days=1, milliseconds=-1) if whole_day else end)

    @property
    def needle(self) -> bytes:
        """Return bytes that every wanted line contains, as distinctive as possible."""
        return max(self._needles, key=len, default=b"")

    def select(self, lines: Iterable[bytes]) -> Iterator[AuditRecord]:
        """Yield the requested records. Torn and foreign lines are skipped.

        Args:
            lines: Newest first: from some time on, none can be young enough.
        """
        for line in lines:
            if self.stop and stamp_of(line) < self.stop:
                return
            if (record := self.match(line)) is not None:
                yield record

    def match(self, line: bytes) -> AuditRecord | None:
        """Return the line's record, if it is wanted."""
        if any(needle not in line for needle in self._needles):
            return None
        if self._text and self._text not in line.decode("utf-8", "replace").casefold():
            return None
        record = parse(line)
        if record is None or number_of(record) >= self._below:
            return None
        if record.get("event") == THINNED and not self._with_gaps and record.get("kind") == KIND:
            return None
        fits = all(record.get(name) == value for name, value in self._members.items())
        return record if fits and self._first <= str(record.get("timestamp")) <= self._last else None


def read_time(text: str, name: str) -> datetime:
    """Return a time as a person or a program writes it: ISO 8601, in UTC unless it says otherwise.

    Args:
        text: What was written.
        name: The parameter, for the message.

    Raises:
        InvalidParameters: It cannot be read.
    """
    try:
        moment = datetime.fromisoformat(text)
        # A year at the edge of the calendar leaves no room for time zones.
        return moment.replace(tzinfo=moment.tzinfo or UTC, year=min(max(moment.year, 1970), 9000)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidParameters(
            f"{name!r} is not a time: {text!r}. Write it as ISO 8601, such as 2026-01-31 or 2026-01-31T10:30:00Z"
        ) from None


def _number(before: str) -> int:
    if re.fullmatch("[0-9]{1,18}", before) is None:
        raise InvalidParameters(f"'before' is the `seq` of a record, not {before[:100]!r}")
    return int(before)


WHOLE: Final = 5
"""Records of one client and reason that are logged whole, until the next `drain`."""
MOST_WHOLE: Final = 100
"""Records of all clients and reasons that are, however many names there are."""
MOST_COUNTS: Final = 200
"""Counts that are kept apart by client and tool; beyond, they are apart by reason alone."""

_NAMED: Final = ("client", "clientId", "role")
_Key = tuple[Any, ...]


class Folding:
    """The records of a flood: the first are logged whole, the others only counted. For one thread."""

    def __init__(self) -> None:
        self._whole: Counter[_Key] = Counter()
        self._counts: dict[_Key, AuditRecord] = {}

    @property
    def is_empty(self) -> bool:
        """Return whether nothing has come since the last `drain`."""
        return not self._whole

    def takes(self, record: AuditRecord) -> bool:
        """Return whether a record is only counted; otherwise it is to be logged whole.

        Args:
            record: With its `timestamp`, `kind`, `tool`, `client`, and what it has of `clientId`, `errorType`, `code`.
        """
        kind, client = record["kind"], record.get("clientId") or record.get("client")
        reason = (kind, record.get("errorType"), record.get("code"))
        if self._whole[client, reason] < WHOLE and self._whole.total() < MOST_WHOLE:
            self._whole[client, reason] += 1
            return False
        key: _Key = (client, record["tool"], reason)
        named = {name: record[name] for name in ("tool", *_NAMED) if name in record}
        if key not in self._counts and len(self._counts) >= MOST_COUNTS:
            key, named = (None, None, reason), {"tool": None, "client": None}
        count = self._counts.get(key)
        if count is None:
            why = {name: record[name] for name in ("success", "errorType", "code") if record.get(name) is not None}
            of = {"kind": COUNT, "of": kind, "count": 0, "since": record["timestamp"]}
            count = self._counts[key] = of | named | why
        count["count"] += 1
        return True

    def drain(self) -> list[AuditRecord]:
        """Return a counting record for each client, tool and reason since the last time."""
        found = list(self._counts.values())
        self._whole.clear()
        self._counts.clear()
        return found


LONGEST_VALUE: Final = 80
"""Characters of a value that a sentence quotes."""
MOST_NAMED: Final = 3
"""Items of a list that a sentence names."""

_PART = re.compile(r"\[([^\[\]]*)\]|([^\[\]]+)")
_VALUE = re.compile(r"\{(\w+)(?:([|:])([^{}]*))?\}")


def phrase(action: str, value: Callable[[str], Any], *, past: bool) -> str:
    """Return the words for one use of a tool.

    Args:
        action: As above.
        value: Returns what a name stands for; None if that is not known.
        past: Whether it was done.
    """
    verb, _, rest = action.partition(" ")
    now, _, then = verb.partition("/")
    parts = (_fill(optional or always, value, optional=bool(optional)) for optional, always in _PART.findall(rest))
    said = "".join(parts).strip()
    return f"{then if past and then else now} {said}".strip()


def quoted(value: Any) -> str:
    """Return a value from outside as one short line in quotation marks that it cannot end itself.

    Args:
        value: A text, or a list of texts; anything else is shown as it is written in Python.
    """
    if isinstance(value, list):
        named = ", ".join(quoted(item) for item in value[:MOST_NAMED])
        return f"{named} and {len(value) - MOST_NAMED} more" if len(value) > MOST_NAMED else named
    text = " ".join(str(value).translate(_NO_QUOTES).split())
    return f"“{text if len(text) <= LONGEST_VALUE else f'{text[: LONGEST_VALUE - 1]}…'}”"


_NO_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"'})


def _fill(text: str, value: Callable[[str], Any], *, optional: bool) -> str:
    """Return the text with its values; empty if it may be left out and one is not known."""
    missing = False

    def known(found: re.Match[str]) -> str:
        nonlocal missing
        name, kind, words = found.groups()
        held = value(name)
        if held in (None, "", []):
            missing = missing or kind != "|"
            return words if kind == "|" else ""
        return counted(held, words) if kind == ":" else quoted(held)

    filled = _VALUE.sub(known, text)
    return "" if missing and optional else filled

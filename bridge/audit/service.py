"""The host's operations on the log: query, export, verify, count what agents did, show its size, and clear it."""

import contextlib
import csv
import io
import re
import secrets
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, Final, Literal

import orjson

from bridge.audit.files import NAME
from bridge.audit.log import AuditLog
from bridge.audit.records import COUNT, THINNED, AuditRecord, RecordFilter, parse, stamp_of
from bridge.audit.sentences import Words, record_caller, sentence
from bridge.audit.verify import ChainWalk
from bridge.clock import Clock, stamp
from bridge.errors import ErrorType, InvalidParameters
from bridge.vault.disk import as_failure
from bridge.vault.folder import Folder

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
        tools, answers = sorted(self._tools.items(), key=lambda item: (-item[1]["calls"], item[0])), self._answers
        return {
            "days": [{"day": day.isoformat(), **self._by_day[at]} for day, at in self._days.items()],
            "clients": [client.wire(name) for name, client in busiest[:MOST_SHOWN]],
            "others": rest.wire("Others") if rest.counts else None,
            "tools": [self._tool(name, counts) for name, counts in tools[:MOST_SHOWN]],
            "answers": {"count": len(answers), "median": _rank(answers, 50), "p90": _rank(answers, 90)},
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


Format = Literal["json", "csv"]

COLUMNS: Final = (
    *("seq", "timestamp", "kind", "tool", "executionId", "callId", "client", "role", "userId", "success", "duration"),
    *("errorType", "code", "outcome", "decision", "rule", "by", "why", "feedback", "reason"),
    *("parameters", "result", "files", "event", "message", "more"),
)
"""Of the CSV; what a record holds besides is in `more`, as JSON."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Characters that begin a formula in a spreadsheet, including full-width forms."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def row(record: AuditRecord, form: Format) -> str:
    """Return a record as it stands in an export."""
    if form == "json":
        return orjson.dumps(record).decode()
    more = {name: value for name, value in record.items() if name not in COLUMNS}
    return _line([_cell((record | {"more": more or None}).get(name)) for name in COLUMNS])


def frame(form: Format) -> tuple[str, str, str]:
    """Return the text before the first row, between rows, and after the last."""
    return ("[\n", ",\n", "\n]\n") if form == "json" else (_line(COLUMNS), "", "")


def pieces(records: Iterable[AuditRecord], form: Format) -> Iterator[str]:
    """Yield a whole export, piece by piece; the records in the order in which they are to stand."""
    head, between, foot = frame(form)
    yield head
    for number, record in enumerate(records):
        yield (between if number else "") + row(record, form)
    yield foot


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return safe_cell(value)
    return "" if value is None else orjson.dumps(value).decode()


def safe_cell(text: str) -> str:
    """Return the text such that no spreadsheet takes it for a formula, behind an apostrophe if it looks like one.

    Control characters are written as escapes: a terminal that shows the export must not obey them.
    """
    shown = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    return f"'{shown}" if text.lstrip(" ").startswith(_FORMULA) else shown


def _line(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue()


FOLDER: Final = "exports"
PLACE: Final = f".vault-bridge/{FOLDER}/"

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,98}[A-Za-z0-9_-])?")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
"""Names that Windows takes for devices."""


def export_name(path: str) -> str:
    """Return the name of the file that a path means.

    Raises:
        InvalidParameters: It is not a plain name, or leads elsewhere.
    """
    name = path.removeprefix(PLACE)
    if not _NAME.fullmatch(name) or _RESERVED.fullmatch(name):
        raise InvalidParameters(
            f"'path' is the name of a new file in {PLACE}, of letters, digits, '.', '-' and '_', not {path!r}"
        )
    return name


def write_export(state: Folder, name: str, text: Iterator[str]) -> str:
    """Write an export, whole or not at all.

    Args:
        state: The vault's `.vault-bridge` folder, held open.
        name: From `export_name`.
        text: Piece by piece.

    Returns:
        Its path in the vault.

    Raises:
        InvalidParameters: There is such a file already.
        ExecutionFailed: The disk is full or failed.
    """
    temporary = f".{name}.{secrets.token_hex(4)}.tmp"
    try:
        with state.child_made(FOLDER) as folder:
            try:
                folder.create(temporary, (memoryview(piece.encode()) for piece in text), sync=True)
                folder.move_new(temporary, folder, name)
            except BaseException:
                with contextlib.suppress(OSError):
                    folder.unlink(temporary)
                raise
            folder.sync()
    except FileExistsError:
        raise InvalidParameters(f"{PLACE}{name} is there already; choose another name", code="exists") from None
    except OSError as error:
        raise as_failure(error, f"{PLACE}{name}") from error
    return f"{PLACE}{name}"


MAX_TEXT: Final = 8 * 1024 * 1024
"""Bytes that an export may have in an answer."""


class AuditService:
    """The log, for hosts. Everything blocks.

    Args:
        log: The log.
        state: The vault's `.vault-bridge` folder, held open.
    """

    def __init__(self, log: AuditLog, state: Folder) -> None:
        self._log = log
        self._state = state
        self.clear = log.clear

    def query(
        self, words: Words = lambda _name: None, *, limit: int = 100, by_action: bool = False, **filters: str | None
    ) -> list[AuditRecord]:
        """Return records, newest first, each with its `sentence`.

        Args:
            words: What the tools are called; without it, they are called by their names.
            limit: At most so many.
            by_action: Whether a call and the decisions about it are one; see `actions`.
            **filters: See `RecordFilter`.

        Raises:
            InvalidParameters: A filter cannot be read.
            ExecutionFailed: The log cannot be read.
        """
        found = self._log.query(limit=limit, by_action=by_action, **filters)
        for record in found:
            for one in (record, *record.get("decisions", ())):
                one["sentence"] = sentence(one, words)
        return found

    def export(self, form: Format, **filters: str | None) -> AuditRecord:
        """Return the records as a text, oldest first; when they are too many, the newest that fit.

        Args:
            form: `json` or `csv`.
            **filters: See `RecordFilter`.

        Returns:
            `{format, text, records, truncated}`.

        Raises:
            InvalidParameters: A filter cannot be read.
            ExecutionFailed: The log cannot be read.
        """
        wanted, size, truncated = RecordFilter(**filters), 0, False
        rows: list[str] = []
        with self._log.snapshot() as seen:
            for record in wanted.select(seen.newest_first(wanted.needle)):
                text = row(record, form)
                size += len(orjson.dumps(text))  # as it is in the answer
                if size > MAX_TEXT:
                    truncated = True
                    break
                rows.append(text)
        head, between, foot = frame(form)
        whole = head + between.join(reversed(rows)) + foot
        return {"format": form, "text": whole, "records": len(rows), "truncated": truncated}

    def export_to(self, path: str, form: Format, **filters: str | None) -> AuditRecord:
        """Export all records to a new file in `.vault-bridge/exports/`, oldest first.

        Args:
            path: The name of the file.
            form: `json` or `csv`.
            **filters: See `RecordFilter`.

        Returns:
            `{format, path, records}`.

        Raises:
            InvalidParameters: The name or a filter cannot be used.
            Conflict: There is such a file.
            ExecutionFailed: The log cannot be read, or the file not be written.
        """
        name, wanted, count = export_name(path), RecordFilter(**filters), 0

        def picked(lines: Iterator[bytes]) -> Iterator[AuditRecord]:
            nonlocal count
            for record in filter(None, map(wanted.match, lines)):
                count += 1
                yield record

        with self._log.snapshot() as seen:
            written = write_export(self._state, name, pieces(picked(seen.oldest_first()), form))
        return {"format": form, "path": written, "records": count}

    def verify(self) -> AuditRecord:
        """Walk along the whole chain and tell every break: see `ChainWalk.report`.

        Raises:
            ExecutionFailed: The log cannot be read.
        """
        with self._log.snapshot() as seen:
            walk = ChainWalk(seen.chain, seen.adopted, seen.head)
            for source in seen.sources:
                walk.walk_file(source)
            walk.end()
            return walk.report()

    def stats(self) -> AuditRecord:
        """Return `{size, generations, records, oldest, newest, fault, lost, chain}`, without reading the whole log.

        Raises:
            ExecutionFailed: The log cannot be read.
        """
        with self._log.snapshot() as seen:
            beginning = next(seen.oldest_first(), b"")
            began = seen.chain.signed_off(beginning)
            return {
                "size": sum(source.size for source in seen.sources),
                "generations": sum(source.name != NAME for source in seen.sources),
                "records": seen.head.total - (began.total if began else 0) - seen.thinned(beginning),
                "oldest": _time(beginning),
                "newest": _time(next(seen.newest_first(), b"")),
                "fault": self._log.fault,
                "lost": seen.lost,
                "chain": seen.head.wire(),
            }

    def activity(self, days: int) -> AuditRecord:
        """Return what agents did in the last days, including today: see `Activity.report`.

        Args:
            days: Number of days, at least 1.

        Raises:
            ExecutionFailed: The log cannot be read.
        """
        found = Activity(self._log.clock, days)
        with self._log.snapshot() as seen:
            found.read(seen.newest_first())
        return found.report()


def _time(line: bytes) -> str | None:
    time = (parse(line) or {}).get("timestamp")
    return time if isinstance(time, str) else None

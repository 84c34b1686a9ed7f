"""The audit log: every execution and every decision, one JSON object a line (seed L, "Execution Logging").

`{"seq": 7, "timestamp": ..., "kind": "execution" | "decision", "tool": ..., "executionId": ..., "parameters": {...},
"result": {...}, "duration": ..., "userId": ..., "client": ...}`, and what else the pipeline knows. `seq` counts up by
one, also for a record that could not be written, so that a gap shows.
"""

import logging
import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from bridge.clock import Clock, stamp
from bridge.errors import ExecutionFailed, InvalidParameters
from bridge.journal.audit_file import FOLDER, NAME, AuditFile
from bridge.journal.audit_privacy import without_paths, without_values
from bridge.policy.redaction import redact
from bridge.policy.secrets import Secrets
from bridge.settings import Settings
from bridge.vault.folder import Folder

logger = logging.getLogger(__name__)

MAX_FILES = 1_000
"""Files of one change that its record lists; the journal knows all."""

LOG = f".vault-bridge/{FOLDER}/{NAME}"

_STAMP = b'"timestamp":"'

_CLOCK_SLACK = timedelta(days=1)
"""How far the wall clock may have been set back between two records."""


@dataclass(frozen=True, slots=True)
class _Span:
    """Stamps to look between, and the one before which nothing can be that was logged after `first`."""

    first: str = ""
    last: str = "~"
    stop: str = ""


class AuditLog:
    """Writes records and finds them again. May be used from several threads.

    Args:
        state: The vault's `.vault-bridge` folder, held open.
        clock: For the time of records that have none.
        settings: The settings as they are now.
        secrets: Secrets of our own, which no record may hold.
    """

    def __init__(
        self, state: Folder, *, clock: Clock, settings: Callable[[], Settings], secrets: Secrets | None = None
    ) -> None:
        self._file = AuditFile(state)
        self._clock = clock
        self._settings = settings
        self._secrets = secrets
        self._lock = threading.Lock()
        self._seq: int | None = None
        self._lost = 0
        self.fault: str | None = None
        """What went wrong with the log in this run and what to do, for people; None when nothing did."""

    def append(self, record: dict[str, Any], *, sensitive: frozenset[str] = frozenset()) -> None:
        """Log one record: redacted, and as the privacy settings have it. Never fails: see `fault`.

        Args:
            record: JSON, or nearly; see the module for its members.
            sensitive: Names of parameters whose values must not be logged, besides the usual ones.
        """
        settings = self._settings()
        if not settings.enable_audit_log:
            return
        shown = self._redacted({"timestamp": stamp(self._clock.now())} | record, sensitive)
        if not settings.log_parameter_values:
            shown = without_values(shown)
        if settings.anonymize_log:
            shown = without_paths(shown)
        with self._lock:
            try:
                self._seq = self._last_seq() + 1
                self._file.append(orjson.dumps({"seq": self._seq} | shown))
            except OSError as error:
                self._lost += 1
                self.fault = (
                    f"{self._lost} records could not be written to {LOG}: "
                    f"{error.strerror}. Make room, or mend the permissions of that folder"
                )
                logger.warning("%s", self.fault)

    def query(
        self,
        *,
        tool: str | None = None,
        client: str | None = None,
        kind: str | None = None,
        text: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 100,
        before: str | None = None,
    ) -> list[dict[str, Any]]:
        """Records, newest first.

        Args:
            tool: Only of this tool.
            client: Only of this client.
            kind: Only of this kind.
            text: Only those in whose line this text is, in any case.
            since: Only from this time on: ISO 8601, in UTC unless it says otherwise; a day begins at midnight.
            until: Only up to this time; a day is meant to its end.
            limit: At most so many.
            before: Only those with a smaller `seq`: that of the last record of the page before.

        Raises:
            InvalidParameters: `since`, `until` or `before` cannot be read.
            ExecutionFailed: The log cannot be read.
        """
        wanted = {name: value for name, value in {"tool": tool, "client": client, "kind": kind}.items() if value}
        span = _span(since, until)
        below = _number(before)
        found: list[dict[str, Any]] = []
        try:
            for record in self._candidates([*wanted.values()], text, span.stop):
                if len(found) >= limit:
                    break
                time = str(record.get("timestamp"))
                fits = all(record.get(name) == value for name, value in wanted.items())
                if fits and span.first <= time <= span.last and _seq(record) < below:
                    found.append(record)
        except OSError as error:
            raise ExecutionFailed(f"The audit log cannot be read: {error.strerror}. Mend {LOG} in the vault") from error
        return found

    def _redacted(self, record: dict[str, Any], sensitive: frozenset[str]) -> dict[str, Any]:
        files = record.get("files")
        shown: dict[str, Any] = redact(
            {name: value for name, value in record.items() if name != "files"}, sensitive, self._secrets
        )
        if isinstance(files, list | tuple):
            listed = [redact(file, secrets=self._secrets) for file in files[:MAX_FILES]]
            more = [f"[{len(files) - MAX_FILES:,} more files]"] if len(files) > MAX_FILES else []
            shown["files"] = listed + more
        return shown

    def _candidates(self, values: list[str], text: str | None, stop: str) -> Iterator[dict[str, Any]]:
        """Whole records whose lines have the values and the text in them; torn and foreign lines are passed over."""
        needles = [orjson.dumps(value) for value in values]
        needle = orjson.dumps(text)[1:-1].decode().casefold() if text else ""
        for line in self._file.backwards():
            if stop and _stamp_of(line) < stop.encode():
                return
            if any(value not in line for value in needles):
                continue
            if needle and needle not in line.decode("utf-8", "replace").casefold():
                continue
            record = _parse(line)
            if record is not None:
                yield record

    def _last_seq(self) -> int:
        """The number of the last record, in this run or in the log."""
        if self._seq is None:
            self._seq = next((_seq(record) for line in self._file.backwards() if (record := _parse(line))), 0)
        return self._seq


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return record if isinstance(record, dict) else None


def _stamp_of(line: bytes) -> bytes:
    """The time of a line of ours, without reading all of it; of another line, one that is later than any."""
    found = line.find(_STAMP, 0, 64)
    start = found + len(_STAMP)
    return b"~" if found < 0 else line[start : start + len("2026-01-31T10:30:00.000Z")]


def _seq(record: dict[str, Any]) -> int:
    number = record.get("seq")
    return number if isinstance(number, int) else 0


def _span(since: str | None, until: str | None) -> _Span:
    span = _Span()
    if since is not None:
        begin = _time(since, "since")
        span = replace(span, first=stamp(begin), stop=stamp(begin - _CLOCK_SLACK))
    if until is not None:
        end = _time(until, "until")
        whole_day = len(until) == len("2026-01-31")
        span = replace(span, last=stamp(end + timedelta(days=1, milliseconds=-1) if whole_day else end))
    return span


def _time(text: str, name: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        # A year at the edge of the calendar leaves no room for time zones.
        return moment.replace(tzinfo=moment.tzinfo or UTC, year=min(max(moment.year, 1970), 9000)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidParameters(
            f"{name!r} is not a time: {text!r}. Write it as ISO 8601, such as 2026-01-31 or 2026-01-31T10:30:00Z"
        ) from None


def _number(before: str | None) -> float:
    if before is None:
        return math.inf
    if not (before.isascii() and before.isdigit()):
        raise InvalidParameters(f"'before' is the `seq` of a record, not {before!r}")
    return int(before)

"""The audit log: every execution, decision and other event, one JSON object a line; and the thread that looks after it.

`{"seq": 7, "timestamp": ..., "kind": "execution", "tool": ..., "executionId": ..., "parameters": {...},
"result": {...}, "duration": ..., "userId": ..., "client": ..., ..., "chain": ...}`; `docs/protocol.md` says what each
kind holds. `seq` counts up by one, also for a record that could not be written, so that a gap shows; `chain` ties a
line to the one before (`verify.py`).
"""

import contextlib
import itertools
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import re2

from bridge.audit.anonymous import VaultNames, without_paths
from bridge.audit.files import FOLDER, MAX_LINE, MAX_SIZE, NAME, AuditFiles, DamagedError, LogFile
from bridge.audit.records import AuditRecord, RecordFilter, stamp_of
from bridge.audit.rotation import LogRotation, thinned
from bridge.audit.verify import ChainState, Head, LogChain, find_head
from bridge.clock import Clock, stamp
from bridge.errors import ExecutionFailed
from bridge.policy.redaction import Secrets, redact
from bridge.records.folder import MemoryFolder, RecordFolder
from bridge.settings.model import Settings
from bridge.vault.folder import Folder

logger = logging.getLogger(__name__)

LOG: Final = f".vault-bridge/{FOLDER}/{NAME}"

_BULK: Final = {"parameters", "result", "files", "changes"}
"""Members of a record that can be large."""
_STEP: Final = timedelta(days=2)
"""Limit on how far the time may be past the last retention check: a clock that jumps must not empty the log."""


class LogSnapshot(NamedTuple):
    """The log at one moment.

    Attributes:
        sources: Its files, oldest first.
        chain: What its lines are checked with.
        adopted: Lines at its very beginning that nobody can vouch for.
        head: The last record written.
        lost: Records that could not be written in this run.
    """

    sources: Sequence[LogFile]
    chain: LogChain
    adopted: int
    head: Head
    lost: int

    def oldest_first(self) -> Iterator[bytes]:
        """Return every line; of a damaged file those that can be read."""
        return _readable(source.forwards() for source in self.sources)

    def thinned(self, beginning: bytes) -> int:
        """Return how many records were taken out of the middle, without reading all of it.

        Args:
            beginning: The first line.
        """
        return thinned(self.chain, self.sources[0], beginning) if self.sources else 0

    def newest_first(self, needle: bytes = b"") -> Iterator[bytes]:
        """Return every line from the end, of parts with the needle at least; of a damaged file what can be read."""
        return _readable(source.backwards(needle) for source in reversed(self.sources))


def _readable(files: Iterable[Iterator[bytes]]) -> Iterator[bytes]:
    for lines in files:
        with contextlib.suppress(DamagedError):
            yield from lines


class AuditLog:
    """The log: writes records, finds them, and can tell whether all are there. Several threads may use it.

    Args:
        state: The vault's `.vault-bridge` folder, held open.
        clock: For the time of records that have none.
        settings: The settings as they are now.
        secrets: The bridge's own secrets, such as its tokens, which no record may hold.
        key_store: Where the key of the chain and its head are; None: in memory, for this process only.
        max_size: Bytes after which the file is rotated.
        paths: The paths of the vault's files and folders, whose names `anonymizeLog` hides; another object when they
            are others.

    Attributes:
        fault: What went wrong with the log in this run and what to do, for people; None when nothing did.
        clock: Gives the records' times.
        has_work: Set when there is something to `seal` or `tidy`.
    """

    def __init__(
        self,
        state: Folder,
        *,
        clock: Clock,
        settings: Callable[[], Settings],
        secrets: Secrets | None = None,
        key_store: RecordFolder | None = None,
        max_size: int = MAX_SIZE,
        paths: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._files = AuditFiles(state, max_size)
        self.clock = clock
        self._settings = settings
        self._secrets = secrets
        self._names = VaultNames(paths)
        self._key_store = key_store or MemoryFolder()
        self._chain_state: ChainState | None = None
        self._head = Head(0, "", 0)
        self._seq = 0
        self._lost = 0
        self._retained: datetime | None = None
        self._working = threading.Lock()
        self.fault: str | None = None
        self.has_work = threading.Event()

    def append(self, record: AuditRecord, *, sensitive: frozenset[str] = frozenset()) -> None:
        """Log one record: redacted, and as the privacy settings have it. Never fails: see `fault`.

        Args:
            record: JSON, or nearly; see the module for its members.
            sensitive: Names of parameters whose values must not be logged, besides the usual ones.
        """
        settings = self._settings()
        if not settings.enable_audit_log:
            return
        stamped = {"timestamp": stamp(self.clock.now())} | record
        shown = loggable(stamped, settings, sensitive, self._secrets, self._names)
        for ours in ("seq", "chain"):
            shown.pop(ours, None)
        with self._files.lock:
            try:
                chain_state = self._open()
                self._seq += 1
                line, head = chain_state.chain.link(self._head, self._seq, shown)
                if len(line) > MAX_LINE:
                    shown = {name: value for name, value in shown.items() if name not in _BULK}
                    line, head = chain_state.chain.link(self._head, self._seq, shown)
                self._files.append(line)
                self._head = head
            except OSError as error:
                self._lost += 1
                self._trouble(f"{self._lost} records could not be written to {LOG}: {error.strerror}")
        self.has_work.set()

    def query(self, *, limit: int = 100, by_action: bool = False, **filters: str | None) -> list[AuditRecord]:
        """Return records, newest first.

        Args:
            limit: At most so many.
            by_action: Whether a call and the decisions about it are one; see `actions`.
            **filters: See `RecordFilter`.

        Raises:
            InvalidParameters: A filter cannot be read.
            ExecutionFailed: The log cannot be read.
        """
        wanted = RecordFilter(**filters)
        with self.snapshot() as seen:
            if by_action and filters.get("kind") != "decision":
                related = RecordFilter(tool=filters.get("tool"), client=filters.get("client"))
                return actions(seen.newest_first, limit, wanted, related)
            return list(itertools.islice(wanted.select(seen.newest_first(wanted.needle)), limit))

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[LogSnapshot]:
        """Provide the log as it is at this moment.

        Raises:
            ExecutionFailed: It cannot be read.
        """
        try:
            with contextlib.ExitStack() as stack:
                with self._files.lock:
                    chain_state = self._open()
                    found = stack.enter_context(self._files.sources())
                    seen = LogSnapshot(found, chain_state.chain, chain_state.adopted, self._head, self._lost)
                yield seen
        except OSError as error:
            raise ExecutionFailed(
                f"The audit log cannot be read: {error.strerror}. Check {LOG} in the vault"
            ) from error

    def clear(self, by: str) -> AuditRecord:
        """Remove every record. A signed-off one stays, which says when, by whom, and what was there.

        Args:
            by: The name of the host.

        Returns:
            `{cleared}`: how many records.

        Raises:
            ExecutionFailed: The disk is full or failed.
        """
        try:
            with self._working, self._files.lock:
                facts = redact({"by": by}, secrets=self._secrets)
                count = self._housekeeping(self._open()).clear(self._head, facts)
        except OSError as error:
            raise ExecutionFailed(f"The audit log cannot be cleared: {error.strerror}. Check {LOG}") from error
        self.has_work.set()
        return {"cleared": count}

    def seal(self) -> None:
        """Make what was logged durable, and then keep the head of the chain. Never fails: see `fault`."""
        with self._work("sealed"):
            with self._files.lock:
                chain_state, head = self._chain_state, self._head
            if chain_state is not None and chain_state.head != head:
                self._files.sync()
                chain_state.save(head)

    def tidy(self) -> None:
        """Pack what was rotated, and finish what a crash interrupted. Never fails: see `fault`."""
        with self._work("tidied"):
            self._housekeeping(self._open()).tidy()

    def retain(self) -> None:
        """Drop what is older than the setting `auditLogRetentionDays`. Never fails: see `fault`."""
        now = self.clock.now()
        if self._retained is not None:
            now = min(now, self._retained + _STEP)
        self._retained = now
        days = self._settings().audit_log_retention_days
        if days is not None:
            with self._work("shortened"):
                oldest, newest = now - timedelta(days=days), now + timedelta(days=1)
                self._housekeeping(self._open()).retain(stamp(oldest), stamp(newest))

    @contextlib.contextmanager
    def _work(self, what: str) -> Iterator[None]:
        try:
            with self._working:
                yield
        except OSError as error:
            self._trouble(f"The audit log cannot be {what}: {error.strerror}")

    def _housekeeping(self, chain_state: ChainState) -> LogRotation:
        return LogRotation(self._files, chain_state.chain, chain_state.adopted, lambda: stamp(self.clock.now()))

    def _open(self) -> ChainState:
        """Return the chain, and where it goes on; found once."""
        with self._files.lock:
            if self._chain_state is None:
                try:
                    chain_state = ChainState(self._key_store)
                except OSError as error:
                    # Better a log that nobody can check than none.
                    self._trouble(f"The key of the audit log cannot be kept: {error.strerror}")
                    self._key_store = MemoryFolder()
                    chain_state = ChainState(self._key_store)
                self._head = find_head(self._files, chain_state)
                self._seq, self._chain_state = self._head.seq, chain_state
            return self._chain_state

    def _trouble(self, what: str) -> None:
        self.fault = f"{what}. Make room, or correct the permissions of that folder"
        logger.warning("%s", self.fault)


MAX_FILES = 1_000
"""Files of one change that its record lists; the journal knows all."""

NOT_LOGGED = "[NOT LOGGED]"

_QUOTED = re2.compile(r"\"[^\"]*\"|'[^']*'")


def loggable(
    record: dict[str, Any], settings: Settings, sensitive: frozenset[str], secrets: Secrets | None, names: VaultNames
) -> dict[str, Any]:
    """Return the record without secrets, bounded, and as the privacy settings have it.

    Args:
        record: JSON, or nearly.
        settings: As they are now.
        sensitive: Names of parameters whose values must not be logged, besides the usual ones.
        secrets: The bridge's own secrets, such as its tokens.
        names: Of the vault's notes, files and folders.
    """
    shown = _redacted(record, sensitive, secrets)
    if not settings.log_parameter_values:
        shown = without_values(shown)
    return without_paths(shown, names) if settings.anonymize_log else shown


def without_values(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record with the names of parameters and of the result's members, and nothing that they hold."""
    kept = dict(record)
    for name in ("parameters", "result", "changes"):
        if name in kept:
            kept[name] = _names_only(kept[name])
    error = record.get("result", {}).get("error") if isinstance(record.get("result"), dict) else None
    if isinstance(error, str):
        # Messages quote what they are about; the rest says what went wrong.
        kept["result"]["error"] = _QUOTED.sub(NOT_LOGGED, error)
    return kept


def _redacted(record: dict[str, Any], sensitive: frozenset[str], secrets: Secrets | None) -> dict[str, Any]:
    files = record.get("files")
    shown: dict[str, Any] = redact(
        {name: value for name, value in record.items() if name != "files"}, sensitive, secrets
    )
    if isinstance(files, list | tuple):
        listed = [redact(file, secrets=secrets) for file in files[:MAX_FILES]]
        more = [f"[{len(files) - MAX_FILES:,} more files]"] if len(files) > MAX_FILES else []
        shown["files"] = listed + more
    return shown


def _names_only(value: Any) -> Any:
    if isinstance(value, dict):
        return dict.fromkeys(value, NOT_LOGGED)
    return None if value is None else NOT_LOGGED


_SLACK = timedelta(minutes=1)
"""Limit on how far the clock may have been set back during a call."""


def actions(
    lines: Callable[[bytes], Iterator[bytes]], limit: int, wanted: RecordFilter, related: RecordFilter
) -> list[AuditRecord]:
    """Return the newest entries, newest first.

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
    """Return the time before which no decision about a call can have been made."""
    took: Any = record.get("duration")
    try:
        end = datetime.fromisoformat(str(record.get("timestamp")))
        return stamp(end - timedelta(milliseconds=float(took or 0)) - _SLACK)
    except (ValueError, OverflowError, TypeError):
        return ""


PAUSE_SECONDS: Final = 0.5
"""From a record to its seal: what is logged in that time is sealed together."""
DAY_SECONDS: Final = 86_400.0
LOOK_SECONDS: Final = 3_600.0
"""Seconds between checks whether a day has passed; a machine that sleeps does not count the hours."""


class LogMaintenance:
    """The log's background work. Start it once; `close` seals the log and ends.

    Args:
        log: The log.
        settings: The settings as they are now: a new retention is applied at once.
        monotonic: Seconds that never jump.
    """

    def __init__(self, log: AuditLog, settings: Callable[[], Settings], monotonic: Callable[[], float]) -> None:
        self._log = log
        self._settings = settings
        self._monotonic = monotonic
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="audit-keeper", daemon=True)

    def start(self) -> None:
        """Begin with what a crash left and what has become too old."""
        self._thread.start()

    def close(self) -> None:
        """Seal what there is, and end."""
        self._stopped.set()
        self._log.has_work.set()
        self._thread.join()
        self._log.seal()

    def _run(self) -> None:
        days, due = self._days(), 0.0
        while not self._stopped.is_set():
            self._log.seal()
            self._log.tidy()
            now = self._monotonic()
            if now >= due or days != self._days():
                days, due = self._days(), now + DAY_SECONDS
                self._log.retain()
            self._log.has_work.wait(LOOK_SECONDS)
            self._stopped.wait(PAUSE_SECONDS)
            self._log.has_work.clear()

    def _days(self) -> int | None:
        return self._settings().audit_log_retention_days

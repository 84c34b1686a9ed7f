"""The host's operations on the log: query, export, verify, show its size, and clear it."""

import contextlib
import csv
import io
import re
import secrets
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

import orjson

from bridge.audit.activity import Activity
from bridge.audit.files import NAME
from bridge.audit.log import AuditLog
from bridge.audit.records import AuditRecord, RecordFilter, parse
from bridge.audit.sentences import Words, sentence
from bridge.audit.verify import ChainWalk
from bridge.errors import InvalidParameters
from bridge.vault.disk import as_failure
from bridge.vault.folder import Folder

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
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case str():
            return safe_cell(value)
    return orjson.dumps(value).decode()


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
            by_action: Whether a call and the decisions about it are one; see `actions.py`.
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

"""The log for other programs: a JSON array, or CSV that a spreadsheet opens without running anything in it.

Exports go to `.vault-bridge/exports/`, as new files only, under a name of the caller's choice.
"""

import contextlib
import csv
import io
import re
import secrets
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

import orjson

from bridge.audit.records import AuditRecord
from bridge.errors import InvalidParameters
from bridge.vault.folder import Folder
from bridge.vault.os_errors import as_failure

Format = Literal["json", "csv"]

COLUMNS: Final = (
    *("seq", "timestamp", "kind", "tool", "executionId", "callId", "client", "role", "userId", "success", "duration"),
    *("errorType", "code", "outcome", "decision", "rule", "by", "why", "feedback", "reason"),
    *("parameters", "result", "files", "event", "message", "more"),
)
"""Of the CSV; what a record holds besides is in `more`, as JSON."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a cell begins with that a spreadsheet takes for a formula, full-width forms too."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def row(record: AuditRecord, form: Format) -> str:
    """A record as it stands in an export."""
    if form == "json":
        return orjson.dumps(record).decode()
    more = {name: value for name, value in record.items() if name not in COLUMNS}
    return _line([_cell((record | {"more": more or None}).get(name)) for name in COLUMNS])


def frame(form: Format) -> tuple[str, str, str]:
    """What stands before the first row, between rows, and after the last."""
    return ("[\n", ",\n", "\n]\n") if form == "json" else (_line(COLUMNS), "", "")


def pieces(records: Iterable[AuditRecord], form: Format) -> Iterator[str]:
    """A whole export, piece by piece; the records in the order in which they are to stand."""
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
    """The text such that no spreadsheet takes it for a formula, behind an apostrophe if it looks like one.

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
    """The name of the file that a path means.

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

"""The log for other programs: a JSON array, or CSV that a spreadsheet opens without running anything in it."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

import orjson

Format = Literal["json", "csv"]
Facts = dict[str, Any]

COLUMNS: Final = (
    *("seq", "timestamp", "kind", "tool", "executionId", "callId", "client", "role", "userId", "success", "duration"),
    *("errorType", "code", "outcome", "decision", "rule", "by", "why", "feedback", "reason"),
    *("parameters", "result", "files", "event", "message", "more"),
)
"""Of the CSV; what a record holds besides is in `more`, as JSON."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a cell begins with that a spreadsheet takes for a formula, full-width forms too."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def row(record: Facts, form: Format) -> str:
    """A record as it stands in an export."""
    if form == "json":
        return orjson.dumps(record).decode()
    more = {name: value for name, value in record.items() if name not in COLUMNS}
    return _line([_cell((record | {"more": more or None}).get(name)) for name in COLUMNS])


def frame(form: Format) -> tuple[str, str, str]:
    """What stands before the first row, between rows, and after the last."""
    return ("[\n", ",\n", "\n]\n") if form == "json" else (_line(COLUMNS), "", "")


def pieces(records: Iterable[Facts], form: Format) -> Iterator[str]:
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

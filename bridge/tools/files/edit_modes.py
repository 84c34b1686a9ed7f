"""The ways of editing a file, each from bytes to bytes with the sentence that says what it does."""

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from bridge.errors import Conflict, InvalidParameters
from bridge.tools.files.replacing import find_text, replace_spans
from bridge.tools.formatting import counted, shortened
from bridge.vault.edits import Edited, LineEdit, apply_edits
from bridge.vault.paths import VaultPath
from bridge.vault.text import CHUNK, Lines, encode

_FENCE = b"---"


class EditTarget(NamedTuple):
    """The file that is edited.

    Attributes:
        path: Where it is.
        data: Its bytes, which are UTF-8.
    """

    path: VaultPath
    data: bytes


class PlannedEdit(NamedTuple):
    """The result of an edit of the file, and the sentence for the person."""

    edited: Edited
    summary: str


def replace_text(target: EditTarget, old: str, new: str, *, everywhere: bool) -> PlannedEdit:
    """Search and replace: the first occurrence of some text, or all of them.

    Raises:
        Conflict: It is not in the file (`no_match`).
    """
    found = find_text(target.data, encode(old))
    spans = list(found if everywhere else islice(found, 1))
    if not spans:
        raise Conflict(f"Text '{shortened(old)}' not found in {target.path}", code="no_match")
    edited = replace_spans(target.data, spans, encode(new))
    return PlannedEdit(edited, f'Replace {counted(len(spans), "occurrence")} in "{target.path}"')


def append_text(target: EditTarget, content: str) -> PlannedEdit:
    """Put the content behind the last byte; behind a last line without a line break, not on that line."""
    lines = Lines(target.data)
    added = encode(content)
    if b"\r\n" not in added and lines.prevailing != b"\n":
        added = added.replace(b"\n", lines.prevailing)
    if added and lines.count and not lines.ends_with_break and not added.startswith((b"\n", b"\r\n")):
        added = lines.prevailing + added
    return PlannedEdit(Edited(target.data + added, ()), f'Append {_line_count(content)} to "{target.path}"')


def prepend_text(target: EditTarget, content: str) -> PlannedEdit:
    """Put the content on lines of its own before the first line of the body."""
    line = _first_of_body(Lines(target.data))
    edited = apply_edits(target.data, [LineEdit(line, line - 1, content)], target.path)
    return PlannedEdit(edited, f'Prepend {_line_count(content)} to "{target.path}"')


def insert_lines(
    target: EditTarget, content: str, *, after: int | None = None, before: int | None = None
) -> PlannedEdit:
    """Insert lines; exactly one of `after` and `before` is given.

    Raises:
        InvalidParameters: There is no such line.
    """
    lines = Lines(target.data)
    where = f"after line {after}" if before is None else f"before line {before}"
    place = (after or 0) + 1 if before is None else before
    _check_line(after if before is None else before, lines.count)
    edited = apply_edits(target.data, [LineEdit(place, place - 1, content)], target.path)
    return PlannedEdit(edited, f'Insert {_line_count(content)} {where} in "{target.path}"')


def delete_lines(target: EditTarget, start: int, end: int) -> PlannedEdit:
    """Delete lines, both ends included.

    Raises:
        InvalidParameters: There are no such lines.
    """
    count = Lines(target.data).count
    _check_line(start, count)
    _check_line(end, count)
    edited = apply_edits(target.data, [LineEdit(start, end, "")], target.path)
    return PlannedEdit(edited, f'Delete lines {start}-{end} ({counted(end - start + 1, "line")}) in "{target.path}"')


def check_ranges(edits: Sequence[tuple[int, int, str]]) -> None:
    """Check ranges of lines, as far as possible without the file.

    Raises:
        InvalidParameters: There are none, or they are not sorted, or overlap.
    """
    if not edits:
        raise InvalidParameters("edits must hold at least one edit.")
    for number, (start, end, _text) in enumerate(edits, 1):
        if start < 1 or end < start:
            raise InvalidParameters(
                f"Edit {number}: range [{start}, {end}] is none; it begins with line 1 or later and ends, exclusive, "
                "at its start or later."
            )
    for number, (before, this) in enumerate(pairwise(edits), 2):
        if this[0] < before[1] or this[0] < before[0]:
            raise InvalidParameters(
                f"Edit {number} (range [{this[0]}, {this[1]}]) begins before edit {number - 1} "
                f"(range [{before[0]}, {before[1]}]) ends. Edits must be sorted by start line and not overlap; "
                "all line numbers are those before the call."
            )


def edit_ranges(target: EditTarget, edits: Sequence[tuple[int, int, str]]) -> PlannedEdit:
    """Replace ranges of lines: those from `start` up to, not including, `end`; `[n, n]` inserts before line n.

    Args:
        target: The file.
        edits: What `check_ranges` lets pass.

    Raises:
        InvalidParameters: They name lines that are not there.
    """
    count = Lines(target.data).count
    for number, (start, end, _text) in enumerate(edits, 1):
        last = end - 1 if end > start else start - 1
        if last > count:
            raise InvalidParameters(f"Edit {number}: {_no_line(last if end > start else start, count)}")
    edited = apply_edits(target.data, [LineEdit(start, end - 1, text) for start, end, text in edits], target.path)
    return PlannedEdit(edited, f"Edit file '{target.path}' with {counted(len(edits), 'edit')}?")


def _check_line(number: int | None, count: int) -> None:
    """Refuse a line that is not there; line 0 is the beginning, and line 1 of an empty file its only place."""
    if number is not None and number > max(count, 1):
        raise InvalidParameters(_no_line(number, count))


def _no_line(number: int, count: int) -> str:
    return f"Line {number} does not exist in file with {counted(count, 'line')}."


def _line_count(content: str) -> str:
    return counted(content.count("\n") + (not content.endswith("\n")), "line")


def _first_of_body(lines: Lines) -> int:
    """Return the number of the line behind the properties, also broken ones (rules 46 and 49 of docs/obsidian.md)."""
    start = len(lines.bom)
    first, *rest = lines.data[start : start + CHUNK].split(b"\n")
    if first.rstrip() != _FENCE:
        return 1
    return next((number for number, line in enumerate(rest, 2) if line.rstrip() == _FENCE), 0) + 1

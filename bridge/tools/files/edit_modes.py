"""The three ways of editing a file, each from bytes to bytes with the sentence that says what it does."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from bridge.errors import Conflict, InvalidParameters
from bridge.tools.files.paths import to_bytes
from bridge.tools.files.replacing import find_text, replace_spans
from bridge.tools.formatting import counted, shortened
from bridge.vault.edits import Edited, LineEdit, apply_edits
from bridge.vault.paths import VaultPath
from bridge.vault.text import Lines


@dataclass(frozen=True, slots=True)
class EditTarget:
    """The file that is edited.

    Attributes:
        path: Where it is.
        data: Its bytes, which are UTF-8.
    """

    path: VaultPath
    data: bytes


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """What an edit makes of the file, and the sentence for the person."""

    edited: Edited
    summary: str


def replace_text(target: EditTarget, old: str, new: str, *, everywhere: bool) -> PlannedEdit:
    """Search and replace: the first occurrence, or all of them.

    Raises:
        InvalidParameters: There is nothing to look for.
        Conflict: It is not in the file (`no_match`).
    """
    if not old:
        raise InvalidParameters("old_text must not be empty.")
    found = find_text(target.data, to_bytes(old))
    spans = list(found if everywhere else islice(found, 1))
    if not spans:
        raise Conflict(f"Text '{shortened(old)}' not found in {target.path}", code="no_match")
    edited = replace_spans(target.data, spans, to_bytes(new))
    return PlannedEdit(edited, f'Replace {counted(len(spans), "occurrence")} in "{target.path}"')


def insert_lines(
    target: EditTarget, content: str, *, after: int | None = None, before: int | None = None
) -> PlannedEdit:
    """Insert lines; exactly one of `after` and `before` is given.

    Raises:
        InvalidParameters: There is no such line, or nothing to insert.
    """
    if not content:
        raise InvalidParameters("content is required for insert operations.")
    lines = Lines(target.data)
    where = f"after line {after}" if before is None else f"before line {before}"
    place = (after or 0) + 1 if before is None else before
    _check_line(after if before is None else before, lines.count)
    edited = apply_edits(target.data, [LineEdit(place, place - 1, content)], target.path)
    count = content.count("\n") + (not content.endswith("\n"))
    return PlannedEdit(edited, f'Insert {counted(count, "line")} {where} in "{target.path}"')


def delete_lines(target: EditTarget, start: int, end: int) -> PlannedEdit:
    """Delete lines, both ends included.

    Raises:
        InvalidParameters: They are no range, or there are no such lines.
    """
    if end < start:
        raise InvalidParameters(f"delete_lines: start {start} is after end {end}; swap them.")
    count = Lines(target.data).count
    _check_line(start, count)
    _check_line(end, count)
    edited = apply_edits(target.data, [LineEdit(start, end, "")], target.path)
    return PlannedEdit(edited, f'Delete lines {start}-{end} ({counted(end - start + 1, "line")}) in "{target.path}"')


def edit_ranges(target: EditTarget, edits: Sequence[tuple[int, int, str]]) -> PlannedEdit:
    """Replace ranges of lines: those from `start` up to, not including, `end`; `[n, n]` inserts before line n.

    Raises:
        InvalidParameters: They are not sorted, overlap, or name lines that are not there.
    """
    if not edits:
        raise InvalidParameters("edits must hold at least one edit.")
    count = Lines(target.data).count
    for number, (start, end, _text) in enumerate(edits, 1):
        if start < 1 or end < start:
            raise InvalidParameters(
                f"Edit {number}: range [{start}, {end}] is none; it begins with line 1 or later and ends, exclusive, "
                "at its start or later."
            )
        last = end - 1 if end > start else start - 1
        if last > count:
            raise InvalidParameters(f"Edit {number}: {_no_line(last if end > start else start, count)}")
    for number, (before, this) in enumerate(pairwise(edits), 2):
        if this[0] < before[1] or this[0] < before[0]:
            raise InvalidParameters(
                f"Edit {number} (range [{this[0]}, {this[1]}]) begins before edit {number - 1} "
                f"(range [{before[0]}, {before[1]}]) ends. Edits must be sorted by start line and not overlap; "
                "all line numbers are those before the call."
            )
    edited = apply_edits(target.data, [LineEdit(start, end - 1, text) for start, end, text in edits], target.path)
    return PlannedEdit(edited, f"Edit file '{target.path}' with {counted(len(edits), 'edit')}?")


def _check_line(number: int | None, count: int) -> None:
    """Refuse a line that is not there; line 0 is the beginning, and line 1 of an empty file its only place."""
    if number is not None and number > max(count, 1):
        raise InvalidParameters(_no_line(number, count))


def _no_line(number: int, count: int) -> str:
    return f"Line {number} does not exist in file with {counted(count, 'line')}."

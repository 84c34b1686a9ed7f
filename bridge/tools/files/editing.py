"""The tools `edit_file`, `modify_note` and `write_file`, and the ways of editing that `edit` has too.

Each way leads from bytes to bytes, with the sentence that says what it does. The beginning of a note is after its
properties (rules 46 and 49 of docs/obsidian.md).
"""

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from pydantic import AliasChoices, Field

from bridge.clock import Clock
from bridge.errors import Conflict, InvalidParameters, NotFound
from bridge.toolkit.tool import CallContext, Output, Unchanged, in_vault
from bridge.tools.files.link_keeping import LinkKeeper
from bridge.tools.files.replacing import find_text, replace_spans
from bridge.tools.formatting import diff_facts, done, shortened, size
from bridge.tools.kinds import RequiredContent, RequiredPath, SnakeCaseParams, VaultWriteTool, by_text, write_spec
from bridge.tools.paths import existing_path, failing_as, read_text, vault_path
from bridge.tools.storage import PlanningStorage
from bridge.vault.edits import Edited, LineEdit, apply_edits
from bridge.vault.paths import VaultPath
from bridge.vault.plan import Applied, ChangePlan
from bridge.vault.text import CHUNK, Lines, counted, describe_binary, encode, is_text


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
    """Put the content after the last byte; after a last line without a line break, on a line of its own."""
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
    return _by_lines(target, [LineEdit(line, line - 1, content)], f"Prepend {_line_count(content)} to")


def insert_lines(target: EditTarget, content: str, line: int, where: str) -> PlannedEdit:
    """Insert lines.

    Args:
        target: The file.
        content: The lines.
        line: The number that the first of them gets.
        where: `after` or `before` another line, which the caller named.

    Raises:
        InvalidParameters: There is no such line.
    """
    named = line - (where == "after")
    _check_line(named, Lines(target.data).count)
    edit = LineEdit(line, line - 1, content)
    return _by_lines(target, [edit], f"Insert {_line_count(content)} {where} line {named} in")


def delete_lines(target: EditTarget, start: int, end: int) -> PlannedEdit:
    """Delete lines, both ends included.

    Raises:
        InvalidParameters: There are no such lines.
    """
    for line in start, end:
        _check_line(line, Lines(target.data).count)
    what = f"Delete lines {start}-{end} ({counted(end - start + 1, 'line')}) in"
    return _by_lines(target, [LineEdit(start, end, "")], what)


def _by_lines(target: EditTarget, edits: Sequence[LineEdit], what: str) -> PlannedEdit:
    return PlannedEdit(apply_edits(target.data, edits, target.path), f'{what} "{target.path}"')


def _check_line(number: int, count: int) -> None:
    """Refuse a line that is not there; line 0 is the beginning, and line 1 of an empty file its only place."""
    if number > max(count, 1):
        raise InvalidParameters(_no_line(number, count))


def _no_line(number: int, count: int) -> str:
    return f"Line {number} does not exist in file with {counted(count, 'line')}."


def _line_count(content: str) -> str:
    return counted(content.count("\n") + (not content.endswith("\n")), "line")


def _first_of_body(lines: Lines) -> int:
    """Return the number of the line after the properties, also broken ones (rules 46 and 49 of docs/obsidian.md)."""
    start = len(lines.bom)
    first, *rest = lines.data[start : start + CHUNK].split(b"\n")
    if first.rstrip() != b"---":
        return 1
    return next((number for number, line in enumerate(rest, 2) if line.rstrip() == b"---"), 0) + 1


MOST_EDITS = 1000
_OWN = frozenset({"edit_file"})


class LineRange(SnakeCaseParams):
    """A range of lines to delete."""

    start: int = Field(ge=1, description="First line to delete (the first line is 1)")
    end: int = Field(ge=1, description="Last line to delete, inclusive")


class RangeEdit(SnakeCaseParams):
    """One edit of a range of lines."""

    range: list[int] = Field(
        min_length=2,
        max_length=2,
        description="Range of lines to edit, [start, end): from 1, the end exclusive; [n, n] inserts before line n",
    )
    replacement: str = Field(description="Replacement text; empty deletes the lines")


class EditFileParams(SnakeCaseParams):
    """A file, and one of the three ways of editing it."""

    path: RequiredPath = Field(
        validation_alias=AliasChoices("path", "file_path"), description="File path (also taken: file_path)"
    )
    old_text: str | None = Field(
        default=None, description="Search/replace: exact text to find, over several lines if needed; not a pattern"
    )
    new_text: str | None = Field(default=None, description="Search/replace: replacement text; may be empty")
    replace_all: bool | None = Field(
        default=None, description="Search/replace: replace all occurrences (default: false, first only)"
    )
    insert_after_line: int | None = Field(
        default=None, ge=0, description="Line number after which to insert content (0 = beginning)"
    )
    insert_before_line: int | None = Field(
        default=None, ge=1, description="Line number before which to insert content (the first line is 1)"
    )
    delete_lines: LineRange | None = Field(
        default=None, description="Line range to delete: {start, end}, from 1, both inclusive"
    )
    content: str | None = Field(default=None, description="Content to insert (required for insert operations)")
    edits: list[RangeEdit] | None = Field(
        default=None,
        max_length=MOST_EDITS,
        description="Instead of all the others: edits by the file's lines as they are before the call, "
        "sorted by line and not overlapping",
    )


class EditFileTool(VaultWriteTool[EditFileParams]):
    """The tool that changes a file in place."""

    spec = write_spec(
        name="edit_file",
        action="edit/edited {files|a file}",
        description="Make targeted edits to a text file, in one of three ways: search/replace (old_text, new_text), "
        "one line operation (insert_after_line, insert_before_line or delete_lines), or several edits by line ranges "
        "(edits). Read the file first. The user sees the diff first.",
        icon="pencil",
        parameters=EditFileParams,
        id_prefix="edit",
        acts=lambda _params, paths: by_text(paths, _OWN, _OWN),
    )

    def prepare(self, params: EditFileParams, _context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the file will be."""
        _check_modes(params)
        path, data = read_text(self._storage, existing_path(params.path, self._storage))
        planned = _planned_edit(params, EditTarget(path, data))
        if planned.edited.data == data:
            output = Output({"path": str(path)}, f'No changes made: "{path}" already is as the edit would make it.')
            return Unchanged(in_vault(str(path)), f"Compare file '{path}' with an edit?", output)
        return self._changed(path, data, planned.edited, planned.summary)

    def report(self, params: EditFileParams, applied: Applied) -> Output:
        """Report what was done, in the words in which it was asked."""
        data = diff_facts(applied.plan.previews[0])
        if params.edits is None:
            return Output(data, done(applied.plan.summary))
        part = " (in part)" if applied.plan.summary.endswith(" (in part)") else ""
        edits = counted(len(params.edits), "edit")
        return Output(data, f'Applied {edits} to "{applied.plan.previews[0].path}"{part}.')


def _check_modes(params: EditFileParams) -> None:
    """Check that exactly one of the three ways is used, with all that it needs, whatever the file holds."""
    ranges, deletes, content = params.edits is not None, params.delete_lines, params.content is not None
    by_text = any(value is not None for value in (params.old_text, params.new_text, params.replace_all or None))
    inserts = [line for line in (params.insert_after_line, params.insert_before_line) if line is not None]
    by_line = len(inserts) + (deletes is not None)
    faults = (
        (ranges and (by_text or by_line or content), "Cannot mix edits with search/replace or line-based parameters."),
        (by_text and (by_line or content), "Cannot mix search/replace parameters with line-based parameters."),
        (by_line > 1, "Only one line operation can be specified at a time."),
        (by_text and params.old_text is None, "old_text is required for search/replace."),
        (
            by_text and params.new_text is None,
            "new_text is required for search/replace; give an empty text to delete old_text.",
        ),
        (
            not (ranges or by_text or by_line),
            "Give old_text and new_text, or one of insert_after_line, insert_before_line and delete_lines, or edits.",
        ),
        (params.old_text == "", "old_text must not be empty."),
        (inserts and not params.content, "content is required for insert operations."),
        (deletes and content, "content is for insert operations; leave it out of delete_lines."),
    )
    for wrong, sentence in faults:
        if wrong:
            raise InvalidParameters(sentence)
    if deletes is not None and deletes.end < deletes.start:
        raise InvalidParameters(f"delete_lines: start {deletes.start} is after end {deletes.end}; swap them.")
    if params.edits is not None:
        _check_ranges(params.edits)


def _check_ranges(edits: Sequence[RangeEdit]) -> None:
    """Check ranges of lines, as far as possible without the file.

    Raises:
        InvalidParameters: There are none, or they are not sorted, or overlap.
    """
    if not edits:
        raise InvalidParameters("edits must hold at least one edit.")
    for number, (start, end) in enumerate((edit.range for edit in edits), 1):
        if start < 1 or end < start:
            raise InvalidParameters(
                f"Edit {number}: [{start}, {end}] is not a range: it begins with line 1 or later, and its end "
                "(exclusive) is not before its start."
            )
    for number, (before, this) in enumerate(pairwise(edit.range for edit in edits), 2):
        if this[0] < max(before):
            raise InvalidParameters(
                f"Edit {number} (range {this}) begins before edit {number - 1} (range {before}) ends. Edits must be "
                "sorted by start line and not overlap; all line numbers are those before the call."
            )


def edit_ranges(target: EditTarget, edits: Sequence[RangeEdit]) -> PlannedEdit:
    """Replace ranges of lines, which `_check_ranges` has let pass.

    Raises:
        InvalidParameters: They name lines that are not there.
    """
    count = Lines(target.data).count
    for number, (start, end) in enumerate((edit.range for edit in edits), 1):
        if end - 1 > count:
            raise InvalidParameters(f"Edit {number}: {_no_line(max(start, end - 1), count)}")
    lines = [LineEdit(edit.range[0], edit.range[1] - 1, edit.replacement) for edit in edits]
    edited = apply_edits(target.data, lines, target.path)
    return PlannedEdit(edited, f"Edit file '{target.path}' with {counted(len(edits), 'edit')}?")


def _planned_edit(params: EditFileParams, target: EditTarget) -> PlannedEdit:
    """Return the edit, in the way that was chosen."""
    if params.edits is not None:
        return edit_ranges(target, params.edits)
    if params.old_text is not None and params.new_text is not None:
        return replace_text(target, params.old_text, params.new_text, everywhere=bool(params.replace_all))
    if params.delete_lines is not None:
        return delete_lines(target, params.delete_lines.start, params.delete_lines.end)
    if params.insert_before_line is not None:
        return insert_lines(target, params.content or "", params.insert_before_line, "before")
    return insert_lines(target, params.content or "", (params.insert_after_line or 0) + 1, "after")


class ModifyNoteParams(SnakeCaseParams):
    """The note, and what to add or replace."""

    path: RequiredPath = Field(description="Path of the note; .md may be left out")
    operation: Literal["append", "prepend", "replace"] = Field(
        description="append: to the end; prepend: to the beginning of the text, after the properties; "
        "replace: the first place where search stands"
    )
    content: RequiredContent = Field(description="Content to add, exactly as given, or to replace with")
    search: str | None = Field(default=None, description="Text to find (required for replace)")


class ModifyNoteTool(VaultWriteTool[ModifyNoteParams]):
    """The tool that changes a note."""

    spec = write_spec(
        name="modify_note",
        action="edit/edited {files|a note}",
        description="Modify an existing note: append to it, prepend to it, or replace a text in it. "
        "The user sees the diff first.",
        icon="file-plus-2",
        parameters=ModifyNoteParams,
        id_prefix="note",
    )

    def prepare(self, params: ModifyNoteParams, _context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        if params.operation == "replace" and not params.search:
            raise InvalidParameters("search is required for the replace operation and must be a non-empty string.")
        if params.operation != "replace" and params.search:
            raise InvalidParameters("search is for the replace operation; leave it out.")
        path, data = read_text(self._storage, existing_path(params.path, self._storage, note=True))
        target = EditTarget(path, data)
        match params.operation:
            case "append":
                planned = append_text(target, params.content)
            case "prepend":
                planned = prepend_text(target, params.content)
            case "replace":
                planned = replace_text(target, params.search or "", params.content, everywhere=False)
        if planned.edited.data == data:
            output = Output({"path": str(path)}, f'No changes made: "{path}" already is as the change would make it.')
            return Unchanged(in_vault(str(path)), f'Compare "{path}" with a change', output)
        return self._changed(path, data, planned.edited, planned.summary)

    def report(self, _params: ModifyNoteParams, applied: Applied) -> Output:
        """Report what was done."""
        return Output(diff_facts(applied.plan.previews[0]), done(applied.plan.summary))


class WriteFileParams(SnakeCaseParams):
    """The file, and its content."""

    path: RequiredPath = Field(description="Path of the file, relative to the vault; missing folders are made")
    content: RequiredContent = Field(description="Content to write: the whole file, exactly as given")


class WriteFileTool(VaultWriteTool[WriteFileParams]):
    """The tool that gives a file its whole content.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = write_spec(
        name="write_file",
        action="write/wrote {files|a file}",
        description="Write content to a file, creating it if it doesn't exist or overwriting all of it if it does. "
        "For changes within a file use edit_file. The user sees the diff first.",
        icon="file-pen",
        parameters=WriteFileParams,
        id_prefix="write",
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        super().__init__(storage)
        self._keeper = LinkKeeper(storage, clock)

    def prepare(self, params: WriteFileParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the one change."""
        path = vault_path(params.path, self._storage)
        new = encode(params.content)
        with failing_as(f'Failed to write file "{path}"'):
            try:
                old, stat = self._storage.read(path)
            except NotFound:
                place = self._storage.resolve_new(path)
                return self._keeper.creation(place, new, f'Create file "{place}" ({size(len(new))})', context)
            return self._overwrite(stat.path, old, new)

    def report(self, _params: WriteFileParams, applied: Applied) -> Output:
        """Report whether the file was created or replaced, and how large it is."""
        written = next(change for change in applied.plan.changes if change.after is not None)
        created = written.before is None
        data = {"path": written.path, "created": created, "size": len(applied.plan.blobs[written.after or ""])}
        return Output(data, done(applied.plan.summary))

    def _overwrite(self, path: VaultPath, old: bytes, new: bytes) -> ChangePlan | Unchanged:
        if not is_text(old):
            kind, mime = describe_binary(old, path.name)
            raise InvalidParameters(
                f"there is a file that is not text ({kind}, {mime}), which text would destroy. Choose another name, "
                "or delete that file first"
            )
        if old == new:
            message = f'No changes made: file "{path}" already has exactly this content ({size(len(new))}).'
            data = {"path": str(path), "created": False, "size": len(new)}
            return Unchanged(in_vault(str(path)), f'Compare the content of "{path}"', Output(data, message))
        return self._changed(path, old, new, f'Overwrite file "{path}" ({size(len(new))})', replaces=True)

"""The tool `edit_file`: text for text, one operation on lines, or several ranges of lines."""

from collections.abc import Sequence

from pydantic import AliasChoices, Field

from bridge.errors import InvalidParameters
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, in_vault
from bridge.tools.files.edit_modes import (
    EditTarget,
    PlannedEdit,
    check_ranges,
    delete_lines,
    edit_ranges,
    insert_lines,
    replace_text,
)
from bridge.tools.files.paths import existing_path, read_text
from bridge.tools.formatting import counted, done, edit_facts
from bridge.tools.kinds import VaultWriteTool, by_text, write_spec
from bridge.tools.parameters import RequiredPath, SnakeCaseParams
from bridge.vault.plan import ChangePlan

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
        title="Edit file",
        action="edit/edited {files|a file}",
        description=(
            "Make targeted edits to a text file, in one of three ways: search/replace (old_text, new_text), "
            "one line operation (insert_after_line, insert_before_line or delete_lines), or several edits "
            "by line ranges "
            "(edits). Read the file first. The user sees the diff first."
        ),
        icon="pencil",
        parameters=EditFileParams,
        id_prefix="edit",
        acts=lambda _params, paths: by_text(paths, _OWN, _OWN),
    )

    def prepare(self, params: EditFileParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the file will be."""
        del context
        _check_modes(params)
        path, data = read_text(self._storage, existing_path(params.path, self._storage))
        planned = _plan(params, EditTarget(path, data))
        if planned.edited.data == data:
            message = f'No changes made: "{path}" already is as the edit would make it.'
            return Unchanged(
                in_vault(str(path)), f"Compare file '{path}' with an edit?", Output({"path": str(path)}, message)
            )
        builder = self._storage.plan()
        builder.modify(path, data, planned.edited.data, planned.edited.regions)
        return builder.build(self.spec.operation, planned.summary)

    def report(self, params: EditFileParams, applied: Applied) -> Output:
        """Report what was done, in the words in which it was asked."""
        data = edit_facts(applied)
        if params.edits is None:
            return Output(data, done(applied.plan.summary))
        part = " (in part)" if applied.plan.summary.endswith(" (in part)") else ""
        edits = counted(len(params.edits), "edit")
        return Output(data, f'Applied {edits} to "{applied.plan.previews[0].path}"{part}.')


def _check_modes(params: EditFileParams) -> None:
    """Check that exactly one of the three ways is used, with all that it needs."""
    text = [params.old_text, params.new_text, params.replace_all or None]
    operations = [params.insert_after_line, params.insert_before_line, params.delete_lines]
    by_text = any(value is not None for value in text)
    by_line = sum(value is not None for value in operations)
    fault = None
    if params.edits is not None:
        if by_text or by_line or params.content is not None:
            fault = "Cannot mix edits with search/replace or line-based parameters."
    elif by_text and (by_line or params.content is not None):
        fault = "Cannot mix search/replace parameters with line-based parameters."
    elif by_line > 1:
        fault = "Only one line operation can be specified at a time."
    elif by_text and params.old_text is None:
        fault = "old_text is required for search/replace."
    elif by_text and params.new_text is None:
        fault = "new_text is required for search/replace; give an empty text to delete old_text."
    elif not by_text and not by_line:
        fault = (
            "Give old_text and new_text, or one of insert_after_line, insert_before_line and delete_lines, or edits."
        )
    fault = fault or _fault_of_values(params)
    if fault is not None:
        raise InvalidParameters(fault)


def _fault_of_values(params: EditFileParams) -> str | None:
    """Return what is wrong with the values of the chosen way, whatever the file holds."""
    if params.edits is not None:
        check_ranges(_ranges(params.edits))
    elif params.old_text is not None:
        return None if params.old_text else "old_text must not be empty."
    elif params.delete_lines is None:
        return None if params.content else "content is required for insert operations."
    elif params.content is not None:
        return "content is for insert operations; leave it out of delete_lines."
    elif params.delete_lines.end < params.delete_lines.start:
        lines = params.delete_lines
        return f"delete_lines: start {lines.start} is after end {lines.end}; swap them."
    return None


def _ranges(edits: Sequence[RangeEdit]) -> list[tuple[int, int, str]]:
    return [(edit.range[0], edit.range[1], edit.replacement) for edit in edits]


def _plan(params: EditFileParams, target: EditTarget) -> PlannedEdit:
    """Return the edit, in the way that was chosen."""
    if params.edits is not None:
        return edit_ranges(target, _ranges(params.edits))
    if params.old_text is not None and params.new_text is not None:
        return replace_text(target, params.old_text, params.new_text, everywhere=bool(params.replace_all))
    if params.delete_lines is not None:
        return delete_lines(target, params.delete_lines.start, params.delete_lines.end)
    content = params.content or ""
    return insert_lines(target, content, after=params.insert_after_line, before=params.insert_before_line)

"""The tool `modify_note`: add to the end or the beginning of a note, or replace a text in it.

The beginning is behind the properties (rules 46 and 49 of docs/obsidian.md).
"""

from typing import Literal

from pydantic import Field

from bridge.errors import InvalidParameters
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, WriteTool, discloses_content, in_vault
from bridge.tools.files.edit_modes import EditTarget, PlannedEdit, replace_text
from bridge.tools.files.paths import note_path, read_text, to_bytes
from bridge.tools.formatting import counted, done, edit_facts
from bridge.tools.kinds import write_spec
from bridge.tools.parameters import RequiredContent, RequiredPath, SnakeCaseParams
from bridge.tools.storage import PlanningStorage
from bridge.vault.edits import Edited, LineEdit, apply_edits
from bridge.vault.plan import ChangePlan
from bridge.vault.text import CHUNK, Lines

_FENCE = b"---"


class ModifyNoteParams(SnakeCaseParams):
    """Which note, and what to add or replace."""

    path: RequiredPath = Field(description="Path of the note; .md may be left out")
    operation: Literal["append", "prepend", "replace"] = Field(
        description="append: to the end; prepend: to the beginning of the text, after the properties; "
        "replace: the first place where search stands"
    )
    content: RequiredContent = Field(description="Content to add, exactly as given, or to replace with")
    search: str | None = Field(default=None, description="Text to find (required for replace)")


class ModifyNoteTool(WriteTool[ModifyNoteParams]):
    """Changes a note.

    Args:
        storage: The vault.
    """

    spec = write_spec(
        name="modify_note",
        title="Modify Note",
        description=(
            "Modify an existing note: append to it, prepend to it, or replace a text in it. The user sees "
            "the diff first."
        ),
        icon="file-plus-2",
        parameters=ModifyNoteParams,
        id_prefix="note",
    )

    def __init__(self, storage: PlanningStorage) -> None:
        self._storage = storage

    def prepare(self, params: ModifyNoteParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        del context
        if params.operation == "replace" and not params.search:
            raise InvalidParameters("search is required for the replace operation and must be a non-empty string.")
        if params.operation != "replace" and params.search:
            raise InvalidParameters("search is for the replace operation; leave it out.")
        path, data = read_text(self._storage, note_path(params.path, self._storage))
        target = EditTarget(path, data)
        with discloses_content(path):
            match params.operation:
                case "append":
                    planned = _append(target, params.content)
                case "prepend":
                    planned = _prepend(target, params.content)
                case "replace":
                    planned = replace_text(target, params.search or "", params.content, everywhere=False)
        if planned.edited.data == data:
            output = Output({"path": str(path)}, f'No changes made: "{path}" already is as the change would make it.')
            return Unchanged(in_vault(str(path)), f'Compare "{path}" with a change', output)
        builder = self._storage.plan()
        builder.modify(path, data, planned.edited.data, planned.edited.regions or None)
        return builder.build(self.spec.operation, planned.summary)

    def report(self, params: ModifyNoteParams, applied: Applied) -> Output:
        """What was done."""
        del params
        return Output(edit_facts(applied), done(applied.plan.summary))


def _append(target: EditTarget, content: str) -> PlannedEdit:
    """The content behind the last byte; behind a last line without a line break, not on that line."""
    lines = Lines(target.data)
    added = to_bytes(content)
    if b"\r\n" not in added and lines.prevailing != b"\n":
        added = added.replace(b"\n", lines.prevailing)
    if added and lines.count and not lines.ends_with_break and not added.startswith((b"\n", b"\r\n")):
        added = lines.prevailing + added
    return PlannedEdit(Edited(target.data + added, ()), f'Append {_lines(content)} to "{target.path}"')


def _prepend(target: EditTarget, content: str) -> PlannedEdit:
    """The content on lines of its own before the first line of the body."""
    line = _first_of_body(Lines(target.data))
    edited = apply_edits(target.data, [LineEdit(line, line - 1, content)], target.path)
    return PlannedEdit(edited, f'Prepend {_lines(content)} to "{target.path}"')


def _lines(content: str) -> str:
    return counted(content.count("\n") + (not content.endswith("\n")), "line")


def _first_of_body(lines: Lines) -> int:
    """The number of the line behind the frontmatter, also of one that is broken YAML (rules 46 and 49)."""
    start = len(lines.bom)
    first, *rest = lines.data[start : start + CHUNK].split(b"\n")
    if first.rstrip() != _FENCE:
        return 1
    return next((number for number, line in enumerate(rest, 2) if line.rstrip() == _FENCE), 0) + 1

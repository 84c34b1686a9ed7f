"""The tool `modify_note`: add to the end or the beginning of a note, or replace a text in it.

The beginning is behind the properties (rules 46 and 49 of docs/obsidian.md).
"""

from typing import Literal

from pydantic import Field

from bridge.errors import InvalidParameters
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, in_vault
from bridge.tools.files.edit_modes import EditTarget, append_text, prepend_text, replace_text
from bridge.tools.files.paths import existing_path, read_text
from bridge.tools.formatting import done, edit_facts
from bridge.tools.kinds import VaultWriteTool, write_spec
from bridge.tools.parameters import RequiredContent, RequiredPath, SnakeCaseParams
from bridge.vault.plan import ChangePlan


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
        title="Modify note",
        action="edit/edited {files|a note}",
        description=(
            "Modify an existing note: append to it, prepend to it, or replace a text in it. The user sees "
            "the diff first."
        ),
        icon="file-plus-2",
        parameters=ModifyNoteParams,
        id_prefix="note",
    )

    def prepare(self, params: ModifyNoteParams, context: CallContext) -> ChangePlan | Unchanged:
        """Work out what the note will be."""
        del context
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
        builder = self._storage.plan()
        builder.modify(path, data, planned.edited.data, planned.edited.regions or None)
        return builder.build(self.spec.operation, planned.summary)

    def report(self, params: ModifyNoteParams, applied: Applied) -> Output:
        """Report what was done."""
        del params
        return Output(edit_facts(applied), done(applied.plan.summary))

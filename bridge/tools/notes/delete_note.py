"""The tool `delete_note`: a note by its name, into the trash."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, Operation
from bridge.errors import InvalidParameters
from bridge.notes.parts import LONGEST
from bridge.toolkit.tool import Applied, CallContext, Output, WriteTool
from bridge.tools.files.deletion_plan import DeletionPlanner
from bridge.tools.kinds import write_spec
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.parameters import SnakeCaseParams
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan


class DeleteNoteParams(SnakeCaseParams):
    """The note to delete."""

    name: str = Field(min_length=1, max_length=LONGEST, description="Note name or wikilink to delete")


class DeleteNoteTool(WriteTool[DeleteNoteParams]):
    """The tool that puts the one note that a name means into the trash.

    Args:
        notes: Finds the note; where several fit, none is chosen.
        deletions: Plans what goes.
    """

    spec = write_spec(
        name="delete_note",
        title="Delete note",
        action="delete/deleted {files|a note}",
        description=(
            "Delete a note by its name, path or wikilink. It goes to the trash that the user chose in Obsidian. "
            "The user sees what links to it and decides each time."
        ),
        icon="trash-2",
        parameters=DeleteNoteParams,
        operation=Operation.DELETE,
        consent_class=ConsentClass.NEVER,
        id_prefix="delete",
    )

    def __init__(self, notes: NoteLookup, deletions: DeletionPlanner) -> None:
        self._notes = notes
        self._deletions = deletions

    def prepare(self, params: DeleteNoteParams, context: CallContext) -> ChangePlan:
        """Find the note and plan that it goes."""
        note = self._notes.resolve(params.name, certain=True)
        if note.reference.part:
            raise InvalidParameters(
                f"{params.name!r} names a part of {note.path!r}, and only a whole note can be deleted; give the "
                "note alone, or remove the part with edit_file",
                data={"path": note.path, "part": note.reference.part},
            )
        return self._deletions.plan([parse_path(note.path)], context)

    def report(self, params: DeleteNoteParams, applied: Applied) -> Output:
        """Report that it is gone, and where it is now."""
        del params
        return self._deletions.report(applied)

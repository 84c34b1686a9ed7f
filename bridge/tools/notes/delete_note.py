"""Delete note: a note by its name, into the trash (seed C, "delete_note")."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.errors import InvalidParameters
from bridge.notes.reference import LONGEST
from bridge.toolkit.tool import Applied, CallContext, Output, WriteTool
from bridge.tools.files.deletion_plan import Removal
from bridge.tools.files.parameters import SeedParams
from bridge.tools.notes.storage import NoteStorage
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan


class DeleteNoteParams(SeedParams):
    """Seed C's parameters."""

    name: str = Field(min_length=1, max_length=LONGEST, description="Note name or wikilink to delete")


class DeleteNoteTool(WriteTool[DeleteNoteParams]):
    """Puts the one note that a name means into the trash.

    Args:
        storage: Finds the note; where several fit, none is chosen.
        removal: Plans what goes.
    """

    name = "delete_note"
    title = "Delete Note"
    description = (
        "Delete a note by its name, path or wikilink. It goes to the trash that the user chose in Obsidian. "
        "The user sees what links to it and decides each time."
    )
    icon = "trash-2"
    parameters = DeleteNoteParams
    operation = Operation.DELETE
    risk = RiskLevel.HIGH
    consent_class = ConsentClass.NEVER
    default_mode = ConsentMode.ALWAYS_ASK
    covers = Covers.TARGET
    default_rate = 10
    id_prefix = "delete"

    def __init__(self, storage: NoteStorage, removal: Removal) -> None:
        self._storage = storage
        self._removal = removal

    def prepare(self, params: DeleteNoteParams, context: CallContext) -> ChangePlan:
        """Find the note and plan that it goes."""
        note = self._storage.resolve(params.name, certain=True)
        if note.reference.part:
            raise InvalidParameters(
                f"{params.name!r} names a part of {note.location!r}, and only a whole note can be deleted; give the "
                "note alone, or remove the part with edit_file",
                data={"path": note.location, "part": note.reference.part},
            )
        return self._removal.plan(parse_path(note.location), context)

    def report(self, params: DeleteNoteParams, applied: Applied) -> Output:
        """That it is gone, and where it is now."""
        del params
        return self._removal.report(applied)

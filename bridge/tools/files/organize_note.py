"""Organize note: move or rename a note; links follow (seed S, "organize_note")."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, WriteTool
from bridge.tools.files.moves import RequiredDestination, RequiredSource, moved, unmoved
from bridge.tools.files.parameters import SeedParams
from bridge.tools.files.paths import note_path
from bridge.tools.files.relocation import Mover
from bridge.tools.services import ToolServices
from bridge.vault.paths import VaultPath
from bridge.vault.plan import ChangePlan


class OrganizeNoteParams(SeedParams):
    """Seed S's parameters."""

    source: RequiredSource = Field(description="Current path of the note")
    destination: RequiredDestination = Field(
        description="New path of the note, its name included; missing folders are made"
    )


class OrganizeNoteTool(WriteTool[OrganizeNoteParams]):
    """Moves a note.

    Args:
        services: What the tools are built from.
    """

    name = "organize_note"
    title = "Organize Note"
    description = (
        "Rename or move a note; .md is added where missing. Links in all notes, properties and canvases follow, in "
        "one change with one undo; the user sees each of them first. Never overwrites."
    )
    icon = "folder-tree"
    parameters = OrganizeNoteParams
    operation = Operation.UPDATE
    risk = RiskLevel.HIGH
    consent_class = ConsentClass.NEVER
    default_mode = ConsentMode.ALWAYS_ASK
    covers = Covers.TARGET
    default_rate = 10
    id_prefix = "organize"
    timeout = 300.0

    def __init__(self, services: ToolServices) -> None:
        self._files = services.files
        self._mover = Mover(services)

    def prepare(self, params: OrganizeNoteParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the move and every link that follows."""
        source, target = self._places(params)
        plan = self._mover.plan(source, target, context)
        return unmoved(target) if plan is None else plan

    def report(self, params: OrganizeNoteParams, applied: Applied) -> Output:
        """Where it went, and which notes changed for it."""
        return moved(applied, *self._places(params))

    def _places(self, params: OrganizeNoteParams) -> tuple[VaultPath, VaultPath]:
        source = note_path(params.source, self._files, "source")
        return source, note_path(params.destination, self._files, "destination")

"""Move file: move or rename files and folders; links follow (seed S, "move_file")."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, WriteTool
from bridge.tools.files.move_answers import RequiredDestination, RequiredSource, moved, unmoved
from bridge.tools.files.move_plan import Mover
from bridge.tools.files.parameters import SeedParams
from bridge.tools.files.paths import vault_path
from bridge.tools.services import ToolServices
from bridge.vault.paths import VaultPath
from bridge.vault.plan import ChangePlan


class MoveFileParams(SeedParams):
    """Seed S's parameters."""

    source: RequiredSource = Field(description="Path to the file or folder to move")
    destination: RequiredDestination = Field(
        description="New path for the file or folder, its name included; missing folders are made"
    )


class MoveFileTool(WriteTool[MoveFileParams]):
    """Moves a file or folder.

    Args:
        services: What the tools are built from.
    """

    name = "move_file"
    title = "Move File"
    description = (
        "Move or rename a file or folder. Links in all notes, properties and canvases follow, in one change with one "
        "undo; the user sees each of them first. Never overwrites."
    )
    icon = "folder-input"
    parameters = MoveFileParams
    operation = Operation.UPDATE
    risk = RiskLevel.HIGH
    consent_class = ConsentClass.NEVER
    default_mode = ConsentMode.ALWAYS_ASK
    covers = Covers.TARGET
    default_rate = 10
    id_prefix = "move"
    timeout = 300.0

    def __init__(self, services: ToolServices) -> None:
        self._files = services.files
        self._mover = Mover(services)

    def prepare(self, params: MoveFileParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the move and every link that follows."""
        source, target = self._places(params)
        plan = self._mover.plan(source, target, context)
        return unmoved(target) if plan is None else plan

    def report(self, params: MoveFileParams, applied: Applied) -> Output:
        """Where it went, and which notes changed for it."""
        return moved(applied, *self._places(params))

    def _places(self, params: MoveFileParams) -> tuple[VaultPath, VaultPath]:
        return self._place(params.source, "source"), self._place(params.destination, "destination")

    def _place(self, text: str, parameter: str) -> VaultPath:
        return vault_path(text, self._files, parameter)

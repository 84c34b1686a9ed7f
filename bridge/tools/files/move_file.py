"""The tools `move_file` and `organize_note`: files, folders and notes move or are renamed, and links follow."""

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.consent import ConsentClass
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, WriteTool, in_vault
from bridge.tools.files.link_keeping import broken_data, broken_sentence
from bridge.tools.files.move_plan import MovePlanner
from bridge.tools.files.paths import existing_path, note_path, vault_path
from bridge.tools.kinds import write_spec
from bridge.tools.parameters import RequiredDestination, RequiredSource, SnakeCaseParams
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import VaultPath
from bridge.vault.plan import ChangeKind, ChangePlan

MOST_LISTED = 1000
"""Notes that an answer names."""


class MoveFileParams(SnakeCaseParams):
    """The file or folder, and where to move it."""

    source: RequiredSource = Field(description="Path to the file or folder to move")
    destination: RequiredDestination = Field(
        description="New path for the file or folder, its name included; missing folders are made"
    )


class MoveFileTool(WriteTool[MoveFileParams]):
    """The tool that moves a file or folder.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = write_spec(
        name="move_file",
        title="Move file",
        action="move/moved {source|a file}[ to {destination}]",
        description=(
            "Move or rename a file or folder. Links in all notes, properties and canvases follow, in one "
            "change with one "
            "undo; the user sees each of them first. Never overwrites."
        ),
        icon="folder-input",
        parameters=MoveFileParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="move",
        timeout=300.0,
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._storage = storage
        self._moves = MovePlanner(storage, clock)

    def prepare(self, params: MoveFileParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the move and every link that follows."""
        source, target = self._source(params.source), self._target(params.destination)
        plan = self._moves.plan([(source, target)], context)
        return _unmoved(target) if plan is None else plan

    def report(self, params: MoveFileParams, applied: Applied) -> Output:
        """Report where it went, and which notes changed for it."""
        del params
        return _moved(applied)

    def _source(self, text: str) -> VaultPath:
        return existing_path(text, self._storage, "source")

    def _target(self, text: str) -> VaultPath:
        return vault_path(text, self._storage, "destination")


class OrganizeNoteParams(MoveFileParams):
    """The note to move, and its destination."""

    source: RequiredSource = Field(description="Current path of the note")
    destination: RequiredDestination = Field(
        description="New path of the note, its name included; missing folders are made"
    )


class OrganizeNoteTool(MoveFileTool):
    """The tool that moves a note: as a file is moved, but `.md` may be left out."""

    spec = write_spec(
        name="organize_note",
        title="Organize note",
        action="move/moved {source|a note}[ to {destination}]",
        description=(
            "Rename or move a note; .md is added where missing. Links in all notes, properties and canvases follow, in "
            "one change with one undo; the user sees each of them first. Never overwrites."
        ),
        icon="folder-tree",
        parameters=OrganizeNoteParams,
        consent_class=ConsentClass.NEVER,
        id_prefix="organize",
        timeout=300.0,
    )

    def _source(self, text: str) -> VaultPath:
        return existing_path(text, self._storage, "source", note=True)

    def _target(self, text: str) -> VaultPath:
        return note_path(text, self._storage, "destination")


def _unmoved(path: VaultPath) -> Unchanged:
    """Return the answer when a thing is where it should go."""
    message = f'No changes made: source and destination are the same path ("{path}").'
    data = {"source": str(path), "destination": str(path), "files": 0, "updated": [], "updatedCount": 0}
    data |= {"broken": [], "brokenCount": 0}
    return Unchanged(in_vault(str(path)), f'Look whether "{path}" exists', Output(data, message))


def _moved(applied: Applied) -> Output:
    """Report what a move did.

    Args:
        applied: The ledger's result.
    """
    changes = applied.plan.changes
    moves = [change for change in changes if change.kind is ChangeKind.MOVE]
    subjects = [path.rstrip("/") for path in applied.plan.subjects]
    here, there = subjects[0], subjects[-1]
    updated = [change.path for change in changes if change.kind is ChangeKind.MODIFY]
    # Where a folder went by way of another one, only the whole way counts.
    arrived = {change.new_path for change in moves} - {change.path for change in moves}
    data = {
        "source": here,
        "destination": there,
        "files": len(arrived),
        "updated": updated[:MOST_LISTED],
        "updatedCount": len(updated),
    }
    data |= broken_data(applied.plan)
    return Output(data, f'Moved "{here}" to "{there}".' + broken_sentence(applied.plan))

"""What the two tools that move have in common: their parameters and their answers (seed S)."""

from typing import Annotated

from pydantic import Field

from bridge.toolkit.arguments import Sentence
from bridge.toolkit.tool import Applied, Output, Unchanged
from bridge.tools.files.parameters import LONGEST_PATH
from bridge.vault.name_folding import fold
from bridge.vault.paths import VaultPath
from bridge.vault.plan import ChangeKind

MOST_LISTED = 1000
"""Notes that an answer names."""

_Path = Field(min_length=1, max_length=LONGEST_PATH)
RequiredSource = Annotated[str, _Path, Sentence("source is required and must be a non-empty string.")]
RequiredDestination = Annotated[str, _Path, Sentence("destination is required and must be a non-empty string.")]


def unmoved(path: VaultPath) -> Unchanged:
    """The answer when a thing is where it should go."""
    told = f'No changes made: source and destination are the same path ("{path}").'
    data = {"source": str(path), "destination": str(path), "files": 0, "updated": [], "updatedCount": 0}
    return Unchanged((str(path),), f'Look whether "{path}" exists', Output(data, told))


def moved(applied: Applied, source: VaultPath, target: VaultPath) -> Output:
    """What a move did.

    Args:
        applied: What the ledger did.
        source: What was moved, as the caller wrote it.
        target: Where to, likewise.
    """
    changes = applied.plan.changes
    moves = [change for change in changes if change.kind is ChangeKind.MOVE]
    left = [change.path for change in changes if change.kind in {ChangeKind.MOVE, ChangeKind.RMDIR}]
    taken = [change.new_path or change.path for change in changes if change.kind in {ChangeKind.MOVE, ChangeKind.MKDIR}]
    here, there = _spelled(source, left), _spelled(target, taken[::-1])
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
    return Output(data, f'Moved "{here}" to "{there}".')


def _spelled(path: VaultPath, places: list[str]) -> str:
    """A path as it is on disk, where the change tells."""
    key = fold(str(path))
    return next((place for place in places if fold(place) == key), str(path))

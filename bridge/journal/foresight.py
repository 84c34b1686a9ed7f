"""Preview of undoing several changes, newest first: computed from hashes, without planning or writing.

A change can be undone once the changes built on it are. So each is compared with the vault as it would
be after undoing those before it in the list.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from bridge.errors import NotFound, ToolFailure
from bridge.journal.journal import BeginRecord
from bridge.journal.on_disk import OTHER, FolderCache, hash_or_none
from bridge.journal.path_effects import FOLDER, PathEffect, PathState, follow_changes
from bridge.journal.units import Units
from bridge.vault.plan import ChangeKind, ChangePlan, LeftFile


class Foreseen(NamedTuple):
    """The expected result of undoing a change.

    Attributes:
        why: The reason why it cannot be undone at all; None if it can.
        left: The files that would stay as they are.
    """

    why: str | None = None
    left: tuple[LeftFile, ...] = ()


def foresee(
    begins: Iterable[BeginRecord], folders: FolderCache, planned: Callable[[BeginRecord], ChangePlan | None]
) -> Iterator[Foreseen]:
    """Yield, for each change, the expected result of undoing it.

    Args:
        begins: Applied changes, in the order in which they would be undone.
        folders: The vault's folders.
        planned: The plan that undoes one in the vault as it is; None if there is none.
    """
    vault = _Vault(folders)
    undone: set[str] = set()
    for begin in begins:
        by_unit: dict[str, dict[str, PathEffect]] = {}
        units, plan = Units(begin), None
        effects = follow_changes(begin.changes, begin.modes).by_path
        for path, effect in effects.items():
            if effect.first != effect.last and FOLDER not in {effect.first, effect.last}:
                by_unit.setdefault(units.of(path), {})[path] = effect
        left: list[LeftFile] = []
        for files in by_unit.values():
            edited = next((path for path, effect in files.items() if vault.state(path) != effect.last), None)
            if edited is None:
                vault.states |= {path: effect.first for path, effect in files.items()}
                undone |= files.keys()
                continue
            plan = plan or planned(begin)
            merged = {} if plan is None else {path: state for path, state in _made(plan) if path in files}
            if undone.isdisjoint(files) and merged:
                vault.states |= merged
                undone |= merged.keys()
            else:
                left += [LeftFile(path, "it was edited since") for path in files if path == edited]
                left += [LeftFile(path, f"it hangs together with {edited}") for path in files if path != edited]
        if len(left) < sum(map(len, by_unit.values())) or not left:
            folders_back = {path: OTHER for path, effect in effects.items() if effect.first == FOLDER != effect.last}
            vault.states |= folders_back
            yield Foreseen(None, tuple(left))
        else:
            yield Foreseen(f"{left[0].path!r} was edited since")


def _made(plan: ChangePlan) -> Iterator[tuple[str, str | None]]:
    """Yield each path that a plan changes, with its state afterwards."""
    for change in plan.changes:
        if not change.of_folder:
            yield change.path, None if change.kind in {ChangeKind.DELETE, ChangeKind.MOVE} else change.after
            if change.new_path is not None:
                yield change.new_path, change.after


class _Vault:
    """The vault as it would be; what nothing was undone in is as it is on the disk."""

    def __init__(self, folders: FolderCache) -> None:
        self.states: dict[str, PathState] = {}
        self._folders = folders

    def state(self, path: str) -> PathState:
        """Return the state of a path."""
        if path not in self.states:
            self.states[path] = self._on_disk(path)
        return self.states[path]

    def _on_disk(self, path: str) -> PathState:
        try:
            return hash_or_none(*self._folders.parent(path))
        except NotFound:
            return None
        except (OSError, ToolFailure):
            return OTHER

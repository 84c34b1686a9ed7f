"""What undoing several changes, newest first, would come to: worked out from the hashes, without planning or writing.

A change that was built upon can be undone once what was built on it is; so each is compared with the vault as it would
be after those before it in the list.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from bridge.errors import NotFound, ToolFailure
from bridge.journal.journal import BeginRecord
from bridge.journal.on_disk import OTHER, FolderCache, hash_or_none
from bridge.journal.path_effects import FOLDER, PathState, follow_changes


def foresee(
    begins: Iterable[BeginRecord],
    folders: FolderCache,
    merged: Callable[[BeginRecord], Mapping[str, str | None] | None] = lambda _begin: None,
) -> Iterator[str | None]:
    """For each change, the path that keeps it from being undone; None where nothing does.

    Args:
        begins: Applied changes, in the order in which they would be undone.
        folders: The vault's folders.
        merged: What the files of a change would be that were edited since, where nothing of that would be lost.
    """
    vault = _Foreseen(folders)
    undone: set[str] = set()
    for begin in begins:
        effects = {
            path: effect
            for path, effect in follow_changes(begin.changes, begin.modes).by_path.items()
            if effect.first != effect.last
        }
        files = {path: effect for path, effect in effects.items() if FOLDER not in {effect.first, effect.last}}
        edited = next((path for path, effect in files.items() if vault.state(path) != effect.last), None)
        if edited is not None and undone.isdisjoint(effects) and (made := merged(begin)) is not None:
            vault.states |= made
            undone |= made.keys()
            edited = None
        elif edited is None:
            undone |= effects.keys()
            first = {path: effect.first for path, effect in effects.items()}
            vault.states |= {path: OTHER if state == FOLDER else state for path, state in first.items()}
        yield edited


class _Foreseen:
    """The vault as it would be; what nothing was undone in is as it is on the disk."""

    def __init__(self, folders: FolderCache) -> None:
        self.states: dict[str, PathState] = {}
        self._folders = folders

    def state(self, path: str) -> PathState:
        """What is at a path."""
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

"""Comparing the disk with what is known, by the files' states alone: nothing is opened."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bridge.index.knowledge import IndexedFile
from bridge.index.reading import indexed
from bridge.index.tree import Tree
from bridge.vault.files import FileStat, VaultFiles
from bridge.vault.paths import VaultPath


@dataclass(slots=True)
class FolderFound:
    """One folder that is not as it was known.

    Attributes:
        path: The folder.
        files: All that lies in it itself, by name.
        changed: Those of them that are new or changed.
        gone: What lay in it.
    """

    path: str
    files: list[IndexedFile]
    changed: list[IndexedFile]
    gone: list[str]


@dataclass(slots=True)
class Found:
    """What a sweep found beside that.

    Attributes:
        folders: Every folder that is there.
        come: Those of them that are new, outermost first.
    """

    folders: set[str] = field(default_factory=set)
    come: list[str] = field(default_factory=list)


def sweep(
    files: VaultFiles, tree: Tree, start: VaultPath, found: Found, stop: Callable[[], bool]
) -> Iterator[FolderFound]:
    """Every folder that is not as it is known.

    Args:
        files: The vault.
        tree: What is known.
        start: Where to begin.
        found: Filled on the way.
        stop: Whether to give up.
    """
    for walked in files.walk_folders(start):
        if stop():
            return
        path = str(walked.folder.path)
        found.folders.add(path)
        if not tree.has_folder(path):
            found.come.append(path)
        different = _compare(path, walked.files, tree.inside(path))
        if different is not None:
            yield different


def _compare(folder: str, states: tuple[FileStat, ...], known: tuple[IndexedFile, ...]) -> FolderFound | None:
    before = f"{folder}/" if folder else ""
    if len(states) == len(known):
        for state, file in zip(states, known, strict=True):
            if (
                state.mtime_ns != file.mtime_ns
                or state.changed_ns != file.changed_ns
                or state.size != file.size
                or before + state.path.parts[-1] != file.path
            ):
                break
        else:
            return None
    was = {file.path: file for file in known}
    files, changed = [], []
    for state in states:
        file = indexed(before + state.path.parts[-1], state)
        old = was.pop(file.path, None)
        if old is not None:
            file = file._replace(created_ns=min(file.created_ns, old.created_ns))
        if file != old:
            changed.append(file)
        files.append(file)
    return FolderFound(folder, files, changed, list(was)) if changed or was else None

"""Looking at single paths: what is there now, and whether it is as it is known."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from bridge.index.file_reading import NotAFile, indexed, is_parsed, look, open_folder
from bridge.index.index_state import IndexState
from bridge.index.ingest import Ingest
from bridge.index.knowledge import IndexedFile, walk_key
from bridge.index.tree import parent
from bridge.vault.root import VaultRoot

LARGE = 8 << 20
"""Bytes of a note from which our own writes do not wait for it to be read."""


@dataclass(slots=True)
class PathScan:
    """What was found at some paths.

    Attributes:
        files: Files that are there.
        large: Those of them that are notes and large.
        folders: Folders that are there.
        gone: Files that were known and are none any more.
        gone_folders: Folders that were known and are none any more.
    """

    files: list[str] = field(default_factory=list)
    large: list[IndexedFile] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    gone_folders: list[str] = field(default_factory=list)

    def add(self, file: IndexedFile) -> None:
        """A file is there."""
        self.files.append(file.path)
        if file.size > LARGE and is_parsed(file.path, file.size):
            self.large.append(file)


def scan_paths(
    paths: Iterable[str], root: VaultRoot, state: IndexState, ingest: Ingest, *, everything: bool = False
) -> PathScan:
    """What is there now.

    Args:
        paths: Where to look.
        root: The vault.
        state: What is known.
        ingest: Knows what must be looked at again.
        everything: Whether files are told that are as they are known.
    """
    seen = PathScan()
    for place, inside in groupby(sorted(set(paths), key=walk_key), key=parent):
        folder = open_folder(root, place)
        with folder or contextlib.nullcontext():
            for path in inside:
                found = look(folder, path.rpartition("/")[2]) if folder is not None else NotAFile.NOTHING
                if isinstance(found, NotAFile):
                    if state.tree.get(path) is not None:
                        seen.gone.append(path)
                else:
                    file = indexed(path, found)
                    if everything or ingest.is_unsettled(path) or state.differs(file):
                        seen.add(file)
                if found is NotAFile.FOLDER:
                    seen.folders.append(path)
                elif state.tree.has_folder(path):
                    seen.gone_folders.append(path)
    return seen

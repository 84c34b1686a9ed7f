"""The storage that tools read and plan with: the files of a vault by path, and their index, wherever they are kept.

No tool knows whether notes are files. `vault_storage.py` keeps them in a folder; `bridge.testing` has a second
storage, in memory. Nothing here writes: a write is a plan, which the ledger applies.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol

from bridge.errors import NotFound
from bridge.index.knowledge import Knowledge
from bridge.toolkit.permitted import Denials
from bridge.vault.app_settings import AppSettings, IgnoreRules
from bridge.vault.files import FileStat, Refuse, Subtree
from bridge.vault.note_settings import NoteSettings
from bridge.vault.paths import VaultPath
from bridge.vault.plan import PlanBuilder


class Storage(Protocol):
    """The read side. What the user has closed is refused (`denied_by_rule`) and never listed.

    Paths are taken as a caller wrote them: case and Unicode form are forgiven. Every method with a path raises
    `NotFound` when nothing is there, `Ambiguous` when several things fit, and `PermissionDenied` when it is closed or
    lies in a dot-folder.
    """

    @property
    def knowledge(self) -> Knowledge:
        """Return the index of the notes: names, links, tags, properties."""
        ...

    @property
    def top(self) -> Path | None:
        """Return the vault's folder, with which callers may begin a path; None when there is none."""
        ...

    @property
    def app_settings(self) -> AppSettings:
        """Return the user's settings in Obsidian, as they are now."""
        ...

    @property
    def note_settings(self) -> NoteSettings:
        """Return the user's settings for daily notes and templates, as they are now."""
        ...

    def stat(self, path: VaultPath) -> FileStat:
        """Return the size and times of a file. Raises InvalidParameters for anything else."""
        ...

    def state(self, path: VaultPath) -> FileStat:
        """Return the times of a file or folder."""
        ...

    def is_folder(self, path: VaultPath) -> bool:
        """Return whether a folder is there; False when it is a file."""
        ...

    def resolve(self, path: VaultPath) -> VaultPath:
        """Return where a path leads: as it is spelled, links resolved."""
        ...

    def read(self, path: VaultPath, *, limit: int | None = None) -> tuple[bytes, FileStat]:
        """Return a file's bytes, `limit` of them at most, and its state when they were read."""
        ...

    def open(self, path: VaultPath) -> AbstractContextManager[BinaryIO]:
        """Open a file to be streamed, however large it is."""
        ...

    def names(self, folder: VaultPath) -> Sequence[str]:
        """Return the names of everything in a folder."""
        ...

    def walk(
        self, start: VaultPath | None = None, *, include_hidden: bool = False
    ) -> Iterator[tuple[VaultPath, Sequence[FileStat]]]:
        """Return every folder, and the files in it, in the order of their names.

        Args:
            start: Where to begin; None for the whole vault.
            include_hidden: Whether to include files whose name starts with a dot. Dot-folders never are.
        """
        ...

    def ignored(self, patterns: Sequence[str]) -> IgnoreRules | None:
        """Return the rules for what the user keeps out of searches: Obsidian's excluded files, and these globs.

        Args:
            patterns: The setting `ignorePatterns`.

        Returns:
            A function that says whether a path is kept out; None when nothing is.
        """
        ...


class PlanningStorage(Storage, Protocol):
    """The write side: what a tool needs to plan a change."""

    @property
    def everything(self) -> Storage:
        """Return all files, closed ones too, to work out what a change means. Show none to an agent unchecked."""
        ...

    @property
    def closed(self) -> Denials:
        """Returns the rules as they are now: a function from a path to the rule that closes it, or None for none."""
        ...

    def resolve_new(self, path: VaultPath, *, moving: VaultPath | None = None) -> VaultPath:
        """Return where something new will lie: the folders that exist as they are spelled, the rest as given.

        Args:
            path: The wished place.
            moving: What is being moved there, which may take its own name in other letters.

        Raises:
            Conflict: The name is taken, perhaps in another spelling (`exists`).
            InvalidParameters: No file can have this name.
        """
        ...

    def check_new_name(self, name: str) -> None:
        """Refuse a name that is not given to anything new, before anything is looked at.

        Args:
            name: One path component.

        Raises:
            InvalidParameters: With what is wrong with it.
        """
        ...

    def is_link(self, path: VaultPath) -> bool:
        """Return whether a path, exactly so spelled, is a symbolic link."""
        ...

    def subtree(
        self,
        top: VaultPath,
        check: Callable[[VaultPath], None],
        refuse: Refuse | None = None,
        most: int | None = None,
    ) -> Subtree:
        """Return a folder with everything in it, hidden and closed files too; see `bridge.vault.files`."""
        ...

    def plan(self) -> PlanBuilder:
        """Return an empty plan of changes. Each holds the hash of the bytes that it starts from."""
        ...


def exists(storage: Storage, path: VaultPath) -> bool:
    """Return whether a file or folder is there. Raises what `Storage` raises, but for NotFound."""
    try:
        storage.is_folder(path)
    except NotFound:
        return False
    return True

"""The storage that tools read and plan with: the files of a vault by path, and their index, wherever they are kept.

No tool knows whether notes are files. `VaultStorage` keeps them in a folder; `bridge.testing` has a second storage, in
memory. Nothing here writes: a write is a plan, which the ledger applies.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from bridge.errors import Ambiguous, NotFound
from bridge.index.knowledge import Knowledge
from bridge.notes.additions import judge
from bridge.toolkit.permitted import Denials
from bridge.vault.app_settings import (
    AppSettings,
    IgnoreRules,
    NoteSettings,
    ignore_rules,
    read_app_settings,
    read_note_settings,
)
from bridge.vault.disk import is_link
from bridge.vault.files import FileStat, Refuse, Subtree, VaultFiles, file_stat, subtree
from bridge.vault.paths import VaultPath
from bridge.vault.plan import PlanBuilder
from bridge.vault.root import noting_looks, record_look

WalkedFolder = tuple[VaultPath, Sequence[FileStat]]
"""A folder, and the files in it."""


class Storage(Protocol):
    """The read side. What the user has closed is refused (`denied_by_rule`) and never listed.

    Paths are taken as a caller wrote them: case and Unicode form are forgiven. Every method with a path raises
    `NotFound` when nothing is there, `Ambiguous` when several things fit, and `PermissionDenied` when it is closed or
    lies in a dot-folder.
    """

    @property
    def knowledge(self) -> Knowledge:
        """Return the index of the notes: names, links, tags, properties."""

    @property
    def top(self) -> Path | None:
        """Return the vault's folder, with which callers may begin a path; None when there is none."""

    @property
    def app_settings(self) -> AppSettings:
        """Return the user's settings in Obsidian, as they are now."""

    @property
    def note_settings(self) -> NoteSettings:
        """Return the user's settings for daily notes and templates, as they are now."""

    def stat(self, path: VaultPath) -> FileStat:
        """Return the size and times of a file. Raises InvalidParameters for anything else."""

    def state(self, path: VaultPath) -> FileStat:
        """Return the times of a file or folder."""

    def is_folder(self, path: VaultPath) -> bool:
        """Return whether a folder is there; False when it is a file."""

    def resolve(self, path: VaultPath) -> VaultPath:
        """Return where a path leads: as it is spelled, links resolved."""

    def read(self, path: VaultPath, *, limit: int | None = None) -> tuple[bytes, FileStat]:
        """Return a file's bytes, `limit` of them at most, and its state when they were read."""

    def open(self, path: VaultPath) -> AbstractContextManager[BinaryIO]:
        """Open a file to be streamed, however large it is."""

    def names(self, folder: VaultPath) -> Sequence[str]:
        """Return the names of everything in a folder."""

    def walk(self, start: VaultPath | None = None, *, include_hidden: bool = False) -> Iterator[WalkedFolder]:
        """Return every folder, and the files in it, in the order of their names.

        Args:
            start: Where to begin; None for the whole vault.
            include_hidden: Whether to include files whose name starts with a dot. Dot-folders never are.
        """

    def ignored(self, patterns: Sequence[str]) -> IgnoreRules | None:
        """Return the rules for what the user keeps out of searches: Obsidian's excluded files, and these globs.

        Args:
            patterns: The setting `ignorePatterns`.

        Returns:
            A function that says whether a path is kept out; None when nothing is.
        """


class PlanningStorage(Storage, Protocol):
    """The write side: what a tool needs to plan a change."""

    @property
    def everything(self) -> Storage:
        """Return all files, closed ones too, to work out what a change means. Show none to an agent unchecked."""

    @property
    def closed(self) -> Denials:
        """Returns the rules as they are now: a function from a path to the rule that closes it, or None for none."""

    def resolve_new(self, path: VaultPath, *, moving: VaultPath | None = None) -> VaultPath:
        """Return where something new will lie: the folders that exist as they are spelled, the rest as given.

        Args:
            path: The wished place.
            moving: What is being moved there, which may take its own name in other letters.

        Raises:
            Conflict: The name is taken, perhaps in another spelling (`exists`).
            InvalidParameters: No file can have this name.
        """

    def check_new_name(self, name: str) -> None:
        """Refuse a name that is not given to anything new, before anything is looked at.

        Args:
            name: One path component.

        Raises:
            InvalidParameters: With what is wrong with it.
        """

    def is_link(self, path: VaultPath) -> bool:
        """Return whether a path, exactly so spelled, is a symbolic link."""

    def subtree(
        self, top: VaultPath, check: Callable[[VaultPath], None], refuse: Refuse | None = None, most: int | None = None
    ) -> Subtree:
        """Return a folder with everything in it, hidden and closed files too; see `bridge.vault.files`."""

    def plan(self) -> PlanBuilder:
        """Return an empty plan of changes. Each holds the hash of the bytes that it starts from."""


def exists(storage: Storage, path: VaultPath) -> bool:
    """Return whether a file or folder is there. Raises what `Storage` raises, but for NotFound."""
    try:
        storage.is_folder(path)
    except NotFound:
        return False
    return True


class VaultStorage:
    """The storage of one vault, which also plans changes of it.

    Args:
        files: Its files, without those that the user has closed.
        knowledge: Their index.
        closed: The rules that close files.
        everything: The same vault with closed files; None when this one has them all.

    Attributes:
        files: As given.
        knowledge: As given.
        closed: As given.
        everything: All of the vault.
        top: The vault's folder.
    """

    def __init__(
        self, files: VaultFiles, knowledge: Knowledge, closed: Denials = lambda: None, everything: Storage | None = None
    ) -> None:
        self.files = files
        self.knowledge = knowledge
        self.closed = closed
        self.everything: Storage = everything or self
        self._root = files.root
        self.top = files.root.path
        self.stat, self.is_folder, self.read, self.open = files.stat, files.is_folder, files.read, files.open
        self.check_new_name = files.root.check_new_name

    @property
    def app_settings(self) -> AppSettings:
        """Return the user's settings in Obsidian."""
        return read_app_settings(self._root)

    @property
    def note_settings(self) -> NoteSettings:
        """Return the user's settings for daily notes and templates."""
        return read_note_settings(self._root)

    def state(self, path: VaultPath) -> FileStat:
        """Return the times of a file or folder."""
        with self.files.find(path) as place:
            return file_stat(place.path, place.state)

    def resolve(self, path: VaultPath) -> VaultPath:
        """Return where a path leads."""
        if not path.parts:
            return path
        with self.files.find(path) as place:
            return place.path

    def resolve_new(self, path: VaultPath, *, moving: VaultPath | None = None) -> VaultPath:
        """Return where something new will lie: not in what is closed, whatever link leads there."""
        record_look(path)
        with noting_looks():  # the look at the path itself says it all
            for part in (*path.parents, path):
                with suppress(NotFound, Ambiguous):
                    self.resolve(part)
        place = self._root.resolve_new(path, moving=moving)
        self.files.refuse_closed(path, place)
        return place

    def names(self, folder: VaultPath) -> Sequence[str]:
        """Return the names in a folder that may be seen."""
        record_look(folder)
        place, denial = self.resolve(folder), self.closed()
        with self._root.folder(place) as opened:
            return [name for name in opened.names() if denial is None or denial(str(place.child(name))) is None]

    def walk(self, start: VaultPath | None = None, *, include_hidden: bool = False) -> Iterator[WalkedFolder]:
        """Yield every folder and its files."""
        for walked in self.files.walk_folders(start, include_hidden=include_hidden):
            yield walked.folder.path, walked.files

    def ignored(self, patterns: Sequence[str]) -> IgnoreRules | None:
        """Return the rules for what searches pass over."""
        return ignore_rules(self.files, patterns) or None

    def is_link(self, path: VaultPath) -> bool:
        """Return whether a path is a symbolic link."""
        with self._root.folder(self._root.resolve(path.parent)) as folder:
            return folder.exists(path.name) and is_link(folder.stat(path.name))

    def subtree(
        self, top: VaultPath, check: Callable[[VaultPath], None], refuse: Refuse | None = None, most: int | None = None
    ) -> Subtree:
        """Return a folder with everything in it."""
        return subtree(self._root, top, check, refuse, most)

    def plan(self) -> PlanBuilder:
        """Return an empty plan."""
        return PlanBuilder(self._root, judge)

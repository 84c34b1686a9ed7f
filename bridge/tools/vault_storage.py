"""A vault in a folder as the tools' storage: its files, and the index of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from bridge.errors import Ambiguous, NotFound
from bridge.index.knowledge import Knowledge
from bridge.notes.additions import judge
from bridge.toolkit.permitted import Denials
from bridge.tools.storage import Storage
from bridge.vault.app_settings import AppSettings, IgnoreRules, ignore_rules, read_app_settings
from bridge.vault.disk import is_link
from bridge.vault.files import FileStat, Refuse, Subtree, VaultFiles, file_stat, subtree
from bridge.vault.note_settings import NoteSettings, read_note_settings
from bridge.vault.paths import VaultPath
from bridge.vault.plan import PlanBuilder
from bridge.vault.root import noting_looks, record_look


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
        self,
        files: VaultFiles,
        knowledge: Knowledge,
        closed: Denials = lambda: None,
        everything: Storage | None = None,
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

    def walk(
        self, start: VaultPath | None = None, *, include_hidden: bool = False
    ) -> Iterator[tuple[VaultPath, Sequence[FileStat]]]:
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
        self,
        top: VaultPath,
        check: Callable[[VaultPath], None],
        refuse: Refuse | None = None,
        most: int | None = None,
    ) -> Subtree:
        """Return a folder with everything in it."""
        return subtree(self._root, top, check, refuse, most)

    def plan(self) -> PlanBuilder:
        """Return an empty plan."""
        return PlanBuilder(self._root, judge)

"""A vault in a folder as the tools' storage: its files, and the index of them."""

from collections.abc import Callable, Iterator, Sequence

from bridge.index.knowledge import Knowledge
from bridge.toolkit.permitted import Denials
from bridge.tools.storage import Storage
from bridge.vault.app_settings import AppSettings, read_app_settings
from bridge.vault.disk import is_link
from bridge.vault.files import FileStat, VaultFiles, file_stat
from bridge.vault.ignore import IgnoreRules, ignore_rules
from bridge.vault.paths import VaultPath
from bridge.vault.plan import PlanBuilder
from bridge.vault.subtree import Refuse, Subtree, subtree


class VaultStorage:
    """Reads and plans changes of one vault.

    Args:
        files: Its files, without those that the user has closed.
        knowledge: What is known of them.
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
        self.resolve_new = files.root.resolve_new

    @property
    def app_settings(self) -> AppSettings:
        """What the user has set in Obsidian."""
        return read_app_settings(self._root)

    def state(self, path: VaultPath) -> FileStat:
        """Times of a file or folder."""
        with self._root.find(path) as place:
            found = file_stat(place.path, place.state)
        self.files.is_folder(found.path)  # a link must not lead to what is closed
        return found

    def resolve(self, path: VaultPath) -> VaultPath:
        """Where a path leads."""
        place = self._root.resolve(path)
        self.files.is_folder(place)  # a link must not lead to what is closed
        return place

    def names(self, folder: VaultPath) -> Sequence[str]:
        """The names in a folder."""
        with self._root.folder(self._root.resolve(folder)) as opened:
            return list(opened.names())

    def walk(
        self, start: VaultPath | None = None, *, include_hidden: bool = False
    ) -> Iterator[tuple[VaultPath, Sequence[FileStat]]]:
        """Every folder and its files."""
        for walked in self.files.walk_folders(start, include_hidden=include_hidden):
            yield walked.folder.path, walked.files

    def ignored(self, patterns: Sequence[str]) -> IgnoreRules | None:
        """What searches pass over."""
        return ignore_rules(self.files, patterns) or None

    def is_link(self, path: VaultPath) -> bool:
        """Whether a path is a symbolic link."""
        with self._root.folder(self._root.resolve(path.parent)) as folder:
            return folder.exists(path.name) and is_link(folder.stat(path.name))

    def subtree(
        self,
        top: VaultPath,
        check: Callable[[VaultPath], None],
        refuse: Refuse | None = None,
        most: int | None = None,
    ) -> Subtree:
        """A folder with everything in it."""
        return subtree(self._root, top, check, refuse, most)

    def plan(self) -> PlanBuilder:
        """An empty plan."""
        return PlanBuilder(self._root)

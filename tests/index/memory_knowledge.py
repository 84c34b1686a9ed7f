"""What is known of a vault that exists in memory only."""

from collections.abc import Iterable, Mapping, Sequence

from bridge.index.knowledge import IndexedFile, IndexStatus, NoteFacts, StoredLink, TagCount
from bridge.notes.names import Names
from bridge.vault.paths import fold


class MemoryKnowledge:
    """Files by path; what their notes say is given, not read.

    Args:
        paths: The files.
        aliases: The other names of some notes.
        closed: Files whose names are known to links, and of which nothing else is known.
    """

    def __init__(
        self, paths: Iterable[str], aliases: Mapping[str, Sequence[str]] | None = None, closed: Iterable[str] = ()
    ) -> None:
        shut = set(closed)
        self._files = {path: IndexedFile(path, 10, 1_750_000_000_000_000_000, 10**18) for path in sorted(paths)}
        self.names = Names([*self._files, *shut])
        self._aliases = {path: tuple(names) for path, names in (aliases or {}).items()}

    def status(self) -> IndexStatus:
        """All is known."""
        return IndexStatus(len(self._files), len(self._files), len(self._files), indexing=False, last_sweep=None)

    def files(self) -> Sequence[IndexedFile]:
        """Every file."""
        return list(self._files.values())

    def folders(self) -> Sequence[str]:
        """None is known."""
        return []

    def file(self, path: str) -> IndexedFile | None:
        """One file."""
        return self._files.get(path)

    def note(self, path: str) -> NoteFacts | None:
        """A note that says its aliases only."""
        return NoteFacts(path, {}, self._aliases.get(path, ()), (), (), ()) if path in self._files else None

    def notes(self) -> Iterable[NoteFacts]:
        """Every note."""
        return [note for path in self._files if (note := self.note(path)) is not None]

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """There are no links."""
        del path
        return []

    version = 0

    def all_links(self) -> Iterable[StoredLink]:
        """There are no links."""
        return []

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """There are no links."""
        del keys
        return []

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """There are no links."""
        del path
        return []

    def with_alias(self, alias: str) -> Sequence[str]:
        """The notes that call themselves so."""
        return [
            path for path, names in self._aliases.items() if path in self._files and fold(alias) in map(fold, names)
        ]

    def tags(self) -> Sequence[TagCount]:
        """There are no tags."""
        return []

    def tagged(self, tag: str) -> Sequence[str]:
        """There are no tags."""
        del tag
        return []

    def refresh(self) -> None:
        """Nothing can differ."""

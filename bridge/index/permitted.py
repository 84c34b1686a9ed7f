"""The knowledge without what the user has closed: every tool asks this.

Rules are those of docs/obsidian.md.
"""

from collections.abc import Iterable, Iterator, Sequence

from bridge.index.knowledge import ClosedRules, IndexedFile, IndexStatus, NoteFacts, Permitted, StoredLink, TagCount
from bridge.index.store.store import TagUse
from bridge.index.vault_index import VaultIndex
from bridge.notes.names import Names
from bridge.vault.root import EVERYTHING, record_look


class PermittedKnowledge:
    """The knowledge of an index without closed files and what is in them.

    A link in an open note that leads to a closed one is returned: it is part of the open note.

    Args:
        index: Of the whole vault.
        closed: What may not be seen.
    """

    def __init__(self, index: VaultIndex, closed: ClosedRules) -> None:
        self._everything = index
        self._closed = closed

    @property
    def names(self) -> Names:
        """Return every file by its names, closed ones too: a link's target does not depend on who asks."""
        return self._index.names

    @property
    def version(self) -> int:
        """Return a number that changes whenever answers may change, except through permissions."""
        return self._index.version

    def status(self) -> IndexStatus:
        """Return the progress of the index, including closed files: it only contains numbers."""
        return self._index.status()

    def files(self) -> Sequence[IndexedFile]:
        """Return every open file, in the order of a walk."""
        files, open_ = self._index.files(), self._rules()
        return files if open_ is None else [file for file in files if open_(file.path)]

    def folders(self) -> Sequence[str]:
        """Return every open folder but the vault itself, in the order of a walk."""
        folders, open_ = self._index.folders(), self._rules()
        return folders if open_ is None else list(filter(open_, folders))

    def file(self, path: str) -> IndexedFile | None:
        """Return one file, by its exact path."""
        return self._index.file(path) if self._sees(path) else None

    def note(self, path: str) -> NoteFacts | None:
        """Return what is known about one note."""
        return self._index.note(path) if self._sees(path) else None

    def notes(self) -> Iterator[NoteFacts]:
        """Yield what is known about every open note, by path."""
        open_ = self._rules()
        for note in self._index.notes():
            if open_ is None or open_(note.path):
                yield note

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """Return the links in an open note or canvas, in order."""
        return self._index.links_from(path) if self._sees(path) else []

    def all_links(self) -> Iterator[StoredLink]:
        """Return every link that counts, of every open note and canvas."""
        open_ = self._rules()
        return (link for link in self._index.all_links() if open_ is None or open_(link.source))

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """Return every link in open notes whose path ends in one of these names."""
        return self._only_open(self._index.links_named(keys))

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """Return every link in open notes that leads to an open file, except from that file itself."""
        return self._only_open(self._index.backlinks(path)) if self._sees(path) else []

    def with_alias(self, alias: str) -> Sequence[str]:
        """Return the open notes with this alias."""
        open_ = self._rules()
        return list(filter(open_, self._index.with_alias(alias)))

    def tags(self) -> Sequence[TagCount]:
        """Return every tag of open notes, the most used there first, then by name."""
        open_ = self._rules()
        return self._index.tags() if open_ is None else count_tags(self._index.tag_uses(), open_)

    def tagged(self, tag: str) -> Sequence[str]:
        """Return the open notes with a tag or one nested in it, in the order of their paths."""
        open_ = self._rules()
        return list(filter(open_, self._index.tagged(tag)))

    def refresh(self) -> None:
        """Compare the whole disk and take in what differs."""
        self._index.refresh()

    @property
    def _index(self) -> VaultIndex:
        """Return the index that every answer comes from, noting that the caller has looked in the whole vault."""
        record_look(EVERYTHING)
        return self._everything

    def _rules(self) -> Permitted | None:
        """Return the check whether a path is open; None if all are."""
        closed = self._closed()
        return None if closed is None else lambda path: closed(path) is None

    def _sees(self, path: str) -> bool:
        open_ = self._rules()
        return open_ is None or open_(path)

    def _only_open(self, links: Sequence[StoredLink]) -> Sequence[StoredLink]:
        open_ = self._rules()
        return links if open_ is None else [link for link in links if open_(link.source)]


def count_tags(uses: Iterable[TagUse], permitted: Permitted = lambda _path: True) -> list[TagCount]:
    """Return every tag (rule 63), the most used first, then by name.

    Args:
        uses: The tags of the notes, by path: a tag is spelled as in the first note that has it.
        permitted: Whether a note counts.
    """
    spelled: dict[str, str] = {}
    counts: dict[str, list[int]] = {}
    for use in uses:
        if permitted(use.path):
            spelled.setdefault(use.folded, use.tag)
            count = counts.setdefault(use.folded, [0, 0])
            count[0] += use.uses
            count[1] += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1][0], item[0]))
    return [TagCount(spelled[folded], uses, notes) for folded, (uses, notes) in ordered]

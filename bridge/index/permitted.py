"""What is known without what the user has closed: what every tool is given to ask.

Rules are those of docs/obsidian.md.
"""

from collections.abc import Iterable, Iterator, Sequence

from bridge.index.knowledge import ClosedRules, IndexedFile, IndexStatus, NoteFacts, Permitted, StoredLink, TagCount
from bridge.index.store.store import TagUse
from bridge.index.vault_index import VaultIndex
from bridge.notes.names import Names
from bridge.vault.root import EVERYTHING, looked_at


class PermittedKnowledge:
    """Answers what an index answers, without closed files and what is in them.

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
        """Every file by its names, closed ones too: a link's target does not depend on who asks."""
        return self._index.names

    @property
    def version(self) -> int:
        """Another number whenever answers may be others, but for what may be seen of them."""
        return self._index.version

    def status(self) -> IndexStatus:
        """How much is known, closed files included: there are only numbers in it."""
        return self._index.status()

    def files(self) -> Sequence[IndexedFile]:
        """Every open file, in the order of a walk."""
        files, open_ = self._index.files(), self._rules()
        return files if open_ is None else [file for file in files if open_(file.path)]

    def folders(self) -> Sequence[str]:
        """Every open folder but the vault itself, in the order of a walk."""
        folders, open_ = self._index.folders(), self._rules()
        return folders if open_ is None else list(filter(open_, folders))

    def file(self, path: str) -> IndexedFile | None:
        """One file, by its exact path."""
        return self._index.file(path) if self._sees(path) else None

    def note(self, path: str) -> NoteFacts | None:
        """What is known of one note."""
        return self._index.note(path) if self._sees(path) else None

    def notes(self) -> Iterator[NoteFacts]:
        """What is known of every open note, one after the other, by path."""
        open_ = self._rules()
        for note in self._index.notes():
            if open_ is None or open_(note.path):
                yield note

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """The links in an open note or canvas, in order."""
        return self._index.links_from(path) if self._sees(path) else []

    def all_links(self) -> Iterator[StoredLink]:
        """Every link that counts, of every open note and canvas."""
        open_ = self._rules()
        return (link for link in self._index.all_links() if open_ is None or open_(link.source))

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """Every link in open notes whose path ends in one of these names."""
        return self._only_open(self._index.links_named(keys))

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """Every link in open notes that leads to an open file, but for its own."""
        return self._only_open(self._index.backlinks(path)) if self._sees(path) else []

    def with_alias(self, alias: str) -> Sequence[str]:
        """The open notes that call themselves so."""
        open_ = self._rules()
        return list(filter(open_, self._index.with_alias(alias)))

    def tags(self) -> Sequence[TagCount]:
        """Every tag of open notes, the most used there first, then by name."""
        open_ = self._rules()
        return self._index.tags() if open_ is None else count_tags(self._index.tag_uses(), open_)

    def tagged(self, tag: str) -> Sequence[str]:
        """The open notes with a tag or one nested in it, in the order of their paths."""
        open_ = self._rules()
        return list(filter(open_, self._index.tagged(tag)))

    def refresh(self) -> None:
        """Compare the whole disk and take in what differs."""
        self._index.refresh()

    @property
    def _index(self) -> VaultIndex:
        """What every answer comes from: whoever asks for a name has looked in the whole vault."""
        looked_at(EVERYTHING)
        return self._everything

    def _rules(self) -> Permitted | None:
        """Whether a path is open; None when all are."""
        closed = self._closed()
        return None if closed is None else lambda path: closed(path) is None

    def _sees(self, path: str) -> bool:
        open_ = self._rules()
        return open_ is None or open_(path)

    def _only_open(self, links: Sequence[StoredLink]) -> Sequence[StoredLink]:
        open_ = self._rules()
        return links if open_ is None else [link for link in links if open_(link.source)]


def count_tags(uses: Iterable[TagUse], permitted: Permitted = lambda _path: True) -> list[TagCount]:
    """Every tag (rule 63), the most used first, then by name.

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

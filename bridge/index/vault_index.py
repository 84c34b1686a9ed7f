"""The knowledge about all notes, kept in step with the disk, with and without what the user has closed.

See `knowledge.py` for the questions. Rules are those of docs/obsidian.md.
"""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Generic, TypeVar

from bridge.clock import Clock
from bridge.index.index_state import IndexState
from bridge.index.index_thread import IndexThread
from bridge.index.indexer import Indexer, OnChange, OnProgress, Progress
from bridge.index.knowledge import ClosedRules, IndexedFile, IndexStatus, NoteFacts, Permitted, StoredLink, TagCount
from bridge.index.store.store import Store, TagUse
from bridge.index.texts.arena import TextArena
from bridge.notes.names import Names, link_key
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan
from bridge.vault.root import EVERYTHING, record_look
from bridge.versions.recorder import Recorder

T = TypeVar("T")

NAMES_SECONDS = 10.0
"""Seconds after the start for which an answer waits for all file names; on a second start they are there at once."""

BUILD_SECONDS = 1.0
"""Seconds after the start for which an answer waits for a build, so that only large vaults give partial answers."""

STALE_SECONDS = 3.0
"""Maximum age of answers, in seconds, when changes are not reported."""


class VersionedCache(Generic[T]):
    """One answer, and the version of what is known that it is of. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: tuple[int, T] | None = None

    def get(self, version: int, find: Callable[[], T]) -> T:
        """Return the answer; find it again if it is of another version.

        Args:
            version: Of what is known, as it was before the answer is looked for.
            find: Finds the answer.
        """
        with self._lock:
            if self._held is None or self._held[0] != version:
                self._held = version, find()
            return self._held[1]


class VaultIndex:
    """The index of one vault. Every method may be called from any thread.

    Args:
        files: All of the vault's files.
        clock: The time.
        folder: Its folder between starts, for this vault and this user alone; None keeps it in memory.
        on_change: Called with each file that another program changed and what became of it, when the index has taken
            it in; from any thread.
        on_progress: Called with how far a build is; from any thread.
        stale: Seconds that an answer may be behind the disk where changes are not reported.

    Attributes:
        progress: How far a build is.
        incomplete_answers: How many answers were given while not everything was known, so that they may lack something.
    """

    def __init__(
        self,
        files: VaultFiles,
        clock: Clock,
        *,
        folder: Path | None = None,
        on_change: OnChange = lambda _path, _change: None,
        on_progress: OnProgress = lambda _done, _total: None,
        stale: float = STALE_SECONDS,
    ) -> None:
        self._clock = clock
        self._stale = stale
        self._state = IndexState(folder, str(files.root.path), on_lost=self._lost)
        self.progress = Progress(clock, on_progress)
        self._indexer = Indexer(files, clock, self._state, progress=self.progress, on_change=on_change)
        self._thread = IndexThread(self._indexer, self._state, clock)
        self._watched = True
        self._started: float | None = None
        self._counting = threading.Lock()
        self.incomplete_answers = 0
        self._counts: VersionedCache[Sequence[TagCount]] = VersionedCache()
        self._by_name_only: VersionedCache[Sequence[str]] = VersionedCache()
        self._uses: VersionedCache[Sequence[TagUse]] = VersionedCache()
        self._paths: tuple[Sequence[IndexedFile], Sequence[str], Sequence[str]] = ((), (), ())
        if self._state.load():
            self._indexer.named.set()

    @property
    def texts(self) -> TextArena:
        """Return the texts of all files, for searching. Ask for them again for each search."""
        self._freshen()
        return self._state.texts

    def record_with(self, recorder: Recorder) -> None:
        """Show a recorder all that is read, before it is taken in. Comes before `start`."""
        self._indexer.recorder = recorder
        recorder.begin_with(self._thread.sweep_soon)

    def start(self) -> None:
        """Begin to follow the disk, in a thread: first a sweep, and on a first start a build."""
        self._started = self._clock.monotonic()
        self._thread.start()

    def close(self) -> None:
        """Stop following, and keep what is known. Blocks. Closing twice does nothing."""
        self._thread.stop()
        if not self._state.closed:
            self._state.save(least_text=1)
            self._state.close()

    def copy_to(self, folder: Path) -> None:
        """Write what is known into another folder, so that a second index of this vault begins there. Blocks.

        What the copy lacks, or has too much, its first sweep finds.

        Args:
            folder: The folder, for this user only; made when missing.

        Raises:
            OSError: The disk is full or failed.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._state.copy_to(folder)

    # -- changes ------------------------------------------------------------------------------------------------

    def changed(self, paths: Iterable[str]) -> None:
        """Note that paths have changed, as far as the system reports: files, or whole folders. Returns at once."""
        self._thread.changed(paths)

    @contextlib.contextmanager
    def writing(self, plan: ChangePlan) -> Iterator[None]:
        """Keep the index from reading a plan's files while it is carried out: `applied` or a later scan reads them."""
        try:
            with self._indexer.writing(plan):
                yield
        finally:
            self._thread.changed(())

    def applied(self, plan: ChangePlan) -> None:
        """Update the index after our own change to the vault. Afterwards answers are true of what was changed.

        Of notes so large that reading them takes long only the names are known then, and `status` says so.
        """
        if self._indexer.applied(plan):
            self._thread.changed(())

    def watched(self) -> None:
        """Note that changes are reported from now on, and compare the disk for those before."""
        self._thread.sweep_soon()

    def unwatched(self) -> None:
        """Note that changes are no longer reported: from now on, old answers are checked before they are given."""
        self._watched = False
        self._thread.sweep_soon()

    def refresh(self) -> None:
        """Compare the whole disk and take in what differs. Blocks; afterwards answers are true of the disk."""
        self._indexer.sweep(thorough=True)

    # -- answering ----------------------------------------------------------------------------------------------

    @property
    def names(self) -> Names:
        """Return every file by its names."""
        self._freshen()
        return self._state.names

    @property
    def version(self) -> int:
        """Return a number that changes whenever answers may change."""
        self._freshen()
        return self._state.version

    def put_text(self, file: IndexedFile, text: str | None) -> bool:
        """Make a file that is no note findable by a text that was read of it. Blocks.

        Args:
            file: The file as it was when the text was read.
            text: The text; None if it is found by its name alone again.

        Returns:
            Whether the file is still as it was; if not, nothing is done.
        """
        with self._state.lock:
            return self._state.put_text(file, text)

    def with_text(self, *extensions: str) -> frozenset[str]:
        """Return the files with some extensions (as `.pdf`) that are found by a text which was read of them."""
        return self._state.ask(lambda store: frozenset().union(*map(store.with_text, extensions)))

    def status(self) -> IndexStatus:
        """Return the progress of the index."""
        tree, last = self._state.tree, self._indexer.last_sweep
        return IndexStatus(tree.notes, len(tree), tree.notes - self._state.unread_notes, self._is_building, last)

    def by_name_only(self) -> Sequence[str]:
        """Return the notes and canvases that were given up, by path: they are unreadable or too complex."""
        state = self._state
        found = self._by_name_only.get(state.version, lambda: state.ask(Store.without_document))
        return [path for path in found if not state.is_unread(path)]

    @property
    def ready(self) -> bool:
        """Return whether everything is known, as it is on the disk."""
        self._freshen()
        return not self._is_building

    def files(self) -> Sequence[IndexedFile]:
        """Return every file, hidden ones left out, in the order of a walk; a snapshot that never changes."""
        self._freshen()
        return self._state.tree.files()

    def seen_files(self) -> Sequence[IndexedFile]:
        """Return the files as they were last seen, without checking the disk if changes are not reported."""
        return self._state.tree.files()

    def folders(self) -> Sequence[str]:
        """Return every folder but the vault itself, empty ones too, in the order of a walk."""
        self._freshen()
        return self._state.tree.folders()

    def paths(self) -> Sequence[str]:
        """Return the paths of all files and folders as they were seen last; the same object until they are others.

        It waits for the first look at the vault after the start, and for nothing else.
        """
        if self._started is not None:
            self._indexer.named.wait(max(0.0, NAMES_SECONDS - (self._clock.monotonic() - self._started)))
        files, folders = self._state.tree.files(), self._state.tree.folders()
        seen = self._paths
        if seen[0] is not files or seen[1] is not folders:
            seen = self._paths = (files, folders, (*(file.path for file in files), *folders))
        return seen[2]

    def file(self, path: str) -> IndexedFile | None:
        """Return one file, by its exact path."""
        self._freshen()
        return self._state.tree.get(path)

    def note(self, path: str) -> NoteFacts | None:
        """Return what is known about one note; None if it is not a note or not known yet."""
        return self._ask(lambda store: store.facts(path))

    def notes(self) -> Iterator[NoteFacts]:
        """Yield what is known about every note, by path."""
        after = ""
        while True:
            page = self._ask(partial(Store.facts_after, path=after))
            yield from (facts for _path, facts in page if facts is not None)
            if not page:
                return
            after = page[-1][0]

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """Return the links, embeds and property links in a note or canvas, in order."""
        return [link for link in self._ask(lambda store: store.links_from(path)) if link.counts]

    def all_links(self) -> Sequence[StoredLink]:
        """Return every link that counts, of every note and canvas, by source and place."""
        return [link for link in self._ask(Store.all_links) if link.counts]

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """Return every link in the vault whose path ends in one of these names, wherever it leads."""
        wanted = list(keys)
        return self._ask(lambda store: store.links_named(wanted))

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """Return every link in the vault that leads to a file, except from that file itself, by source and place."""
        names = self.names
        return [
            link
            for link in self.links_named([link_key(path)])
            if link.counts and link.source != path and names.resolve(link.linkpath, link.source) == path
        ]

    def with_alias(self, alias: str) -> Sequence[str]:
        """Return the notes with this alias; case and Unicode form do not matter."""
        return self._ask(lambda store: store.with_alias(alias))

    def tags(self) -> Sequence[TagCount]:
        """Return every tag of the vault, the most used first, then by name."""
        return self._counts.get(self.version, lambda: self._state.ask(Store.tag_counts))

    def tagged(self, tag: str) -> Sequence[str]:
        """Return the notes with a tag or one nested in it (rule 63), with or without `#`, by path in walk order."""
        return self._ask(lambda store: store.tagged(tag))

    def tag_uses(self) -> Sequence[TagUse]:
        """Return every tag of every note, by path and place."""
        return self._uses.get(self.version, lambda: self._state.ask(lambda store: list(store.tag_uses())))

    def search(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Ask the index's tables themselves, for searches that have their own there.

        Args:
            question: Asks a connection, briefly; it is called again when the tables turn out to be damaged.
        """

        def ask(store: Store) -> T:
            with store.reading() as connection:
                return question(connection)

        return self._ask(ask)

    @property
    def _is_building(self) -> bool:
        return self._indexer.last_sweep is None or not self._state.is_whole

    # -- within -------------------------------------------------------------------------------------------------

    def _lost(self) -> None:
        self._thread.sweep_soon()

    def _ask(self, question: Callable[[Store], T]) -> T:
        self._freshen()
        return self._state.ask(question)

    def _freshen(self) -> None:
        """Compare the disk before an answer if changes are not reported; count answers during a build."""
        indexer = self._indexer
        if not indexer.built.is_set() and self._started is not None:
            since = self._clock.monotonic() - self._started
            indexer.named.wait(max(0.0, NAMES_SECONDS - since))
            indexer.built.wait(max(0.0, BUILD_SECONDS - since))
        is_built = indexer.built.is_set() or self._started is None  # who builds it compares the disk anyway
        if is_built and not self._watched and self._clock.monotonic() - indexer.swept_at >= self._stale:
            indexer.sweep(thorough=True)
        if self._is_building:
            with self._counting:
                self.incomplete_answers += 1


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
        return self._open(self._index.files(), itemgetter(0))

    def folders(self) -> Sequence[str]:
        """Return every open folder but the vault itself, in the order of a walk."""
        return self._open(self._index.folders())

    def file(self, path: str) -> IndexedFile | None:
        """Return one file, by its exact path."""
        return self._index.file(path) if self._sees(path) else None

    def note(self, path: str) -> NoteFacts | None:
        """Return what is known about one note."""
        return self._index.note(path) if self._sees(path) else None

    def notes(self) -> Iterator[NoteFacts]:
        """Yield what is known about every open note, by path."""
        closed = self._closed()
        return (note for note in self._index.notes() if closed is None or closed(note.path) is None)

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """Return the links in an open note or canvas, in order."""
        return self._index.links_from(path) if self._sees(path) else []

    def all_links(self) -> Sequence[StoredLink]:
        """Return every link that counts, of every open note and canvas."""
        return self._open(self._index.all_links(), itemgetter(0))

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """Return every link in open notes whose path ends in one of these names."""
        return self._open(self._index.links_named(keys), itemgetter(0))

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """Return every link in open notes that leads to an open file, except from that file itself."""
        return self._open(self._index.backlinks(path), itemgetter(0)) if self._sees(path) else []

    def with_alias(self, alias: str) -> Sequence[str]:
        """Return the open notes with this alias."""
        return self._open(self._index.with_alias(alias))

    def tags(self) -> Sequence[TagCount]:
        """Return every tag of open notes, the most used there first, then by name."""
        return self._index.tags() if self._closed() is None else count_tags(self._index.tag_uses(), self._sees)

    def tagged(self, tag: str) -> Sequence[str]:
        """Return the open notes with a tag or one nested in it, in the order of their paths."""
        return self._open(self._index.tagged(tag))

    def refresh(self) -> None:
        """Compare the whole disk and take in what differs."""
        self._index.refresh()

    @property
    def _index(self) -> VaultIndex:
        """Return the index that every answer comes from, noting that the caller has looked in the whole vault."""
        record_look(EVERYTHING)
        return self._everything

    def _sees(self, path: str) -> bool:
        closed = self._closed()
        return closed is None or closed(path) is None

    def _open(self, found: Sequence[T], path: Callable[[T], str] = str) -> Sequence[T]:
        """Return what is open of some things, of which `path` returns the path."""
        closed = self._closed()
        return found if closed is None else [each for each in found if closed(path(each)) is None]


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

"""What is known of all notes, kept as the disk is: see `knowledge.py` for the questions."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from bridge.clock import Clock
from bridge.index.corpus import Corpus
from bridge.index.following import Follower
from bridge.index.holdings import Holdings
from bridge.index.incomplete import answered_incompletely
from bridge.index.indexer import Indexer, Told
from bridge.index.kept import Kept
from bridge.index.knowledge import IndexedFile, IndexStatus, NoteFacts, StoredLink, TagCount
from bridge.index.progress import OnProgress, Progress
from bridge.index.store import Store, TagUse
from bridge.notes.names import Names, link_key, split_link
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan

T = TypeVar("T")

NAMES_SECONDS = 10.0
"""How long after the start an answer waits for the names of all files; on a second start they are there at once."""

BUILD_SECONDS = 1.0
"""How long after the start an answer waits for a build, so that only of a large vault it lacks something."""

STALE_SECONDS = 3.0
"""How old answers may be when changes are not reported."""


class VaultIndex:
    """The index of one vault. Every method may be called from any thread.

    Args:
        files: All of the vault's files.
        clock: The time.
        folder: Where it is kept between starts, for this vault and this user alone; None keeps it in memory.
        on_change: Told of each file that another program changed, when the index has taken it in; from any thread.
        on_progress: Told how far a build is; from any thread.
        stale: Seconds that an answer may be behind the disk where changes are not reported.

    Attributes:
        progress: How far a build is.
    """

    def __init__(
        self,
        files: VaultFiles,
        clock: Clock,
        *,
        folder: Path | None = None,
        on_change: Told = lambda _path, _change: None,
        on_progress: OnProgress = lambda _done, _total: None,
        stale: float = STALE_SECONDS,
    ) -> None:
        self._clock = clock
        self._stale = stale
        self._holdings = Holdings(folder, str(files.root.path), on_lost=self._lost)
        self.progress = Progress(clock, on_progress)
        self._indexer = Indexer(files, clock, self._holdings, progress=self.progress, on_change=on_change)
        self._follower = Follower(self._indexer, self._holdings, clock)
        self._watched = True
        self._started: float | None = None
        self._counts: Kept[Sequence[TagCount]] = Kept()
        self._uses: Kept[Sequence[TagUse]] = Kept()
        if self._holdings.load():
            self._indexer.named.set()

    @property
    def corpus(self) -> Corpus:
        """The texts of all files, for searching. Ask for it anew for each search: then the caller hears of a build."""
        self._freshen()
        return self._holdings.corpus

    def start(self) -> None:
        """Begin to follow the disk, in a thread: first a sweep, and on a first start a build."""
        self._started = self._clock.monotonic()
        self._follower.start()

    def close(self) -> None:
        """Stop following, and keep what is known. Blocks. Closing twice does nothing."""
        self._follower.stop()
        if not self._holdings.closed:
            self._holdings.save()
            self._holdings.close()

    # -- being told ---------------------------------------------------------------------------------------------

    def changed(self, paths: Iterable[str]) -> None:
        """Paths have changed, as far as the system reports: files, or folders with all in them. Returns at once."""
        self._follower.changed(paths)

    def applied(self, plan: ChangePlan) -> None:
        """We have changed the vault ourselves. Afterwards answers are true of what was changed.

        Of notes so large that reading them takes long only the names are known then, and `status` says so.
        """
        if self._indexer.applied(plan):
            self._follower.changed(())

    def unwatched(self) -> None:
        """Changes are not reported (any more): from now on, old answers are checked before they are given."""
        self._watched = False
        self._follower.sweep_soon()

    def settle(self) -> None:
        """Compare the whole disk and take in what differs. Blocks; afterwards answers are true of the disk."""
        self._indexer.sweep(thorough=True)

    # -- answering ----------------------------------------------------------------------------------------------

    @property
    def names(self) -> Names:
        """Every file by its names."""
        self._freshen()
        return self._holdings.names

    def status(self) -> IndexStatus:
        """How much is known."""
        holdings, last = self._holdings, self._indexer.last_sweep
        return IndexStatus(
            notes=holdings.tree.notes,
            files=len(holdings.tree),
            indexed=holdings.read_notes,
            indexing=self._is_building,
            last_sweep=last,
        )

    @property
    def ready(self) -> bool:
        """Whether everything is known, as it is on the disk."""
        self._freshen()
        return not self._is_building

    def files(self) -> Sequence[IndexedFile]:
        """Every file, hidden ones left out, in the order of a walk; a snapshot that never changes."""
        self._freshen()
        return self._holdings.tree.files()

    def folders(self) -> Sequence[str]:
        """Every folder but the vault itself, empty ones too, in the order of a walk."""
        self._freshen()
        return self._holdings.tree.folders()

    def file(self, path: str) -> IndexedFile | None:
        """One file, by its exact path."""
        self._freshen()
        return self._holdings.tree.get(path)

    def note(self, path: str) -> NoteFacts | None:
        """What is known of one note; None when it is none or not known yet."""
        return self._ask(lambda store: store.facts(path))

    def notes(self) -> Iterator[NoteFacts]:
        """What is known of every note, one after the other, by path."""
        after = ""
        while True:
            page = self._ask(partial(Store.facts_after, path=after))
            yield from (facts for _path, facts in page if facts is not None)
            if not page:
                return
            after = page[-1][0]

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """The links, embeds and property links in a note or canvas, in order."""
        return self._ask(lambda store: store.links_from(path))

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """Every link in the vault whose path ends in one of these names, wherever it leads."""
        wanted = list(keys)
        return self._ask(lambda store: store.links_named(wanted))

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """Every link in the vault that leads to a file, but for its own, by source and place."""
        names = self.names
        return [
            link
            for link in self.links_named([link_key(path)])
            if link.source != path and names.resolve(split_link(link.link)[0], link.source) == path
        ]

    def with_alias(self, alias: str) -> Sequence[str]:
        """The notes that call themselves so; case and Unicode form do not matter."""
        return self._ask(lambda store: store.with_alias(alias))

    def tags(self) -> Sequence[TagCount]:
        """Every tag of the vault, the most used first, then by name."""
        return self._counts.get(self._holdings.version, lambda: self._ask(Store.tag_counts))

    def tagged(self, tag: str) -> Sequence[str]:
        """The notes with a tag or one nested in it (rule 63), with or without `#`, in the order of their paths."""
        return self._ask(lambda store: store.tagged(tag))

    def tag_uses(self) -> Sequence[TagUse]:
        """Every tag of every note, by path and place."""
        return self._uses.get(self._holdings.version, lambda: self._ask(lambda store: list(store.tag_uses())))

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
        return self._indexer.last_sweep is None or not self._holdings.is_whole

    # -- within -------------------------------------------------------------------------------------------------

    def _ask(self, question: Callable[[Store], T]) -> T:
        self._freshen()
        return self._holdings.ask(question)

    def _lost(self) -> None:
        self._follower.sweep_soon()

    def _freshen(self) -> None:
        """Before an answer: where changes are not reported, compare the disk; tell the call of a build under way."""
        indexer = self._indexer
        if not indexer.built.is_set() and self._started is not None:
            since = self._clock.monotonic() - self._started
            indexer.named.wait(max(0.0, NAMES_SECONDS - since))
            indexer.built.wait(max(0.0, BUILD_SECONDS - since))
        if not self._watched and self._clock.monotonic() - indexer.swept_at >= self._stale:
            indexer.sweep(thorough=True)
        if self._is_building:
            answered_incompletely()

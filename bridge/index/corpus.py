"""The text of the vault's files in memory, in segments, so that a search opens no file.

New and changed texts gather in a tail until there are enough of them for a segment. A text that was replaced or
discarded stays where it is, dead, until the segments are made anew. Readers search a `Snapshot`, which never changes.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import merge
from itertools import chain, count, repeat
from pathlib import Path

from bridge.index.corpus_files import CorpusFiles, Stored
from bridge.index.segments import UNENDED, Document, Segment, Stamp, View, build, document
from bridge.index.walk_order import walk_key
from bridge.vault.file_types import is_binary

LARGEST = 8 * 1024 * 1024
"""Bytes of a file beyond which its text is not held: it is searched from the disk."""
SEGMENT = 4 * 1024 * 1024
"""Bytes of text from which files that come in walk order, as in a first build, make a segment."""
TAIL = 1024 * 1024
"""The same for files in any order, as edits come: the tail is put in order for each snapshot after a change."""
MOST_DEAD = 0.25
"""The part of all text that may be dead, or out of order, before all segments are made anew."""
MOST_LOOSE = 8
"""Segments of edits before these are made one."""
SMALL = 8 * 1024 * 1024
"""Bytes of dead or loose text that are never too many."""


@dataclass(frozen=True)
class Snapshot:
    """The corpus as it was at a moment. Any number of threads may read it.

    Attributes:
        views: The segments; in each, and in no other way, texts are in walk order.
        large: Files of more than `LARGEST` bytes, in walk order; their text is not here.
    """

    views: tuple[View, ...]
    large: tuple[str, ...]

    @cached_property
    def count(self) -> int:
        """How many texts there are."""
        return sum(len(view.segment.paths) - len(view.dead) for view in self.views)


class Corpus:
    """Holds the texts. Every method may be called from any thread.

    Args:
        folder: Where the segments are kept between starts, for this program alone; None keeps them in memory only.
            What is missing or damaged there is as if it had never been put.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._files = CorpusFiles(folder) if folder is not None else None
        self._lock = threading.RLock()
        self._saving = threading.Lock()
        self._ordered: list[View] = []
        self._loose: list[View] = []
        self._tail: dict[str, Document] = {}
        self._tail_size = 0
        self._tail_in_order = True
        self._places: dict[str, tuple[Segment, int]] = {}
        self._without_text: dict[str, Stamp] = {}
        self._large: frozenset[str] = frozenset()
        self._snapshot: Snapshot | None = None
        self._changed = False
        if self._files is not None:
            self._load(self._files.load())

    def put(self, path: str, data: bytes | None, stamp: Stamp) -> None:
        """Hold a file's text, in place of an older one.

        Args:
            path: Its vault path.
            data: All its bytes; of a file of more than `LARGEST` bytes, whose text is not held, the first `kinds.HEAD`
                are enough, or None. Binary files and hidden ones are remembered without their text.
            stamp: Of the file when it was read.
        """
        searched = not path.rpartition("/")[2].startswith(".") and not (data and is_binary(data))
        small = data is not None and max(len(data), stamp.size) <= LARGEST
        held = document(path, data, stamp) if data is not None and searched and small else None
        with self._lock:
            self._forget(path)
            if held is None:
                self._without_text[path] = stamp
                if searched:
                    self._large |= {path}
            else:
                self._append(held)
            self._snapshot = None
            self._changed = True

    def discard(self, path: str) -> None:
        """Forget a file, if it is known."""
        with self._lock:
            if self._forget(path):
                self._snapshot = None
                self._changed = True

    def stamps(self) -> dict[str, tuple[int, int]]:
        """Every file that is known, binary and large ones too, with its stamp (as a bare pair)."""
        with self._lock:
            found: dict[str, tuple[int, int]] = dict(self._without_text)
            for view in chain(self._ordered, self._loose):
                found.update(view.by_path(view.segment.stamps()))
            found |= {path: held.stamp for path, held in self._tail.items()}
            return found

    def stamp(self, path: str) -> Stamp | None:
        """A file's stamp; None when it is not known."""
        with self._lock:
            if path in self._tail:
                return self._tail[path].stamp
            if path in self._places:
                segment, index = self._places[path]
                return segment.stamp(index)
            return self._without_text.get(path)

    def document(self, path: str) -> Document | None:
        """A file's text as it is searched, with its stamp; None where no text is held."""
        with self._lock:
            if path in self._tail:
                return self._tail[path]
            if path in self._places:
                segment, index = self._places[path]
                return segment.document(index)
            return None

    def text(self, path: str) -> memoryview | None:
        r"""A file's text without a copy: line breaks as `\n`, no byte order mark; None where no text is held."""
        held = self.document(path)
        if held is None:
            return None
        text = memoryview(held.text)
        return text[:-1] if held.flags & UNENDED else text

    def snapshot(self) -> Snapshot:
        """The corpus as it is now."""
        with self._lock:
            if self._snapshot is None:
                views = [*self._ordered, *self._loose]
                if self._tail:
                    views.append(View(build(0, sorted(self._tail.values(), key=_key))))
                self._snapshot = Snapshot(tuple(views), tuple(sorted(self._large, key=walk_key)))
            return self._snapshot

    @property
    def size(self) -> int:
        """Bytes of text, dead ones too."""
        with self._lock:
            return self._tail_size + sum(view.segment.size for view in chain(self._ordered, self._loose))

    def save(self) -> None:
        """Make segments of what is loose where that is worth it, and put all that is new into the folder.

        Blocks as long as the disk takes; the other methods do not wait for it.

        Raises:
            OSError: The disk is full or failed. What was saved before is still there.
        """
        with self._saving:
            with self._lock:
                if not self._changed:
                    return
                self._changed = False
                self._seal()
            try:
                self._compact()
                if self._files is not None:
                    with self._lock:
                        views = (*self._ordered, *self._loose)
                        stored = Stored(views, dict(self._without_text), self._large, len(self._ordered))
                    self._files.save(stored)
            except BaseException:
                self._changed = True
                raise

    def verify(self) -> list[str]:
        """Read everything that came from the folder, and forget what is not as it was written.

        Returns:
            The files that were forgotten.
        """
        if self._files is None:
            return []
        damaged = {view.segment for view in self.snapshot().views if not self._files.is_whole(view.segment)}
        with self._lock:
            lost = [path for path, (segment, _index) in self._places.items() if segment in damaged]
            for path in lost:
                del self._places[path]
            self._ordered = [view for view in self._ordered if view.segment not in damaged]
            self._loose = [view for view in self._loose if view.segment not in damaged]
            if lost:
                self._snapshot = None
                self._changed = True
        return lost

    # -- changing; called with the lock held -----------------------------------------------------------------------

    def _load(self, stored: Stored) -> None:
        self._ordered, self._loose = list(stored.views[: stored.ordered]), list(stored.views[stored.ordered :])
        self._without_text, self._large = stored.without_text, stored.large
        for view in stored.views:
            self._places.update(view.by_path(zip(repeat(view.segment), count(), strict=False)))

    def _append(self, held: Document) -> None:
        """Take a text into the tail, and the tail into a segment when it is long enough."""
        if self._tail_in_order:
            last = next(reversed(self._tail), None) or (self._ordered[-1].segment.paths[-1] if self._ordered else None)
            self._tail_in_order = last is None or walk_key(last) < walk_key(held.path)
        self._tail[held.path] = held
        self._tail_size += len(held.text)
        if self._tail_size >= (SEGMENT if self._tail_in_order else TAIL):
            self._seal()

    def _seal(self) -> None:
        """Make a segment of the tail."""
        if self._tail:
            segment = build(self._number(), sorted(self._tail.values(), key=_key))
            (self._ordered if self._tail_in_order else self._loose).append(View(segment))
            self._places.update((path, (segment, index)) for index, path in enumerate(segment.paths))
        self._tail, self._tail_size, self._tail_in_order = {}, 0, True

    def _forget(self, path: str) -> bool:
        """Whether a file was known."""
        if path in self._tail:
            self._tail_size -= len(self._tail.pop(path).text)
            return True
        if path in self._places:
            segment, index = self._places.pop(path)
            for views in (self._ordered, self._loose):
                for place, view in enumerate(views):
                    if view.segment is segment:
                        views[place] = View(segment, view.dead | {index})
            return True
        self._large -= {path}
        return self._without_text.pop(path, None) is not None

    def _number(self) -> int:
        return self._files.number() if self._files is not None else 0

    # -- making anew; called without the lock ----------------------------------------------------------------------

    def _compact(self) -> None:
        """Make segments anew: all of them when much is dead or loose, else the loose ones when they are many."""
        with self._lock:
            ordered, loose = list(self._ordered), list(self._loose)
        total = sum(view.segment.size for view in (*ordered, *loose))
        wasted = sum(view.dead_size for view in ordered) + sum(view.segment.size for view in loose)
        if wasted > SMALL and wasted > MOST_DEAD * total:
            made = [View(segment) for segment in self._made_of(ordered, loose)]
            self._replace([*ordered, *loose], made, [])
        elif len(loose) > MOST_LOOSE:
            made = [View(segment) for segment in self._made_of([], loose)]
            self._replace(loose, [], made)

    def _made_of(self, ordered: list[View], loose: list[View]) -> Iterator[Segment]:
        """New segments of what counts in old ones."""
        streams: list[Iterator[Document]] = [chain.from_iterable(view.documents() for view in ordered)]
        streams += [view.documents() for view in loose]
        gathered: list[Document] = []
        size = 0
        for held in merge(*streams, key=_key):
            gathered.append(held)
            size += len(held.text)
            if size >= SEGMENT:
                yield build(self._number(), gathered)
                gathered, size = [], 0
        if gathered:
            yield build(self._number(), gathered)

    def _replace(self, old: list[View], ordered: list[View], loose: list[View]) -> None:
        """Put new segments in the place of old ones. What changed meanwhile is dead in the new ones."""
        gone = {view.segment for view in old}
        with self._lock:
            ordered, loose = [self._moved(view, gone) for view in ordered], [self._moved(view, gone) for view in loose]
            kept = [view for view in self._ordered if view.segment not in gone]
            # What was appended meanwhile need not come after what is in order now.
            self._loose = loose + (kept if ordered else []) + [v for v in self._loose if v.segment not in gone]
            self._ordered = ordered or kept
            self._snapshot = None

    def _moved(self, view: View, gone: set[Segment]) -> View:
        """A new segment, when the texts in it that still are where they were have moved here."""
        dead = set()
        for index, path in enumerate(view.segment.paths):
            known = self._places.get(path)
            if known is not None and known[0] in gone:
                self._places[path] = (view.segment, index)
            else:
                dead.add(index)
        return View(view.segment, frozenset(dead))


def _key(held: Document) -> str:
    return walk_key(held.path)

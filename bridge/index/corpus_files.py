"""What a corpus keeps between starts: its segments' files, and a list of them.

A list that names segments which are not there, or not whole, is good for the others. Segments that no list names are
removed, at the latest at the next start.
"""

import contextlib
import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from bridge.index.segment_files import is_whole, numbers, read_segment, remove, write_durably, write_segment
from bridge.index.segments import Segment, Stamp, View

VERSION = 1
_LIST = "corpus.json"


@dataclass(frozen=True, slots=True)
class Stored:
    """What is kept.

    Attributes:
        views: The segments.
        without_text: Files that are known without their text.
        large: Those of them that have text, but too much.
        ordered: How many of the segments, from the first, are in walk order with each other.
    """

    views: Sequence[View]
    without_text: dict[str, Stamp]
    large: frozenset[str]
    ordered: int


class CorpusFiles:
    """The folder of one corpus. One thread at a time may save.

    Args:
        folder: Where; made when missing.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._written: set[int] = set()

    def number(self) -> int:
        """A number that no segment has had."""
        with self._lock:
            return next(self._numbers)

    def load(self) -> Stored:
        """What was saved, as far as it is whole."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for leftover in self._folder.glob(".*.tmp"):
                leftover.unlink()
        taken = numbers(self._folder)
        self._numbers = itertools.count(max(taken, default=0) + 1)
        try:
            stored = self._read(orjson.loads((self._folder / _LIST).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            stored = Stored((), {}, frozenset(), 0)
        self._written = {view.segment.number for view in stored.views}
        for number in taken - self._written:
            remove(self._folder, number)
        return stored

    def save(self, stored: Stored) -> None:
        """Keep this, and nothing that was kept before.

        Raises:
            OSError: The disk is full or failed; what was kept before still is.
        """
        named = {view.segment.number for view in stored.views}
        for view in stored.views:
            if view.segment.number not in self._written:
                write_segment(self._folder, view.segment)
                self._written.add(view.segment.number)
        write_durably(self._folder / _LIST, orjson.dumps(_listed(stored)))
        for number in self._written - named:
            remove(self._folder, number)
        self._written &= named

    def is_whole(self, segment: Segment) -> bool:
        """Whether a segment's text is what was written."""
        return segment.number not in self._written or is_whole(self._folder, segment)

    def _read(self, listed: dict[str, Any]) -> Stored:
        """What a list names, as far as it is there.

        Raises:
            ValueError: The list is of another form.
        """
        if listed["version"] != VERSION:
            raise ValueError("another version")
        views: list[View] = []
        ordered = 0
        for place, (number, dead) in enumerate(listed["segments"]):
            segment = read_segment(self._folder, number)
            if segment is not None and all(0 <= index < len(segment.paths) for index in dead):
                views.append(View(segment, frozenset(dead)))
                ordered += place < listed["ordered"]
        without = {path: Stamp(size, time) for path, size, time in listed["without_text"]}
        return Stored(views, without, frozenset(listed["large"]) & without.keys(), ordered)


def _listed(stored: Stored) -> dict[str, Any]:
    return {
        "version": VERSION,
        "segments": [[view.segment.number, sorted(view.dead)] for view in stored.views],
        "ordered": stored.ordered,
        "without_text": [[path, *stamp] for path, stamp in stored.without_text.items()],
        "large": sorted(stored.large),
    }

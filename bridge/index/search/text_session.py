"""The texts of all notes, as one search asks them: which hold something, and what one of them says.

Rules are those of docs/obsidian.md.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from io import BytesIO
from types import TracebackType
from typing import NamedTuple, Self

import re2

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, ToolFailure
from bridge.index.file_reading import is_canvas
from bridge.index.file_texts.texts import AllFileTexts, FileTexts
from bridge.index.search.note_text import Find, Needle, NoteText, canvas_text
from bridge.index.texts.arena import Chunk, TextArena
from bridge.index.texts.line_patterns import LinePattern, first_span, line_break
from bridge.index.texts.patterns import QUICK_WORK, LineSearch, Patterns, pattern_workers
from bridge.index.texts.pieces import PIECE, pieces
from bridge.vault.files import VaultFiles
from bridge.vault.paths import parse_path
from bridge.vault.text import HEAD, is_note, is_text

LARGEST = 16 << 20
"""Bytes of a note that are searched: of a larger one, the beginning."""


class MatchingFiles(NamedTuple):
    """The files in which something is.

    Attributes:
        sure: Those that are known to hold it.
        unsure: Those that must be looked into: too large to be kept in memory, or no plain text.
    """

    sure: frozenset[str]
    unsure: frozenset[str]


class SearchTexts:
    """The texts for searches, and the patterns that are shared between them.

    Args:
        texts: The texts in memory.
        files: The files, for those that are too large.
        clock: The clock for deadlines.
        file_texts: The texts of files that are no notes.
    """

    def __init__(self, texts: TextArena, files: VaultFiles, clock: Clock, file_texts: FileTexts | None = None) -> None:
        self.texts = texts
        self.file_texts = file_texts or AllFileTexts()
        self.files = files
        self.clock = clock
        self._pool = pattern_workers(clock)
        self.patterns = Patterns(self._pool)

    def session(self, deadline: float) -> "TextSession":
        """Return a session for one search; use it in `with`."""
        return TextSession(self, deadline)

    def close(self) -> None:
        """End the worker processes."""
        self._pool.close()


class TextSession:
    """One search's use of the texts. It remembers what it was asked.

    Args:
        texts: The texts.
        deadline: `Clock.monotonic()` value.
    """

    def __init__(self, texts: SearchTexts, deadline: float) -> None:
        self._texts = texts
        self._deadline = deadline
        self._held = ExitStack()
        self._lines: dict[str, LineSearch] = {}
        self._holders: dict[str, MatchingFiles] = {}
        self._read = frozenset(texts.file_texts.known())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._held.__exit__(kind, error, trace)

    def expired(self) -> bool:
        """Return whether the time is over."""
        return self._texts.clock.monotonic() > self._deadline

    def check(self) -> None:
        """End the search when the time is over.

        Raises:
            DeadlineExceeded: It is.
        """
        if self.expired():
            raise DeadlineExceeded("The search did not end in time; narrow it with path: or tag:, or use longer words")

    def has_text(self, path: str) -> bool:
        """Return whether a file's content is searched."""
        return has_text(path) or path in self._read

    def searched(self, paths: Iterable[str]) -> frozenset[str]:
        """Return those of some files whose content is searched."""
        return frozenset(filter(self.has_text, paths))

    def compile(self, pattern: str) -> None:
        """Check a pattern as the user wrote it.

        Raises:
            InvalidParameters: It is invalid; says where and why.
        """
        self._texts.patterns.compile(pattern, self._deadline)

    def find(self, pattern: str, case: bool) -> Find:
        """Return a function that finds matching lines; `case` is whether upper and lower case differ."""
        return self._search(_pattern(pattern, case=case)).spans

    def holding(self, needle: Needle) -> MatchingFiles:
        """Return the files whose text holds a word or phrase."""
        if len(needle.forms) == 1:
            return self.matching(re2.escape(needle.forms[0]), case=needle.case_matters)
        return self.matching("(?:" + "|".join(map(re2.escape, needle.forms)) + ")", case=needle.case_matters)

    def matching(self, pattern: str, *, case: bool) -> MatchingFiles:
        """Return the files in whose text some line matches."""
        text = _pattern(pattern, case=case)
        if text not in self._holders:
            compiled = self._texts.patterns.compile(text, self._deadline)
            found: set[str] = set()
            large: set[str] = set()
            for chunk in self._texts.texts.chunks():
                large.update(chunk.large())
                if compiled.compiled is not None:
                    indexes = self._scan(chunk, compiled.compiled)
                else:
                    indexes = self._ask_about_all(chunk, self._search(text))
                found.update(chunk.paths[index] for index in indexes)
            unsure = {path for path in found if is_canvas(path)} | large | self._read
            self._holders[text] = MatchingFiles(frozenset(found - unsure), frozenset(unsure))
        return self._holders[text]

    def note(self, path: str, beginning: int = LARGEST) -> NoteText | None:
        """Return a note's text, or what can be read on a canvas; None when it is not known, or no text.

        Args:
            path: The note.
            beginning: How many bytes of it are enough, where it is no canvas; there may be more.
        """
        if self._texts.file_texts.reads(path):
            text = self._texts.file_texts.text(path)
            return None if text is None else NoteText(text)
        enough = LARGEST if is_canvas(path) else beginning
        held = self._texts.texts.text(path)
        if held is not None:
            held = held[:enough]
        if held is not None and len(held) <= PIECE:
            data = bytes(held)
            return NoteText(canvas_text(data) if is_canvas(path) else data.decode("utf-8", "surrogateescape"))
        parts = list(pieces(b"", BytesIO(held))) if held is not None else self._from_disk(path, enough)
        if parts is None:
            return None
        if is_canvas(path):
            return NoteText(canvas_text(b"".join(parts)))
        # A piece at a time: to decode all of a large text at once would hold up other threads.
        return NoteText("".join(part.decode("utf-8", "surrogateescape") for part in parts))

    def _from_disk(self, path: str, enough: int) -> list[bytes] | None:
        try:
            with self._texts.files.open(parse_path(path)) as stream:
                head = stream.read(HEAD)
                return _beginning(pieces(head, stream), enough) if is_text(head) else None
        except (ToolFailure, OSError):
            return None

    def _search(self, text: str) -> LineSearch:
        if text not in self._lines:
            pattern = self._texts.patterns.compile(text, self._deadline)
            self._lines[text] = self._held.enter_context(self._texts.patterns.search(pattern, self._deadline))
        return self._lines[text]

    def _scan(self, chunk: Chunk, pattern: LinePattern) -> Iterator[int]:
        """Yield the files of a chunk in which a line matches; the rest of such a file is skipped."""
        text, starts, search = chunk.text, chunk.starts, first_span(pattern.regex)
        most = max(QUICK_WORK // max(pattern.size, 1), 1)
        at, end = 0, len(text)
        while at < end:
            self.check()
            stop = line_break(text, at, end, most)
            while at < stop and 0 <= (place := search(text, at, stop)[0]) < stop:
                which = bisect_right(starts, place) - 1
                yield which
                at = starts[which + 1]
            at = max(at, stop)

    def _ask_about_all(self, chunk: Chunk, lines: LineSearch) -> Iterator[int]:
        """Yield the same, found by a worker process."""
        for place in lines.places(chunk.text, 0, len(chunk.text), len(chunk.text), utf8=chunk.is_utf8):
            yield bisect_right(chunk.starts, place) - 1


def has_text(path: str) -> bool:
    """Return whether a file is one whose content Obsidian searches (rule 90)."""
    return is_note(path) or is_canvas(path)


def _beginning(parts: Iterable[bytes], enough: int) -> list[bytes]:
    """Return the first parts of a text that have so many bytes together."""
    found: list[bytes] = []
    size = 0
    for part in parts:
        found.append(part)
        size += len(part)
        if size >= enough:
            break
    return found


def _pattern(pattern: str, *, case: bool) -> str:
    return pattern if case else f"(?i){pattern}"

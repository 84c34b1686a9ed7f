"""The texts of all notes, as one search asks them: which hold something, and what one of them says, in whatever case.

Rules are those of docs/obsidian.md.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cached_property
from io import BytesIO
from typing import NamedTuple

import re2

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, ToolFailure
from bridge.index.file_texts import AllFileTexts, FileTexts
from bridge.index.store.fulltext import bare
from bridge.index.texts.arena import Chunk, TextArena, portions
from bridge.index.texts.line_patterns import PIECE, LinePattern, Span, first_span, line_break, pieces
from bridge.index.texts.patterns import QUICK_WORK, LineSearch, Patterns, pattern_workers
from bridge.index.tree import is_canvas
from bridge.json_values import load
from bridge.notes.markdown import parse_note
from bridge.notes.note import ParsedNote, TooMuchWork, Work
from bridge.vault.files import VaultFiles
from bridge.vault.paths import nfc, parse_path
from bridge.vault.text import HEAD, is_note, is_text

MOST_PARSED = 8_000_000
"""Characters of a note up to which its blocks, sections and tasks are known."""
_AT_ONCE = 1 << 20
"""Characters that one step of Python works on; more would hold up other threads."""

Find = Callable[[bytes, int], list[Span]]
"""Finds the first match of each matching line in a piece of text; the number is how many at most."""
LARGEST = 16 << 20
"""Bytes of a note that are searched: of a larger one, the beginning."""


def folded(text: str) -> str:
    """Return text in one case, with the same number of characters."""
    if len(text) > _AT_ONCE:
        return "".join(folded(text[at : at + _AT_ONCE]) for at in range(0, len(text), _AT_ONCE))
    return text.lower() if text.isascii() else text.replace("İ", "i").lower().replace("ς", "σ")  # noqa: RUF001


class Needle:
    """A word or phrase to be found, in each of the forms that Unicode has for it.

    Args:
        text: As it was asked for.
        case_matters: Whether upper and lower case differ.
    """

    def __init__(self, text: str, *, case_matters: bool = False) -> None:
        self.text = text
        self.case_matters = case_matters
        forms = dict.fromkeys([text] if text.isascii() else [text, nfc(text), unicodedata.normalize("NFD", text)])
        self.forms = tuple(forms if case_matters else dict.fromkeys(map(folded, forms)))

    def is_in(self, text: str) -> bool:
        """Return whether a short text contains it."""
        searched = text if self.case_matters else folded(text)
        return any(form in searched for form in self.forms)


class NoteText:
    r"""A note's text.

    Args:
        text: Line breaks are `\n`; bytes that are not UTF-8 are surrogate escapes.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def whole(self) -> Span:
        """Return the span from its beginning to its end."""
        return 0, len(self.text)

    @property
    def is_parsed(self) -> bool:
        """Return whether it is short enough for its parts to be known."""
        return len(self.text) <= MOST_PARSED

    @cached_property
    def note(self) -> ParsedNote:
        """Return the parsed note; empty if it is too long or too complex."""
        try:
            return parse_note(self.text, work=Work.of_one_note()) if self.is_parsed else ParsedNote()
        except TooMuchWork:
            return ParsedNote()

    def find(self, needle: Needle, span: Span) -> Span | None:
        """Return the first place of a needle in a part of the text."""
        text = self.text if needle.case_matters else self.folded_text
        places = [(at, at + len(form)) for form in needle.forms if (at := _find(text, form, *span)) >= 0]
        return min(places, default=None)

    def find_all(self, needle: Needle, span: Span) -> Iterator[Span]:
        """Yield every place of a needle in a part of the text, none within another."""
        start, end = span
        while (found := self.find(needle, (start, end))) is not None:
            yield found
            start = max(found[1], found[0] + 1)

    def matches(self, find: Find, span: Span, limit: int) -> list[Span]:
        """Return the first match of each matching line, by characters.

        Args:
            find: The pattern.
            span: A part of the text; the first and last of its lines may be parts of lines.
            limit: Maximum number of lines.
        """
        found: list[Span] = []
        characters = span[0]
        for piece in self._pieces(span):
            spans = find(piece, limit - len(found))
            found += _in_characters(piece, spans, characters)
            if len(found) >= limit:
                break
            characters += len(piece) if piece.isascii() else len(piece.decode("utf-8", "surrogateescape"))
        return found

    def _pieces(self, span: Span) -> Iterator[bytes]:
        """Yield a part of the text in whole lines, a piece after the other; a very long line in parts."""
        at, end = span
        while at < end:
            stop = min(at + _AT_ONCE, end)
            if stop < end:
                stop = self.text.rfind("\n", at, stop) + 1 or stop
            yield self.text[at:stop].encode("utf-8", "surrogateescape")
            at = stop

    def lines(self, span: Span) -> Iterator[Span]:
        """Yield the lines of a part of the text."""
        start, end = span
        while start < end:
            stop = self.text.find("\n", start, end)
            stop = end if stop < 0 else stop
            yield start, stop
            start = stop + 1

    def line_at(self, place: int) -> Span:
        """Return the line that contains a place."""
        end = self.text.find("\n", place)
        return self.text.rfind("\n", 0, place) + 1, len(self.text) if end < 0 else end

    @cached_property
    def sections(self) -> list[Span]:
        """Return the text before the first heading, and each heading with the text up to the next one."""
        if not self.is_parsed:
            return []
        starts = [heading.start for heading in self.note.headings]
        if not starts or starts[0] > 0:
            starts.insert(0, 0)
        return list(zip(starts, [*starts[1:], len(self.text)], strict=True))

    @cached_property
    def blocks(self) -> list[Span]:
        """Return its paragraphs, headings, list items and the like."""
        rows = [(part.start, part.end) for part in self.note.sections if part.type != "list"]
        return sorted([*rows, *((item.start, item.end) for item in self.note.list_items)])

    @cached_property
    def tasks(self) -> list[tuple[str, Span]]:
        """Return the list items with a box: its content, and the span of the text after it."""
        return [
            (item.task, (min(self.text.find("]", item.start) + 1, item.end), item.end))
            for item in self.note.list_items
            if item.task is not None
        ]

    @cached_property
    def folded_text(self) -> str:
        """Return the text in one case, with the same number of characters."""
        return folded(self.text)

    @cached_property
    def bare_text(self) -> str:
        """Return the same with each letter in its plainest form."""
        return bare(self.folded_text)


class CandidateFiles(NamedTuple):
    """The files of which something is surely or perhaps true.

    Attributes:
        sure: Of these it is.
        perhaps: Of no others it is. The texts of the others among them must be looked into.
    """

    sure: frozenset[str]
    perhaps: frozenset[str]


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


class TextSession(ExitStack):
    """One search's use of the texts. It remembers what it was asked.

    Args:
        texts: The texts.
        deadline: `Clock.monotonic()` value.
    """

    def __init__(self, texts: SearchTexts, deadline: float) -> None:
        super().__init__()
        self._texts = texts
        self._deadline = deadline
        self._lines: dict[str, LineSearch] = {}
        self._holders: dict[str, CandidateFiles] = {}
        self._read = frozenset(texts.file_texts.known())

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

    def compile(self, pattern: str) -> None:
        """Check a pattern as the user wrote it.

        Raises:
            InvalidParameters: It is invalid; says where and why.
        """
        self._texts.patterns.compile(pattern, self._deadline)

    def find(self, pattern: str, case: bool) -> Find:
        """Return a function that finds matching lines; `case` is whether upper and lower case differ."""
        return self._search(_pattern(pattern, case=case)).spans

    def holding(self, needle: Needle) -> CandidateFiles:
        """Return the files whose text holds a word or phrase; what is too large for memory, or no plain text, may."""
        if len(needle.forms) == 1:
            return self.matching(re2.escape(needle.forms[0]), case=needle.case_matters)
        return self.matching("(?:" + "|".join(map(re2.escape, needle.forms)) + ")", case=needle.case_matters)

    def matching(self, pattern: str, *, case: bool) -> CandidateFiles:
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
            self._holders[text] = CandidateFiles(frozenset(found - unsure), frozenset(found | unsure))
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
                return next(portions(pieces(head, stream), len, enough), []) if is_text(head) else None
        except (ToolFailure, OSError):
            return None

    def _search(self, text: str) -> LineSearch:
        if text not in self._lines:
            pattern = self._texts.patterns.compile(text, self._deadline)
            self._lines[text] = self.enter_context(self._texts.patterns.search(pattern, self._deadline))
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


def _pattern(pattern: str, *, case: bool) -> str:
    return pattern if case else f"(?i){pattern}"


def canvas_text(data: bytes) -> str:
    """Return the text on a canvas: of its cards, the names of its groups, and the labels of its lines."""
    try:
        canvas = load(data or b"{}")
    except ValueError:
        return ""
    if not isinstance(canvas, dict):
        return ""
    found: list[str] = []
    for kind in ("nodes", "edges"):
        rows = canvas.get(kind)
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, dict):
                found += [row[key] for key in ("text", "label", "file", "url") if isinstance(row.get(key), str)]
    return re.sub(r"\r\n?", "\n", "\n\n".join(found))


def _find(text: str, form: str, start: int, end: int) -> int:
    while end - start > _AT_ONCE + len(form):
        at = text.find(form, start, start + _AT_ONCE + len(form))
        if at >= 0:
            return at
        start += _AT_ONCE
    return text.find(form, start, end)


def _in_characters(piece: bytes, spans: list[Span], before: int) -> list[Span]:
    """Return spans in bytes as spans in characters."""
    if piece.isascii():
        return [(before + start, before + end) for start, end in spans]
    found: list[Span] = []
    last = 0
    for start, end in spans:
        before += len(piece[last:start].decode("utf-8", "surrogateescape"))
        length = len(piece[start:end].decode("utf-8", "surrogateescape"))
        found.append((before, before + length))
        last, before = end, before + length
    return found

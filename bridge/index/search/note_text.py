"""One note's text as it is searched: what is found where, whatever its case."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cached_property

from bridge.index.store.letters import bare
from bridge.index.texts.line_patterns import Span
from bridge.json_values import load
from bridge.notes.markdown import parse_note
from bridge.notes.note import ParsedNote, TooMuchWork, Work
from bridge.vault.paths import nfc

MOST_PARSED = 8_000_000
"""Characters of a note up to which its blocks, sections and tasks are known."""
_AT_ONCE = 1 << 20
"""Characters that one step of Python works on; more would hold up other threads."""

Find = Callable[[bytes, int], list[Span]]
"""Finds the first match of each matching line in a piece of text; the number is how many at most."""


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
        if len(needle.forms) == 1:
            form = needle.forms[0]
            at = _find(self._searched(needle), form, *span)
            return (at, at + len(form)) if at >= 0 else None
        places = [
            (at, at + len(form)) for form in needle.forms if (at := _find(self._searched(needle), form, *span)) >= 0
        ]
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

    def begins_line(self, place: int) -> bool:
        """Return whether a line begins there."""
        return place == 0 or self.text[place - 1] == "\n"

    def _searched(self, needle: Needle) -> str:
        return self.text if needle.case_matters else self.folded_text

    @cached_property
    def folded_text(self) -> str:
        """Return the text in one case, with the same number of characters."""
        return folded(self.text)

    @cached_property
    def bare_text(self) -> str:
        """Return the same with each letter in its plainest form."""
        return bare(self.folded_text)


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

"""Exact matching of one note's text against a query (rules 90 and 91 of docs/obsidian.md)."""

from collections.abc import Callable, Iterator
from itertools import islice

from bridge.index.search.note_text import Find, Needle, NoteText
from bridge.index.search.query import And, CaseTerm, Node, Not, Or, QueryScope, RegexTerm, TextTerm, Within
from bridge.index.texts.line_patterns import Span

MOST_PLACES = 10_000
"""Lines of a note that are looked at for one pattern, and places for one word."""

SHOWN_PLACES = 64
SHOWN_PARTS = 8
"""Number of matching parts to look for in order to show them."""

TODO = " "
"""Content of an open task's box (rule 71); with anything else the task is done."""


class Matcher:
    """A matcher for notes, one after the other.

    Args:
        patterns: Finds lines: a pattern and whether case matters, in some text.
        outside: Answers what is not in the text: a file's name, its tags and properties.
        check: Called often; raises when the time is over.

    Attributes:
        note: The note that is looked into.
    """

    def __init__(
        self,
        patterns: Callable[[str, bool], Find],
        outside: Callable[[Node, bool], bool],
        check: Callable[[], None],
    ) -> None:
        self._patterns = patterns
        self._outside = outside
        self._check = check
        self.note = NoteText("")
        self._needles: dict[tuple[str, bool], Needle] = {}
        self._lines: dict[tuple[str, bool], list[Span]] = {}

    def open(self, note: NoteText) -> None:
        """Choose the note that is searched from now on."""
        self.note = note
        self._lines = {}

    def holds(self, query: Node, span: Span, *, case: bool = False) -> bool:
        """Return whether a query is true of a part of the note's text.

        Args:
            query: The query.
            span: The part.
            case: Whether upper and lower case differ.
        """
        match query:
            case And(parts):
                found = all(self.holds(part, span, case=case) for part in parts)
            case Or(parts):
                found = any(self.holds(part, span, case=case) for part in parts)
            case Not(part):
                found = not self.holds(part, span, case=case)
            case CaseTerm(matters, part):
                found = self.holds(part, span, case=matters)
            case TextTerm() | RegexTerm():
                found = next(self.places(query, span, case=case), None) is not None
            case Within(QueryScope.CONTENT, part):
                found = self.holds(part, span, case=case)
            case Within(scope) if scope.is_part:
                found = self._in_some_line(query, span, case=case) or any(
                    self.holds(query.part, part, case=case) for part in self._parts(query, span, case=case)
                )
            case _:
                found = self._outside(query, case)
        return found

    def highlights(self, query: Node, span: Span | None = None, *, case: bool = False) -> Iterator[Iterator[Span]]:
        """Yield where the words and patterns of a matching query are in the note; some of each.

        Args:
            query: The query.
            span: A part of the note; None for all of it.
            case: Whether upper and lower case differ.
        """
        span = span or self.note.whole
        match query:
            case And(parts) | Or(parts):
                for part in parts:
                    yield from self.highlights(part, span, case=case)
            case CaseTerm(matters, part):
                yield from self.highlights(part, span, case=matters)
            case TextTerm() | RegexTerm():
                yield islice(self.places(query, span, case=case), SHOWN_PLACES)
            case Within(QueryScope.CONTENT, part):
                yield from self.highlights(part, span, case=case)
            case Within(scope, part) if scope.is_part:
                parts_of = self._parts(query, span, case=case)
                for inside in islice((each for each in parts_of if self.holds(part, each, case=case)), SHOWN_PARTS):
                    yield from self.highlights(part, inside, case=case)
            case _:
                return

    def places(self, query: TextTerm | RegexTerm, span: Span, *, case: bool) -> Iterator[Span]:
        """Yield where a word, phrase or pattern is in a part of the text."""
        self._check()
        if isinstance(query, TextTerm):
            if not query.text:
                yield span[0], span[0]
                return
            key = (query.text, case)
            if key not in self._needles:
                self._needles[key] = Needle(query.text, case_matters=case)
            yield from self.note.find_all(self._needles[key], span)
            return
        find = self._patterns(query.pattern, case)
        if not self.note.begins_line(span[0]):
            yield from self.note.matches(find, span, MOST_PLACES)
            return
        pattern = (query.pattern, case)
        if pattern not in self._lines:
            self._lines[pattern] = self.note.matches(find, self.note.whole, MOST_PLACES)
        yield from (found for found in self._lines[pattern] if span[0] <= found[0] and found[1] <= span[1])

    def _parts(self, query: Within, span: Span, *, case: bool) -> Iterator[Span]:
        """Yield the parts of the text that an operator names, as far as it may be true of them."""
        if query.scope is QueryScope.LINE:
            yield from self._lines_of(query.part, span, case=case)
            return
        for start, end in self._structure(query.scope):
            part = max(start, span[0]), min(end, span[1])
            if part[0] < part[1] or start == end:
                yield part

    def _structure(self, scope: QueryScope) -> list[Span]:
        if scope is QueryScope.SECTION:
            return self.note.sections
        if scope is QueryScope.BLOCK:
            return self.note.blocks
        return [
            part
            for box, part in self.note.tasks
            if scope is QueryScope.TASK or (box == TODO) is (scope is QueryScope.TASK_TODO)
        ]

    def _in_some_line(self, query: Within, span: Span, *, case: bool) -> bool:
        """Return whether one line already shows that the query is true of the block or section around it."""
        return (
            query.scope in {QueryScope.BLOCK, QueryScope.SECTION}
            and self.note.is_parsed
            and _grows(query.part)
            and any(self.holds(query.part, line, case=case) for line in self._lines_of(query.part, span, case=case))
        )

    def _lines_of(self, query: Node, span: Span, *, case: bool) -> Iterator[Span]:
        """Yield the lines that contain a required word, or all of them if none is required."""
        anchors = list(_anchors(query, case=case))
        if not anchors:
            yield from self.note.lines(span)
            return
        if not all(next(self.places(anchor, span, case=matters), None) for anchor, matters in anchors):
            return
        # The longest word is the rarest; a pattern is dearer than any word.
        anchor, matters = max(anchors, key=lambda found: len(getattr(found[0], "text", "")))
        last = -1
        for start, _end in self.places(anchor, span, case=matters):
            if start < last:
                continue
            low, high = self.note.line_at(start)
            last = high
            yield max(low, span[0]), min(high, span[1])


def _grows(query: Node) -> bool:
    """Return whether a query that is true of a text is true of every longer one."""
    if isinstance(query, (And, Or)):
        return all(map(_grows, query.parts))
    return _grows(query.part) if isinstance(query, CaseTerm) else isinstance(query, (TextTerm, RegexTerm))


def _anchors(query: Node, *, case: bool) -> Iterator[tuple[TextTerm | RegexTerm, bool]]:
    """Yield words and patterns without each of which a query cannot be true, and whether their case matters."""
    match query:
        case TextTerm(text):
            if text:
                yield query, case
        case RegexTerm():
            yield query, case
        case CaseTerm(matters, part):
            yield from _anchors(part, case=matters)
        case Within(QueryScope.LINE | QueryScope.CONTENT, part):
            yield from _anchors(part, case=case)
        case And(parts):
            for part in parts:
                yield from _anchors(part, case=case)
        case _:
            return

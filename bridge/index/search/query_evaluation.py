"""Evaluation of queries on all files (rules 90 to 92 of docs/obsidian.md).

Most parts of a query are known for all files at once: one scan of all texts shows where a word is, the index
knows who has a tag. So each part becomes two sets: the files of which it is surely true, and those of which it may be.
Only the files between the two (parts of a text: `line:`, `task:`) are looked into, note by note.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from bridge.index.knowledge import Knowledge
from bridge.index.search.properties import has_property
from bridge.index.search.query import And, Node, Not, Or, PropertyTerm, QueryScope, RegexTerm, TextTerm, Within
from bridge.index.search.text_session import CandidateFiles, Needle, NoteText, TextSession
from bridge.index.texts.line_patterns import Span

MOST_PLACES = 10_000
"""Maximum number of lines of a note for one pattern, and of places for one word."""

SHOWN_PLACES = 64
SHOWN_PARTS = 8
"""Number of matching parts to look for in order to show them."""

TODO = " "
"""Content of an open task's box (rule 71); with anything else the task is done."""
SearchedPart = QueryScope | None
"""The place to look for a word: `file`, `path`, `content` or `tag`; None for a note's path and content."""
_TASKS = {
    QueryScope.TASK: r"([-*+]|\d[.)])\s+\[.\]",
    QueryScope.TASK_DONE: r"([-*+]|\d[.)])\s+\[[^ ]\]",
    QueryScope.TASK_TODO: r"([-*+]|\d[.)])\s+\[ \]",
}
"""In which lines tasks may begin (rule 71)."""


class Evaluation:
    """One query over the vault.

    Args:
        session: The texts.
        knowledge: Tags and properties.
        files: The files that may be found.
    """

    def __init__(self, session: TextSession, knowledge: Knowledge, files: Iterable[str]) -> None:
        self._session = session
        self._knowledge = knowledge
        self._files = frozenset(files)
        self._notes = frozenset(filter(session.has_text, self._files))
        self._known: dict[tuple[Node, SearchedPart], CandidateFiles] = {}
        self._path = ""
        self._note = NoteText("")
        self._needles: dict[TextTerm, Needle] = {}
        self._lines: dict[RegexTerm, list[Span]] = {}

    def matches(self, query: Node) -> set[str]:
        """Return the files of which a query is true.

        Raises:
            InvalidParameters: A pattern in it is invalid.
            DeadlineExceeded: It was not known in time.
        """
        everything = self._files if _names_files(query) else self._notes
        bounds = self._bounds(query, None)
        found = set(bounds.sure & everything)
        for path in sorted((bounds.perhaps & everything) - found):
            self._session.check()
            self._open(path)
            if self._holds(query, None):
                found.add(path)
        return found

    def places(self, query: Node, path: str) -> tuple[NoteText, list[list[Span]]]:
        """Return the text of a file that was found, and the spans of each word or pattern of the query in it."""
        return self._open(path), [list(spans) for spans in self._highlights(query, self._note.whole)]

    def _open(self, path: str) -> NoteText:
        self._note = (self._session.note(path) if path in self._notes else None) or NoteText("")
        self._lines = {}
        self._path = path
        return self._note

    # -- all files at once --------------------------------------------------------------------------------------

    def _bounds(self, query: Node, place: SearchedPart) -> CandidateFiles:
        key = (query, place)
        if key not in self._known:
            self._session.check()
            self._known[key] = self._bound(query, place)
        return self._known[key]

    def _bound(self, query: Node, place: SearchedPart) -> CandidateFiles:
        match query:
            case And(parts):
                sure, perhaps = zip(*(self._bounds(part, place) for part in parts), strict=True)
                found = CandidateFiles(frozenset.intersection(*sure), frozenset.intersection(*perhaps))
            case Or(parts):
                sure, perhaps = zip(*(self._bounds(part, place) for part in parts), strict=True)
                found = CandidateFiles(_union(sure), _union(perhaps))
            case Not(part):
                inner = self._bounds(part, place)
                found = CandidateFiles(self._files - inner.perhaps, self._files - inner.sure)
            case Within(scope, part) if not scope.is_part:
                found = self._bounds(part, scope)
            case Within(scope, part):
                found = CandidateFiles(frozenset(), self._with_parts(scope) & self._loosely(part, scope))
            case PropertyTerm():
                found = _exactly(self._with_property(query))
            case _:
                found = self._leaf(query, place)
        return found

    def _leaf(self, query: Node, place: SearchedPart) -> CandidateFiles:
        """Return a word, phrase or pattern, somewhere in a file."""
        if isinstance(query, TextTerm) and not query.text:
            return _exactly(self._all_of(place))
        if not isinstance(query, (TextTerm, RegexTerm)):
            return _exactly(frozenset())
        if place is QueryScope.TAG:
            return _exactly(self._tagged(query))
        named: frozenset[str] = frozenset()
        if place is not QueryScope.CONTENT:
            shown = _SHOWN[place]
            is_in = self._tester(query)
            candidates = self._files if place in {QueryScope.FILE, QueryScope.PATH} else self._notes
            named = frozenset(path for path in candidates if is_in(shown(path)))
        if place in {QueryScope.FILE, QueryScope.PATH}:
            return _exactly(named)
        held = self._holding(query)
        return CandidateFiles(held.sure & self._notes | named, held.perhaps & self._notes | named)

    def _all_of(self, place: SearchedPart) -> frozenset[str]:
        """Return the files with an empty phrase: all of them; as a tag, those that have any."""
        if place is QueryScope.TAG:
            tags = {count.tag.split("/")[0] for count in self._knowledge.tags()}
            return self._files.intersection(path for tag in tags for path in self._knowledge.tagged(tag))
        return self._files if place in {QueryScope.FILE, QueryScope.PATH} else self._notes

    def _holding(self, query: TextTerm | RegexTerm) -> CandidateFiles:
        if isinstance(query, TextTerm):
            return self._session.holding(_needle(query))
        self._session.compile(query.pattern)
        return self._session.matching(query.pattern, case=bool(query.case))

    def _tester(self, query: TextTerm | RegexTerm) -> Callable[[str], bool]:
        """Return a function that checks whether a short text contains something."""
        if isinstance(query, TextTerm):
            return _needle(query).is_in
        self._session.compile(query.pattern)
        find = self._session.find(query.pattern, bool(query.case))

        def is_in(text: str) -> bool:
            return bool(find(text.encode("utf-8", "surrogateescape") + b"\n", 1))

        return is_in

    def _tagged(self, query: TextTerm | RegexTerm) -> frozenset[str]:
        if isinstance(query, TextTerm):
            return self._files.intersection(self._knowledge.tagged(query.text.rstrip("/")))
        is_in = self._tester(replace(query, case=False))
        tags = [count.tag for count in self._knowledge.tags() if is_in(count.tag)]
        return self._files.intersection(path for tag in tags for path in self._knowledge.tagged(tag))

    def _loosely(self, query: Node, scope: QueryScope) -> frozenset[str]:
        """Return the notes with a part that may match: those that have all the words, wherever they are."""
        match query:
            case And(parts):
                found = frozenset.intersection(*(self._loosely(part, scope) for part in parts))
            case Or(parts):
                found = _union(self._loosely(part, scope) for part in parts)
            case Within(inner, part) if inner.is_part or inner is QueryScope.CONTENT:
                found = self._loosely(part, scope)
            case RegexTerm() if scope in _TASKS:
                found = self._notes  # the line's beginning is not the task's, to which `^` belongs
            case TextTerm() | RegexTerm():
                found = self._bounds(query, QueryScope.CONTENT).perhaps
            case Not():
                found = self._notes
            case _:
                found = self._bounds(query, None).perhaps
        return found

    def _with_parts(self, scope: QueryScope) -> frozenset[str]:
        """Return the notes that may have such a part."""
        if scope not in _TASKS:
            return self._notes
        return self._notes & self._session.matching(_TASKS[scope], case=True).perhaps

    def _with_property(self, query: PropertyTerm) -> frozenset[str]:
        candidates = self._notes & self._naming(query)
        return frozenset(
            path for path, properties in self._properties(candidates) if has_property(properties, query, self._tester)
        )

    def _naming(self, query: PropertyTerm) -> frozenset[str]:
        """Return the notes whose text contains a property's name, and so perhaps the property."""
        if not isinstance(query.name, TextTerm) or not query.name.text:
            return self._notes
        return self._session.holding(Needle(query.name.text)).perhaps

    def _properties(self, candidates: frozenset[str]) -> Iterable[tuple[str, Mapping[str, Any]]]:
        if len(candidates) * 4 > len(self._notes):
            for facts in self._knowledge.notes():
                self._session.check()
                if facts.path in candidates:
                    yield facts.path, facts.properties
            return
        for path in candidates:
            self._session.check()
            known = self._knowledge.note(path)
            if known is not None:
                yield path, known.properties

    # -- one file -----------------------------------------------------------------------------------------------

    def _holds(self, query: Node, place: SearchedPart) -> bool:
        """Return whether a query is true of the file that is open."""
        bounds = self._bounds(query, place)
        if self._path in bounds.sure or self._path not in bounds.perhaps:
            return self._path in bounds.sure
        match query:
            case And(parts):
                found = all(self._holds(part, place) for part in parts)
            case Or(parts):
                found = any(self._holds(part, place) for part in parts)
            case Not(part):
                found = not self._holds(part, place)
            case Within(scope, part) if not scope.is_part:
                found = self._holds(part, scope)
            case _:
                found = self._is_true_of(query, self._note.whole)
        return found

    # -- parts of its text ---------------------------------------------------------------------------------------

    def _is_true_of(self, query: Node, span: Span) -> bool:
        """Return whether a query is true of a part of the note's text.

        Args:
            query: The query.
            span: The part.
        """
        match query:
            case And(parts):
                found = all(self._is_true_of(part, span) for part in parts)
            case Or(parts):
                found = any(self._is_true_of(part, span) for part in parts)
            case Not(part):
                found = not self._is_true_of(part, span)
            case TextTerm() | RegexTerm():
                found = next(self._occurrences(query, span), None) is not None
            case Within(QueryScope.CONTENT, part):
                found = self._is_true_of(part, span)
            case Within(scope) if scope.is_part:
                found = self._in_some_line(query, span) or any(
                    self._is_true_of(query.part, part) for part in self._parts(query, span)
                )
            case _:
                found = self._holds(query, None)
        return found

    def _highlights(self, query: Node, span: Span) -> Iterator[Iterator[Span]]:
        """Yield where the words and patterns of a matching query are in the note; some of each.

        Args:
            query: The query.
            span: A part of the note.
        """
        match query:
            case And(parts) | Or(parts):
                for part in parts:
                    yield from self._highlights(part, span)
            case TextTerm() | RegexTerm():
                yield islice(self._occurrences(query, span), SHOWN_PLACES)
            case Within(QueryScope.CONTENT, part):
                yield from self._highlights(part, span)
            case Within(scope, part) if scope.is_part:
                parts_of = self._parts(query, span)
                for inside in islice((each for each in parts_of if self._is_true_of(part, each)), SHOWN_PARTS):
                    yield from self._highlights(part, inside)
            case _:
                return

    def _occurrences(self, query: TextTerm | RegexTerm, span: Span) -> Iterator[Span]:
        """Yield where a word, phrase or pattern is in a part of the text."""
        self._session.check()
        if isinstance(query, TextTerm):
            if not query.text:
                yield span[0], span[0]
                return
            if query not in self._needles:
                self._needles[query] = _needle(query)
            yield from self._note.find_all(self._needles[query], span)
            return
        find = self._session.find(query.pattern, bool(query.case))
        if span[0] and self._note.text[span[0] - 1] != "\n":
            yield from self._note.matches(find, span, MOST_PLACES)
            return
        if query not in self._lines:
            self._lines[query] = self._note.matches(find, self._note.whole, MOST_PLACES)
        yield from (found for found in self._lines[query] if span[0] <= found[0] and found[1] <= span[1])

    def _parts(self, query: Within, span: Span) -> Iterator[Span]:
        """Yield the parts of the text that an operator names, as far as it may be true of them."""
        if query.scope is QueryScope.LINE:
            yield from self._lines_of(query.part, span)
            return
        for start, end in self._structure(query.scope):
            part = max(start, span[0]), min(end, span[1])
            if part[0] < part[1] or start == end:
                yield part

    def _structure(self, scope: QueryScope) -> list[Span]:
        if scope is QueryScope.SECTION:
            return self._note.sections
        if scope is QueryScope.BLOCK:
            return self._note.blocks
        return [
            part
            for box, part in self._note.tasks
            if scope is QueryScope.TASK or (box == TODO) is (scope is QueryScope.TASK_TODO)
        ]

    def _in_some_line(self, query: Within, span: Span) -> bool:
        """Return whether one line already shows that the query is true of the block or section around it."""
        return (
            query.scope in {QueryScope.BLOCK, QueryScope.SECTION}
            and self._note.is_parsed
            and _grows(query.part)
            and any(self._is_true_of(query.part, line) for line in self._lines_of(query.part, span))
        )

    def _lines_of(self, query: Node, span: Span) -> Iterator[Span]:
        """Yield the lines that contain a required word, or all of them if none is required."""
        anchors = list(_anchors(query))
        if not anchors:
            yield from self._note.lines(span)
            return
        if not all(next(self._occurrences(anchor, span), None) for anchor in anchors):
            return
        # The longest word is the rarest; a pattern is dearer than any word.
        anchor = max(anchors, key=lambda found: len(getattr(found, "text", "")))
        last = -1
        for start, _end in self._occurrences(anchor, span):
            if start < last:
                continue
            low, high = self._note.line_at(start)
            last = high
            yield max(low, span[0]), min(high, span[1])


def _grows(query: Node) -> bool:
    """Return whether a query that is true of a text is true of every longer one."""
    return all(map(_grows, query.parts)) if isinstance(query, (And, Or)) else isinstance(query, (TextTerm, RegexTerm))


def _needle(query: TextTerm) -> Needle:
    return Needle(query.text, case_matters=bool(query.case))


def _anchors(query: Node) -> Iterator[TextTerm | RegexTerm]:
    """Yield words and patterns without each of which a query cannot be true."""
    match query:
        case TextTerm(text) if not text:
            return
        case TextTerm() | RegexTerm():
            yield query
        case Within(QueryScope.LINE | QueryScope.CONTENT, part):
            yield from _anchors(part)
        case And(parts):
            for part in parts:
                yield from _anchors(part)
        case _:
            return


def _names_files(query: Node) -> bool:
    """Return whether a query asks for files by their names, and so for any files."""
    if isinstance(query, (And, Or)):
        return any(map(_names_files, query.parts))
    return isinstance(query, Within) and (query.scope in {QueryScope.FILE, QueryScope.PATH} or _names_files(query.part))


def _exactly(paths: frozenset[str]) -> CandidateFiles:
    return CandidateFiles(paths, paths)


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)


_SHOWN: dict[SearchedPart, Callable[[str], str]] = {
    None: lambda path: path.rpartition(".")[0],
    QueryScope.FILE: lambda path: path.rpartition("/")[2],
    QueryScope.PATH: str,
}

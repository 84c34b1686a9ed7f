"""The tool `search`: the notes for some words, best first, or the lines that match a regular expression."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Annotated, Any

from pydantic import Field, model_validator

from bridge.errors import InvalidParameters
from bridge.index.search.note_search import NoteQuery, NoteSearch, NoteSearchResult
from bridge.index.search.query import MAX_LENGTH as LONGEST_QUERY
from bridge.index.texts.arena import Excludes
from bridge.index.texts.globs import MAX_LENGTH as LONGEST_GLOB
from bridge.index.texts.globs import Glob, compile_glob, escape_glob
from bridge.index.texts.grep import Grep, GrepHit
from bridge.index.texts.patterns import MAX_LENGTH as LONGEST_PATTERN
from bridge.toolkit.tool import AGENT, STILL_INDEXED, CallContext, Output, ReadEffect, ReadTool, in_vault, matching
from bridge.tools.core.grep import lines_around, query_of
from bridge.tools.core.passages import found_note, words_only
from bridge.tools.formatting import NOTHING_THERE, counted, shortened
from bridge.tools.kinds import LONGEST_PATH, CountingCursor, SnakeCaseParams, read_spec
from bridge.tools.paths import folder_start
from bridge.tools.storage import Storage
from bridge.vault.paths import fold, nfc

USUAL_NOTES = 10
USUAL_LINES = 50
_MOST = 1000
_WIDTH = 110
"""Characters of an excerpt."""
_BYTES = 185
"""Bytes of text that a note may take on the average, its path included: ten notes stay within two kilobytes."""
_LEAST = 40
_MOST_COUNTED = 10_000
"""Lines that are counted where not all are shown."""
_LONGEST_LINE = 200
"""Characters of a line in the text; `data` has it as `grep` has it."""


class SearchParams(SnakeCaseParams):
    """The words or the pattern to look for, and where."""

    query: Annotated[str | None, Field(min_length=1, max_length=LONGEST_QUERY)] = Field(
        default=None,
        description='Words, ranked; or exact operators: "a phrase", OR, -not, tag:#x, path:, file:, line:(), '
        "task-todo:, [property:value]",
    )
    pattern: Annotated[str | None, Field(min_length=1, max_length=LONGEST_PATTERN)] = Field(
        default=None, description="Instead: regular expression (RE2); (?i) ignores case"
    )
    folder: Annotated[str | None, Field(max_length=LONGEST_PATH)] = Field(default=None, description="Only in here")
    glob: Annotated[str | None, Field(max_length=LONGEST_GLOB)] = Field(
        default=None, description="With pattern: only such files: '**/*.txt'"
    )
    context: int = Field(default=0, ge=0, le=50, description="With pattern: lines around it")
    limit: int | None = Field(default=None, ge=1, le=_MOST, description="Default 10 notes, or 50 lines")
    cursor: CountingCursor | None = Field(default=None, description="From the last answer")

    @model_validator(mode="after")
    def _one_way(self) -> "SearchParams":
        if (self.query is None) == (self.pattern is None):
            raise ValueError("give either query or pattern")
        if self.query is not None and (self.glob is not None or self.context):
            raise ValueError("glob and context go with pattern; with query, use folder or path:")
        return self


def _acts(params: SearchParams, _paths: Sequence[str]) -> Iterator[frozenset[str]]:
    by_words = {"search", "search_notes", "codebase_search", "search_vectors"}
    yield frozenset(by_words if params.query is not None else {"search", "grep", "search_files"})


class SearchTool(ReadTool[SearchParams]):
    """The tool that searches the vault.

    Args:
        storage: The vault.
        notes: Searches for words.
        grep: Searches for patterns.
    """

    spec = read_spec(
        name="search",
        title="Search",
        action="search/searched the vault[ for {query}][ for {pattern}][: {count:result}]",
        description="Search notes by words, best first; or all lines of files by a regular expression.",
        icon="search",
        parameters=SearchParams,
        default_rate=60,
        presets=frozenset({AGENT}),
        replaces=frozenset({"search_notes", "codebase_search", "search_vectors", "grep", "search_files"}),
        acts=_acts,
    )

    def __init__(self, storage: Storage, notes: NoteSearch, grep: Grep) -> None:
        self._storage = storage
        self._notes = notes
        self._grep = grep

    def prepare(self, params: SearchParams, context: CallContext) -> ReadEffect:
        """Check the query and its patterns."""
        folder = folder_start(params.folder, self._storage)
        where = f" in {folder}" if folder else ""
        if params.query is not None:
            if not self._notes.check(params.query, context.deadline):
                raise InvalidParameters("The query asks for nothing; write the words to look for")
            return ReadEffect(in_vault(folder), f"Search the notes for {shortened(params.query)!r}{where}")
        self._grep.compile(params.pattern or "", context.deadline)
        glob = _glob(params, folder)
        target = matching("**") if glob is None else matching(glob.text)
        return ReadEffect(target, f"Search the text of files for {shortened(params.pattern or '')!r}{where}")

    def run(self, params: SearchParams, context: CallContext) -> Output:
        """Search."""
        return self._words(params, context) if params.query is not None else self._lines(params, context)

    def _words(self, params: SearchParams, context: CallContext) -> Output:
        first, count = int(params.cursor or 0), params.limit or USUAL_NOTES
        rules = self._storage.ignored(context.settings.ignore_patterns)
        outside = _outside(folder_start(params.folder, self._storage, real=True))
        excludes = tuple(each for each in (rules, outside) if each is not None)
        query = NoteQuery(
            params.query or "", context.deadline, excludes=excludes, first=first, count=count, width=_WIDTH
        )
        found = self._notes.search(query)
        if first and not found.results:
            raise InvalidParameters(NOTHING_THERE)
        shown = first + len(found.results)
        metadata: dict[str, Any] = {"total": found.total, "truncated": shown < found.total}
        if shown < found.total:
            metadata["cursor"] = str(shown)
        if found.by_meaning:
            metadata["byMeaning"] = True
        lines = [*_ranked(found, first)]
        if found.words_only:
            metadata["wordsOnly"] = found.words_only
            lines.append(words_only(found.words_only))
        data = [found_note(result) for result in found.results]
        return Output({"results": data}, "\n".join(lines), metadata)

    def _lines(self, params: SearchParams, context: CallContext) -> Output:
        first, limit = int(params.cursor or 0), params.limit or USUAL_LINES
        pattern = self._grep.compile(params.pattern or "", context.deadline)
        glob = _glob(params, folder_start(params.folder, self._storage, real=True))
        query = query_of(self._storage, context, pattern, glob, context_lines=params.context, limit=limit)
        found = self._grep.search(replace(query, skip=first))
        if first and not found.hits:
            raise InvalidParameters(NOTHING_THERE)
        data = [{"file": hit.file, "line": hit.line, "match": hit.match, "context": hit.context} for hit in found.hits]
        metadata: dict[str, Any] = {"truncated": found.more or found.full, "limit": limit}
        lines = [*_grouped(found.hits)]
        if metadata["truncated"]:
            every = self._grep.count(replace(query, context_lines=0, limit=_MOST_COUNTED))
            metadata["total"] = sum(lines for _, lines in every.counts)
            metadata["cursor"] = shown = str(first + len(data))
            total = f"{'more than ' if every.more else ''}{metadata['total']:,}"
            lines.append(f"[{first + 1}-{shown} of {total} lines; next: cursor={shown}]")
        elif not data:
            lines.append(f"No matches in {counted(found.files, 'file')}.")
        return Output({"results": data}, "\n".join(lines), metadata)


def _glob(params: SearchParams, folder: str) -> Glob | None:
    """Return the glob of the files that are searched for a pattern; None for all."""
    if params.glob is None and not folder:
        return None
    return compile_glob(nfc(f"{escape_glob(folder)}{params.glob or '**'}"), case_sensitive=False)


def _outside(folder: str) -> Excludes | None:
    """Return a function that tells whether a path lies outside a folder; None where that is the vault."""
    start = fold(folder)
    return (lambda path: not fold(path).startswith(start)) if folder else None


def _ranked(found: NoteSearchResult, first: int) -> Iterator[str]:
    """Yield the notes, one or two short lines each."""
    if not found.total:
        yield (
            "No results. Operators are exact."
            if found.exact
            else "No results. Try other words, or fewer letters of them."
        )
    room = _BYTES - sum(len(result.path.encode()) for result in found.results) // max(len(found.results), 1)
    for number, result in enumerate(found.results, first):
        if not found.exact and not found.question and number == found.matching:
            yield "By words and meaning:" if found.by_meaning else "With only some of the words:"
        yield result.place
        if result.excerpt:
            yield f"  {_cut(result.excerpt, room)}"
    shown = first + len(found.results)
    if shown < found.total:
        yield f"[{first + 1}-{shown} of {found.total}; next: cursor={shown}]"
    if found.indexing:
        yield STILL_INDEXED


def _cut(text: str, room: int) -> str:
    """Return a text in so many bytes at most, but a few words of it at least."""
    data = text.encode()
    room = max(room, _LEAST)
    return text if len(data) <= room else f"{data[:room].decode(errors='ignore')}..."


def _grouped(hits: list[GrepHit]) -> Iterator[str]:
    """Yield the matching lines below the name of their file."""
    for file, group in groupby(hits, key=lambda hit: hit.file):
        yield file
        for number, text, matches in lines_around(group):
            yield f"  {number}{':' if matches else '-'} {shortened(text.strip(), _LONGEST_LINE)}"

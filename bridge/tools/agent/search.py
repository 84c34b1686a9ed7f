"""The tools `search` and `search_notes`: notes by words or in Obsidian's search language, lines by a pattern."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Annotated, Any, NamedTuple

from pydantic import Field, model_validator

from bridge.errors import InvalidParameters, ToolFailure
from bridge.index.search.note_search import FoundNote, NoteQuery, NoteSearch, NoteSearchResult
from bridge.index.search.query import MAX_LENGTH
from bridge.index.search.text_session import has_text
from bridge.index.texts.arena import Excludes
from bridge.index.texts.globs import MAX_LENGTH as LONGEST_GLOB
from bridge.index.texts.globs import Glob, compile_glob, escape_glob
from bridge.index.texts.grep import Grep, GrepHit
from bridge.index.texts.patterns import MAX_LENGTH as LONGEST_PATTERN
from bridge.toolkit.parameters import NUMBER, TEXT, Sentence, a_list, members
from bridge.toolkit.tool import AGENT, STILL_INDEXED, CallContext, Output, ReadEffect, in_vault, matching
from bridge.tools.core.grep import PatternTool, hit_data, lines_around
from bridge.tools.core.passages import SearchingTool, found_note, words_only
from bridge.tools.formatting import NOTHING_THERE, cut, shortened
from bridge.tools.kinds import LONGEST_PATH, CountingCursor, SnakeCaseParams, left_out, read_spec
from bridge.tools.paths import folder_start
from bridge.tools.storage import Storage
from bridge.vault.paths import fold, nfc, parse_path
from bridge.vault.text import BOM, counted

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

    query: Annotated[str | None, Field(min_length=1, max_length=MAX_LENGTH)] = Field(
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


class SearchTool(PatternTool[SearchParams]):
    """The tool that searches the vault.

    Args:
        storage: The vault.
        notes: Searches for words.
        grep: Searches for patterns.
    """

    spec = read_spec(
        name="search",
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
        super().__init__(storage, grep)
        self._notes = notes

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
        outside = _outside(folder_start(params.folder, self._storage, real=True))
        excludes = left_out(self._storage, context) + outside
        query = NoteQuery(
            params.query or "", context.deadline, excludes=excludes, first=first, count=count, width=_WIDTH
        )
        found, metadata = _searched(self._notes, query)
        data = [found_note(result) for result in found.results]
        return Output({"results": data}, "\n".join(_ranked(found, first)), metadata)

    def _lines(self, params: SearchParams, context: CallContext) -> Output:
        first, limit = int(params.cursor or 0), params.limit or USUAL_LINES
        glob = _glob(params, folder_start(params.folder, self._storage, real=True))
        query = self._query(params.pattern or "", glob, context, context_lines=params.context, limit=limit)
        found = self._grep.search(query._replace(skip=first))
        if first and not found.hits:
            raise InvalidParameters(NOTHING_THERE)
        data = [{"file": hit.file} | hit_data(hit) for hit in found.hits]
        metadata: dict[str, Any] = {"truncated": found.more or found.full, "limit": limit}
        lines = [*_grouped(found.hits)]
        if metadata["truncated"]:
            every = self._grep.count(query._replace(context_lines=0, limit=_MOST_COUNTED))
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


def _outside(folder: str) -> tuple[Excludes, ...]:
    """Return a rule that leaves out what lies outside a folder; none where that is the vault."""
    start = fold(folder)
    return (lambda path: not fold(path).startswith(start),) if folder else ()


def _ranked(found: NoteSearchResult, first: int) -> Iterator[str]:
    """Yield the notes, one or two short lines each."""
    if not found.total:
        advice = "Operators are exact." if found.exact else "Try other words, or fewer letters of them."
        yield f"No results. {advice}"
    room = _BYTES - sum(len(result.path.encode()) for result in found.results) // max(len(found.results), 1)
    for number, result in enumerate(found.results, first):
        if not found.exact and not found.question and number == found.matching:
            yield "By words and meaning:" if found.by_meaning else "With only some of the words:"
        yield result.place
        if result.excerpt:
            yield f"  {cut(result.excerpt, max(room, _LEAST))}"
    shown = first + len(found.results)
    if shown < found.total:
        yield f"[{first + 1}-{shown} of {found.total}; next: cursor={shown}]"
    if found.indexing:
        yield STILL_INDEXED
    if found.words_only:
        yield words_only(found.words_only)


def _grouped(hits: list[GrepHit]) -> Iterator[str]:
    """Yield the matching lines below the name of their file."""
    for file, group in groupby(hits, key=lambda hit: hit.file):
        yield file
        for number, text, matches, _follows_gap in lines_around(group):
            yield f"  {number}{':' if matches else '-'} {shortened(text.strip(), _LONGEST_LINE)}"


USUAL_OF_NOTES = 10
"""Notes in one answer, where no other number is asked for."""
MOST_NOTES = 50

_MISSING = "query is required and must be a non-empty string."
_FOOT_OF_NOTE = 200
"""Bytes kept for what is said below the content of each note."""


class SearchNotesParams(SnakeCaseParams):
    """The query, and where to go on."""

    query: Annotated[str, Field(min_length=1, max_length=MAX_LENGTH), Sentence(_MISSING)] = Field(
        description="Words to search for, or a question; notes with all of up to three words come first. Or "
        "Obsidian's search operators, which are "
        'exact: "a phrase", OR, -not, (groups), /regex/, file: path: tag: line:() section:() task: [property:value]'
    )
    read_content: bool = Field(default=False, description="Return full file content, not only excerpts")
    limit: int = Field(default=USUAL_OF_NOTES, ge=1, le=MOST_NOTES, description="Maximum number of notes to return")
    cursor: str | None = Field(
        default=None, pattern=r"^[1-9][0-9]{0,6}$", description="The last answer's metadata.cursor, for the next page"
    )


class SearchNotesTool(SearchingTool[SearchNotesParams]):
    """The tool that searches the vault's notes."""

    spec = read_spec(
        name="search_notes",
        action="search/searched the notes[ for {query}][: {count:note}]",
        description=(
            "Search the notes of the vault and get the most relevant with an excerpt of each. Plain words are ranked; "
            'Obsidian\'s search operators ("phrase", OR, -, /regex/, path:, tag:, line:, [property:value]) are exact.'
        ),
        icon="search",
        parameters=SearchNotesParams,
        output=members(results=a_list(members(path=TEXT, excerpt=TEXT, optional={"content": TEXT, "page": NUMBER}))),
        default_rate=60,
    )

    def prepare(self, params: SearchNotesParams, context: CallContext) -> ReadEffect:
        """Check the query and its patterns."""
        if not params.query.strip():
            raise InvalidParameters(_MISSING)
        if not self._search.check(params.query, context.deadline):
            raise InvalidParameters(
                f"The query {shortened(params.query)!r} asks for nothing; write the words to look for"
            )
        return ReadEffect(matching("**"), f"Search the notes for {shortened(params.query)!r}")

    def run(self, params: SearchNotesParams, context: CallContext) -> Output:
        """Search."""
        first = int(params.cursor or 0)
        excludes = left_out(self._storage, context)
        query = NoteQuery(params.query, context.deadline, excludes=excludes, first=first, count=params.limit)
        found, metadata = _searched(self._search, query)
        if found.matching < found.total:
            metadata["withAllWords"] = found.matching
        if found.indexing:
            metadata["indexing"] = True
        most = context.settings.max_output_bytes
        contents = self._contents(found.results, most) if params.read_content else {}
        return _notes_output(found, first, contents, metadata)

    def _contents(self, results: Sequence[FoundNote], most: int) -> dict[str, "_Content"]:
        """Return the content of notes, short ones whole, and long ones as far as there is space."""
        used = sum(len(f"{result.path}{result.excerpt}".encode()) + _FOOT_OF_NOTE for result in results)
        sizes: dict[str, int] = {}
        for result in results:
            with suppress(ToolFailure):  # it may have gone meanwhile
                if has_text(result.path):
                    sizes[result.path] = self._storage.stat(parse_path(result.path)).size
        found: dict[str, _Content] = {}
        left = max(most - used, 0)
        for done, (path, _size) in enumerate(sorted(sizes.items(), key=lambda entry: entry[1])):
            share = left // (len(sizes) - done)
            with suppress(ToolFailure):
                data, stat = self._storage.read(parse_path(path), limit=share)
                cut_here = stat.size > len(data)
                kept = data[: data.rfind(b"\n") + 1] if cut_here else data  # cut at the end of a line
                text = kept.removeprefix(BOM).decode(errors="replace")
                found[path] = _Content(text, kept.count(b"\n") + 1 if cut_here else None)
                left -= min(len(found[path].text.encode()), left)
        return found


class _Content(NamedTuple):
    """A note's content, or its beginning.

    Attributes:
        text: The content.
        next_line: The line at which the rest begins; None where this is all.
    """

    text: str
    next_line: int | None


def _searched(search: NoteSearch, query: NoteQuery) -> tuple[NoteSearchResult, dict[str, Any]]:
    """Return the notes that are found, and what is said about them.

    Args:
        search: Searches them.
        query: What to look for.

    Raises:
        InvalidParameters: There is nothing at the cursor.
    """
    found = search.search(query)
    if query.first and not found.results:
        raise InvalidParameters(NOTHING_THERE)
    shown = query.first + len(found.results)
    metadata: dict[str, Any] = {"total": found.total, "truncated": shown < found.total}
    if shown < found.total:
        metadata["cursor"] = str(shown)
    if found.by_meaning:
        metadata["byMeaning"] = True
    if found.words_only:
        metadata["wordsOnly"] = found.words_only
    return found, metadata


def _notes_output(
    found: NoteSearchResult, first: int, contents: dict[str, _Content], metadata: dict[str, Any]
) -> Output:
    data = []
    for result in found.results:
        entry = found_note(result)
        content = contents.get(result.path)
        if content is not None:
            entry["content"] = content.text
            if content.next_line is not None:
                entry["content_truncated"] = True
                metadata["truncated"] = True
        data.append(entry)
    return Output({"results": data}, "\n".join(_text(found, first, contents)), metadata)


def _text(found: NoteSearchResult, first: int, contents: dict[str, _Content]) -> Iterator[str]:
    yield _heading(found)
    for number, result in enumerate(found.results, first + 1):
        if found.matching == number - 1 and found.matching and not found.question:
            yield ""
            yield "By words and meaning:" if found.by_meaning else "With some of the words:"
        yield ""
        yield f"{number}. {result.place}"
        content = contents.get(result.path)
        if content is None:
            yield from [f"   {result.excerpt}"] if result.excerpt else []
            continue
        yield content.text.rstrip("\n")
        if content.next_line is not None:
            yield f"[Cut here. For the rest, read_file {result.path!r} with start_line {content.next_line}.]"
    shown = first + len(found.results)
    if shown < found.total:
        yield ""
        yield f"[{first + 1}-{shown} of {found.total} shown. For the next, set cursor to '{shown}'.]"
    if found.words_only:
        yield words_only(found.words_only)
    if found.indexing:
        yield STILL_INDEXED


def _heading(found: NoteSearchResult) -> str:
    if not found.total:
        if found.exact:
            return "No results. Operators are exact; leave some out, or search for plain words."
        return "No results. Try other words, or fewer letters of them."
    if found.exact:
        return f"Found {counted(found.total, 'result')}:"
    if found.question:
        how = "by words and meaning" if found.by_meaning else "with some of the words"
        return f"Found {counted(found.total, 'note')} {how}, the likeliest first:"
    if not found.matching:
        how = "by words and meaning" if found.by_meaning else "with some of them"
        return f"No note has all the words. Found {counted(found.total, 'note')} {how}:"
    return f"Found {counted(found.matching, 'note')} with all the words:"

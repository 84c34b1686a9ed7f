"""The tool `search_notes`: notes by words, or in Obsidian's search language."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Annotated, Any

from pydantic import Field

from bridge.errors import InvalidParameters, ToolFailure
from bridge.index.search.note_search import FoundNote, NoteQuery, NoteSearch, NoteSearchResult
from bridge.index.search.query import MAX_LENGTH
from bridge.index.search.text_session import has_text
from bridge.toolkit.parameters import NUMBER, TEXT, Sentence, a_list, members
from bridge.toolkit.tool import STILL_INDEXED, CallContext, Output, ReadEffect, ReadTool, matching
from bridge.tools.core.passages import found_note, words_only
from bridge.tools.formatting import counted, shortened
from bridge.tools.kinds import SnakeCaseParams, read_spec
from bridge.tools.storage import Storage
from bridge.vault.paths import parse_path
from bridge.vault.text import BOM

USUAL = 10
"""Notes in one answer, where no other number is asked for."""
MOST = 50

_MISSING = "query is required and must be a non-empty string."
_FOOT = 200
"""Bytes kept for what is said below the content of each note."""


class SearchNotesParams(SnakeCaseParams):
    """The query, and where to go on."""

    query: Annotated[str, Field(min_length=1, max_length=MAX_LENGTH), Sentence(_MISSING)] = Field(
        description="Words to search for, or a question; notes with all of up to three words come first. Or "
        "Obsidian's search operators, which are "
        'exact: "a phrase", OR, -not, (groups), /regex/, file: path: tag: line:() section:() task: [property:value]'
    )
    read_content: bool = Field(default=False, description="Return full file content, not only excerpts")
    limit: int = Field(default=USUAL, ge=1, le=MOST, description="Maximum number of notes to return")
    cursor: str | None = Field(
        default=None, pattern=r"^[1-9][0-9]{0,6}$", description="The last answer's metadata.cursor, for the next page"
    )


class SearchNotesTool(ReadTool[SearchNotesParams]):
    """The tool that searches the vault's notes.

    Args:
        storage: The vault.
        search: Searches them.
    """

    spec = read_spec(
        name="search_notes",
        title="Search notes",
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

    def __init__(self, storage: Storage, search: NoteSearch) -> None:
        self._storage = storage
        self._search = search

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
        ignored = self._storage.ignored(context.settings.ignore_patterns)
        found = self._search.search(
            NoteQuery(
                params.query, context.deadline, excludes=(ignored,) if ignored else (), first=first, count=params.limit
            )
        )
        if first and not found.results:
            raise InvalidParameters("There is nothing at this cursor, or no more; begin again without cursor")
        contents: dict[str, _Content] = {}
        if params.read_content:
            contents = self._contents(found.results, context.settings.max_output_bytes)
        return _output(found, first, contents)

    def _contents(self, results: Sequence[FoundNote], most: int) -> dict[str, "_Content"]:
        """Return the content of notes, short ones whole, and long ones as far as there is space."""
        used = sum(len(f"{result.path}{result.excerpt}".encode()) + _FOOT for result in results)
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
                found[path] = _Content(data, cut=stat.size > len(data))
                left -= min(len(found[path].text.encode()), left)
        return found


class _Content:
    """A note's content, or its beginning, cut at the end of a line.

    Args:
        data: Its first bytes, or all.
        cut: Whether there are more.
    """

    def __init__(self, data: bytes, *, cut: bool) -> None:
        self.cut = cut
        kept = data[: data.rfind(b"\n") + 1] if cut else data
        self.text = kept.removeprefix(BOM).decode(errors="replace")
        self.next_line = kept.count(b"\n") + 1


def _output(found: NoteSearchResult, first: int, contents: dict[str, _Content]) -> Output:
    shown = first + len(found.results)
    metadata: dict[str, Any] = {"total": found.total, "truncated": shown < found.total}
    if shown < found.total:
        metadata["cursor"] = str(shown)
    if found.matching < found.total:
        metadata["withAllWords"] = found.matching
    if found.by_meaning:
        metadata["byMeaning"] = True
    if found.words_only:
        metadata["wordsOnly"] = found.words_only
    if found.indexing:
        metadata["indexing"] = True
    data = []
    for result in found.results:
        entry = found_note(result)
        content = contents.get(result.path)
        if content is not None:
            entry["content"] = content.text
            if content.cut:
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
        if content.cut:
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

"""The tool `search_vectors`: the notes that are nearest in meaning to a text, or to a vector of the same model."""

from typing import Annotated, Any

from pydantic import Field

from bridge.errors import InvalidParameters
from bridge.index.search.note_search import FoundPassage, NoteSearch
from bridge.index.search.query_parser import MAX_LENGTH
from bridge.toolkit.output_schema import NUMBER, TEXT, WHOLE, a_list, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect, matching
from bridge.tools.formatting import shortened
from bridge.tools.kinds import read_spec
from bridge.tools.notes.lookup import NoteLookup, NoteReadTool
from bridge.tools.parameters import SnakeCaseParams
from bridge.tools.passages import numbered, snippets, words_only

USUAL = 10
MOST = 50
MOST_NUMBERS = 16_384
_NOTHING = "No note is near that. Ask in other words, or use search_notes."


class SearchVectorsParams(SnakeCaseParams):
    """The text or vector to be near to, and how many notes to find."""

    query: str | None = Field(
        default=None, min_length=1, max_length=MAX_LENGTH, description="What to look for, in a sentence"
    )
    vector: (
        Annotated[list[Annotated[float, Field(allow_inf_nan=False)]], Field(min_length=1, max_length=MOST_NUMBERS)]
        | None
    ) = Field(default=None, description="Instead: a vector of the model that metadata.model names")
    limit: int = Field(default=USUAL, ge=1, le=MOST, description="Maximum number of notes to return (default: 10)")


class SearchVectorsTool(NoteReadTool[SearchVectorsParams]):
    """The tool that lists the notes nearest in meaning.

    Args:
        notes: Names them.
        search: Compares them.
    """

    spec = read_spec(
        name="search_vectors",
        title="Search by meaning",
        action="search/searched for what means the same as {query|a vector}[: {count:note}]",
        description=(
            "List the notes nearest in meaning to a text (or to a vector), whatever their words, each with the lines "
            "that are nearest. For names, exact words and most questions, search_notes is better."
        ),
        icon="waypoints",
        parameters=SearchVectorsParams,
        output=a_list(
            members(name=TEXT, path=TEXT, score=NUMBER, heading=TEXT, start_line=WHOLE, end_line=WHOLE, snippet=TEXT)
        ),
        default_rate=60,
    )

    def __init__(self, notes: NoteLookup, search: NoteSearch) -> None:
        super().__init__(notes)
        self._search = search

    def prepare(self, params: SearchVectorsParams, context: CallContext) -> ReadEffect:
        """Check that one thing is asked for."""
        del context
        if (params.query is None) == (params.vector is None):
            raise InvalidParameters("Give either query or vector")
        if params.query is not None and not params.query.strip():
            raise InvalidParameters("query must be a non-empty string")
        what = repr(shortened(params.query)) if params.query is not None else "a vector"
        return ReadEffect(matching("**"), f"Search the notes for what is near {what} in meaning")

    def run(self, params: SearchVectorsParams, context: CallContext) -> Output:
        """Compare; a text by its words where meaning cannot be compared."""
        ignored = self._notes.storage.ignored(context.settings.ignore_patterns)
        excludes = (ignored,) if ignored else ()
        asked = params.query if params.query is not None else params.vector or []
        near = self._search.near(asked, params.limit, context.deadline, excludes)
        state = self._search.meaning
        why = state.why_not or "meaning cannot be compared now"
        if near is None and params.query is None:
            raise InvalidParameters(f"A vector cannot be compared: {why}. Give a query")
        found = near if near is not None else self._by_words(str(asked), params.limit, context, excludes)
        shown = snippets(found)
        data = [
            {
                "name": self._notes.short_name(passage.path),
                "path": passage.path,
                "score": round(passage.likeness, 4),
                "heading": passage.heading,
                "start_line": passage.lines[0],
                "end_line": passage.lines[1],
                "snippet": snippet,
            }
            for passage, snippet in zip(found, shown, strict=True)
        ]
        metadata: dict[str, Any] = {"byMeaning": near is not None}
        if state.model:
            metadata |= {"model": state.model, "dimensions": state.dimensions}
        lines = [*numbered(found, shown)] or [_NOTHING]
        if len(found) == params.limit:
            lines.append(f"[The nearest {len(found)} shown.{' Raise limit for more.' if len(found) < MOST else ''}]")
        if near is None:
            metadata["wordsOnly"] = why
            lines.append(words_only(why))
        return Output(data, "\n".join(lines), metadata)

    def _by_words(self, query: str, count: int, context: CallContext, excludes: tuple[Any, ...]) -> list[FoundPassage]:
        """Return the best passage of each note that holds words of a query; without a likeness."""
        best: dict[str, FoundPassage] = {}
        for passage in self._search.passages(query, context.deadline, excludes):
            best.setdefault(passage.path, passage)
        return list(best.values())[:count]

"""The tools for near notes: `find_related`, by links, rare tags and meaning, and `search_vectors`, by meaning alone.

Each relation has a weight between 0 and 1, and together they count as independent evidence does: 1 - (1-a)(1-b)...
So a score is below 1, and one more relation never lowers it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import log, prod
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from bridge.errors import InvalidParameters
from bridge.index.knowledge import ResolvedNote
from bridge.index.search.note_search import FoundPassage
from bridge.index.search.passages import NearPassage
from bridge.index.search.query import MAX_LENGTH
from bridge.toolkit.parameters import NUMBER, TEXT, WHOLE, a_list, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect, matching
from bridge.tools.core.passages import SearchingTool, found_passage, numbered, snippets, words_only
from bridge.tools.formatting import shortened
from bridge.tools.kinds import NoteName, SnakeCaseParams, left_out, read_spec
from bridge.tools.notes.lookup import NoteLookup, NoteReadTool
from bridge.vault.text import CANVAS_EXTENSION, NOTE_EXTENSION

NearNotes = Callable[[str, int], Sequence[NearPassage] | None]
"""For a note's path and a number of notes, the nearest in meaning; None where it cannot be compared."""


MOST_RELATED = 100
_MOST_RELATIONS = 10

BACKLINK = 0.6
FORWARD_LINK = 0.5
SHARED_TAG = 0.45
"""The weight of a tag that only these two notes have; one that every note has weighs nothing."""

MEANING = 0.5
"""The weight of meaning the same."""
LEAST_LIKENESS = 0.5
"""The least likeness in meaning. Of two notes that have nothing to do with each other, hardly one pair reaches it."""
_MOST_ALIKE = 20

MOST_VISITS = 100_000
"""Notes looked at for their tags, the rarest tags first; what common tags add is little."""


class FindRelatedParams(SnakeCaseParams):
    """The note, and how many related ones to find at most."""

    name: NoteName = Field(description="Note name or wikilink")
    limit: int = Field(default=10, ge=1, le=MOST_RELATED, description="Maximum number of related notes to return")


class FindRelatedTool(NoteReadTool[FindRelatedParams]):
    """The tool that lists the notes and canvases near a note.

    Args:
        notes: Finds them.
        meaning: For a note's path and a number, the notes nearest in meaning; None where it cannot be compared.
    """

    spec = read_spec(
        name="find_related",
        action="look/looked for notes related to {name|a note}",
        description="Notes and canvases related to a note: those that link to it, that it links to, that share tags, "
        "or that are about the same, nearest first.",
        icon="network",
        parameters=FindRelatedParams,
        output=a_list(members(name=TEXT, path=TEXT, score=NUMBER, relationship=TEXT)),
        default_rate=60,
    )

    asks = "Find the notes related to"

    def __init__(self, notes: NoteLookup, meaning: NearNotes) -> None:
        super().__init__(notes)
        self._meaning = meaning

    def run(self, params: FindRelatedParams, context: CallContext) -> Output:
        """Relate."""
        note = self._notes.resolve(params.name)
        near = self._meaning(note.path, _MOST_ALIKE)
        excludes = left_out(self._notes.storage, context)
        alike = [each for each in near or () if not any(rule(each.path) for rule in excludes)]
        related = related_notes(self._notes, note, alike)
        data = [
            {
                "name": self._notes.short_name(each.path),
                "path": each.path,
                "score": each.score,
                "relationship": each.relations[0]["relationship"],
                "relations": each.relations[:_MOST_RELATIONS],
            }
            for each in related[: params.limit]
        ]
        lines = [
            f"{each['path']} ({', '.join(_in_words(relation) for relation in each['relations'])})" for each in data
        ]
        if not related:
            ways = "links or tags" if near is None else "links, tags or meaning"
            lines.append(f"No note is related to {note.path!r} by {ways}.")
        elif len(related) > len(data):
            on = " Raise limit for more." if len(data) < MOST_RELATED else ""
            lines.append(f"[{len(data)} of {len(related)} related notes shown.{on}]")
        metadata: dict[str, Any] = {"total": len(related), "truncated": len(related) > len(data)}
        if near is not None:
            metadata["byMeaning"] = True
        return Output(data, "\n".join(lines), metadata)


class Related(NamedTuple):
    """A related note.

    Attributes:
        path: Its path.
        score: How near it is, from 0 to 1.
        relations: The kinds of relation with their weights, the strongest first.
    """

    path: str
    score: float
    relations: list[dict[str, Any]]


def related_notes(notes: NoteLookup, note: ResolvedNote, alike: Sequence[NearPassage]) -> list[Related]:
    """Return every note and canvas that is related to a note, the nearest first; equally near ones by path.

    Args:
        notes: Finds them.
        note: The one.
        alike: Passages of notes that are near it in meaning.
    """
    found = defaultdict[str, list[dict[str, Any]]](list)

    def relate(paths: Iterable[str], relation: dict[str, Any]) -> None:
        for path in paths:
            if path != note.path and path.lower().endswith((NOTE_EXTENSION, CANVAS_EXTENSION)):
                found[path].append(relation)

    relate(notes.backlinks(note), {"relationship": "backlink_from", "weight": BACKLINK})
    relate(notes.links(note)[0], {"relationship": "forwardlink_to", "weight": FORWARD_LINK})
    tagged = {tag.lower(): (tag, notes.knowledge.tagged(tag)) for tag in notes.facts(note).tags}
    everything = max(notes.knowledge.status().notes, 2)
    visits = 0
    for tag, paths in sorted(tagged.values(), key=lambda each: (len(each[1]), each[0])):
        visits += len(paths)
        weight = round(SHARED_TAG * log(everything / max(len(paths), 1)) / log(everything), 4)
        if visits > MOST_VISITS or weight <= 0:
            break
        relate(paths, {"relationship": "shared_tag", "tag": tag, "weight": weight})
    for near in alike:
        if near.likeness >= LEAST_LIKENESS:
            weight = round(MEANING * (near.likeness - LEAST_LIKENESS) / (1 - LEAST_LIKENESS), 4)
            relate([near.path], {"relationship": "semantically_related", "weight": weight})
    related = []
    for path, relations in found.items():
        relations.sort(key=lambda relation: -relation["weight"])
        related.append(Related(path, round(1 - prod(1 - relation["weight"] for relation in relations), 4), relations))
    return sorted(related, key=lambda each: (-each.score, each.path))


def _in_words(relation: dict[str, str]) -> str:
    words = {
        "backlink_from": "links to it",
        "forwardlink_to": "is linked from it",
        "semantically_related": "is about something similar",
    }
    return words.get(relation["relationship"]) or f"shares {relation['tag']}"


MOST_NEAR = 50
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
    limit: int = Field(default=10, ge=1, le=MOST_NEAR, description="Maximum number of notes to return (default: 10)")


class SearchVectorsTool(SearchingTool[SearchVectorsParams]):
    """The tool that lists the notes nearest in meaning."""

    spec = read_spec(
        name="search_vectors",
        title="Search by meaning",
        action="search/searched for what means the same as {query|a vector}[: {count:note}]",
        description="List the notes nearest in meaning to a text (or to a vector), whatever their words, each with "
        "the lines that are nearest. For names, exact words and most questions, search_notes is better.",
        icon="waypoints",
        parameters=SearchVectorsParams,
        output=a_list(
            members(name=TEXT, path=TEXT, score=NUMBER, heading=TEXT, start_line=WHOLE, end_line=WHOLE, snippet=TEXT)
        ),
        default_rate=60,
    )

    def prepare(self, params: SearchVectorsParams, _context: CallContext) -> ReadEffect:
        """Check that one thing is asked for."""
        if (params.query is None) == (params.vector is None):
            raise InvalidParameters("Give either query or vector")
        if params.query is not None and not params.query.strip():
            raise InvalidParameters("query must be a non-empty string")
        what = repr(shortened(params.query)) if params.query is not None else "a vector"
        return ReadEffect(matching("**"), f"Search the notes for what is near {what} in meaning")

    def run(self, params: SearchVectorsParams, context: CallContext) -> Output:
        """Compare; a text by its words where meaning cannot be compared."""
        excludes = left_out(self._storage, context)
        asked = params.query if params.query is not None else params.vector or []
        near = self._search.near(asked, params.limit, context.deadline, excludes)
        state = self._search.meaning
        why = state.why_not or "meaning cannot be compared now"
        if near is None and params.query is None:
            raise InvalidParameters(f"A vector cannot be compared: {why}. Give a query")
        found = near if near is not None else self._by_words(str(asked), params.limit, context, excludes)
        shown = snippets(found)
        notes = NoteLookup(self._storage)
        data = [
            {"name": notes.short_name(passage.path), "path": passage.path, "score": round(passage.likeness, 4)}
            | found_passage(passage, snippet)
            for passage, snippet in zip(found, shown, strict=True)
        ]
        metadata: dict[str, Any] = {"byMeaning": near is not None}
        if state.model:
            metadata |= {"model": state.model, "dimensions": state.dimensions}
        lines = [*numbered(found, shown)] or [_NOTHING]
        if len(found) == params.limit:
            lines.append(
                f"[The nearest {len(found)} shown.{' Raise limit for more.' if len(found) < MOST_NEAR else ''}]"
            )
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

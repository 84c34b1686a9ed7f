"""The tool `context_pack`: what a model should read before it answers a question, within a budget.

A token is counted as three bytes of UTF-8. Tokens of running text are longer (about four letters), those of other
scripts seldom shorter, so what is said stays below the budget whichever model reads it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pydantic import Field

from bridge.errors import InvalidParameters
from bridge.index.search.note_search import FoundPassage, NoteSearch
from bridge.index.search.query_parser import MAX_LENGTH
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, matching
from bridge.tools.formatting import shortened
from bridge.tools.kinds import read_spec
from bridge.tools.parameters import SnakeCaseParams
from bridge.tools.passages import words_only
from bridge.tools.storage import Storage

BYTES = 3
"""Bytes of UTF-8 that count as a token."""
USUAL = 2000
LEAST = 100
MOST = 20_000

WORTH_READING = 0.35
"""The part of the best passage's score from which a passage is worth reading."""
NEIGHBOUR = 0.5
"""The same for a note that is only linked from or to what answers."""
_LINKED_NOTES = 5
"""Notes, the first that answer, whose neighbours are looked at."""
_NEIGHBOURS = 40
_FOOT = 70
"""Bytes that are kept for the line that says that there is more."""
_NOTHING = "No passage holds any of the words. Ask in other words."


class ContextPackParams(SnakeCaseParams):
    """The question, and how much may be read."""

    question: str = Field(min_length=1, max_length=MAX_LENGTH, description="What you want to know, as a sentence")
    budget: int = Field(default=USUAL, ge=LEAST, le=MOST, description="Most tokens of the answer (default: 2000)")


class _Chosen(NamedTuple):
    """A passage to be read, and by which note's links it came; empty when it answers by itself."""

    passage: FoundPassage
    by: str = ""

    @property
    def text(self) -> str:
        """Return it as it is read."""
        heading = f" ({self.passage.heading})" if self.passage.heading else ""
        by = f", {self.by}" if self.by else ""
        return f"[{self.passage.place}{heading}{by}]\n{self.passage.text}\n"


class ContextPackTool(ReadTool[ContextPackParams]):
    """The tool that collects what answers a question.

    Args:
        storage: The vault.
        search: Searches it.
    """

    spec = read_spec(
        name="context_pack",
        title="Collect context",
        action="collect/collected what the vault says on {question|a question}[: {count:passage}]",
        description=(
            "Collect what the notes say on a question, within a budget of tokens: the best passages with note, "
            "heading and lines, and passages of linked notes where they add something."
        ),
        icon="package-search",
        parameters=ContextPackParams,
        default_rate=30,
    )

    def __init__(self, storage: Storage, search: NoteSearch) -> None:
        self._storage = storage
        self._search = search

    def prepare(self, params: ContextPackParams, context: CallContext) -> ReadEffect:
        """Check the question."""
        del context
        if not params.question.strip():
            raise InvalidParameters("question is required and must be a non-empty string.")
        return ReadEffect(matching("**"), f"Collect what the notes say on {shortened(params.question)!r}")

    def run(self, params: ContextPackParams, context: CallContext) -> Output:
        """Collect."""
        ignored = self._storage.ignored(context.settings.ignore_patterns)
        found = self._search.passages(params.question, context.deadline, (ignored,) if ignored else ())
        best = max((passage.score for passage in found), default=0.0)
        answers = [_Chosen(passage) for passage in found if passage.score >= WORTH_READING * best]
        pack = _Pack(min(params.budget * BYTES, context.settings.max_output_bytes) - _FOOT)
        pack.fill(answers)
        if pack.room > LEAST:
            near = self._neighbours([chosen.passage for chosen in pack.chosen], [each.passage.path for each in answers])
            if ignored:
                near = {path: by for path, by in near.items() if not ignored(path)}
            passages = self._search.passages_in(params.question, list(near)[:_NEIGHBOURS], context.deadline)
            pack.fill(_Chosen(each, near[each.path]) for each in passages if each.score >= NEIGHBOUR * best)
        text = "\n".join(chosen.text for chosen in pack.chosen) or _NOTHING
        tokens = -(-len(text.encode()) // BYTES)
        metadata: dict[str, Any] = {"total": len(found), "tokens": tokens, "truncated": pack.left_out}
        if pack.left_out:
            text = f"{text}\n[{len(pack.chosen)} passages of at least {len(pack.chosen) + 1}; raise budget for more.]"
        if any(passage.likeness for passage in found):
            metadata["byMeaning"] = True
        if why := self._search.meaning.fault:
            metadata["wordsOnly"] = why
            text = f"{text}\n{words_only(why)}"
        return Output({"passages": [_entry(chosen) for chosen in pack.chosen]}, text, metadata)

    def _neighbours(self, passages: Sequence[FoundPassage], answers: Sequence[str]) -> dict[str, str]:
        """Return the notes that passages link to, and those that link to the notes of the first: how each came."""
        knowledge = self._storage.knowledge
        found: dict[str, str] = {}
        for passage in passages:
            for link in knowledge.links_from(passage.path):
                if passage.start <= link.start < passage.end:
                    target = knowledge.names.resolve(link.linkpath, passage.path)
                    if target is not None:
                        found.setdefault(target, f"linked from {passage.path}")
        for path in list(dict.fromkeys(passage.path for passage in passages))[:_LINKED_NOTES]:
            for link in knowledge.backlinks(path):
                found.setdefault(link.source, f"links to {path}")
        return {path: by for path, by in found.items() if path not in answers}


class _Pack:
    """Passages that fit into a room together.

    Args:
        room: Bytes.

    Attributes:
        chosen: Those that are in.
        room: What is left.
        left_out: Whether one had no room.
    """

    def __init__(self, room: int) -> None:
        self.chosen: list[_Chosen] = []
        self.room = room
        self.left_out = False
        self._said: set[str] = set()

    def fill(self, passages: "Iterator[_Chosen] | Sequence[_Chosen]") -> None:
        """Put in what fits and says what is not there yet, in this order."""
        for each in passages:
            said = " ".join(each.passage.text.split())
            size = len(each.text.encode()) + 1
            if said in self._said:
                continue
            if size > self.room:
                self.left_out = True
                continue
            self._said.add(said)
            self.room -= size
            self.chosen.append(each)


def _entry(chosen: _Chosen) -> dict[str, Any]:
    passage = chosen.passage
    entry: dict[str, Any] = {
        "path": passage.path,
        "heading": passage.heading,
        "start_line": passage.lines[0],
        "end_line": passage.lines[1],
        "text": passage.text,
    }
    if passage.page is not None:
        entry["page"] = passage.page
    if passage.is_drawn:
        entry["recognised"] = True
    return entry | ({"because": chosen.by} if chosen.by else {})

"""The tools `codebase_search` and `context_pack`: the passages of notes that answer a question.

Passages in a list take two kilobytes of text for ten, each with its place. `context_pack` collects what a model should
read, within a budget of tokens. A token is counted as three bytes of UTF-8: tokens of running text are longer (about
four letters), those of other scripts seldom shorter, so what is said stays below the budget whichever model reads it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from bridge.errors import InvalidParameters
from bridge.index.search.note_search import FoundNote, FoundPassage, NoteSearch
from bridge.index.search.query import MAX_LENGTH
from bridge.index.texts.globs import MAX_LENGTH as LONGEST_GLOB
from bridge.index.texts.globs import compile_glob
from bridge.toolkit.tool import CallContext, Output, P, ReadEffect, matching
from bridge.tools.formatting import cut, shortened
from bridge.tools.kinds import SnakeCaseParams, VaultReadTool, left_out, read_spec
from bridge.tools.storage import Storage
from bridge.vault.paths import nfc

ROOM = 1900
"""Bytes of text that all passages may take together; what is said below them comes on top."""
_LEAST = 60
_LINE = 11
"""Bytes of a passage that are neither its place nor its text: its number, its indent, its line breaks, three dots."""


def snippets(passages: Sequence[FoundPassage]) -> list[str]:
    """Return what is shown of each of some passages, so that they fit together."""
    room = max(ROOM // max(len(passages), 1), _LEAST)
    return [
        cut(" ".join(passage.text.split()), max(room - len(_place(passage).encode()) - _LINE, _LEAST))
        for passage in passages
    ]


def numbered(passages: Sequence[FoundPassage], shown: Sequence[str]) -> Iterator[str]:
    """Yield the lines of some passages, each with its number and place.

    Args:
        passages: The best first.
        shown: The part shown of each.
    """
    for number, (passage, snippet) in enumerate(zip(passages, shown, strict=True), 1):
        yield f"{number}. {_place(passage)}"
        yield f"   {snippet}"


def found_note(note: FoundNote) -> dict[str, Any]:
    """Return a note that was found as data."""
    return {"path": note.path, "excerpt": note.excerpt} | _in_file(note)


def found_passage(passage: FoundPassage, snippet: str) -> dict[str, Any]:
    """Return the heading, the lines and the text of a passage as data.

    Args:
        passage: The passage.
        snippet: The part of it that is shown.
    """
    first, last = passage.lines
    return {"heading": passage.heading, "start_line": first, "end_line": last, "snippet": snippet}


def _in_file(found: FoundNote | FoundPassage) -> dict[str, Any]:
    """Return what is said of text that is not in a note: its page, and whether it was recognised in a picture."""
    page = {} if found.page is None else {"page": found.page}
    return page | ({"recognised": True} if found.is_drawn else {})


def words_only(why: str) -> str:
    """Return the line that says that meaning was not compared, although it should have been.

    Args:
        why: The end of a sentence.
    """
    return f"[Found by words alone: {why}.]"


def _place(passage: FoundPassage) -> str:
    """Return the note, the lines and the heading of a passage."""
    return passage.place + (f" ({passage.heading})" if passage.heading else "")


MOST_PASSAGES = 10
_NO_PASSAGE = "No passage holds any of the words. Ask in other words, or in other directories."


class SearchingTool(VaultReadTool[P]):
    """A tool that searches the notes.

    Args:
        storage: The vault.
        search: Searches it.
    """

    def __init__(self, storage: Storage, search: NoteSearch) -> None:
        super().__init__(storage)
        self._search = search


class CodebaseSearchParams(SnakeCaseParams):
    """The question, and where to look."""

    query: str = Field(
        min_length=1,
        max_length=MAX_LENGTH,
        description="A complete question about what you want to understand. Ask as if talking to a colleague",
    )
    target_directories: (
        Annotated[list[Annotated[str, Field(min_length=1, max_length=LONGEST_GLOB)]], Field(max_length=20)] | None
    ) = Field(default=None, description="Glob patterns for directories to search over")
    explanation: str | None = Field(
        default=None,
        max_length=MAX_LENGTH,
        description="One sentence explanation as to why this tool is being used, and how it contributes to the goal.",
    )


class CodebaseSearchTool(SearchingTool[CodebaseSearchParams]):
    """The tool that finds the passages of notes that answer a question."""

    spec = read_spec(
        name="codebase_search",
        title="Search by question",
        action="search/searched for what answers {query|a question}[: {count:passage}]",
        description="Find the passages of notes most relevant to a question, each with its note, heading and lines. "
        "Ask a complete question; reuse the user's wording.",
        icon="message-circle-question",
        parameters=CodebaseSearchParams,
        default_rate=60,
    )

    def prepare(self, params: CodebaseSearchParams, _context: CallContext) -> ReadEffect:
        """Check the question and the globs."""
        if not params.query.strip():
            raise InvalidParameters("query is required and must be a non-empty string.")
        for folder in params.target_directories or ():
            compile_glob(_files_in(folder), case_sensitive=False)
        reason = (params.explanation or "").strip()
        why = f", because: {shortened(reason)}" if reason else ""
        return ReadEffect(matching("**"), f"Search the notes for {shortened(params.query)!r}{why}")

    def run(self, params: CodebaseSearchParams, context: CallContext) -> Output:
        """Search."""
        excludes: tuple[Callable[[str], bool], ...] = left_out(self._storage, context)
        if params.target_directories:
            excludes += (_outside(frozenset(params.target_directories)),)
        found = self._search.passages(params.query, context.deadline, excludes)
        shown = found[:MOST_PASSAGES]
        texts = snippets(shown)
        data = [
            {"file": passage.path} | found_passage(passage, snippet) | _in_file(passage)
            for passage, snippet in zip(shown, texts, strict=True)
        ]
        metadata: dict[str, Any] = {"total": len(found), "truncated": len(found) > len(shown)}
        if any(passage.likeness for passage in found):
            metadata["byMeaning"] = True
        lines = [*numbered(shown, texts)] or [_NO_PASSAGE]
        if len(found) > len(shown):
            lines.append(f"[{len(shown)} of {len(found)} passages shown. Use other words, or target_directories.]")
        if why := self._search.meaning.fault:
            metadata["wordsOnly"] = why
            lines.append(words_only(why))
        return Output({"results": data}, "\n".join(lines), metadata)


@lru_cache(maxsize=16)
def _outside(folders: frozenset[str]) -> Callable[[str], bool]:
    """Return the rule that leaves out what is in none of some folders, given as globs: the same rule for the same."""
    globs = [compile_glob(_files_in(folder), case_sensitive=False) for folder in folders]
    return lambda path: not any(glob.matches(nfc(path)) for glob in globs)


def _files_in(folder: str) -> str:
    """Return the glob of all files in the folders that a glob names."""
    kept = nfc(folder).strip("/").removeprefix("./")
    return "**" if kept in {"", ".", "**"} else kept if kept.endswith("/**") else f"{kept}/**"


TOKEN_BYTES = 3
"""Bytes of UTF-8 that count as a token."""
LEAST_TOKENS = 100
MOST_TOKENS = 20_000

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
    budget: int = Field(
        default=2000, ge=LEAST_TOKENS, le=MOST_TOKENS, description="Most tokens of the answer (default: 2000)"
    )


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

    @property
    def data(self) -> dict[str, Any]:
        """Return it for programs."""
        passage, (first, last) = self.passage, self.passage.lines
        place = {"path": passage.path, "heading": passage.heading, "start_line": first, "end_line": last}
        return place | {"text": passage.text} | _in_file(passage) | ({"because": self.by} if self.by else {})


class ContextPackTool(SearchingTool[ContextPackParams]):
    """The tool that collects what answers a question."""

    spec = read_spec(
        name="context_pack",
        title="Collect context",
        action="collect/collected what the vault says on {question|a question}[: {count:passage}]",
        description="Collect what the notes say on a question, within a budget of tokens: the best passages with "
        "note, heading and lines, and passages of linked notes where they add something.",
        icon="package-search",
        parameters=ContextPackParams,
        default_rate=30,
    )

    def prepare(self, params: ContextPackParams, _context: CallContext) -> ReadEffect:
        """Check the question."""
        if not params.question.strip():
            raise InvalidParameters("question is required and must be a non-empty string.")
        return ReadEffect(matching("**"), f"Collect what the notes say on {shortened(params.question)!r}")

    def run(self, params: ContextPackParams, context: CallContext) -> Output:
        """Collect."""
        excludes = left_out(self._storage, context)
        found = self._search.passages(params.question, context.deadline, excludes)
        best = max((passage.score for passage in found), default=0.0)
        answers = [_Chosen(passage) for passage in found if passage.score >= WORTH_READING * best]
        pack = _Pack(min(params.budget * TOKEN_BYTES, context.settings.max_output_bytes) - _FOOT)
        pack.fill(answers)
        if pack.room > LEAST_TOKENS:
            near = self._neighbours([chosen.passage for chosen in pack.chosen], [each.passage.path for each in answers])
            near = {path: by for path, by in near.items() if not any(rule(path) for rule in excludes)}
            passages = self._search.passages_in(params.question, list(near)[:_NEIGHBOURS], context.deadline)
            pack.fill(_Chosen(each, near[each.path]) for each in passages if each.score >= NEIGHBOUR * best)
        text = "\n".join(chosen.text for chosen in pack.chosen) or _NOTHING
        tokens = -(-len(text.encode()) // TOKEN_BYTES)
        metadata: dict[str, Any] = {"total": len(found), "tokens": tokens, "truncated": pack.left_out}
        if pack.left_out:
            text = f"{text}\n[{len(pack.chosen)} passages of at least {len(pack.chosen) + 1}; raise budget for more.]"
        if any(passage.likeness for passage in found):
            metadata["byMeaning"] = True
        if why := self._search.meaning.fault:
            metadata["wordsOnly"] = why
            text = f"{text}\n{words_only(why)}"
        return Output({"passages": [chosen.data for chosen in pack.chosen]}, text, metadata)

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

    def fill(self, passages: Iterable[_Chosen]) -> None:
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

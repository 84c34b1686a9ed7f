"""The tool `codebase_search`: the passages that answer a question."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from bridge.errors import InvalidParameters
from bridge.index.search.note_search import NoteSearch
from bridge.index.search.query_parser import MAX_LENGTH
from bridge.index.texts.globs import MAX_LENGTH as LONGEST_GLOB
from bridge.index.texts.globs import Glob, compile_glob
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, matching
from bridge.tools.formatting import shortened
from bridge.tools.kinds import read_spec
from bridge.tools.parameters import SnakeCaseParams
from bridge.tools.passages import numbered, snippets, words_only
from bridge.tools.storage import Storage
from bridge.vault.paths import nfc

MOST = 10
_MOST_FOLDERS = 20
_NOTHING = "No passage holds any of the words. Ask in other words, or in other directories."


class CodebaseSearchParams(SnakeCaseParams):
    """The question, and where to look."""

    query: str = Field(
        min_length=1,
        max_length=MAX_LENGTH,
        description="A complete question about what you want to understand. Ask as if talking to a colleague",
    )
    target_directories: (
        Annotated[list[Annotated[str, Field(min_length=1, max_length=LONGEST_GLOB)]], Field(max_length=_MOST_FOLDERS)]
        | None
    ) = Field(default=None, description="Glob patterns for directories to search over")
    explanation: str | None = Field(
        default=None,
        max_length=MAX_LENGTH,
        description="One sentence explanation as to why this tool is being used, and how it contributes to the goal.",
    )


class CodebaseSearchTool(ReadTool[CodebaseSearchParams]):
    """The tool that finds the passages of notes that answer a question.

    Args:
        storage: The vault.
        search: Searches it.
    """

    spec = read_spec(
        name="codebase_search",
        title="Search by question",
        action="search/searched for what answers {query|a question}[: {count:passage}]",
        description=(
            "Find the passages of notes most relevant to a question, each with its note, heading and lines. "
            "Ask a complete question; reuse the user's wording."
        ),
        icon="message-circle-question",
        parameters=CodebaseSearchParams,
        default_rate=60,
    )

    def __init__(self, storage: Storage, search: NoteSearch) -> None:
        self._storage = storage
        self._search = search

    def prepare(self, params: CodebaseSearchParams, context: CallContext) -> ReadEffect:
        """Check the question and the globs."""
        del context
        if not params.query.strip():
            raise InvalidParameters("query is required and must be a non-empty string.")
        for folder in params.target_directories or ():
            compile_glob(_files_in(folder), case_sensitive=False)
        reason = (params.explanation or "").strip()
        why = f", because: {shortened(reason)}" if reason else ""
        return ReadEffect(matching("**"), f"Search the notes for {shortened(params.query)!r}{why}")

    def run(self, params: CodebaseSearchParams, context: CallContext) -> Output:
        """Search."""
        ignored = self._storage.ignored(context.settings.ignore_patterns)
        outside = _Outside(params.target_directories) if params.target_directories else None
        excludes = tuple(each for each in (ignored, outside) if each is not None)
        found = self._search.passages(params.query, context.deadline, excludes)
        shown = found[:MOST]
        texts = snippets(shown)
        data = [
            {
                "file": passage.path,
                "heading": passage.heading,
                "start_line": passage.lines[0],
                "end_line": passage.lines[1],
                "snippet": snippet,
            }
            | ({} if passage.page is None else {"page": passage.page})
            | ({"recognised": True} if passage.is_drawn else {})
            for passage, snippet in zip(shown, texts, strict=True)
        ]
        metadata: dict[str, Any] = {"total": len(found), "truncated": len(found) > len(shown)}
        if any(passage.likeness for passage in found):
            metadata["byMeaning"] = True
        lines = [*numbered(shown, texts)] or [_NOTHING]
        if len(found) > len(shown):
            lines.append(f"[{len(shown)} of {len(found)} passages shown. Use other words, or target_directories.]")
        if why := self._search.meaning.fault:
            metadata["wordsOnly"] = why
            lines.append(words_only(why))
        return Output({"results": data}, "\n".join(lines), metadata)


class _Outside:
    """A rule that leaves out what is in some folders. Equal rules leave out the same.

    Args:
        folders: Globs.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = tuple(sorted(set(folders)))
        self._globs: list[Glob] = [compile_glob(_files_in(folder), case_sensitive=False) for folder in self._folders]

    def __call__(self, path: str) -> bool:
        """Return whether a path is in none of the folders."""
        return not any(glob.matches(nfc(path)) for glob in self._globs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Outside) and self._folders == other._folders

    def __hash__(self) -> int:
        return hash(self._folders)


def _files_in(folder: str) -> str:
    """Return the glob of all files in the folders that a glob names."""
    kept = nfc(folder).strip("/").removeprefix("./")
    return "**" if kept in {"", ".", "**"} else kept if kept.endswith("/**") else f"{kept}/**"

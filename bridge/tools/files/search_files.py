"""The tool `search_files`: the text of files by a regular expression, with excerpts."""

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from pydantic import Field

from bridge.index.texts.collectors import GrepHit, GrepResult
from bridge.index.texts.globs import MAX_LENGTH as LONGEST_GLOB
from bridge.index.texts.globs import Glob, check_glob, compile_glob
from bridge.index.texts.grep import Grep
from bridge.index.texts.patterns import MAX_LENGTH
from bridge.toolkit.output_schema import TEXT, WHOLE, a_list, members
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, matching
from bridge.tools.core.grep import lines_around, query_of
from bridge.tools.kinds import read_spec
from bridge.tools.parameters import SnakeCaseParams
from bridge.tools.storage import Storage
from bridge.vault.paths import nfc

USUAL_RESULTS = 10
MOST_RESULTS = 1000
USUAL_CONTEXT = 2
EXCERPTS = 5
"""Matching lines shown of one file."""
MOST_LINES = 10_000
"""Matching lines that are counted. The files with most of them come first, among those found until then."""

_NOTES = "**/*.md"
# JavaScript writes a character by its code so; a backslash before it must not be one of a pair.
_BY_CODE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|(.))", re.DOTALL)


class SearchFilesParams(SnakeCaseParams):
    """The expression to look for, and where."""

    pattern: str = Field(
        min_length=1,
        max_length=MAX_LENGTH,
        description="Regular expression, matched line by line and case-sensitive unless it begins with (?i)",
    )
    file_pattern: str | None = Field(
        default=None,
        max_length=LONGEST_GLOB,
        description="Glob pattern of the files to search, such as Projects/** or **/*.txt; case does not matter "
        "(default: all markdown files)",
    )
    context_lines: int = Field(
        default=USUAL_CONTEXT, ge=0, le=50, description="Lines of context before and after each match (default: 2)"
    )
    max_results: int = Field(
        default=USUAL_RESULTS, ge=1, le=MOST_RESULTS, description="Maximum files to return (default: 10)"
    )


class SearchFilesTool(ReadTool[SearchFilesParams]):
    """The tool that searches the text of the vault's files, and lists those in which most lines match.

    Args:
        storage: The vault.
        grep: Searches them.
    """

    spec = read_spec(
        name="search_files",
        title="Search files",
        action="search/searched the vault[ for {pattern}][: {count:file}]",
        description=(
            "Search file contents using a regular expression, with contextual excerpts around each match. "
            "For words rather than patterns use search_notes."
        ),
        icon="file-search",
        parameters=SearchFilesParams,
        output=a_list(
            members(path=TEXT, matches=WHOLE, excerpts=a_list(members(line=WHOLE, match=TEXT, context=TEXT)))
        ),
        default_rate=60,
    )

    def __init__(self, storage: Storage, grep: Grep) -> None:
        self._storage = storage
        self._grep = grep

    def prepare(self, params: SearchFilesParams, context: CallContext) -> ReadEffect:
        """Check the patterns."""
        self._grep.compile(_pattern(params), context.deadline)
        glob = _glob(params)
        check_glob(glob.text)
        return ReadEffect(
            matching(glob.text), f'Search the text of files that match "{glob.text}" for "{params.pattern}"'
        )

    def run(self, params: SearchFilesParams, context: CallContext) -> Output:
        """Count in all files, then look closer at the best."""
        pattern = self._grep.compile(_pattern(params), context.deadline)
        context_lines = params.context_lines
        query = query_of(self._storage, context, pattern, _glob(params), context_lines=context_lines, limit=MOST_LINES)
        counted = self._grep.count(query)
        best = sorted(counted.counts, key=lambda count: -count[1])[: params.max_results]
        close = dataclasses.replace(query, limit=EXCERPTS)
        shown = list(self._grep.search_files(close, [path for path, _lines in best]))
        return _output(
            params, counted, [(path, lines, found.hits) for (path, lines), found in zip(best, shown, strict=True)]
        )


def _pattern(params: SearchFilesParams) -> str:
    """Return the pattern, characters written by their codes as RE2 has them."""
    return _BY_CODE.sub(lambda code: code[0] if code[3] else f"\\x{{{code[1] or code[2]}}}", params.pattern)


def _glob(params: SearchFilesParams) -> Glob:
    text = nfc((params.file_pattern or "").strip().lstrip("/"))
    if text.endswith("/"):
        text += "**"
    return compile_glob(text or _NOTES, case_sensitive=False)


def _output(params: SearchFilesParams, counted: GrepResult, best: list[tuple[str, int, list[GrepHit]]]) -> Output:
    data: list[dict[str, Any]] = [
        {
            "path": path,
            "matches": lines,
            "excerpts": [{"line": hit.line, "match": hit.match, "context": hit.context} for hit in hits],
        }
        for path, lines, hits in best
        if hits  # else it was changed or removed meanwhile
    ]
    total = len(counted.counts)
    metadata: dict[str, Any] = {
        "total": total,
        "truncated": counted.more or total > len(data),
        "filesSearched": counted.files,
    }
    if counted.indexing:
        metadata["indexing"] = True
    if not data:
        return Output(data, f'No matches found for "{params.pattern}" in {counted.files} files.', metadata)
    lines = [f"Found {len(data)} matching file(s):"]
    for path, count, hits in best:
        if hits:
            lines += ["", f"## {path}", *_excerpts(hits)]
            if count > len(hits):
                lines.append(f"[{count - len(hits)} more matching lines in this file]")
    if counted.more:
        lines += ["", f"[Counting stopped at {MOST_LINES:,} matching lines; use a more specific pattern.]"]
    elif total > len(data):
        lines += ["", f"[{len(data)} of {total} matching files shown. Raise max_results, or narrow file_pattern.]"]
    return Output(data, "\n".join(lines), metadata)


def _excerpts(hits: list[GrepHit]) -> Iterator[str]:
    """Yield the matching lines with those around them, each line once; an empty line where some are left out."""
    last = None
    for number, text, matches in lines_around(hits):
        if last is not None and number > last + 1:
            yield ""
        yield f"Line {number}: {'>' if matches else ' '} {text}"
        last = number

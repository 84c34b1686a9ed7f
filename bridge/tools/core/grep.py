"""The tools `grep` and `search_files`: the text of files by a regular expression."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from pydantic import Field

from bridge.contract.base import Params
from bridge.index.texts.globs import MAX_LENGTH as LONGEST_GLOB
from bridge.index.texts.globs import Glob, check_glob, compile_glob
from bridge.index.texts.grep import Grep, GrepHit, GrepQuery, GrepResult
from bridge.index.texts.patterns import MAX_LENGTH
from bridge.toolkit.parameters import TEXT, WHOLE, a_list, members
from bridge.toolkit.tool import MINIMAL, VAULT, CallContext, Output, P, ReadEffect, matching
from bridge.tools.kinds import SnakeCaseParams, VaultReadTool, left_out, read_spec
from bridge.tools.storage import Storage
from bridge.vault.paths import nfc


class GrepParams(Params):
    """The pattern to look for, and where."""

    pattern: str = Field(
        min_length=1,
        max_length=MAX_LENGTH,
        description="Regex pattern to search (RE2 syntax, line by line, case-sensitive unless it begins with (?i))",
    )
    file_pattern: str | None = Field(
        default=None,
        min_length=1,
        max_length=LONGEST_GLOB,
        description="Limit search to files matching this glob, such as 'Projects/**/*.md'",
    )
    context_lines: int | None = Field(
        default=None, ge=0, le=50, description="Lines of context around matches (default 2, or the user's setting)"
    )
    max_matches: int | None = Field(
        default=None, ge=1, le=10_000, description="Maximum number of matches (default 100, or the user's setting)"
    )


class PatternTool(VaultReadTool[P]):
    """A tool that searches the text of the vault's files.

    Args:
        storage: The vault.
        grep: Searches them.
    """

    def __init__(self, storage: Storage, grep: Grep) -> None:
        super().__init__(storage)
        self._grep = grep

    def _query(
        self, pattern: str, glob: Glob | None, context: CallContext, *, context_lines: int, limit: int
    ) -> GrepQuery:
        """Return the search of a call: what the user ignores is left out, and progress goes to the caller.

        Args:
            pattern: What to look for.
            glob: Which files; None for all.
            context: The call.
            context_lines: Lines of context on each side of a hit.
            limit: The most hits.
        """
        return GrepQuery(
            pattern=self._grep.compile(pattern, context.deadline),
            glob=glob,
            excludes=left_out(self._storage, context),
            context_lines=context_lines,
            limit=limit,
            deadline=context.deadline,
            progress=lambda files: context.progress(files, None, f"{files} files searched"),
        )


class GrepTool(PatternTool[GrepParams]):
    """The tool that finds lines."""

    spec = read_spec(
        name="grep",
        action="search/searched the vault[ for {pattern}][: {count:line}]",
        description="Find lines by a regular expression, with the lines around each.",
        icon="text-search",
        parameters=GrepParams,
        output=a_list(members(file=TEXT, line=WHOLE, match=TEXT, context=TEXT)),
        default_rate=60,
        presets=frozenset({MINIMAL, VAULT}),
    )

    def prepare(self, params: GrepParams, context: CallContext) -> ReadEffect:
        """Check the patterns."""
        self._grep.compile(params.pattern, context.deadline)
        where = "all files"
        if params.file_pattern is not None:
            compile_glob(nfc(params.file_pattern))
            check_glob(params.file_pattern)
            where = f"files matching {params.file_pattern!r}"
        return ReadEffect(matching(params.file_pattern or "**"), f"Search the text of {where} for {params.pattern!r}")

    def run(self, params: GrepParams, context: CallContext) -> Output:
        """Search."""
        settings = context.settings
        context_lines = settings.grep_context_lines if params.context_lines is None else params.context_lines
        limit = params.max_matches or settings.grep_max_matches
        glob = None if params.file_pattern is None else compile_glob(nfc(params.file_pattern))
        found = self._grep.search(self._query(params.pattern, glob, context, context_lines=context_lines, limit=limit))
        return _output(params, found, limit)


def hit_data(hit: GrepHit) -> dict[str, Any]:
    """Return a matching line as data."""
    return {"line": hit.line, "match": hit.match, "context": hit.context}


def lines_around(hits: Iterable[GrepHit]) -> Iterator[tuple[int, str, bool, bool]]:
    """Yield the lines that match in one file and those around them, each once and in order.

    Returns:
        The number of each line, its text, whether it matches, and whether lines are left out before it.
    """
    lines: dict[int, tuple[str, bool]] = {}
    for hit in hits:
        for number, text in enumerate([*hit.before, hit.match, *hit.after], hit.line - len(hit.before)):
            lines.setdefault(number, (text, False))
        lines[hit.line] = (hit.match, True)
    last = min(lines, default=0)
    for number in sorted(lines):
        yield number, *lines[number], number > last + 1
        last = number


def _output(params: GrepParams, found: GrepResult, limit: int) -> Output:
    data = [{"file": hit.file} | hit_data(hit) for hit in found.hits]
    truncated = found.more or found.full
    metadata: dict[str, Any] = {"truncated": truncated, "limit": limit, "filesSearched": found.files}
    if not truncated:
        metadata["total"] = len(data)
    if found.indexing:
        metadata["indexing"] = True
    return Output(data, "\n".join([*_listing(found.hits), *_remarks(params, found)]), metadata)


def _listing(hits: Iterable[GrepHit]) -> Iterator[str]:
    """Yield the hits as grep prints them, a block a file: `12:` before a matching line, `12-` before those around."""
    for file, group in groupby(hits, key=lambda hit: hit.file):
        of_file = list(group)
        has_context = any(hit.before or hit.after for hit in of_file)
        yield file
        for number, text, matches, follows_gap in lines_around(of_file):
            if has_context and follows_gap:
                yield "--"
            yield f"{number}{':' if matches else '-'}{text}"
        yield ""


def _remarks(params: GrepParams, found: GrepResult) -> Iterator[str]:
    """Yield remarks for a model on how complete the answer is."""
    first = f"The first {len(found.hits)} of at least {len(found.hits) + 1} matches shown"
    if found.full:
        yield f"[{first}: more would be too long. Use fewer contextLines, or narrow the search.]"
    elif found.more:
        yield f"[{first}. Narrow the search, or raise maxMatches.]"
    elif not found.files and params.file_pattern is not None:
        yield f"No text file matches filePattern {params.file_pattern!r}; '**/*.md' means the notes of all folders."
    elif not found.hits:
        yield f"No matches for {params.pattern!r} in {found.files} files."


MOST_RESULTS = 1000
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
        default=2, ge=0, le=50, description="Lines of context before and after each match (default: 2)"
    )
    max_results: int = Field(default=10, ge=1, le=MOST_RESULTS, description="Maximum files to return (default: 10)")


class SearchFilesTool(PatternTool[SearchFilesParams]):
    """The tool that lists the files in which most lines match."""

    spec = read_spec(
        name="search_files",
        action="search/searched the vault[ for {pattern}][: {count:file}]",
        description="Search file contents using a regular expression, with contextual excerpts around each match. For "
        "words rather than patterns use search_notes.",
        icon="file-search",
        parameters=SearchFilesParams,
        output=a_list(
            members(path=TEXT, matches=WHOLE, excerpts=a_list(members(line=WHOLE, match=TEXT, context=TEXT)))
        ),
        default_rate=60,
    )

    def prepare(self, params: SearchFilesParams, context: CallContext) -> ReadEffect:
        """Check the patterns."""
        self._grep.compile(_re2_pattern(params), context.deadline)
        glob = _files_glob(params)
        check_glob(glob.text)
        return ReadEffect(
            matching(glob.text), f'Search the text of files that match "{glob.text}" for "{params.pattern}"'
        )

    def run(self, params: SearchFilesParams, context: CallContext) -> Output:
        """Count in all files, then look closer at the best."""
        query = self._query(
            _re2_pattern(params), _files_glob(params), context, context_lines=params.context_lines, limit=MOST_LINES
        )
        counted = self._grep.count(query)
        best = sorted(counted.counts, key=lambda count: -count[1])[: params.max_results]
        close = query._replace(limit=EXCERPTS)
        shown = list(self._grep.search_files(close, [path for path, _lines in best]))
        return _files_output(
            params, counted, [(path, lines, found.hits) for (path, lines), found in zip(best, shown, strict=True)]
        )


def _re2_pattern(params: SearchFilesParams) -> str:
    """Return the pattern, characters written by their codes as RE2 has them."""
    return _BY_CODE.sub(lambda code: code[0] if code[3] else f"\\x{{{code[1] or code[2]}}}", params.pattern)


def _files_glob(params: SearchFilesParams) -> Glob:
    text = nfc((params.file_pattern or "").strip().lstrip("/"))
    if text.endswith("/"):
        text += "**"
    return compile_glob(text or _NOTES, case_sensitive=False)


def _files_output(params: SearchFilesParams, counted: GrepResult, best: list[tuple[str, int, list[GrepHit]]]) -> Output:
    best = [found for found in best if found[2]]  # the others were changed or removed meanwhile
    data = [{"path": path, "matches": lines, "excerpts": list(map(hit_data, hits))} for path, lines, hits in best]
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
        lines += ["", f"## {path}", *_excerpts(hits)]
        if count > len(hits):
            lines.append(f"[{count - len(hits)} more matching lines in this file]")
    if counted.more:
        lines += ["", f"[Counting stopped at {MOST_LINES:,} matching lines; use a more specific pattern.]"]
    elif total > len(data):
        lines += ["", f"[{len(data)} of {total} matching files shown. Raise max_results, or narrow file_pattern.]"]
    return Output(data, "\n".join(lines), metadata)


def _excerpts(hits: list[GrepHit]) -> Iterator[str]:
    """Yield the matching lines with those around them; an empty line where some are left out."""
    for number, text, matches, follows_gap in lines_around(hits):
        if follows_gap:
            yield ""
        yield f"Line {number}: {'>' if matches else ' '} {text}"

"""Grep: the text of files by a regular expression (seed L, "Grep Tool")."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from pydantic import Field

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.index.texts.collectors import GrepHit, GrepResult
from bridge.index.texts.globs import MAX_LENGTH as LONGEST_GLOB
from bridge.index.texts.globs import compile_glob
from bridge.index.texts.grep import Grep, GrepQuery
from bridge.index.texts.patterns import MAX_LENGTH
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool
from bridge.vault.files import VaultFiles
from bridge.vault.ignore import ignore_rules
from bridge.vault.name_folding import nfc


class GrepParams(Params):
    """Seed L's parameters."""

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


class GrepTool(ReadTool[GrepParams]):
    """Searches the text of the vault's files.

    Args:
        files: The vault's files.
        grep: Searches them.
    """

    name = "grep"
    title = "Grep"
    description = "Search file contents using regex patterns with surrounding context."
    icon = "text-search"
    parameters = GrepParams
    operation = Operation.READ
    risk = RiskLevel.LOW
    consent_class = ConsentClass.ALWAYS
    default_mode = ConsentMode.SESSION_ALLOW
    covers = Covers.TOOL
    default_rate = 60

    def __init__(self, files: VaultFiles, grep: Grep) -> None:
        self._files = files
        self._grep = grep

    def prepare(self, params: GrepParams, context: CallContext) -> ReadEffect:
        """Check the patterns."""
        self._grep.compile(params.pattern, context.deadline)
        where = "all files"
        if params.file_pattern is not None:
            compile_glob(nfc(params.file_pattern))
            where = f"files matching {params.file_pattern!r}"
        return ReadEffect((params.file_pattern or "**",), f"Search the text of {where} for {params.pattern!r}")

    def run(self, params: GrepParams, context: CallContext) -> Output:
        """Search."""
        settings = context.settings
        around = settings.grep_context_lines if params.context_lines is None else params.context_lines
        limit = params.max_matches or settings.grep_max_matches
        rules = ignore_rules(self._files, settings.ignore_patterns)
        found = self._grep.search(
            GrepQuery(
                pattern=self._grep.compile(params.pattern, context.deadline),
                glob=None if params.file_pattern is None else compile_glob(nfc(params.file_pattern)),
                excludes=(rules,) if rules else (),
                around=around,
                limit=limit,
                deadline=context.deadline,
                progress=lambda files: context.progress(files, None, f"{files} files searched"),
            )
        )
        return _output(params, found, limit)


def _output(params: GrepParams, found: GrepResult, limit: int) -> Output:
    data = [{"file": hit.file, "line": hit.line, "match": hit.match, "context": hit.context} for hit in found.hits]
    truncated = found.more or found.full
    metadata: dict[str, Any] = {"truncated": truncated, "limit": limit, "filesSearched": found.files}
    if not truncated:
        metadata["total"] = len(data)
    if found.indexing:
        metadata["indexing"] = True
    return Output(data, "\n".join([*_listing(found.hits), *_remarks(params, found)]), metadata)


def _listing(hits: Iterable[GrepHit]) -> Iterator[str]:
    """The hits as grep prints them, a block a file: `12:` before a line that matches, `12-` before the lines around."""
    for file, group in groupby(hits, key=lambda hit: hit.file):
        told: dict[int, str] = {}
        gaps = False
        for hit in group:
            gaps |= bool(hit.before or hit.after)
            for number, text in enumerate([*hit.before, hit.match, *hit.after], hit.line - len(hit.before)):
                told.setdefault(number, f"{number}-{text}")
            told[hit.line] = f"{hit.line}:{hit.match}"
        yield file
        for number, line in sorted(told.items()):
            if gaps and number - 1 not in told and number != min(told):
                yield "--"
            yield line
        yield ""


def _remarks(params: GrepParams, found: GrepResult) -> Iterator[str]:
    """What a model should know of how complete the answer is."""
    if found.full:
        yield f"[The first {len(found.hits)} matches shown: more would be too long. Use fewer contextLines.]"
    elif found.more:
        yield f"[The first {len(found.hits)} matches shown; there are more. Narrow the search, or raise maxMatches.]"
    elif not found.files and params.file_pattern is not None:
        yield f"No text file matches filePattern {params.file_pattern!r}; '**/*.md' means the notes of all folders."
    elif not found.hits:
        yield f"No matches for {params.pattern!r} in {found.files} files."

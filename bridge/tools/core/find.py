"""The tool `find`: files by name or path."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.consent import RiskLevel
from bridge.errors import DeadlineExceeded
from bridge.index.knowledge import IndexedFile
from bridge.index.references import NoteResolver
from bridge.index.search.fuzzy import Check
from bridge.index.search.listing import Listing, Listings
from bridge.index.texts.globs import MAX_LENGTH, compile_glob, looks_like_glob
from bridge.toolkit.tool import MINIMAL, VAULT, CallContext, Output, ReadEffect, ReadTool, matching
from bridge.tools.formatting import utc_time
from bridge.tools.kinds import read_spec
from bridge.tools.storage import Storage
from bridge.vault.ignore import IgnoreRules
from bridge.vault.name_folding import nfc


class FindParams(Params):
    """Which files, and how many at most."""

    pattern: str = Field(
        min_length=1,
        max_length=MAX_LENGTH,
        description="Glob pattern (`*` stays within a folder, `**` spans folders: '**/*.md'), "
        "or fuzzy search: words or letters of the name or path, typing errors allowed",
    )
    include_hidden: bool = Field(default=False, description="Include hidden files (names that start with a dot)")
    max_results: int | None = Field(
        default=None, ge=1, le=10_000, description="Maximum number of results (default 50, or the user's setting)"
    )


class FindTool(ReadTool[FindParams]):
    """Lists the vault's files that a glob or a few words mean.

    Args:
        storage: The vault.
        clock: What deadlines are given in.
    """

    spec = read_spec(
        name="find",
        title="Find",
        description="Search for files in the vault by name or path pattern.",
        icon="search",
        parameters=FindParams,
        risk=RiskLevel.SAFE,
        presets=frozenset({MINIMAL, VAULT}),
    )

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock
        self._resolver = NoteResolver(storage.knowledge)
        self._listings = Listings()

    def prepare(self, params: FindParams, context: CallContext) -> ReadEffect:
        """Check the pattern."""
        del context
        if looks_like_glob(params.pattern):
            compile_glob(params.pattern)
        return ReadEffect(matching(params.pattern), f"List the names of files that match {params.pattern!r}")

    def run(self, params: FindParams, context: CallContext) -> Output:
        """Choose among all names."""

        def check() -> None:
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded(
                    f"Listing the vault for {params.pattern!r} did not end in time; try again when the disk is idle"
                )

        rules = self._storage.ignored(context.settings.ignore_patterns)
        listing = self._listing(rules, check, hidden=params.include_hidden)
        check()
        named = set(self._resolver.outright(params.pattern))  # as a wikilink or an alias does: these come first
        found = [file for file in listing.files if file.path in named] if named else []
        if looks_like_glob(params.pattern):
            others = listing.matching(compile_glob(nfc(params.pattern)))
        else:
            others = listing.ranked(params.pattern, check)
        found += [file for file in others if file.path not in named]
        return _output(params.pattern, found, params.max_results or context.settings.find_max_results)

    def _listing(self, ignored: IgnoreRules | None, check: Check, *, hidden: bool) -> Listing:
        """All names: from the index once it has seen everything, else by walking."""
        knowledge = self._storage.knowledge
        if not hidden and knowledge.status().last_sweep is not None:
            return self._listings.of(knowledge.files(), ignored)
        walked: list[IndexedFile] = []
        for _folder, files in self._storage.walk(include_hidden=hidden):
            check()
            walked += [IndexedFile(str(file.path), file.size, file.mtime_ns, file.mtime_ns) for file in files]
        return Listing(walked, ignored)


def _output(pattern: str, found: Sequence[IndexedFile], limit: int) -> Output:
    total, shown = len(found), found[:limit]
    data: list[dict[str, Any]] = [{"path": file.path, "modified": utc_time(file.mtime_ns)} for file in shown]
    lines = [file.path for file in shown]
    if total > limit:
        lines.append(f"[{limit} of {total} files shown. Use a narrower pattern, or a larger maxResults.]")
    if not total:
        lines.append(f"No file matches {pattern!r}.{_hint(pattern)}")
    return Output(data, "\n".join(lines), {"total": total, "truncated": total > limit})


def _hint(pattern: str) -> str:
    """What to try when nothing was found."""
    if looks_like_glob(pattern):
        return "" if "**" in pattern else f" `*` stays within a folder; {f'**/{pattern}'!r} looks in all of them."
    return " Try fewer words, or a glob such as '**/*.md'."

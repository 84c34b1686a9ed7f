"""Find: files by name or path (seed L, "Find Tool")."""

from typing import Any

from pydantic import Field

from bridge.clock import Clock, stamp
from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.errors import DeadlineExceeded
from bridge.index.fuzzy import rank
from bridge.index.globs import MAX_LENGTH, compile_glob, looks_like_glob
from bridge.toolkit.tool import CallContext, Output, Reading, ReadTool
from bridge.vault.files import FileStat, VaultFiles
from bridge.vault.ignore import ignore_rules


class FindParams(Params):
    """Seed L's parameters."""

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
        files: The vault's files.
        clock: What deadlines are given in.
    """

    name = "find"
    title = "Find"
    description = "Search for files in the vault by name or path pattern."
    icon = "search"
    parameters = FindParams
    operation = Operation.READ
    risk = RiskLevel.SAFE
    consent_class = ConsentClass.ALWAYS
    default_mode = ConsentMode.SESSION_ALLOW
    covers = Covers.TOOL
    default_rate = 100

    def __init__(self, files: VaultFiles, clock: Clock) -> None:
        self._files = files
        self._clock = clock

    def prepare(self, params: FindParams, context: CallContext) -> Reading:
        """Check the pattern."""
        del context
        if looks_like_glob(params.pattern):
            compile_glob(params.pattern)
        return Reading((params.pattern,), f"List the names of files that match {params.pattern!r}")

    def run(self, params: FindParams, context: CallContext) -> Output:
        """Walk the vault and choose."""

        def check() -> None:
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded(
                    f"Listing the vault for {params.pattern!r} did not end in time; try again when the disk is idle"
                )

        ignored = ignore_rules(self._files, context.settings.ignore_patterns)
        files: dict[str, FileStat] = {}
        for file in self._files.walk(include_hidden=params.include_hidden):
            check()
            if not ignored(file.path):
                files[str(file.path)] = file
        if looks_like_glob(params.pattern):
            glob = compile_glob(params.pattern)
            paths = sorted(path for path in files if glob.matches(path))
        else:
            paths = rank(params.pattern, files, check)
        limit = params.max_results or context.settings.find_max_results
        return _output(params.pattern, [files[path] for path in paths[:limit]], len(paths))


def _output(pattern: str, found: list[FileStat], total: int) -> Output:
    data: list[dict[str, Any]] = [{"path": str(file.path), "modified": stamp(file.modified)} for file in found]
    lines = [entry["path"] for entry in data]
    if total > len(found):
        lines.append(f"[{len(found)} of {total} files shown. Use a narrower pattern, or a larger maxResults.]")
    if not total:
        lines.append(f"No file matches {pattern!r}.{_hint(pattern)}")
    return Output(data, "\n".join(lines), {"total": total, "truncated": total > len(found)})


def _hint(pattern: str) -> str:
    """What to try when nothing was found."""
    if looks_like_glob(pattern):
        return "" if "**" in pattern else f" `*` stays within a folder; {f'**/{pattern}'!r} looks in all of them."
    return " Try fewer words, or a glob such as '**/*.md'."

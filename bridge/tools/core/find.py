"""The tool `find`: files by name or path."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from pydantic import Field, model_validator

from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.consent import RiskLevel
from bridge.errors import DeadlineExceeded, InvalidParameters, ToolFailure
from bridge.index.knowledge import IndexedFile, NoteResolver
from bridge.index.search.fuzzy import Check, Listing, Listings
from bridge.index.texts.globs import MAX_LENGTH, check_glob, compile_glob, looks_like_glob
from bridge.toolkit.tool import AGENT, MINIMAL, VAULT, CallContext, Output, ReadEffect, ReadTool, in_vault, matching
from bridge.tools.files.listing import files_below, folders_below
from bridge.tools.formatting import local_date, local_time, size, utc_time
from bridge.tools.kinds import LONGEST_PATH, read_spec
from bridge.tools.paths import folder_start, vault_path
from bridge.tools.storage import Storage
from bridge.vault.app_settings import IgnoreRules
from bridge.vault.paths import VaultPath, nfc, parse_path

MOST_RESULTS = 10_000


class FindParams(Params):
    """The pattern of the files to find, and how many at most."""

    pattern: str = Field(
        default="*",
        min_length=1,
        max_length=MAX_LENGTH,
        description="Glob ('**/*.md'; '*' stays within a folder), or words or letters of the name or path, "
        "also mistyped",
    )
    folder: str | None = Field(
        default=None,
        max_length=LONGEST_PATH,
        description="Only in here; a glob is relative to it",
    )
    include_hidden: bool = Field(default=False, description="Also names that start with a dot")
    max_results: int | None = Field(default=None, ge=1, le=MOST_RESULTS, description="Default 50")
    details: bool = Field(default=False, description="Sizes and times too, newest first")

    @model_validator(mode="after")
    def _something(self) -> "FindParams":
        if not self.model_fields_set & {"pattern", "folder"}:
            raise ValueError("give pattern, or folder to list what is in it")
        return self


_FILES = frozenset({"find", "list_files"})
_NAMES = frozenset({"find", "resolve_note", "is_available"})
_DETAILS = frozenset({"find", "get_file_info"})


def _acts(params: FindParams, _paths: Sequence[str]) -> Iterator[frozenset[str]]:
    yield _FILES if params.folder is not None or looks_like_glob(params.pattern) else _NAMES
    if params.details:
        yield _DETAILS


class FindTool(ReadTool[FindParams]):
    """The tool that lists the vault's files that a glob or a few words mean.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = read_spec(
        name="find",
        title="Find",
        action="look/looked for files[ named {pattern}][: {count:file}]",
        description="Find files and notes by name or path, or list a folder.",
        icon="search",
        parameters=FindParams,
        risk=RiskLevel.SAFE,
        presets=frozenset({MINIMAL, AGENT, VAULT}),
        replaces=(_FILES | _NAMES | _DETAILS) - {"find"},
        acts=_acts,
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
            check_glob(params.pattern)
        what = f"List the names of files that match {params.pattern!r}"
        if params.folder is None:
            return ReadEffect(matching(params.pattern), what)
        where = folder_start(params.folder, self._storage)
        return ReadEffect(in_vault(where), f"{what} in {where.rstrip('/') or 'the vault'}")

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
        limit = params.max_results or context.settings.find_max_results
        if params.folder is not None:
            found = self._in_folder(params, params.folder, listing, check)
            return _output(params, found, limit)
        named = set(self._resolver.outright(params.pattern))  # as a wikilink or an alias does: these come first
        found = [file for file in listing.files if file.path in named] if named else []
        if looks_like_glob(params.pattern):
            others = listing.matching(compile_glob(nfc(params.pattern)))
        else:
            others = listing.ranked(params.pattern, check)
        found += [file for file in others if file.path not in named]
        return _output(params, found, limit)

    def _in_folder(self, params: FindParams, name: str, listing: Listing, check: Check) -> list[IndexedFile]:
        """Return the files in a folder that match, and the folders in it that a glob means."""
        pattern = params.pattern
        asked = vault_path(name.strip() or "/", self._storage, "folder")
        if not self._storage.is_folder(asked):
            raise InvalidParameters(f'"{asked}" is a file, not a folder')
        folder = self._storage.resolve(asked)
        start = f"{folder}/" if folder.parts else ""
        files = [file for file in listing.files if file.path.startswith(start)]
        if not looks_like_glob(pattern):
            return Listing(files, None).ranked(pattern, check)
        glob = compile_glob(nfc(pattern), case_sensitive=False)
        folders = folders_below(self._storage, folder, check, hidden=params.include_hidden)
        inner = [each for each in folders if glob.matches(nfc(each[len(start) :]))]
        return [self._folder(each) for each in sorted(inner)] + [
            file for file in files if glob.matches(nfc(file.path[len(start) :]))
        ]

    def _folder(self, path: str) -> IndexedFile:
        """Return a folder as an entry of the list."""
        changed = 0
        with suppress(ToolFailure):
            changed = self._storage.state(parse_path(path)).mtime_ns
        return IndexedFile(f"{path}/", 0, changed, changed)

    def _listing(self, ignored: IgnoreRules | None, check: Check, *, hidden: bool) -> Listing:
        """Return all names; those that the index has are made ready once."""
        files = files_below(self._storage, VaultPath.root(), check, hidden=hidden)
        kept = files is self._storage.knowledge.files()
        return self._listings.of(files, ignored) if kept else Listing(files, ignored)


def _output(params: FindParams, found: Sequence[IndexedFile], limit: int) -> Output:
    pattern = params.pattern
    if params.details:
        found = sorted(found, key=lambda file: (-file.mtime_ns, file.path))
    total, shown = len(found), found[:limit]
    data: list[dict[str, Any]] = [{"path": file.path, "modified": utc_time(file.mtime_ns)} for file in shown]
    lines = [file.path for file in shown]
    if params.details:
        data = [
            known | {"size": file.size, "created": utc_time(file.created_ns)}
            for known, file in zip(data, shown, strict=True)
        ]
        lines = [_detailed(file) for file in shown]
    if total > limit:
        larger = ", or a larger maxResults" if limit < MOST_RESULTS else ""
        lines.append(f"[{limit} of {total} files shown. Use a narrower pattern{larger}.]")
    if not total:
        lines.append(f"No file matches {pattern!r}.{_hint(pattern)}")
    return Output(data, "\n".join(lines), {"total": total, "truncated": total > limit})


def _detailed(file: IndexedFile) -> str:
    bytes_ = "" if file.path.endswith("/") else f"{size(file.size)}, "
    made = "" if file.path.endswith("/") else f", created {local_date(file.created_ns)}"
    if made.endswith(local_date(file.mtime_ns)):
        made = ""  # on the same day
    return f"{file.path} ({bytes_}modified {local_time(file.mtime_ns)}{made})"


def _hint(pattern: str) -> str:
    """Return what to try when nothing was found."""
    if looks_like_glob(pattern):
        return "" if "**" in pattern else f" `*` stays within a folder; {f'**/{pattern}'!r} looks in all of them."
    return " Try fewer words, or a glob such as '**/*.md'."

"""The tools `find`, `list_files` and `get_file_info`: files by name, what is in a folder, facts of files.

What is below a folder is taken from the index once that has seen everything, and until then by walking.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from pydantic import Field, model_validator

from bridge.clock import Clock
from bridge.contract.base import Params
from bridge.contract.consent import RiskLevel
from bridge.errors import InvalidParameters, ToolFailure
from bridge.index.knowledge import IndexedFile, NoteResolver
from bridge.index.search.fuzzy import Check, Listing, Listings
from bridge.index.texts.globs import MAX_LENGTH, check_glob, compile_glob, looks_like_glob
from bridge.toolkit.parameters import TEXT, WHOLE, a_list, members, perhaps
from bridge.toolkit.tool import AGENT, MINIMAL, VAULT, CallContext, Output, ReadEffect, ReadTool, in_vault, matching
from bridge.tools.formatting import exact_size, local_date, local_time, size, utc_time
from bridge.tools.kinds import LONGEST_PATH, RequiredPath, SnakeCaseParams, VaultReadTool, read_spec, until
from bridge.tools.paths import asked_path, existing_path, folder_start, not_found_as, vault_path
from bridge.tools.storage import Storage
from bridge.vault.app_settings import IgnoreRules
from bridge.vault.paths import VaultPath, nfc, parse_path


def files_below(
    storage: Storage, folder: VaultPath, check: Callable[[], None], *, hidden: bool = False
) -> Sequence[IndexedFile]:
    """Return every file. Of the whole vault that is the index's own snapshot, as long as that holds it.

    Args:
        storage: The vault.
        folder: Where.
        check: Called often; what it raises ends the walk.
        hidden: Whether files whose names begin with a dot count, too.
    """
    knowledge, start = storage.knowledge, _start_of(folder)
    if _is_known(storage, hidden=hidden):
        files = knowledge.files()
        return [file for file in files if file.path.startswith(start)] if start else files
    walked: list[IndexedFile] = []
    for _folder, here in storage.walk(folder, include_hidden=hidden):
        check()
        walked += [IndexedFile(str(file.path), file.size, file.mtime_ns, file.mtime_ns) for file in here]
    return walked


def folders_below(
    storage: Storage, folder: VaultPath, check: Callable[[], None], *, hidden: bool = False
) -> Iterator[str]:
    """Yield every folder but this one. Takes what `files_below` takes."""
    start = _start_of(folder)
    if _is_known(storage, hidden=hidden):
        yield from (each for each in storage.knowledge.folders() if each.startswith(start))
        return
    for each, _files in storage.walk(folder, include_hidden=hidden):
        check()
        if each != folder:
            yield str(each)


def folder_entry(storage: Storage, path: str) -> IndexedFile:
    """Return a folder as an item of a list, with a slash after its path; its time is 0 if it is gone by now."""
    changed = 0
    with suppress(ToolFailure):
        changed = storage.state(parse_path(path)).mtime_ns
    return IndexedFile(f"{path}/", 0, changed, changed)


def _is_known(storage: Storage, *, hidden: bool) -> bool:
    return not hidden and storage.knowledge.status().last_sweep is not None


def _start_of(folder: VaultPath) -> str:
    return f"{folder}/" if folder.parts else ""


USUAL_ITEMS = 100
MOST_ITEMS = 1000


class ListFilesParams(SnakeCaseParams):
    """The pattern of the files to list, where, and how many at most."""

    pattern: str | None = Field(
        default=None,
        max_length=MAX_LENGTH,
        description="Glob pattern to match, below path: * for direct children, ** for everything, **/*.md for notes "
        "at any depth; case does not matter (default: '*')",
    )
    path: str | None = Field(
        default=None, max_length=LONGEST_PATH, description="Base path to search from (default: vault root)"
    )
    max_results: int | None = Field(
        default=None, ge=1, description="Maximum items to return (1-1000, default: 100); more are taken as 1000"
    )


class ListFilesTool(ReadTool[ListFilesParams]):
    """The tool that lists what is in a folder.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = read_spec(
        name="list_files",
        action="list/listed files[ in {path}][ that match {pattern}][: {count:file}]",
        description="List files and folders that match a glob pattern, sorted by modification time (most recent "
        "first). To find text in files use search_files.",
        icon="folder-open",
        parameters=ListFilesParams,
        output=a_list(members(path=TEXT, type=TEXT, size=perhaps(WHOLE), modified=TEXT)),
        risk=RiskLevel.SAFE,
    )

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    def prepare(self, params: ListFilesParams, _context: CallContext) -> ReadEffect:
        """Check the pattern and the path; whether the folder exists is said only after consent."""
        base, pattern = self._base(params), _pattern(params)
        compile_glob(nfc(pattern), case_sensitive=False)
        check_glob(pattern)
        return ReadEffect(
            in_vault(f"{base}/") if str(base) else matching(pattern),
            f'List files and folders that match "{pattern}" in {_where(base)}',
        )

    def run(self, params: ListFilesParams, context: CallContext) -> Output:
        """Choose among all that is below the base path."""
        asked, pattern = self._base(params), _pattern(params)
        with not_found_as(f'Path not found: "{asked}"'):
            if not self._storage.is_folder(asked):
                raise InvalidParameters(f'Path is a file, not a folder: "{asked}". Use get_file_info or read_file')
            base = self._storage.resolve(asked)
        glob = compile_glob(nfc(pattern), case_sensitive=False)
        start = len(str(base)) + 1 if base.parts else 0
        late = "Listing the vault did not end in time; give a path or a narrower pattern"
        check = until(self._clock, context, late)
        found = [file for file in files_below(self._storage, base, check) if glob.matches(nfc(file.path[start:]))]
        folders = folders_below(self._storage, base, check)
        found += [folder_entry(self._storage, each) for each in folders if glob.matches(nfc(each[start:]))]
        check()
        limit = min(params.max_results or USUAL_ITEMS, MOST_ITEMS)
        newest = heapq.nsmallest(limit, found, key=lambda item: (-item.mtime_ns, item.path.removesuffix("/")))
        return _listed(newest, len(found), pattern, base)

    def _base(self, params: ListFilesParams) -> VaultPath:
        return vault_path((params.path or "").strip() or "/", self._storage)


def _pattern(params: ListFilesParams) -> str:
    return (params.pattern or "").strip("/") or "*"


def _where(base: VaultPath) -> str:
    return f'"{base}"' if base.parts else "the vault root"


def _listed(items: list[IndexedFile], total: int, pattern: str, base: VaultPath) -> Output:
    metadata = {"total": total, "truncated": total > len(items)}
    if not items:
        message = f'No files or folders match the pattern "{pattern}" in {_where(base)}.'
        return Output([], message, metadata)
    lines, data = [f"Found {len(items)} item(s):", ""], list[dict[str, Any]]()
    for item in items:
        if item.path.endswith("/"):
            lines.append(f"[folder] {item.path}")
            entry: dict[str, Any] = {"path": item.path.removesuffix("/"), "type": "folder", "size": None}
            entry["modified"] = utc_time(item.mtime_ns or None)
        else:
            lines.append(f"[file] {item.path} (modified: {local_date(item.mtime_ns)})")
            modified = utc_time(item.mtime_ns)
            entry = {"path": item.path, "type": "file", "size": item.size, "modified": modified}
        data.append(entry)
    if total > len(items):
        larger = ", or a larger max_results" if len(items) < MOST_ITEMS else ""
        lines += ["", f"[Showing {len(items)} of {total} items. Use a narrower pattern{larger}.]"]
    return Output(data, "\n".join(lines), metadata)


class GetFileInfoParams(SnakeCaseParams):
    """The file or folder to describe."""

    path: RequiredPath = Field(description="Path to the file or folder; upper and lower case do not matter")


class GetFileInfoTool(VaultReadTool[GetFileInfoParams]):
    """The tool that answers with dates and sizes."""

    spec = read_spec(
        name="get_file_info",
        action="look/looked at the size and dates of {path|a file}",
        description="Get the creation date, modification date and size of a file or folder without reading its "
        "contents.",
        icon="info",
        parameters=GetFileInfoParams,
        output=members(path=TEXT, type=TEXT, size=perhaps(WHOLE), created=TEXT, modified=TEXT),
        risk=RiskLevel.SAFE,
    )

    def prepare(self, params: GetFileInfoParams, _context: CallContext) -> ReadEffect:
        """Check the path; whether anything is there is said only after consent."""
        path = self._checked(asked_path(params.path, self._storage))
        return ReadEffect(in_vault(str(path)), f'Look at the size and dates of "{path}"')

    def run(self, params: GetFileInfoParams, _context: CallContext) -> Output:
        """Look."""
        path = self._checked(existing_path(params.path, self._storage))
        with not_found_as(f'Path not found: "{path}"'):
            is_folder = self._storage.is_folder(path)
            found = self._storage.state(path) if is_folder else self._storage.stat(path)
        # The index may know when a file was made where the disk does not.
        known = None if is_folder else self._storage.knowledge.file(str(found.path))
        created = known.created_ns if known else found.created_ns
        lines = [f"Folder: {found.path}/", "Type: folder"] if is_folder else [f"File: {found.path}", "Type: file"]
        if not is_folder:
            lines.append(f"Size: {exact_size(found.size)}")
        lines += [f"Created: {local_time(created)}", f"Modified: {local_time(found.mtime_ns)}"]
        data = {
            "path": str(found.path),
            "type": "folder" if is_folder else "file",
            "size": None if is_folder else found.size,
            "created": utc_time(created),
            "modified": utc_time(found.mtime_ns),
        }
        return Output(data, "\n".join(lines))

    def _checked(self, path: VaultPath) -> VaultPath:
        if not path.parts:
            raise InvalidParameters("The path names the vault itself; name a file or folder in it.")
        return path


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
        default=None, max_length=LONGEST_PATH, description="Only in here; a glob is relative to it"
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

    def prepare(self, params: FindParams, _context: CallContext) -> ReadEffect:
        """Check the pattern."""
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
        late = f"Listing the vault for {params.pattern!r} did not end in time; try again when the disk is idle"
        check = until(self._clock, context, late)
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
        start = _start_of(folder)
        files = [file for file in listing.files if file.path.startswith(start)]
        if not looks_like_glob(pattern):
            return Listing(files, None).ranked(pattern, check)
        glob = compile_glob(nfc(pattern), case_sensitive=False)
        folders = folders_below(self._storage, folder, check, hidden=params.include_hidden)
        inner = [each for each in folders if glob.matches(nfc(each[len(start) :]))]
        return [folder_entry(self._storage, each) for each in sorted(inner)] + [
            file for file in files if glob.matches(nfc(file.path[len(start) :]))
        ]

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

"""The tools `list_files` and `get_file_info`, and what is below a folder.

That is taken from the index once it has seen everything, and until then by walking.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.consent import RiskLevel
from bridge.errors import DeadlineExceeded, InvalidParameters, ToolFailure
from bridge.index.knowledge import IndexedFile
from bridge.index.texts.globs import MAX_LENGTH, check_glob, compile_glob
from bridge.toolkit.parameters import TEXT, WHOLE, a_list, members, perhaps
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, in_vault, matching
from bridge.tools.formatting import exact_size, local_date, local_time, utc_time
from bridge.tools.kinds import LONGEST_PATH, RequiredPath, SnakeCaseParams, VaultReadTool, read_spec
from bridge.tools.paths import asked_path, existing_path, not_found_as, vault_path
from bridge.tools.storage import Storage
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


def _is_known(storage: Storage, *, hidden: bool) -> bool:
    return not hidden and storage.knowledge.status().last_sweep is not None


def _start_of(folder: VaultPath) -> str:
    return f"{folder}/" if folder.parts else ""


USUAL_RESULTS = 100
MOST_RESULTS = 1000


class ListedItem(NamedTuple):
    """A file or folder.

    Attributes:
        path: Where it is.
        mtime_ns: When it changed last; None for a folder until that is looked up, or where it is not known.
        size: Bytes; None for a folder.
    """

    path: str
    mtime_ns: int | None
    size: int | None

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder rather than a file."""
        return self.size is None


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
        title="List files",
        action="list/listed files[ in {path}][ that match {pattern}][: {count:file}]",
        description=(
            "List files and folders that match a glob pattern, sorted by modification time (most recent first). "
            "To find text in files use search_files."
        ),
        icon="folder-open",
        parameters=ListFilesParams,
        output=a_list(members(path=TEXT, type=TEXT, size=perhaps(WHOLE), modified=TEXT)),
        risk=RiskLevel.SAFE,
    )

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    def prepare(self, params: ListFilesParams, context: CallContext) -> ReadEffect:
        """Check the pattern and the path; whether the folder exists is said only after consent."""
        del context
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

        def check() -> None:
            if self._clock.monotonic() > context.deadline:
                raise DeadlineExceeded("Listing the vault did not end in time; give a path or a narrower pattern")

        items = [
            *(ListedItem(file.path, file.mtime_ns, file.size) for file in files_below(self._storage, base, check)),
            *(ListedItem(folder, None, None) for folder in folders_below(self._storage, base, check)),
        ]
        check()
        found = [item for item in items if glob.matches(nfc(item.path[start:]))]
        limit = min(params.max_results or USUAL_RESULTS, MOST_RESULTS)
        newest = heapq.nsmallest(limit, (self._dated(item) for item in found), key=_newest_first)
        return _output(newest, len(found), pattern, base)

    def _base(self, params: ListFilesParams) -> VaultPath:
        return vault_path((params.path or "").strip() or "/", self._storage)

    def _dated(self, item: ListedItem) -> ListedItem:
        """Return the item with its time, which the index has for files alone; one that is gone by now has none."""
        if not item.is_folder:
            return item
        with suppress(ToolFailure):
            item = item._replace(mtime_ns=self._storage.state(parse_path(item.path)).mtime_ns)
        return item


def _newest_first(item: ListedItem) -> tuple[bool, int, str]:
    return item.mtime_ns is None, -(item.mtime_ns or 0), item.path


def _pattern(params: ListFilesParams) -> str:
    return (params.pattern or "").strip("/") or "*"


def _where(base: VaultPath) -> str:
    return f'"{base}"' if base.parts else "the vault root"


def _output(items: list[ListedItem], total: int, pattern: str, base: VaultPath) -> Output:
    metadata = {"total": total, "truncated": total > len(items)}
    if not items:
        message = f'No files or folders match the pattern "{pattern}" in {_where(base)}.'
        return Output([], message, metadata)
    lines = [f"Found {len(items)} item(s):", "", *map(_line, items)]
    if total > len(items):
        larger = ", or a larger max_results" if len(items) < MOST_RESULTS else ""
        lines += ["", f"[Showing {len(items)} of {total} items. Use a narrower pattern{larger}.]"]
    return Output([_wire(item) for item in items], "\n".join(lines), metadata)


def _line(item: ListedItem) -> str:
    if item.is_folder:
        return f"[folder] {item.path}/"
    return f"[file] {item.path} (modified: {local_date(item.mtime_ns)})"


def _wire(item: ListedItem) -> dict[str, Any]:
    wire = {"path": item.path, "type": "folder" if item.is_folder else "file"}
    return wire | {"size": item.size, "modified": utc_time(item.mtime_ns)}


class GetFileInfoParams(SnakeCaseParams):
    """The file or folder to describe."""

    path: RequiredPath = Field(description="Path to the file or folder; upper and lower case do not matter")


class GetFileInfoTool(VaultReadTool[GetFileInfoParams]):
    """The tool that answers with dates and sizes."""

    spec = read_spec(
        name="get_file_info",
        title="Get file info",
        action="look/looked at the size and dates of {path|a file}",
        description=(
            "Get the creation date, modification date and size of a file or folder without reading its contents."
        ),
        icon="info",
        parameters=GetFileInfoParams,
        output=members(path=TEXT, type=TEXT, size=perhaps(WHOLE), created=TEXT, modified=TEXT),
        risk=RiskLevel.SAFE,
    )

    def prepare(self, params: GetFileInfoParams, context: CallContext) -> ReadEffect:
        """Check the path; whether anything is there is said only after consent."""
        del context
        path = self._checked(asked_path(params.path, self._storage))
        return ReadEffect(in_vault(str(path)), f'Look at the size and dates of "{path}"')

    def run(self, params: GetFileInfoParams, context: CallContext) -> Output:
        """Look."""
        del context
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

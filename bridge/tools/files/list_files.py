"""List files: files and folders that match a glob, those changed last first (seed S, "list_files")."""

import heapq
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import Field

from bridge.clock import Clock, stamp
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.errors import DeadlineExceeded, InvalidParameters, ToolFailure
from bridge.index.knowledge import Knowledge
from bridge.index.texts.globs import MAX_LENGTH, compile_glob
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool
from bridge.tools.files.formatting import local_date, moment
from bridge.tools.files.parameters import LONGEST_PATH, SeedParams
from bridge.tools.files.paths import missing_is_told, vault_path
from bridge.vault.files import VaultFiles
from bridge.vault.name_folding import nfc
from bridge.vault.paths import VaultPath, parse_path

USUAL_RESULTS = 100
MOST_RESULTS = 1000


class Item(NamedTuple):
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
        """Which of the two it is."""
        return self.size is None


class ListFilesParams(SeedParams):
    """Seed S's parameters."""

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
    """Tells what there is in a folder.

    Args:
        files: The vault's files.
        index: Knows them without looking at the disk, once it has compared itself with it.
        clock: What deadlines are given in.
    """

    name = "list_files"
    title = "List Files"
    description = (
        "List files and folders that match a glob pattern, sorted by modification time (most recent first). "
        "To find text in files use search_files."
    )
    icon = "folder-open"
    parameters = ListFilesParams
    operation = Operation.READ
    risk = RiskLevel.SAFE
    consent_class = ConsentClass.ALWAYS
    default_mode = ConsentMode.SESSION_ALLOW
    covers = Covers.TOOL
    default_rate = 100

    def __init__(self, files: VaultFiles, index: Knowledge, clock: Clock) -> None:
        self._files = files
        self._index = index
        self._clock = clock

    def prepare(self, params: ListFilesParams, context: CallContext) -> ReadEffect:
        """Check the pattern and the path; whether the folder exists is told only after consent."""
        del context
        base, pattern = self._base(params), _pattern(params)
        compile_glob(nfc(pattern), case_sensitive=False)
        return ReadEffect((str(base) or pattern,), f'List files and folders that match "{pattern}" in {_where(base)}')

    def run(self, params: ListFilesParams, context: CallContext) -> Output:
        """Choose among all that is below the base path."""
        asked, pattern = self._base(params), _pattern(params)
        with missing_is_told(f'Path not found: "{asked}"'):
            if not self._files.is_folder(asked):
                raise InvalidParameters(f'Path is a file, not a folder: "{asked}". Use get_file_info or read_file')
            base = self._files.root.resolve(asked)
            self._files.is_folder(base)  # a link must not lead to what is closed
        glob = compile_glob(nfc(pattern), case_sensitive=False)
        start = len(str(base)) + 1 if base.parts else 0
        found: list[Item] = []
        for number, item in enumerate(self._below(base)):
            if number % 1024 == 0:
                self._check(context)
            if glob.matches(nfc(item.path[start:])):
                found.append(item)
        limit = min(params.max_results or USUAL_RESULTS, MOST_RESULTS)
        newest = heapq.nsmallest(limit, (self._dated(item) for item in found), key=_newest_first)
        return _output(newest, len(found), pattern, base)

    def _base(self, params: ListFilesParams) -> VaultPath:
        return vault_path((params.path or "").strip() or "/", self._files)

    def _below(self, base: VaultPath) -> Iterator[Item]:
        """Every file and folder below a folder: from the index when it has seen the disk, else from the disk."""
        if self._index.status().last_sweep is None:
            yield from self._walked(base)
            return
        prefix = f"{base}/" if base.parts else ""
        for file in self._index.files():
            if file.path.startswith(prefix):
                yield Item(file.path, file.mtime_ns, file.size)
        for folder in self._index.folders():
            if folder.startswith(prefix):
                yield Item(folder, None, None)

    def _walked(self, base: VaultPath) -> Iterator[Item]:
        for walked in self._files.walk_folders(base):
            if walked.folder.path != base:
                yield Item(str(walked.folder.path), None, None)
            for file in walked.files:
                yield Item(str(file.path), file.mtime_ns, file.size)

    def _dated(self, item: Item) -> Item:
        """The item with its time, which for folders only the disk knows; one that is gone by now has none."""
        if not item.is_folder:
            return item
        try:
            with self._files.root.find(parse_path(item.path)) as place:
                return item._replace(mtime_ns=place.state.st_mtime_ns)
        except ToolFailure:
            return item

    def _check(self, context: CallContext) -> None:
        if self._clock.monotonic() > context.deadline:
            raise DeadlineExceeded("Listing the vault did not end in time; give a path or a narrower pattern")


def _newest_first(item: Item) -> tuple[bool, int, str]:
    return item.mtime_ns is None, -(item.mtime_ns or 0), item.path


def _pattern(params: ListFilesParams) -> str:
    return (params.pattern or "").strip("/") or "*"


def _where(base: VaultPath) -> str:
    return f'"{base}"' if base.parts else "the vault root"


def _output(items: list[Item], total: int, pattern: str, base: VaultPath) -> Output:
    metadata = {"total": total, "truncated": total > len(items)}
    if not items:
        told = f'No files or folders match the pattern "{pattern}" in {_where(base)}.'
        return Output([], told, metadata)
    lines = [f"Found {len(items)} item(s):", "", *map(_line, items)]
    if total > len(items):
        lines += ["", f"[Showing {len(items)} of {total} items. Use a narrower pattern, or a larger max_results.]"]
    return Output([_wire(item) for item in items], "\n".join(lines), metadata)


def _line(item: Item) -> str:
    if item.is_folder:
        return f"[folder] {item.path}/"
    return f"[file] {item.path} (modified: {local_date(item.mtime_ns)})"


def _wire(item: Item) -> dict[str, Any]:
    when = moment(item.mtime_ns)
    wire = {"path": item.path, "type": "folder" if item.is_folder else "file"}
    return wire | {"size": item.size, "modified": stamp(when) if when else None}

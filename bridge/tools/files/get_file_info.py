"""Get file info: what the disk knows of a file or folder, without reading it (seed S, "get_file_info")."""

from pydantic import Field

from bridge.clock import stamp
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.errors import InvalidParameters
from bridge.index.knowledge import Knowledge
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool
from bridge.tools.files.formatting import exact_size, local_time, moment
from bridge.tools.files.parameters import RequiredPath, SeedParams
from bridge.tools.files.paths import missing_is_told, vault_path
from bridge.vault.files import FileStat, VaultFiles, file_stat
from bridge.vault.paths import VaultPath


class GetFileInfoParams(SeedParams):
    """Seed S's parameters."""

    path: RequiredPath = Field(description="Path to the file or folder; upper and lower case do not matter")


class GetFileInfoTool(ReadTool[GetFileInfoParams]):
    """Tells dates and sizes.

    Args:
        files: The vault's files.
        index: Knows when files were made, where the disk does not.
    """

    name = "get_file_info"
    title = "Get File Info"
    description = "Get the creation date, modification date and size of a file or folder without reading its contents."
    icon = "info"
    parameters = GetFileInfoParams
    operation = Operation.READ
    risk = RiskLevel.SAFE
    consent_class = ConsentClass.ALWAYS
    default_mode = ConsentMode.SESSION_ALLOW
    covers = Covers.TOOL
    default_rate = 100

    def __init__(self, files: VaultFiles, index: Knowledge) -> None:
        self._files = files
        self._index = index

    def prepare(self, params: GetFileInfoParams, context: CallContext) -> ReadEffect:
        """Check the path; whether anything is there is told only after consent."""
        del context
        path = self._path(params)
        return ReadEffect((str(path),), f'Look at the size and dates of "{path}"')

    def run(self, params: GetFileInfoParams, context: CallContext) -> Output:
        """Look."""
        del context
        path = self._path(params)
        with missing_is_told(f'Path not found: "{path}"'):
            is_folder = self._files.is_folder(path)
            found = self._folder(path) if is_folder else self._files.stat(path)
        known = None if is_folder else self._index.file(str(found.path))
        created = known.created_ns if known else found.created_ns
        lines = [f"Folder: {found.path}/", "Type: folder"] if is_folder else [f"File: {found.path}", "Type: file"]
        if not is_folder:
            lines.append(f"Size: {exact_size(found.size)}")
        lines += [f"Created: {local_time(created)}", f"Modified: {local_time(found.mtime_ns)}"]
        data = {
            "path": str(found.path),
            "type": "folder" if is_folder else "file",
            "size": None if is_folder else found.size,
            "created": _stamp(created),
            "modified": _stamp(found.mtime_ns),
        }
        return Output(data, "\n".join(lines))

    def _path(self, params: GetFileInfoParams) -> VaultPath:
        path = vault_path(params.path, self._files)
        if not path.parts:
            raise InvalidParameters("The path names the vault itself; name a file or folder in it.")
        return path

    def _folder(self, path: VaultPath) -> FileStat:
        with self._files.root.find(path) as place:
            found = file_stat(place.path, place.state)
        self._files.is_folder(found.path)  # a link must not lead to what is closed
        return found


def _stamp(nanoseconds: int) -> str | None:
    when = moment(nanoseconds)
    return stamp(when) if when else None

"""The tool `get_file_info`: what the disk knows of a file or folder, without reading it."""

from pydantic import Field

from bridge.contract.consent import RiskLevel
from bridge.errors import InvalidParameters
from bridge.toolkit.output_schema import TEXT, WHOLE, members, perhaps
from bridge.toolkit.tool import CallContext, Output, ReadEffect, in_vault
from bridge.tools.files.paths import asked_path, existing_path, not_found_as
from bridge.tools.formatting import exact_size, local_time, utc_time
from bridge.tools.kinds import VaultReadTool, read_spec
from bridge.tools.parameters import RequiredPath, SnakeCaseParams
from bridge.vault.paths import VaultPath


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

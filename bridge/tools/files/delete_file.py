"""The tool `delete_file`: a file, or a folder with everything in it, goes into the trash."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, Operation
from bridge.toolkit.tool import CallContext
from bridge.tools.files.deletion_plan import DeletingTool
from bridge.tools.files.paths import existing_path, not_found_as
from bridge.tools.kinds import write_spec
from bridge.tools.parameters import RequiredPath, SnakeCaseParams
from bridge.vault.plan import ChangePlan


class DeleteFileParams(SnakeCaseParams):
    """The file or folder to delete."""

    path: RequiredPath = Field(description="Path to the file or folder to delete, relative to the vault")


class DeleteFileTool(DeletingTool[DeleteFileParams]):
    """The tool that puts a file or folder into the trash."""

    spec = write_spec(
        name="delete_file",
        title="Delete file",
        action="delete/deleted {files|a file}",
        description=(
            "Delete a file, or a folder with all its contents. It goes to the trash that the user chose in Obsidian. "
            "The user sees what links to it and decides each time."
        ),
        icon="trash-2",
        parameters=DeleteFileParams,
        operation=Operation.DELETE,
        consent_class=ConsentClass.NEVER,
        id_prefix="delete",
    )

    def prepare(self, params: DeleteFileParams, context: CallContext) -> ChangePlan:
        """Plan what goes."""
        path = existing_path(params.path, self._storage)
        with not_found_as(f'File or folder not found: "{path}"'):
            return self._deletions.plan([path], context)

"""The tool `delete_file`: a file, or a folder with everything in it, goes into the trash."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, Operation
from bridge.toolkit.tool import Applied, CallContext, Output, WriteTool
from bridge.tools.files.deletion_plan import DeletionPlanner
from bridge.tools.files.paths import existing_path, not_found_as
from bridge.tools.kinds import write_spec
from bridge.tools.parameters import RequiredPath, SnakeCaseParams
from bridge.tools.storage import PlanningStorage
from bridge.vault.plan import ChangePlan


class DeleteFileParams(SnakeCaseParams):
    """Which file or folder."""

    path: RequiredPath = Field(description="Path to the file or folder to delete, relative to the vault")


class DeleteFileTool(WriteTool[DeleteFileParams]):
    """Puts a file or folder into the trash.

    Args:
        storage: The vault.
        deletions: Plans what goes.
    """

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

    def __init__(self, storage: PlanningStorage, deletions: DeletionPlanner) -> None:
        self._storage = storage
        self._deletions = deletions

    def prepare(self, params: DeleteFileParams, context: CallContext) -> ChangePlan:
        """Plan what goes."""
        path = existing_path(params.path, self._storage)
        with not_found_as(f'File or folder not found: "{path}"'):
            return self._deletions.plan([path], context)

    def report(self, params: DeleteFileParams, applied: Applied) -> Output:
        """That it is gone, and where it is now."""
        del params
        return self._deletions.report(applied)

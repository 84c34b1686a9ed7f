"""Delete file: a file, or a folder with everything in it, into the trash (seed S, "delete_file")."""

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.toolkit.tool import Applied, CallContext, Output, WriteTool
from bridge.tools.files.deletion_plan import Removal
from bridge.tools.files.parameters import RequiredPath, SeedParams
from bridge.tools.files.paths import missing_is_told, vault_path
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan


class DeleteFileParams(SeedParams):
    """Seed S's parameters."""

    path: RequiredPath = Field(description="Path to the file or folder to delete, relative to the vault")


class DeleteFileTool(WriteTool[DeleteFileParams]):
    """Puts a file or folder into the trash.

    Args:
        files: The vault's files.
        removal: Plans what goes.
    """

    name = "delete_file"
    title = "Delete File"
    description = (
        "Delete a file, or a folder with all its contents. It goes to the trash that the user chose in Obsidian. "
        "The user sees what links to it and decides each time."
    )
    icon = "trash-2"
    parameters = DeleteFileParams
    operation = Operation.DELETE
    risk = RiskLevel.HIGH
    consent_class = ConsentClass.NEVER
    default_mode = ConsentMode.ALWAYS_ASK
    covers = Covers.TARGET
    default_rate = 10
    id_prefix = "delete"

    def __init__(self, files: VaultFiles, removal: Removal) -> None:
        self._files = files
        self._removal = removal

    def prepare(self, params: DeleteFileParams, context: CallContext) -> ChangePlan:
        """Plan what goes."""
        path = vault_path(params.path, self._files)
        with missing_is_told(f'File or folder not found: "{path}"'):
            return self._removal.plan(path, context)

    def report(self, params: DeleteFileParams, applied: Applied) -> Output:
        """Seed S's sentence, and where it is now."""
        del params
        return self._removal.report(applied)

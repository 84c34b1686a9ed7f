"""Create folder: a folder and those that are missing above it (seed S, "create_folder")."""

from typing import Annotated

from pydantic import Field

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.errors import Conflict, InvalidParameters, NotFound
from bridge.toolkit.arguments import Sentence
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, WriteTool
from bridge.tools.files.formatting import done
from bridge.tools.files.parameters import LONGEST_PATH, SeedParams
from bridge.tools.files.paths import vault_path
from bridge.vault.files import VaultFiles
from bridge.vault.paths import VaultPath, protected
from bridge.vault.plan import ChangePlan, PlanBuilder


class CreateFolderParams(SeedParams):
    """Seed S's parameters."""

    path: Annotated[str, Sentence("path is required and must be a string.")] = Field(
        max_length=LONGEST_PATH, description="Folder path to create, relative to the vault"
    )


class CreateFolderTool(WriteTool[CreateFolderParams]):
    """Makes a folder.

    Args:
        files: The vault's files.
    """

    name = "create_folder"
    title = "Create Folder"
    description = "Create a folder in the vault, with the folders above it where they are missing."
    icon = "folder-plus"
    parameters = CreateFolderParams
    operation = Operation.CREATE
    risk = RiskLevel.MEDIUM
    consent_class = ConsentClass.SESSION
    default_mode = ConsentMode.ALWAYS_ASK
    covers = Covers.TARGET
    default_rate = 10
    id_prefix = "mkdir"

    def __init__(self, files: VaultFiles) -> None:
        self._files = files

    def prepare(self, params: CreateFolderParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the folders that are missing, if any are."""
        del context
        path = vault_path(params.path.strip() or "/", self._files)
        if not path.parts:
            raise InvalidParameters("path cannot be empty or root.")
        if path.name.startswith("."):
            raise protected(path)
        there = self._there(path)
        if there is not None:
            told = Output({"path": str(there), "created": False}, f'Folder "{there}" already exists.')
            return Unchanged((str(there),), f'See whether there is a folder "{there}"', told)
        builder = PlanBuilder(self._files.root)
        place = self._files.root.resolve_new(path)
        builder.mkdir(place)
        return builder.build(self.operation, f'Create folder "{place}"')

    def report(self, params: CreateFolderParams, applied: Applied) -> Output:
        """Which folder."""
        del params
        return Output({"path": applied.plan.changes[-1].path, "created": True}, done(applied.plan.summary))

    def _there(self, path: VaultPath) -> VaultPath | None:
        """The folder as spelled on disk, if it is there already."""
        try:
            is_folder = self._files.is_folder(path)
        except NotFound:
            return None
        place = self._files.root.resolve(path)
        if not is_folder:
            raise Conflict(f'A file named "{place}" already exists; choose another name', code="exists")
        return place

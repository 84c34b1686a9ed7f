"""The tool `create_folder`: a folder and those that are missing above it."""

from typing import Annotated

from pydantic import Field

from bridge.contract.consent import Operation, RiskLevel
from bridge.errors import Conflict, InvalidParameters, NotFound
from bridge.toolkit.parameters import Sentence
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, in_vault
from bridge.tools.files.paths import vault_path
from bridge.tools.formatting import done
from bridge.tools.kinds import VaultWriteTool, write_spec
from bridge.tools.parameters import LONGEST_PATH, SnakeCaseParams
from bridge.vault.paths import VaultPath, protected
from bridge.vault.plan import ChangePlan


class CreateFolderParams(SnakeCaseParams):
    """The folder to create."""

    path: Annotated[str, Sentence("path is required and must be a string.")] = Field(
        max_length=LONGEST_PATH, description="Folder path to create, relative to the vault"
    )


class CreateFolderTool(VaultWriteTool[CreateFolderParams]):
    """The tool that makes a folder."""

    spec = write_spec(
        name="create_folder",
        title="Create folder",
        action="create/created the folder {path|that was named}",
        description="Create a folder in the vault, with the folders above it where they are missing.",
        icon="folder-plus",
        parameters=CreateFolderParams,
        operation=Operation.CREATE,
        risk=RiskLevel.MEDIUM,
        id_prefix="mkdir",
    )

    def prepare(self, params: CreateFolderParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the folders that are missing, if any are."""
        del context
        path = vault_path(params.path.strip() or "/", self._storage)
        if not path.parts:
            raise InvalidParameters("path cannot be empty or root.")
        if path.name.startswith("."):
            raise protected(path)
        there = self._there(path)
        if there is not None:
            output = Output({"path": str(there), "created": False}, f'Folder "{there}" already exists.')
            return Unchanged(in_vault(str(there)), f'See whether there is a folder "{there}"', output)
        builder = self._storage.plan()
        place = self._storage.resolve_new(path)
        builder.mkdir(place)
        return builder.build(self.spec.operation, f'Create folder "{place}"')

    def report(self, params: CreateFolderParams, applied: Applied) -> Output:
        """Report which folder was created."""
        del params
        return Output({"path": applied.plan.changes[-1].path, "created": True}, done(applied.plan.summary))

    def _there(self, path: VaultPath) -> VaultPath | None:
        """Return the folder as spelled on disk, if it is there already."""
        try:
            is_folder = self._storage.is_folder(path)
        except NotFound:
            return None
        place = self._storage.resolve(path)
        if not is_folder:
            raise Conflict(f'A file named "{place}" already exists; choose another name', code="exists")
        return place

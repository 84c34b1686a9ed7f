"""The tool `write_file`: create a file, or give one other content."""

from pydantic import Field

from bridge.errors import InvalidParameters, NotFound
from bridge.toolkit.tool import Applied, CallContext, Output, Unchanged, WriteTool, in_vault
from bridge.tools.files.link_keeping import CreationPlanner
from bridge.tools.files.paths import failing_as, vault_path
from bridge.tools.formatting import done, size
from bridge.tools.kinds import write_spec
from bridge.tools.parameters import RequiredContent, RequiredPath, SnakeCaseParams
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import VaultPath
from bridge.vault.plan import ChangePlan
from bridge.vault.text import describe_binary, encode, is_text


class WriteFileParams(SnakeCaseParams):
    """The file, and its content."""

    path: RequiredPath = Field(description="Path of the file, relative to the vault; missing folders are made")
    content: RequiredContent = Field(description="Content to write: the whole file, exactly as given")


class WriteFileTool(WriteTool[WriteFileParams]):
    """The tool that gives a file its whole content.

    Args:
        storage: The vault.
        creation: Plans new files.
    """

    spec = write_spec(
        name="write_file",
        title="Write file",
        action="write/wrote {files|a file}",
        description=(
            "Write content to a file, creating it if it doesn't exist or overwriting all of it if it does. "
            "For changes within a file use edit_file. The user sees the diff first."
        ),
        icon="file-pen",
        parameters=WriteFileParams,
        id_prefix="write",
    )

    def __init__(self, storage: PlanningStorage, creation: CreationPlanner) -> None:
        self._storage = storage
        self._creation = creation

    def prepare(self, params: WriteFileParams, context: CallContext) -> ChangePlan | Unchanged:
        """Plan the one change."""
        path = vault_path(params.path, self._storage)
        new = encode(params.content)
        with failing_as(f'Failed to write file "{path}"'):
            try:
                old, stat = self._storage.read(path)
            except NotFound:
                return self._create(path, new, context)
            return self._overwrite(stat.path, old, new)

    def report(self, params: WriteFileParams, applied: Applied) -> Output:
        """Report whether the file was created or replaced, and how large it is."""
        del params
        written = next(change for change in applied.plan.changes if change.after is not None)
        created = written.before is None
        data = {
            "path": written.path,
            "created": created,
            "size": len(applied.plan.blobs[written.after or ""]),
        }
        return Output(data, done(applied.plan.summary))

    def _create(self, path: VaultPath, new: bytes, context: CallContext) -> ChangePlan:
        place = self._storage.resolve_new(path)
        return self._creation.plan(place, new, f'Create file "{place}" ({size(len(new))})', context)

    def _overwrite(self, path: VaultPath, old: bytes, new: bytes) -> ChangePlan | Unchanged:
        if not is_text(old):
            kind, mime = describe_binary(old, path.name)
            raise InvalidParameters(
                f"there is a file that is not text ({kind}, {mime}), which text would destroy. Choose another name, "
                "or delete that file first"
            )
        if old == new:
            message = f'No changes made: file "{path}" already has exactly this content ({size(len(new))}).'
            data = {"path": str(path), "created": False, "size": len(new)}
            return Unchanged(in_vault(str(path)), f'Compare the content of "{path}"', Output(data, message))
        builder = self._storage.plan()
        builder.modify(path, old, new, replaces=True)
        return builder.build(self.spec.operation, f'Overwrite file "{path}" ({size(len(new))})')

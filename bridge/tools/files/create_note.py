"""The tool `create_note`: a new Markdown note, named by the caller or after what it says.

Without a folder it goes where Obsidian puts new notes (rule 78 of docs/obsidian.md).
"""

from contextlib import suppress
from itertools import count

from pydantic import Field

from bridge.contract.consent import Operation, RiskLevel
from bridge.errors import Conflict, InvalidParameters, NotFound, ToolFailure
from bridge.toolkit.tool import Applied, CallContext, Output, WriteTool
from bridge.tools.files.link_keeping import CreationPlanner
from bridge.tools.files.note_names import note_name, title_of
from bridge.tools.files.paths import NOTE, note_path, to_bytes, vault_path
from bridge.tools.formatting import UNLINKABLE, done, size
from bridge.tools.kinds import write_spec
from bridge.tools.parameters import LONGEST_PATH, RequiredContent, SnakeCaseParams
from bridge.tools.storage import PlanningStorage, exists
from bridge.vault.name_folding import fold
from bridge.vault.paths import VaultPath
from bridge.vault.plan import ChangePlan


class CreateNoteParams(SnakeCaseParams):
    """The content, and the place: `path`, or `name` or `title` with `folder`."""

    content: RequiredContent = Field(description="Note content in Markdown")
    path: str | None = Field(
        default=None,
        min_length=1,
        max_length=LONGEST_PATH,
        description="Target path; .md is added when missing, missing folders are made (default: made from the title)",
    )
    title: str | None = Field(
        default=None,
        max_length=LONGEST_PATH,
        description="Note title, for the name of the file (default: the first heading or first line of content)",
    )
    name: str | None = Field(
        default=None,
        min_length=1,
        max_length=LONGEST_PATH,
        description="Instead of path or title: note name (without extension)",
    )
    folder: str | None = Field(
        default=None,
        max_length=LONGEST_PATH,
        description="With name or title: folder for the note (default: where Obsidian puts new notes)",
    )


class CreateNoteTool(WriteTool[CreateNoteParams]):
    """Makes a note.

    Args:
        storage: The vault.
        creation: Plans new files.
    """

    spec = write_spec(
        name="create_note",
        title="Create Note",
        description=(
            "Create a new Markdown note. Without path or name, the file is named after the title, the first "
            "heading or the "
            "first line. An existing note is never overwritten."
        ),
        icon="file-plus",
        parameters=CreateNoteParams,
        operation=Operation.CREATE,
        risk=RiskLevel.MEDIUM,
        id_prefix="note",
    )

    def __init__(self, storage: PlanningStorage, creation: CreationPlanner) -> None:
        self._storage = storage
        self._creation = creation

    def prepare(self, params: CreateNoteParams, context: CallContext) -> ChangePlan:
        """Find the place and plan the note."""
        new = to_bytes(params.content)
        place = self._place(params)
        warnings = []
        if bad := sorted(set(UNLINKABLE) & set(place.name)):
            warnings.append(f'Links will not work with the name "{place.name}", because it holds {" ".join(bad)}')
        return self._creation.plan(place, new, f'Create note "{place}" ({size(len(new))})', context, warnings)

    def report(self, params: CreateNoteParams, applied: Applied) -> Output:
        """Where the note is."""
        del params
        created = next(change for change in applied.plan.changes if change.after is not None and change.before is None)
        data = {"path": created.path, "size": len(applied.plan.blobs[created.after or ""])}
        return Output(data, done(applied.plan.summary))

    def _place(self, params: CreateNoteParams) -> VaultPath:
        """Where the note will lie."""
        if params.path is not None:
            if params.name is not None or params.folder is not None:
                raise InvalidParameters("path says where the note goes; leave out name and folder, or path")
            return self._free(note_path(params.path, self._storage))
        folder = self._folder(params.folder)
        if params.name is not None:
            if params.title is not None:
                raise InvalidParameters("Give either name or title, and not both")
            return self._free(note_path(f"{folder}/{params.name.strip()}", self._storage, "name"))
        name = note_name(params.title or title_of(params.content))
        taken = self._names(folder)
        names = (name if not number else f"{name} {number}" for number in count())
        return self._free(folder.child(next(name for name in names if fold(name + NOTE) not in taken) + NOTE))

    def _free(self, path: VaultPath) -> VaultPath:
        """The place as it will be spelled, when nothing is there.

        Raises:
            Conflict: Something is.
        """
        if exists(self._storage, path):
            there = self._storage.resolve(path)
            raise Conflict(
                f'File already exists: "{there}". Use modify_note to change it, or choose another path', code="exists"
            )
        return self._storage.resolve_new(path)

    def _folder(self, given: str | None) -> VaultPath:
        """The folder that was given, else where Obsidian puts new notes (rule 78)."""
        if given is not None:
            return vault_path(given or "/", self._storage, "folder")
        settings = self._storage.app_settings
        if settings.new_file_location == "folder":
            with suppress(ToolFailure):
                return vault_path(settings.new_file_folder_path or "/", self._storage)
        return VaultPath.root()

    def _names(self, folder: VaultPath) -> set[str]:
        """The names in a folder, which the disk may take for one another."""
        with suppress(NotFound):
            return {fold(name) for name in self._storage.names(folder)}
        return set()

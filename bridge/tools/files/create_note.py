"""The tools `create_note`, `create_folder` and `demo_note`. A note is named by the caller, or after its text.

Without a folder it goes where Obsidian puts new notes (rule 78 of docs/obsidian.md). Its text may come from one of the
user's templates, which the caller must be allowed to read. `demo_note` proposes one new note that explains itself, so
that a person sees a question and its effect.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from datetime import datetime
from itertools import count
from typing import Annotated, Final, Literal

from pydantic import Field

from bridge.clock import Clock
from bridge.contract.base import NoParams
from bridge.contract.consent import ConsentClass, Operation, RiskLevel
from bridge.errors import Conflict, InvalidParameters, NotFound, ToolFailure
from bridge.index.knowledge import is_link
from bridge.notes.moment_format import TemplateFields, unfilled
from bridge.notes.parts import parse_reference
from bridge.notes.properties import merge_properties
from bridge.pictures.reader import PictureReader
from bridge.toolkit.parameters import Sentence
from bridge.toolkit.tool import AGENT, VAULT, CallContext, Output, Unchanged, WriteEffect, in_vault
from bridge.tools import incoming
from bridge.tools.files.link_keeping import LinkKeeper
from bridge.tools.formatting import UNLINKABLE, done, first_of, shortened, size
from bridge.tools.joining import appended, body_of, ending_of
from bridge.tools.kinds import LONGEST_PATH, NO_CONTENT, PathText, SnakeCaseParams, VaultWriteTool, write_spec
from bridge.tools.paths import NOTE, name_after, note_path, read_text, title_of, vault_path
from bridge.tools.storage import PlanningStorage, exists
from bridge.vault.paths import VaultPath, fold, protected
from bridge.vault.plan import Applied, ChangePlan
from bridge.vault.text import counted, encode, note_name


class CreateFolderParams(SnakeCaseParams):
    """The folder to create."""

    path: Annotated[str, Sentence("path is required and must be a string.")] = Field(
        max_length=LONGEST_PATH, description="Folder path to create, relative to the vault"
    )


class CreateFolderTool(VaultWriteTool[CreateFolderParams]):
    """The tool that makes a folder."""

    spec = write_spec(
        name="create_folder",
        action="create/created the folder {path|that was named}",
        description="Create a folder in the vault, with the folders above it where they are missing.",
        icon="folder-plus",
        parameters=CreateFolderParams,
        operation=Operation.CREATE,
        risk=RiskLevel.MEDIUM,
        id_prefix="mkdir",
    )

    def prepare(self, params: CreateFolderParams, _context: CallContext) -> ChangePlan | Unchanged:
        """Plan the folders that are missing, if any are."""
        path = vault_path(params.path.strip() or "/", self._storage)
        if not path.parts:
            raise InvalidParameters("path cannot be empty or root.")
        if path.name.startswith("."):
            raise protected(path)
        if exists(self._storage, path):
            there = self._storage.resolve(path)
            if not self._storage.is_folder(path):
                raise Conflict(f'A file named "{there}" already exists; choose another name', code="exists")
            output = Output({"path": str(there), "created": False}, f'Folder "{there}" already exists.')
            return Unchanged(in_vault(str(there)), f'See whether there is a folder "{there}"', output)
        builder = self._storage.plan()
        place = self._storage.resolve_new(path)
        builder.mkdir(place)
        return builder.build(self.spec.operation, f'Create folder "{place}"')

    def report(self, _params: CreateFolderParams, applied: Applied) -> Output:
        """Report which folder was created."""
        return Output({"path": applied.plan.changes[-1].path, "created": True}, done(applied.plan.summary))


def find_template(storage: PlanningStorage, name: str) -> VaultPath:
    """Return where a template is: in the folder for templates, else at this path.

    Args:
        storage: The vault.
        name: Its name or path; `.md` may be left out.

    Raises:
        NotFound: There is none.
    """
    folder = storage.note_settings.templates_folder
    places = [note_path(f"{folder}/{name}", storage, "template")] if folder else []
    places.append(note_path(name, storage, "template"))
    for place in places:
        if exists(storage, place):
            return place
    where = f" in {folder!r} or" if folder else ""
    raise NotFound(f"There is no template {name!r}{where} at this path", wanted=str(places[0]))


def fill_template(storage: PlanningStorage, template: VaultPath, path: VaultPath, when: datetime) -> str:
    """Return the text of a new note from one of the user's templates.

    Args:
        storage: The vault.
        template: The template.
        path: Where the note will be.
        when: The date and time for its fields.
    """
    _place, data = read_text(storage, template)
    settings = storage.note_settings
    fields = TemplateFields(note_name(str(path)), when, settings.date_format, settings.time_format)
    return fields.fill(data.decode())


def with_content(text: str, content: str) -> str:
    """Return a filled template with a note's own text below, and the properties of both (rule 82 of docs/obsidian.md).

    Args:
        text: The filled template.
        content: The note's own text.
    """
    ending = ending_of(text or content)
    return appended(merge_properties(text, content, ending).text, body_of(content), ending)


def unfilled_warning(text: str) -> list[str]:
    """Return a warning of the fields that only a plugin in Obsidian can fill; none where there are none."""
    fields = unfilled(text)
    return [f"Fields that only a plugin can fill stay as they are: {first_of(fields)}"] if fields else []


_ACTS = {"note": frozenset({"create_note"}), "file": frozenset({"write_file"}), "folder": frozenset({"create_folder"})}


class CreateNoteParams(SnakeCaseParams):
    """The content, and the place: `path`, or `name` or `title` with `folder`."""

    content: Annotated[str | None, Sentence(NO_CONTENT)] = Field(
        default=None, description="All that it holds; of a note, Markdown"
    )
    url: str | None = Field(
        default=None,
        min_length=1,
        max_length=incoming.LONGEST_URL,
        description="Web page to save, below content; sets title, source, author, date",
    )
    save_images: bool = Field(default=False, description="Save its images too")
    kind: Literal["note", "file", "folder"] = Field(
        default="note", description="file: other text, exactly at path; folder: an empty one"
    )
    path: PathText | None = Field(default=None, description="Adds .md and missing folders (default: from the title)")
    title: str | None = Field(
        default=None, max_length=LONGEST_PATH, description="Names the file (default: first heading or line)"
    )
    name: PathText | None = Field(default=None, description="Instead of path or title: the note's name")
    folder: str | None = Field(
        default=None, max_length=LONGEST_PATH, description="With name or title (default: where Obsidian puts new notes)"
    )
    template: PathText | None = Field(default=None, description="A template of the user's; content goes below")
    images: list[incoming.Image] = Field(
        default_factory=list, max_length=incoming.MOST_SENT, description=incoming.ABOUT_IMAGES
    )


_NONE: Final = incoming.SavedImages()
"""The images of a page of which none are saved."""


class CreateNoteTool(VaultWriteTool[CreateNoteParams]):
    """The tool that makes a note.

    Args:
        storage: The vault.
        clock: The time.
        pictures: Decodes images from clients; None: none are taken.
    """

    spec = write_spec(
        name="create_note",
        action="create/created {files|a note}",
        description="Create a note, another text file or a folder. Nothing is ever overwritten.",
        icon="file-plus",
        parameters=CreateNoteParams,
        operation=Operation.CREATE,
        risk=RiskLevel.MEDIUM,
        id_prefix="note",
        presets=frozenset({AGENT, VAULT}),
        replaces=frozenset({"write_file", "create_folder"}),
        acts=lambda params, _paths: [_ACTS[params.kind]],
        bulky=frozenset({"images"}),
        timeout=lambda params: incoming.SECONDS if params.url is not None else 30.0,
    )

    def __init__(self, storage: PlanningStorage, clock: Clock, pictures: PictureReader | None) -> None:
        super().__init__(storage)
        self._pictures = pictures
        self._keeper = LinkKeeper(storage, clock)
        self._clock = clock
        self._folders = CreateFolderTool(storage)

    def prepare(self, params: CreateNoteParams, context: CallContext) -> WriteEffect | Awaitable[WriteEffect]:
        """Find the place and plan the note."""
        if params.images and params.kind != "note":
            raise InvalidParameters("Only a note takes images; leave them out, or kind")
        if params.kind == "folder" and params.content:
            raise InvalidParameters("A folder has no content; leave it out")
        if params.kind != "folder" and params.content is None and params.template is None and params.url is None:
            raise InvalidParameters(NO_CONTENT)
        if params.kind == "file" and params.template is not None:
            raise InvalidParameters("A template is for notes; leave it out, or kind")
        if params.url is not None and params.kind != "note":
            raise InvalidParameters("A page becomes a note; leave out kind, or url")
        if params.url is None and params.save_images:
            raise InvalidParameters("save_images is for the page at url; give url too")
        if params.kind == "folder":
            return self._folders.prepare(self._folder_of(params), context)
        if params.kind == "file":
            place, new = self._free(vault_path(_only_path(params), self._storage)), encode(params.content or "")
            return self._keeper.creation(place, new, f'Create file "{place}" ({size(len(new))})', context)
        if params.url is not None:
            return self._from_page(params, params.url, context)
        return self._planned(params, context)

    async def _from_page(self, params: CreateNoteParams, address: str, context: CallContext) -> WriteEffect:
        """Fetch a page, and plan its note. The place is looked for afterwards: a failure to fetch tells nothing of it.

        Raises:
            FetchFailed: It may not be fetched, or cannot be.
        """
        if context.looking:
            return incoming.to_be_fetched(address, "create a note of it")
        page = await incoming.page_for_note(context, address)
        saved = _NONE
        if params.save_images:
            place = await asyncio.to_thread(self._place, params, page.title or title_of(page.text))
            saved = await incoming.save_images(page, place, self._storage, context)
        return await asyncio.to_thread(self._planned, params, context, page, saved)

    def _planned(
        self,
        params: CreateNoteParams,
        context: CallContext,
        page: incoming.FetchedPage | None = None,
        saved: incoming.SavedImages = _NONE,
    ) -> ChangePlan:
        """Plan a note of a content, a template and a page, as far as there are any."""
        content = params.content or ""
        kept = incoming.check_images(params.images, [content], self._storage, self._pictures, context.deadline)
        place = self._place(params, "" if page is None else page.title or title_of(page.text))
        warnings: list[str] = []
        reads, text = [], kept.embedded(content, place)
        if params.template is not None:
            template = find_template(self._storage, params.template)
            filled = fill_template(self._storage, template, place, self._clock.now().astimezone())
            text, reads = with_content(filled, text), [str(self._storage.resolve(template))]
            warnings += unfilled_warning(filled)
        if page is not None:
            warnings += incoming.warnings_of(page, saved)
            # What a page begins with is text, also where it looks like properties.
            text = incoming.with_origin(text, page)
            text = appended(text, incoming.note_of(page, saved.links).strip("\n"), ending_of(text))
        new = encode(text)
        if bad := sorted(set(UNLINKABLE) & set(place.name)):
            warnings.append(f'Links will not work with the name "{place.name}", because it holds {" ".join(bad)}')
        files = saved.files | {path: image.data for path, image in kept.files.items()}
        images = f" with {counted(len(files), 'image')}" if files else ""
        source = f" from {shortened(page.url, 200)}" if page is not None else ""
        summary = f'Create note "{place}" ({size(len(new))}){images}{source}'
        shown = {path: image.shown for path, image in kept.files.items()}
        return self._keeper.creation(place, new, summary, context, warnings, reads=reads, besides=files, shown=shown)

    def report(self, params: CreateNoteParams, applied: Applied) -> Output:
        """Report where the note is."""
        if params.kind == "folder":
            return self._folders.report(self._folder_of(params), applied)
        created = next(change for change in applied.plan.changes if change.after is not None and change.before is None)
        data = {"path": created.path, "size": len(applied.plan.blobs[created.after or ""])}
        return Output(data, done(applied.plan.summary))

    def _folder_of(self, params: CreateNoteParams) -> CreateFolderParams:
        """Return the folder to make. Raises InvalidParameters where that is not a path."""
        folder: CreateFolderParams = self._folders.spec.parameters.parse({"path": _only_path(params)})
        return folder

    def _place(self, params: CreateNoteParams, title: str = "") -> VaultPath:
        """Return where the note will lie; `title` names it where nothing else does."""
        if params.path is not None:
            if params.name is not None or params.folder is not None:
                raise InvalidParameters("path says where the note goes; leave out name and folder, or path")
            return self._free(note_path(_unlinked(params.path), self._storage))
        folder = self._folder(params.folder)
        if params.name is not None:
            if params.title is not None:
                raise InvalidParameters("Give either name or title, and not both")
            return self._free(note_path(f"{folder}/{_unlinked(params.name.strip())}", self._storage, "name"))
        name = name_after(params.title or title or title_of(params.content or ""))
        taken: set[str] = set()
        with suppress(NotFound):
            taken = {fold(other) for other in self._storage.names(folder)}
        names = (name if not number else f"{name} {number}" for number in count())
        return self._free(folder.child(next(name for name in names if fold(name + NOTE) not in taken) + NOTE))

    def _free(self, path: VaultPath) -> VaultPath:
        """Return the place as it will be spelled, when nothing is there.

        Raises:
            InvalidParameters: A new note cannot have this name.
            Conflict: Something is.
        """
        self._storage.check_new_name(path.name)
        if exists(self._storage, path):
            there = self._storage.resolve(path)
            raise Conflict(
                f'File already exists: "{there}". Use edit or modify_note to change it, or choose another path',
                code="exists",
            )
        return self._storage.resolve_new(path)

    def _folder(self, given: str | None) -> VaultPath:
        """Return the folder that was given, else where Obsidian puts new notes (rule 78)."""
        if given is not None:
            return vault_path(given or "/", self._storage, "folder")
        settings = self._storage.app_settings
        if settings.new_file_location == "folder":
            with suppress(ToolFailure):
                return vault_path(settings.new_file_folder_path or "/", self._storage)
        return VaultPath.root()


def _only_path(params: CreateNoteParams) -> str:
    """Return the path of something that is not a note, and so is not named after its content."""
    path = params.path or (f"{params.folder or ''}/{params.name}" if params.name else None)
    if path is None:
        raise InvalidParameters(f"path is missing: say where the {params.kind} goes")
    return path


def _unlinked(name: str) -> str:
    """Return a new note's name or path without the brackets of a wikilink.

    Raises:
        InvalidParameters: It is a link that names a part of a note, or no link at all (`invalid_format`).
    """
    if not is_link(name):
        return name
    link = parse_reference(name)
    if link.part or link.alias:
        raise InvalidParameters(
            f"{shortened(name)!r} names more than a note; give the new note's name alone", code="invalid_format"
        )
    return link.path


_DEMO_NAME: Final = "Vault Bridge demo"
_DEMO_TEXT: Final = b"""# Vault Bridge demo

You allowed this note, so it was written: exactly the text that you were shown.

- The log of Vault Bridge has a line about the question and one about your answer.
- "Changes by agents" lists the note. Undo takes it away again.
"""


class DemoNoteTool(VaultWriteTool[NoParams]):
    """The tool that makes one note with a fixed text. It is asked about every time.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """

    spec = write_spec(
        name="demo_note",
        action="create/created {files|a note} to show what a question looks like",
        description="Create a note that explains itself, to show how a question looks.",
        icon="file-plus",
        parameters=NoParams,
        id_prefix="demo",
        operation=Operation.CREATE,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.NEVER,
        listed=False,
        presets=frozenset(),
    )

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        super().__init__(storage)
        self._keeper = LinkKeeper(storage, clock)

    def prepare(self, _params: NoParams, context: CallContext) -> ChangePlan:
        """Plan the note, under a name that is free."""
        names = (f"{_DEMO_NAME}{f' {number}' if number > 1 else ''}.md" for number in count(1))
        free = next(path for path in map(VaultPath.root().child, names) if not exists(self._storage, path))
        place = self._storage.resolve_new(free)
        return self._keeper.creation(place, _DEMO_TEXT, f'Create the demo note "{place}"', context)

    def report(self, _params: NoParams, applied: Applied) -> Output:
        """Report where the note is."""
        return Output({"path": applied.plan.targets[0]}, done(applied.plan.summary))

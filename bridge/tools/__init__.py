"""The tools: a folder or a file for each provider. These lists are all there are, in the order they are shown."""

from collections.abc import Callable
from typing import Any

from bridge.clock import Clock
from bridge.drafts.store import Drafts
from bridge.identity.caller import DEMO, Caller
from bridge.index.file_texts import AllFileTexts, FileTexts
from bridge.index.search.note_search import NoteSearch
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import StoredWords
from bridge.index.texts.grep import Grep
from bridge.pictures.reader import PictureReader
from bridge.sandbox.sandbox import Programs
from bridge.toolkit.permitted import Screens
from bridge.toolkit.registry import StaticProvider, ToolProvider
from bridge.toolkit.tool import Tool, ToolSpec
from bridge.tools.agent.edit import EditTool
from bridge.tools.agent.move import DeleteTool, MoveTool
from bridge.tools.agent.query import QueryTool
from bridge.tools.agent.search import SearchNotesTool, SearchTool
from bridge.tools.agent.set_properties import SetPropertiesTool
from bridge.tools.core.apply_patch import ApplyPatchTool
from bridge.tools.core.await_decision import AwaitDecisionTool
from bridge.tools.core.find import FindTool, GetFileInfoTool, ListFilesTool
from bridge.tools.core.grep import GrepTool, SearchFilesTool
from bridge.tools.core.passages import CodebaseSearchTool, ContextPackTool
from bridge.tools.core.read import ReadFileTool
from bridge.tools.drafts import DraftTool
from bridge.tools.everyday import everyday_tools
from bridge.tools.files.create_note import CreateFolderTool, CreateNoteTool, DemoNoteTool
from bridge.tools.files.deletion import DeleteFileTool
from bridge.tools.files.editing import EditFileTool, ModifyNoteTool, WriteFileTool
from bridge.tools.files.moving import MoveFileTool, OrganizeNoteTool
from bridge.tools.files.read_file import ReadVaultFileTool
from bridge.tools.history import HistoryTool, RedoTool, UndoTool
from bridge.tools.notes.changing import AddTagTool, DeleteNoteTool, RemoveTagTool, UpdateNoteTool
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.notes.reading import GetMetadataTool, IsAvailableTool, ReadNoteTool, ResolveNoteTool
from bridge.tools.notes.related import FindRelatedTool, NearNotes, SearchVectorsTool
from bridge.tools.notes.tags_and_properties import ListTagsTool, SearchByPropertiesTool, SearchByTagsTool
from bridge.tools.services import Handed, ToolServices
from bridge.tools.storage import PlanningStorage, VaultStorage
from bridge.tools.templates.templates import ChainTool, TemplatesTool, TemplateStore
from bridge.tools.terminal.run_terminal_command import RunTerminalCommandTool
from bridge.tools.web.web_fetch import WebFetchTool
from bridge.tools.web.web_search import WebSearchTool
from bridge.web.search import WebSearch
from bridge.web.services import WebServices


def providers(services: ToolServices) -> list[ToolProvider]:
    """Return every provider, ready to be registered. None of them can read what the user has closed.

    Args:
        services: What the tools are built from.
    """
    storage, clock, everything = services.storage, services.clock, services.everything
    grep = Grep(storage.files, clock, everything, services.denied)
    texts = SearchTexts(everything.texts, storage.files, clock, services.file_texts)
    search = NoteSearch(storage.knowledge, StoredWords(everything.search), texts, services.meaning)
    agent = [SearchTool(storage, search, grep), *agent_tools(storage, clock, services.screens, services.pictures)]
    find, *others = core_tools(storage, clock, services.file_texts, services.pictures, services.screens)
    waiting = AwaitDecisionTool(services.calls, services.decided)
    passages = CodebaseSearchTool(storage, search), ContextPackTool(storage, search)
    core = [find, GrepTool(storage, grep), *others, waiting, *passages]
    files = file_tools(storage, clock, services.handed, services.pictures)
    searching = SearchNotesTool(storage, search), SearchFilesTool(storage, grep)
    notes = [*note_tools(storage, clock, search.related), SearchVectorsTool(storage, search)]
    past = services.history
    history = HistoryTool(past, services.denied), UndoTool(past), RedoTool(past)
    return [
        StaticProvider("agent", agent),
        StaticProvider("core", core, close=grep.close),
        StaticProvider("files", [*searching, *files], close=search.close),
        StaticProvider("notes", notes),
        StaticProvider("everyday", everyday_tools(storage, clock)),
        StaticProvider("history", history),
        StaticProvider("demo", [DemoNoteTool(storage, clock)], has=lambda caller: caller.client == DEMO),
    ]


def agent_tools(
    storage: PlanningStorage, clock: Clock, screens: Screens | None = None, pictures: PictureReader | None = None
) -> list[Tool[Any]]:
    """Return those that search no texts, whichever storage the notes are in.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
        screens: The person's screen in Obsidian; None: nothing reports it.
        pictures: Decodes images from clients; None: none are taken.
    """
    return [
        QueryTool(storage, clock),
        EditTool(storage, clock, screens, pictures),
        SetPropertiesTool(storage),
        MoveTool(storage, clock),
        DeleteTool(storage, clock),
    ]


def core_tools(
    storage: PlanningStorage,
    clock: Clock,
    file_texts: FileTexts | None = None,
    pictures: PictureReader | None = None,
    screens: Screens | None = None,
) -> list[Tool[Any]]:
    """Return the core tools that search no texts, whichever storage the files are in.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
        file_texts: The texts of files that are not notes.
        pictures: Makes pictures ready to be shown; None: none are shown.
        screens: The person's screen in Obsidian; None: nothing reports it.
    """
    read = ReadFileTool(storage, file_texts or AllFileTexts(), pictures, screens)
    return [FindTool(storage, clock), read, ApplyPatchTool(storage, clock)]


def file_tools(
    storage: PlanningStorage, clock: Clock, handed: Handed, pictures: PictureReader | None = None
) -> list[Tool[Any]]:
    """Return the file tools that search no texts, whichever storage the files are in.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
        handed: The files that a session may read whole.
        pictures: Decodes images from clients; None: none are taken.
    """
    return [
        ListFilesTool(storage, clock),
        GetFileInfoTool(storage),
        ReadVaultFileTool(storage, handed),
        CreateNoteTool(storage, clock, pictures),
        CreateFolderTool(storage),
        ModifyNoteTool(storage),
        EditFileTool(storage),
        WriteFileTool(storage, clock),
        OrganizeNoteTool(storage, clock),
        MoveFileTool(storage, clock),
        DeleteFileTool(storage, clock),
    ]


def note_tools(
    storage: PlanningStorage, clock: Clock, meaning: NearNotes = lambda _path, _count: None
) -> list[Tool[Any]]:
    """Return the note tools, whichever storage the notes are in.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
        meaning: Finds notes near another in meaning.
    """
    notes = NoteLookup(storage)
    return [
        ResolveNoteTool(notes),
        IsAvailableTool(notes),
        ReadNoteTool(notes),
        GetMetadataTool(notes),
        FindRelatedTool(notes, meaning),
        SearchByTagsTool(notes),
        SearchByPropertiesTool(notes, clock),
        ListTagsTool(notes),
        UpdateNoteTool(storage),
        AddTagTool(storage),
        RemoveTagTool(storage),
        DeleteNoteTool(storage, clock),
    ]


def draft_provider(drafts: Drafts, templates: TemplateStore, clock: Clock) -> ToolProvider:
    """Return the provider of the tools that make one question of many changes.

    Args:
        drafts: The drafts of all clients.
        templates: The user's templates.
        clock: For what day it is.
    """
    return StaticProvider("drafts", [DraftTool(drafts), ChainTool(), TemplatesTool(templates, clock)])


def web_provider(web: WebServices, search: WebSearch) -> ToolProvider:
    """Return the provider of the tools of the web."""
    return StaticProvider("web", [WebSearchTool(search, web), WebFetchTool(web)], close=web.reader.close)


def terminal_provider(
    storage: VaultStorage, programs: Programs, drafts: Drafts, allowed: Callable[[], bool]
) -> ToolProvider:
    """Return the provider of the tool that runs commands, which is there where the person has allowed commands.

    Args:
        storage: The vault.
        programs: Runs them.
        drafts: All drafts.
        allowed: Whether commands are allowed now.
    """

    def in_draft(caller: Caller) -> bool:
        return not caller.client.drafts and drafts.of(caller) is not None

    tool = RunTerminalCommandTool(storage, programs, in_draft)
    return StaticProvider("terminal", [tool], has=lambda _caller: allowed())


def specs() -> list[ToolSpec]:
    """Return the specs of all tools here, without building any of them; by name."""
    found: dict[str, ToolSpec] = {}
    kinds: list[Any] = [Tool]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        spec = getattr(kind, "spec", None)
        if isinstance(spec, ToolSpec) and kind.__module__.startswith(f"{__name__}."):
            found[spec.name] = spec
    return [found[name] for name in sorted(found)]

"""The tools: a folder or a file for each provider. This list is all there are, in the order they are shown."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from bridge.clock import Clock
from bridge.drafts.store import Drafts
from bridge.identity.caller import DEMO, Caller
from bridge.index.search.note_search import NoteSearch
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import StoredWords
from bridge.index.texts.grep import Grep
from bridge.sandbox.sandbox import Programs
from bridge.toolkit.registry import StaticProvider, ToolProvider
from bridge.toolkit.tool import Tool, ToolSpec
from bridge.tools.agent import agent_tools
from bridge.tools.agent.search import SearchTool
from bridge.tools.core import core_tools
from bridge.tools.core.await_decision import AwaitDecisionTool
from bridge.tools.core.grep import GrepTool, SearchFilesTool
from bridge.tools.core.passages import CodebaseSearchTool, ContextPackTool
from bridge.tools.demo import DemoNoteTool
from bridge.tools.drafts import DraftTool
from bridge.tools.everyday import everyday_tools
from bridge.tools.files import file_tools
from bridge.tools.files.search_notes import SearchNotesTool
from bridge.tools.history import HistoryTool, RedoTool, UndoTool
from bridge.tools.notes import note_tools
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.notes.related import SearchVectorsTool
from bridge.tools.services import ToolServices
from bridge.tools.storage import VaultStorage
from bridge.tools.templates.templates import ChainTool, TemplatesTool, TemplateStore
from bridge.tools.terminal.run_terminal_command import RunTerminalCommandTool
from bridge.tools.web.web_fetch import WebFetchTool
from bridge.tools.web.web_search import WebSearchTool
from bridge.web.search import WebSearch
from bridge.web.services import WebServices


class VaultProvider(StaticProvider):
    """A provider of the bridge's own.

    Args:
        id: Unique.
        tools: Its tools, in the order they are listed.
        close: Ends the processes and threads of its tools.
    """

    def __init__(self, id: str, tools: Sequence[Tool[Any]], close: Callable[[], None] | None = None) -> None:
        super().__init__(id=id, tools=tools)
        self._close = close

    async def stop(self) -> None:
        """End what its tools started."""
        if self._close is not None:
            await asyncio.to_thread(self._close)


def providers(services: ToolServices) -> list[ToolProvider]:
    """Return every provider, ready to be registered. None of them can read what the user has closed.

    Args:
        services: What the tools are built from.
    """
    storage, clock, everything = services.storage, services.clock, services.everything
    grep = Grep(storage.files, clock, everything, services.denied)
    texts = SearchTexts(everything.texts, storage.files, clock, services.file_texts)
    search = NoteSearch(storage.knowledge, StoredWords(everything.search), texts, services.meaning)
    find, *others = core_tools(storage, clock, services.file_texts, services.pictures, services.screens)
    others.append(AwaitDecisionTool(services.calls, services.decided))
    searching: list[Tool[Any]] = [SearchNotesTool(storage, search), SearchFilesTool(storage, grep)]
    files = [*searching, *file_tools(storage, clock, services.handed, services.pictures)]
    history: list[Tool[Any]] = [
        HistoryTool(services.history, services.denied),
        UndoTool(services.history),
        RedoTool(services.history),
    ]
    return [
        VaultProvider(
            "agent",
            [SearchTool(storage, search, grep), *agent_tools(storage, clock, services.screens, services.pictures)],
        ),
        VaultProvider(
            "core",
            [
                find,
                GrepTool(storage, grep),
                *others,
                CodebaseSearchTool(storage, search),
                ContextPackTool(storage, search),
            ],
            grep.close,
        ),
        VaultProvider("files", files, search.close),
        VaultProvider(
            "notes", [*note_tools(storage, clock, search.related), SearchVectorsTool(NoteLookup(storage), search)]
        ),
        VaultProvider("everyday", everyday_tools(storage, clock)),
        VaultProvider("history", history),
        StaticProvider(id="demo", tools=[DemoNoteTool(storage, clock)], only_for=DEMO),
    ]


def draft_provider(drafts: Drafts, templates: TemplateStore, clock: Clock) -> ToolProvider:
    """Return the provider of the tools that make one question of many changes.

    Args:
        drafts: The drafts of all clients.
        templates: The user's templates.
        clock: For what day it is.
    """
    tools: list[Tool[Any]] = [DraftTool(drafts), ChainTool(), TemplatesTool(templates, clock)]
    return VaultProvider("drafts", tools)


def web_provider(web: WebServices, search: WebSearch) -> ToolProvider:
    """Return the provider of the tools of the web."""
    tools: list[Tool[Any]] = [WebSearchTool(search, web), WebFetchTool(web)]
    return VaultProvider("web", tools, web.reader.close)


class TerminalProvider(VaultProvider):
    """The provider of the tool that runs commands, which is there where the person has allowed commands.

    Args:
        tool: The tool.
        allowed: Whether commands are allowed now.
    """

    def __init__(self, tool: RunTerminalCommandTool, allowed: Callable[[], bool]) -> None:
        super().__init__("terminal", [tool])
        self._allowed = allowed

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        """Return the one tool, or none."""
        return super().tools(caller) if self._allowed() else ()


def terminal_provider(
    storage: VaultStorage, programs: Programs, drafts: Drafts, allowed: Callable[[], bool]
) -> ToolProvider:
    """Return the provider of the tool that runs commands; the arguments are `RunTerminalCommandTool`'s.

    Args:
        storage: See there.
        programs: See there.
        drafts: All drafts.
        allowed: Whether commands are allowed now.
    """

    def in_draft(caller: Caller) -> bool:
        return not caller.client.drafts and drafts.of(caller) is not None

    tool = RunTerminalCommandTool(storage, programs, in_draft)
    return TerminalProvider(tool, allowed)


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

"""The tools: a folder for each provider. This list is all there are, in the order they are shown."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from bridge import __version__
from bridge.index.search.note_search import NoteSearch
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import StoredWords
from bridge.index.texts.grep import Grep
from bridge.toolkit.registry import StaticProvider, ToolProvider
from bridge.toolkit.tool import Tool, ToolSpec
from bridge.tools.core import core_tools
from bridge.tools.core.grep import GrepTool
from bridge.tools.files import file_tools
from bridge.tools.files.search_files import SearchFilesTool
from bridge.tools.files.search_notes import SearchNotesTool
from bridge.tools.history.reversals import RedoTool, UndoTool
from bridge.tools.notes import note_tools
from bridge.tools.services import ToolServices


class VaultProvider(StaticProvider):
    """A provider of the bridge's own.

    Args:
        id: Unique.
        name: For people.
        description: For people.
        tools: Its tools, in the order they are listed.
        close: Ends the processes and threads of its tools.
    """

    def __init__(
        self, id: str, name: str, description: str, tools: Sequence[Tool[Any]], close: Callable[[], None] | None = None
    ) -> None:
        super().__init__(id=id, name=name, description=description, version=__version__, tools=tools)
        self._close = close

    async def stop(self) -> None:
        """End what its tools started."""
        if self._close is not None:
            await asyncio.to_thread(self._close)


def providers(services: ToolServices) -> list[ToolProvider]:
    """Every provider, ready to be registered. None of them can read what the user has closed.

    Args:
        services: What the tools are built from.
    """
    storage, clock, everything = services.storage, services.clock, services.everything
    grep = Grep(storage.files, clock, everything, services.denied)
    texts = SearchTexts(everything.texts, storage.files, clock)
    search = NoteSearch(storage.knowledge, StoredWords(everything.search), texts)
    find, *others = core_tools(storage, clock)
    searching: list[Tool[Any]] = [SearchNotesTool(storage, search), SearchFilesTool(storage, grep)]
    files = [*searching, *file_tools(storage, clock, services.handed)]
    history = [UndoTool(services.history), RedoTool(services.history)]
    return [
        VaultProvider(
            "core",
            "Core tools",
            "Find, search, read and patch the files of the vault.",
            [find, GrepTool(storage, grep), *others],
            grep.close,
        ),
        VaultProvider(
            "files", "Files", "Search, list, read, write, move and delete the files of the vault.", files, search.close
        ),
        VaultProvider(
            "notes",
            "Notes",
            "Resolve, read and relate notes by name; their tags and properties.",
            note_tools(storage, clock),
        ),
        VaultProvider("history", "History", "Take changes back, and repeat them.", history),
    ]


def specs() -> list[ToolSpec]:
    """The specs of all tools here, without building any of them; by name."""
    found: dict[str, ToolSpec] = {}
    kinds: list[Any] = [Tool]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        spec = getattr(kind, "spec", None)
        if isinstance(spec, ToolSpec) and kind.__module__.startswith(f"{__name__}."):
            found[spec.name] = spec
    return [found[name] for name in sorted(found)]

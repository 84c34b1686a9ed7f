"""The note tools (seed C): notes by name, their links, tags and properties."""

from typing import Any

from bridge import __version__
from bridge.clock import Clock
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import Tool
from bridge.tools.files.deletion_plan import Removal
from bridge.tools.notes.add_tag import AddTagTool
from bridge.tools.notes.delete_note import DeleteNoteTool
from bridge.tools.notes.find_related import FindRelatedTool
from bridge.tools.notes.get_metadata import GetMetadataTool
from bridge.tools.notes.is_available import IsAvailableTool
from bridge.tools.notes.list_tags import ListTagsTool
from bridge.tools.notes.read_note import ReadNoteTool
from bridge.tools.notes.remove_tag import RemoveTagTool
from bridge.tools.notes.resolve_note import ResolveNoteTool
from bridge.tools.notes.search_by_properties import SearchByPropertiesTool
from bridge.tools.notes.search_by_tags import SearchByTagsTool
from bridge.tools.notes.storage import NoteStorage
from bridge.tools.notes.update_note import UpdateNoteTool
from bridge.tools.notes.vault_storage import VaultStorage
from bridge.tools.services import ToolServices


def notes_provider(services: ToolServices) -> ToolProvider:
    """Notes by name, with their links, tags and properties.

    Args:
        services: What the tools are built from.
    """
    storage = VaultStorage(services.files, services.index)
    return ToolProvider(
        id="notes",
        name="Notes",
        description="Resolve, read and relate notes by name; their tags and properties.",
        version=__version__,
        tools=[*note_tools(storage, services.clock), DeleteNoteTool(storage, Removal(services))],
    )


def note_tools(storage: NoteStorage, clock: Clock) -> list[Tool[Any]]:
    """The tools that ask nothing but a storage of notes, whichever it is.

    Args:
        storage: The notes.
        clock: What deadlines are given in.
    """
    return [
        ResolveNoteTool(storage),
        IsAvailableTool(storage),
        ReadNoteTool(storage),
        GetMetadataTool(storage),
        FindRelatedTool(storage),
        SearchByTagsTool(storage),
        SearchByPropertiesTool(storage, clock),
        ListTagsTool(storage),
        UpdateNoteTool(storage),
        AddTagTool(storage),
        RemoveTagTool(storage),
    ]

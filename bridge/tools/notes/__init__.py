"""The note tools: notes by name, their links, tags and properties."""

from typing import Any

from bridge.clock import Clock
from bridge.toolkit.tool import Tool
from bridge.tools.files.deletion_plan import DeletionPlanner
from bridge.tools.notes.delete_note import DeleteNoteTool
from bridge.tools.notes.edit_tags import AddTagTool, RemoveTagTool
from bridge.tools.notes.find_related import FindRelatedTool, NearNotes, no_meaning
from bridge.tools.notes.get_metadata import GetMetadataTool
from bridge.tools.notes.is_available import IsAvailableTool
from bridge.tools.notes.list_tags import ListTagsTool
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.notes.read_note import ReadNoteTool
from bridge.tools.notes.resolve_note import ResolveNoteTool
from bridge.tools.notes.search_by_properties import SearchByPropertiesTool
from bridge.tools.notes.search_by_tags import SearchByTagsTool
from bridge.tools.notes.update_note import UpdateNoteTool
from bridge.tools.storage import PlanningStorage


def note_tools(storage: PlanningStorage, clock: Clock, meaning: NearNotes = no_meaning) -> list[Tool[Any]]:
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
        DeleteNoteTool(notes, DeletionPlanner(storage, clock)),
    ]

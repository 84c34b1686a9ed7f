"""The note tools: notes by name, their links, tags and properties."""

from typing import Any

from bridge.clock import Clock
from bridge.toolkit.tool import Tool
from bridge.tools.files.deletion import DeletionPlanner
from bridge.tools.notes.changing import AddTagTool, DeleteNoteTool, RemoveTagTool, UpdateNoteTool
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.notes.reading import GetMetadataTool, IsAvailableTool, ReadNoteTool, ResolveNoteTool
from bridge.tools.notes.related import FindRelatedTool, NearNotes, no_meaning
from bridge.tools.notes.tags_and_properties import ListTagsTool, SearchByPropertiesTool, SearchByTagsTool
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

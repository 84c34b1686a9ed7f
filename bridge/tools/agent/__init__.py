"""The tools that do the work of several others, for models: each is built of what those are built of."""

from typing import Any

from bridge.clock import Clock
from bridge.pictures.reader import PictureReader
from bridge.toolkit.permitted import Screens
from bridge.toolkit.tool import Tool
from bridge.tools.agent.edit import EditTool
from bridge.tools.agent.move import DeleteTool, MoveTool
from bridge.tools.agent.query import QueryTool
from bridge.tools.agent.set_properties import SetPropertiesTool
from bridge.tools.files.deletion import DeletionPlanner
from bridge.tools.storage import PlanningStorage


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
        DeleteTool(storage, DeletionPlanner(storage, clock)),
    ]

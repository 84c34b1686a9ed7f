"""The tools that do the work of several others, for models: each is built of what those are built of."""

from typing import Any

from bridge.clock import Clock
from bridge.toolkit.screens import Screens
from bridge.toolkit.tool import Tool
from bridge.tools.agent.delete import DeleteTool
from bridge.tools.agent.edit import EditTool
from bridge.tools.agent.move import MoveTool
from bridge.tools.agent.query import QueryTool
from bridge.tools.agent.set_properties import SetPropertiesTool
from bridge.tools.files.deletion_plan import DeletionPlanner
from bridge.tools.storage import PlanningStorage


def agent_tools(storage: PlanningStorage, clock: Clock, screens: Screens | None = None) -> list[Tool[Any]]:
    """Those that search no texts, whichever storage the notes are in.

    Args:
        storage: The vault.
        clock: What deadlines are given in.
        screens: What the person looks at in Obsidian; None: nothing tells it.
    """
    return [
        QueryTool(storage, clock),
        EditTool(storage, screens),
        SetPropertiesTool(storage),
        MoveTool(storage, clock),
        DeleteTool(storage, DeletionPlanner(storage, clock)),
    ]

"""The everyday tools: the jobs that people ask for most, each in one call and, where it writes, in one plan."""

from typing import Any

from bridge.clock import Clock
from bridge.toolkit.tool import Tool
from bridge.tools.everyday.daily_note import DailyNoteTool
from bridge.tools.everyday.edit_canvas import EditCanvasTool
from bridge.tools.everyday.merging import MergeNotesTool, SplitNoteTool
from bridge.tools.everyday.note_info import NoteInfoTool
from bridge.tools.everyday.renaming import RenameHeadingTool, RenamePropertyTool, RenameTagTool
from bridge.tools.everyday.tasks import EditTasksTool, TasksTool
from bridge.tools.everyday.vault_report import VaultReportTool
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.storage import PlanningStorage


def everyday_tools(storage: PlanningStorage, clock: Clock) -> list[Tool[Any]]:
    """Return the everyday tools, whichever storage the notes are in.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
    """
    notes = NoteLookup(storage)
    return [
        NoteInfoTool(notes),
        VaultReportTool(storage, clock),
        RenameHeadingTool(storage, clock),
        RenameTagTool(storage, clock),
        RenamePropertyTool(storage, clock),
        MergeNotesTool(storage, clock),
        SplitNoteTool(storage, clock),
        TasksTool(storage, clock),
        EditTasksTool(storage, clock),
        EditCanvasTool(storage),
        DailyNoteTool(storage, clock),
    ]

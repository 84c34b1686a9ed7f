"""The core tools: find, grep, read and apply_patch."""

from typing import Any

from bridge.clock import Clock
from bridge.index.file_texts import AllFileTexts, FileTexts
from bridge.pictures.reader import PictureReader
from bridge.toolkit.permitted import Screens
from bridge.toolkit.tool import Tool
from bridge.tools.core.apply_patch import ApplyPatchTool
from bridge.tools.core.find import FindTool
from bridge.tools.core.read import ReadFileTool
from bridge.tools.storage import PlanningStorage


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
        file_texts: The texts of files that are no notes.
        pictures: Makes pictures ready to be shown; None: none are shown.
        screens: The person's screen in Obsidian; None: nothing reports it.
    """
    read = ReadFileTool(storage, file_texts or AllFileTexts(), pictures, screens)
    return [FindTool(storage, clock), read, ApplyPatchTool(storage, clock)]

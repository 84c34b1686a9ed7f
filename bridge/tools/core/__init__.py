"""The core tools: find, grep, read and apply_patch."""

from typing import Any

from bridge.clock import Clock
from bridge.index.pdfs.texts import NoPdfTexts, PdfTexts
from bridge.pictures.reader import PictureReader
from bridge.toolkit.screens import Screens
from bridge.toolkit.tool import Tool
from bridge.tools.core.apply_patch import ApplyPatchTool
from bridge.tools.core.find import FindTool
from bridge.tools.core.read import ReadFileTool
from bridge.tools.storage import PlanningStorage


def core_tools(
    storage: PlanningStorage,
    clock: Clock,
    pdfs: PdfTexts | None = None,
    pictures: PictureReader | None = None,
    screens: Screens | None = None,
) -> list[Tool[Any]]:
    """The core tools that search no texts, whichever storage the files are in.

    Args:
        storage: The vault.
        clock: What deadlines are given in.
        pdfs: The texts of PDF files.
        pictures: Makes pictures ready to be shown; None: none are shown.
        screens: What the person looks at in Obsidian; None: nothing tells it.
    """
    read = ReadFileTool(storage, pdfs or NoPdfTexts(), pictures, screens)
    return [FindTool(storage, clock), read, ApplyPatchTool(storage, clock)]

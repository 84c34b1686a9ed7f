"""The file tools: search, list, read, write, move and delete files."""

from typing import Any

from bridge.clock import Clock
from bridge.pictures.reader import PictureReader
from bridge.toolkit.tool import Tool
from bridge.tools.files.create_note import CreateFolderTool, CreateNoteTool
from bridge.tools.files.deletion import DeleteFileTool, DeletionPlanner
from bridge.tools.files.editing import EditFileTool, ModifyNoteTool, WriteFileTool
from bridge.tools.files.link_keeping import CreationPlanner
from bridge.tools.files.listing import GetFileInfoTool, ListFilesTool
from bridge.tools.files.moving import MoveFileTool, OrganizeNoteTool
from bridge.tools.files.read_file import ReadVaultFileTool
from bridge.tools.services import Handed
from bridge.tools.storage import PlanningStorage


def file_tools(
    storage: PlanningStorage, clock: Clock, handed: Handed, pictures: PictureReader | None = None
) -> list[Tool[Any]]:
    """Return the file tools that search no texts, whichever storage the files are in.

    Args:
        storage: The vault.
        clock: The clock that deadlines are given in.
        handed: The files that a session may read whole.
        pictures: Decodes images from clients; None: none are taken.
    """
    creation = CreationPlanner(storage, clock)
    return [
        ListFilesTool(storage, clock),
        GetFileInfoTool(storage),
        ReadVaultFileTool(storage, handed),
        CreateNoteTool(storage, creation, clock, pictures),
        CreateFolderTool(storage),
        ModifyNoteTool(storage),
        EditFileTool(storage),
        WriteFileTool(storage, creation),
        OrganizeNoteTool(storage, clock),
        MoveFileTool(storage, clock),
        DeleteFileTool(storage, DeletionPlanner(storage, clock)),
    ]

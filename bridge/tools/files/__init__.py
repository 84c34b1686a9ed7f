"""The file tools (seed S, and seed O for `read_file` and `edit_file`)."""

from bridge import __version__
from bridge.toolkit.provider import ToolProvider
from bridge.tools.files.create_folder import CreateFolderTool
from bridge.tools.files.create_note import CreateNoteTool
from bridge.tools.files.edit_file import EditFileTool
from bridge.tools.files.modify_note import ModifyNoteTool
from bridge.tools.files.write_file import WriteFileTool
from bridge.tools.services import ToolServices


def files_provider(services: ToolServices) -> ToolProvider:
    """Search, list, read, write, move and delete files.

    Args:
        services: What the tools are built from.
    """
    files = services.files
    return ToolProvider(
        id="files",
        name="Files",
        description="Search, list, read, write, move and delete the files of the vault.",
        version=__version__,
        tools=[
            CreateNoteTool(files),
            CreateFolderTool(files),
            ModifyNoteTool(files),
            EditFileTool(files),
            WriteFileTool(files),
        ],
    )

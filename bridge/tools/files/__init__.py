"""The file tools (seed S, and seed O for `read_file` and `edit_file`)."""

from bridge import __version__
from bridge.toolkit.provider import ToolProvider
from bridge.tools.services import ToolServices


def files_provider(services: ToolServices) -> ToolProvider:
    """Search, list, read, write, move and delete files.

    Args:
        services: What the tools are built from.
    """
    del services
    return ToolProvider(
        id="files",
        name="Files",
        description="Search, list, read, write, move and delete the files of the vault.",
        version=__version__,
        tools=[],
    )

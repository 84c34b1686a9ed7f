"""The note tools (seed C): notes by name, their links, tags and properties."""

from bridge import __version__
from bridge.toolkit.provider import ToolProvider
from bridge.tools.services import ToolServices


def notes_provider(services: ToolServices) -> ToolProvider:
    """Notes by name, with their links, tags and properties.

    Args:
        services: What the tools are built from.
    """
    del services
    return ToolProvider(
        id="notes",
        name="Notes",
        description="Resolve, read and relate notes by name; their tags and properties.",
        version=__version__,
        tools=[],
    )

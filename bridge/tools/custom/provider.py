"""The provider of the user's own tools, which come and go as the user stores them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from bridge import __version__
from bridge.custom.custom_tools import CustomTools
from bridge.identity.caller import Caller
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import Tool
from bridge.tools.custom.custom_tool import CustomTool

if TYPE_CHECKING:
    from bridge.custom.definition import StoredTool


class CustomProvider(ToolProvider):
    """The user's own tools. Those that may not run now are there without being listed, and say why they are refused.

    Args:
        tools: The tools.
    """

    id, name, version = "custom", "Your own tools", __version__
    description = "Tools that you have written yourself."

    def __init__(self, tools: CustomTools) -> None:
        self._tools = tools
        self._made: dict[str, tuple[StoredTool, bool, CustomTool]] = {}

    async def start(self, changed: Callable[[], None]) -> None:
        """Hear of changes."""
        self._tools.start(changed)

    async def stop(self) -> None:
        """End what waits for runs."""
        await self._tools.stop()

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        """Return all that are stored, the same for every client."""
        del caller
        allowed = self._tools.allowed()
        made: dict[str, tuple[StoredTool, bool, CustomTool]] = {}
        for name, tool in self._tools.all.items():
            known = self._made.get(name)
            is_same = known is not None and known[0] is tool and known[1] == allowed
            made[name] = known if known is not None and is_same else (tool, allowed, CustomTool(self._tools, tool))
        self._made = made
        return [tool for _, _, tool in made.values()]

"""The demonstration: one tool, for nobody but the client that stands for it."""

from collections.abc import Sequence
from typing import Any

from bridge import __version__
from bridge.clock import Clock
from bridge.identity.caller import DEMO, Caller
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import Tool
from bridge.tools.demo.demo_note import DemoNoteTool
from bridge.tools.storage import PlanningStorage


class DemoProvider(ToolProvider):
    """Gives the demonstration its tool, whatever tools agents have.

    Args:
        storage: The vault.
        clock: What deadlines are given in.
    """

    id, name, description, version = "demo", "Demonstration", "One question, to see how questions look.", __version__

    def __init__(self, storage: PlanningStorage, clock: Clock) -> None:
        self._tools: tuple[Tool[Any], ...] = (DemoNoteTool(storage, clock),)

    def tools(self, caller: Caller) -> Sequence[Tool[Any]]:
        """The tool for the demonstration, and nothing for anybody else."""
        return self._tools if caller.client == DEMO else ()

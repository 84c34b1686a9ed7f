"""Capabilities: the parts that a bridge can do without."""

from abc import ABC

from bridge.capabilities.calls import Calls
from bridge.capabilities.core import Core


class Capability(ABC):  # noqa: B024 - each has one of the two, or both
    """Something that a bridge can be without. It builds its services, and starts and stops them.

    It registers its tools, fills its parts of `base.parts`, and pushes on `base.stack` what is to be let go.

    Args:
        core: The core it is built from. No capability knows another one.
    """

    def __init__(self, core: Core) -> None:
        self.core = core

    async def open(self) -> None:
        """Build it, before there are calls. It is let go after the last call."""
        return

    async def begin(self, calls: Calls) -> None:
        """Begin, now that calls can be made. What is pushed here is let go before the calls."""
        del calls

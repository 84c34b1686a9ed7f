"""Reading the vault."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bridge.toolkit.effects.kind import PreparedEffect, Terms
from bridge.toolkit.effects.tool_run import run_tool
from bridge.toolkit.tool import Output, ReadEffect, Relayed

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import Running


class Reading(PreparedEffect[ReadEffect]):
    """What a read tool looks at."""

    only_reads = True

    def terms(self) -> Terms:
        """Return whether it gives a caller only what is its own."""
        return replace(super().terms(), own=self.effect.own)

    async def carry_out(self, running: "Running") -> Output | Relayed:
        """Let the tool read."""
        return await run_tool(running, self)

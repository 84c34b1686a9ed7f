"""Reading the vault."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bridge.policy.targets import Target
from bridge.toolkit.effects.kind import EffectKind, Terms
from bridge.toolkit.effects.tool_run import run_tool
from bridge.toolkit.tool import Output, ReadEffect, Relayed

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import Running


@dataclass(frozen=True)
class Reading(EffectKind):
    """What a read tool looks at.

    Attributes:
        effect: As the tool has prepared it.
    """

    effect: ReadEffect

    only_reads = True

    @property
    def targets(self) -> tuple[Target, ...]:
        """The places."""
        return self.effect.targets

    @property
    def summary(self) -> str:
        """The question's sentence."""
        return self.effect.summary

    def terms(self) -> Terms:
        """Return what the rules need to know of it."""
        return replace(super().terms(), own=self.effect.own)

    async def carry_out(self, running: "Running") -> Output | Relayed:
        """Let the tool read."""
        return await run_tool(running, self)

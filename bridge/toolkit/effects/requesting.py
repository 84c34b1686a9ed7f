"""A request to the network or another server, and running a program."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from bridge.contract.consent import ConsentClass, Preview, RiskLevel
from bridge.contract.result import RequestPlan
from bridge.policy.risk import Risk
from bridge.settings.model import Settings
from bridge.toolkit.effects.kind import PreparedEffect, Terms
from bridge.toolkit.effects.tool_run import run_tool
from bridge.toolkit.tool import Output, Relayed, RequestEffect, ToolSpec
from bridge.toolkit.tool_call import ToolCall

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import Running


class Requesting(PreparedEffect[RequestEffect]):
    """What a network or process tool does. A program may end with an outcome in a copy of the vault."""

    def risk(self, spec: ToolSpec) -> Risk:
        """Return the tool's risk; a request that changes something elsewhere is of high risk."""
        return Risk(RiskLevel.HIGH if self.effect.writes else spec.risk)

    def terms(self) -> Terms:
        """Return how far it may be trusted, and what leaves with it."""
        effect = self.effect
        return replace(
            super().terms(),
            at_most=ConsentClass.NEVER if effect.writes else effect.at_most,
            insists=effect.insists,
            sends_new=effect.sends_something and not effect.sends_known,
        )

    def preview(self, spec: ToolSpec, tool_call: ToolCall, settings: Settings, insists: str) -> Preview:
        """Return the exact request."""
        del spec, tool_call, settings
        return Preview(warnings=(*self.effect.warnings, *([insists] if insists else [])), request=self.effect.exact)

    def call_plan(self, spec: ToolSpec) -> RequestPlan:
        """Return the exact request."""
        return RequestPlan(**self._members(spec), request=self.effect.exact, warnings=self.effect.warnings)

    async def examine(self, running: "Running", *, run: bool) -> "Requesting":
        """Compare what is sent with the notes, and with what the caller has read."""
        outgoing = running.services.outgoing
        if outgoing is None or not run or not self.effect.sends_something:
            return self
        return Requesting(await running.in_thread(partial(outgoing.compared, self.effect, running.tool_call.caller)))

    async def carry_out(self, running: "Running") -> Output | Relayed:
        """Let the tool send it or run it."""
        return await run_tool(running, self, request=self.effect)

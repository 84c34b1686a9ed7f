"""Making a change plan part of the draft that its caller is in: nothing is written."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Self

from bridge.drafts.draft import Draft
from bridge.toolkit.effects.change import PlannedChange, with_short_paths
from bridge.toolkit.tool import Applied, Output, in_vault
from bridge.toolkit.tool_call import Phase

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import Running


@dataclass(frozen=True)
class Staging(PlannedChange):
    """A change that becomes part of a draft.

    Attributes:
        into: The draft.
        own_warnings: The warnings that the tool gave the plan itself, with which it is staged.
    """

    into: Draft
    own_warnings: tuple[str, ...] = ()

    async def ask(self, running: "Running") -> Self:
        """Ask for nothing but what reading the plan's files needs."""
        running.refuse_denied(self)
        read = (*self.targets, *in_vault(*self.plan.reads))
        await running.ask_to_tell(read, f"Draft a change with {running.tool.spec.title}: {self.summary}")
        return self

    async def carry_out(self, running: "Running") -> Output:
        """Stage it."""
        tool, tool_call, drafts, draft = running.write_tool, running.tool_call, running.services.drafts, self.into
        if drafts is None:
            raise TypeError("there are no drafts")
        tool_call.phase = Phase.WRITING
        own = replace(self.plan, warnings=self.own_warnings)
        await running.to_end(partial(drafts.stage, draft, own, tool_call.tool, tool_call.caller.chain))
        done = Applied(tool_call.whole.execution_id, None, self.plan, self.plan.disposal)
        output = with_short_paths(tool.report(running.params, done), self.plan)
        if draft.head.of_chain:
            return replace(output, metadata=output.metadata | {"staged": True})
        head = f"Staged in {draft.head.draft_id}; nothing is written until the user takes the draft."
        head += f" {draft.nearly_full}" if draft.nearly_full else ""
        facts = {"staged": True, "draft": draft.head.draft_id}
        text = output.text if tool_call.caller.chain else f"{head}\n{output.text}"  # the chain says it once
        return replace(output, text=text, metadata=output.metadata | facts)

"""Changing files of the vault by a change plan: the ledger applies it, or its caller makes the change itself."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from bridge.drafts.draft import Draft
from bridge.errors import InvalidParameters
from bridge.toolkit.approval import Approval
from bridge.toolkit.effects.change import PlannedChange, apply, with_id, with_short_paths, with_warnings
from bridge.toolkit.effects.kind import EffectKind
from bridge.toolkit.effects.staging import Staging
from bridge.toolkit.effects.tool_run import run_tool
from bridge.toolkit.tool import Output, Relayed, Tool
from bridge.toolkit.tool_call import Phase
from bridge.vault.plan import ChangePlan

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import Running


@dataclass(frozen=True)
class _Proposal(PlannedChange):
    """A change as a tool has planned it.

    Attributes:
        own_warnings: The warnings that the tool gave the plan itself.
        approval: What the person was asked; None as long as nobody has allowed it.
    """

    own_warnings: tuple[str, ...] = ()
    approval: Approval | None = None

    async def examine(self, running: "Running", *, run: bool) -> Self:
        """Add the warnings of what the diff does not show."""
        services = running.services
        by_caller = running.tool.spec.by_caller
        plan = await running.in_thread(partial(with_warnings, services, self.plan, by_caller=by_caller))
        if services.outgoing is not None and run:
            plan = await running.in_thread(partial(services.outgoing.warned, plan))
        return replace(self, plan=plan, own_warnings=self.plan.warnings)

    async def ask(self, running: "Running") -> EffectKind:
        """Return the change as the person has approved it, or its place in the caller's draft."""
        draft = await _draft_of(running, self.plan)
        if draft is not None:
            return await Staging(self.plan, draft, self.own_warnings).ask(running)
        return await self.approved(running)

    async def approved(self, running: "Running") -> Self:
        """Return the change as the person has approved it."""
        services = running.services
        warn = partial(with_warnings, services)
        own = self.own_warnings
        approval = Approval(
            self,
            services.ledger,
            services.person_workers,
            warned=warn,
            own_warnings=own,
            drafted=services.drafts,
            who=running.tool_call.caller.name,
        )
        await running.ask(self, approval)
        return replace(self, plan=approval.plan, approval=approval)


@dataclass(frozen=True)
class Writing(_Proposal):
    """A change that the ledger makes."""

    async def carry_out(self, running: "Running") -> Output:
        """Apply what was approved, and let the tool report it."""
        tool, tool_call, approval = running.write_tool, running.tool_call, self.approval
        if approval is None:
            raise TypeError("a change that nobody has approved is not made")
        tool_call.phase = Phase.WRITING
        try:
            applied = await apply(running, self.plan)
        finally:
            if tool_call.allowed_by_person:
                running.services.rate_limit.give_back(tool_call)
        tool_call.made = self.plan
        reported = with_short_paths(tool.report(running.params, approval.reported(applied)), self.plan)
        output = approval.in_answer(reported)
        return with_id(running.services, output, applied, named=tool.spec.listed)


@dataclass(frozen=True)
class WritingByCaller(_Proposal):
    """A change that its caller makes itself: it is asked about as a whole, and then the tool runs."""

    async def carry_out(self, running: "Running") -> Output | Relayed:
        """Let the tool note what was allowed."""
        return await run_tool(running, self, approved=self.plan)


async def _draft_of(running: "Running", plan: ChangePlan) -> Draft | None:
    """Return the draft that a plan becomes part of; None where it is applied.

    For a client that works in drafts one is begun; and what no draft can hold is asked about.

    Raises:
        InvalidParameters: Its caller is in a draft, and this is nothing that a draft can hold.
    """
    drafts, spec, caller = running.services.drafts, running.tool.spec, running.tool_call.caller
    if drafts is None or plan.draft is not None:
        return None
    if caller.client.drafts and caller.chain is None:
        return await running.to_end(partial(drafts.enter, caller)) if spec.stages else None
    draft = drafts.of(caller)
    if draft is not None and not spec.stages:
        if draft.head.of_chain:
            raise not_in_chain(running.tool)
        raise InvalidParameters(
            f"{spec.title} is not possible in a draft, and you are in {draft.head.draft_id}. Submit or discard it first"
        )
    return draft


def not_in_chain(tool: Tool[Any]) -> InvalidParameters:
    """Return the refusal of a tool that no chain can hold."""
    return InvalidParameters(f"{tool.spec.title} ({tool.name}) cannot be part of a chain; call it by itself")

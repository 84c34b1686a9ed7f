"""Carrying out change plans: the ledger applies what was approved, or it becomes part of the caller's draft."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self

from bridge.drafts.draft import Draft
from bridge.errors import InvalidParameters
from bridge.journal.journal import Cause
from bridge.toolkit.effects.approval import Approval, PlannedChange, is_lost, with_warnings
from bridge.toolkit.effects.kind import EffectKind
from bridge.toolkit.tool import Output, Tool, in_vault
from bridge.toolkit.tool_call import Phase
from bridge.vault.paths import without_middle
from bridge.vault.plan import Applied, ChangePlan

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.toolkit.effects.running import Running


_MOST_SAID: Final = 1000  # bytes of an answer about a change; of a longer one, long paths are shortened
_LONGEST_PATH: Final = 100  # bytes of a path that is named in such an answer, or characters from which it is shortened


async def apply(running: "Running", plan: ChangePlan) -> Applied:
    """Hand a plan to the ledger. A write once begun is finished, also when the caller goes away."""
    tool_call, services = running.tool_call, running.services
    await note_addresses(running, plan)
    cause = Cause(
        execution_id=tool_call.execution_id,
        tool=tool_call.tool,
        client=tool_call.caller.name,
        session_id=tool_call.caller.session_id,
        call_id=tool_call.call_key,
        arguments_hash=tool_call.arguments_hash,
        kind=plan.reversal or "change",
        reverses=plan.reverses,
        credential=tool_call.caller.subject,
        grant=tool_call.grant,
    )
    return await running.to_end(partial(services.ledger.apply, plan, cause))


async def note_addresses(running: "Running", plan: ChangePlan) -> None:
    """Keep whose the addresses are that a plan writes. Raises ExecutionFailed where that is not possible."""
    if running.services.outgoing is not None:
        await running.in_thread(partial(running.services.outgoing.writing, running.tool_call.caller, plan))


def with_short_paths(output: Output, plan: ChangePlan) -> Output:
    """Return an answer about a change, of whose long paths the middle is left out where it is too long.

    Args:
        output: The tool's own answer. Its data has the paths as they are.
        plan: The change.
    """
    text = output.text
    if len(text.encode()) <= _MOST_SAID:
        return output
    paths = (*plan.targets, *(one.path for one in plan.left))
    names = {
        path[:end]
        for path in paths
        for end in (len(path), path.rfind("."), *(at for at, character in enumerate(path) if character == "/"))
    }
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, without_middle(name, _LONGEST_PATH)) if len(name) > _LONGEST_PATH else text
    return replace(output, text=text)


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


@dataclass(frozen=True)
class Proposal(PlannedChange):
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
        who = running.tool_call.caller.name
        approval = Approval(self, running.services, own_warnings=self.own_warnings, who=who)
        await running.ask(self, approval)
        return replace(self, plan=approval.plan, approval=approval)

    async def made(self, running: "Running", report: "Callable[[Applied], Output]", *, named: bool = True) -> Output:
        """Apply what was approved, and return the answer: the tool's, what the person made of it, and its name.

        Args:
            running: The call.
            report: The tool's own answer.
            named: Whether the answer says the name under which it can be undone.
        """
        if self.approval is None:
            raise TypeError("a change that nobody has approved is not made")
        running.tool_call.phase = Phase.WRITING
        applied = await apply(running, self.plan)
        running.tool_call.made = self.plan
        output = self.approval.in_answer(report(self.approval.reported(applied)))
        name = applied.execution_id if named else ""
        text = output.text if name in output.text else f"{output.text} ({name})"
        if applied.backup is None and is_lost(running.services, applied.plan):
            text += "\nNo backup was kept, so this cannot be undone."
        return replace(output, text=text)


@dataclass(frozen=True)
class Writing(Proposal):
    """A change that the ledger makes."""

    async def carry_out(self, running: "Running") -> Output:
        """Apply what was approved, and let the tool report it."""
        tool, tool_call = running.write_tool, running.tool_call

        def report(applied: Applied) -> Output:
            return with_short_paths(tool.report(running.params, applied), self.plan)

        try:
            return await self.made(running, report, named=tool.spec.listed)
        finally:
            if tool_call.allowed_by_person:
                running.services.rate_limit.give_back(tool_call)


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

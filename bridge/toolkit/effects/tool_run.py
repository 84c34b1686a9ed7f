"""The work of a tool by itself, without the ledger: it reads, sends, runs a program, or does nothing but answer."""

import asyncio
import contextlib
import inspect
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self

from bridge.contract.consent import ConsentClass, Operation, Preview, RiskLevel
from bridge.contract.events import ToolOutput
from bridge.contract.tools import RequestPlan
from bridge.errors import Conflict, ToolFailure
from bridge.policy.risk import Risk
from bridge.settings.model import Settings
from bridge.toolkit.effects.kind import EffectKind, PreparedEffect, Terms
from bridge.toolkit.effects.writing import Proposal, note_addresses
from bridge.toolkit.tool import CopiedChanges, Output, ReadEffect, ReadTool, Relayed, RequestEffect, ToolSpec, Unchanged
from bridge.toolkit.tool_call import Phase, ToolCall
from bridge.vault.plan import Change, ChangeKind, ChangePlan

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from bridge.toolkit.effects.running import Running


async def run_tool(
    running: "Running", effect: EffectKind, *, request: RequestEffect | None = None, approved: ChangePlan | None = None
) -> Output | Relayed:
    """Call the tool's `run`, and return what it answers.

    Args:
        running: The call.
        effect: What was allowed.
        request: The same, where it is a request.
        approved: The same, where it is a change that the caller makes itself.

    Raises:
        ToolFailure: As the tool does.
    """
    tool, tool_call, consent = running.tool, running.tool_call, running.services.consent
    tool_call.phase = Phase.RUNNING
    tool_call.authorized.update(effect.targets)
    whole = tool_call.whole
    if whole is tool_call or not effect.only_reads:
        whole.phase = Phase.RUNNING
        if whole.before_run is not None:
            await whole.before_run()
    if not isinstance(tool, ReadTool):
        raise TypeError(f"{tool.name} is neither a ReadTool nor did it return a change plan")
    context = running.context()
    context.approved = approved
    if approved is not None:
        await note_addresses(running, approved)
    run: Any = partial(tool.run, running.params, context)
    answering = partial(_gather, running, run) if inspect.isasyncgenfunction(tool.run) else run
    if tool.spec.operation is Operation.NETWORK or (request is not None and request.networked):
        return await _from_strangers(running, effect, request, answering)
    answer: Output | Relayed = await running.invoke(answering)
    if isinstance(answer, Output) and answer.strangers:
        await consent.read_web(tool_call.caller, answer.strangers)
    return answer


async def _from_strangers(
    running: "Running",
    effect: EffectKind,
    request: RequestEffect | None,
    answering: "Callable[[], Awaitable[Output | Relayed]]",
) -> Output | Relayed:
    """Return an answer of the network. What its client does from then on may be what it has read, and counts as that.

    A page may lead elsewhere, which is asked about first; whatever else answers may say something while it runs.
    """
    consent, tool_call = running.services.consent, running.tool_call
    if request is None or not request.address:
        await consent.read_web(tool_call.caller, effect.targets)
    try:
        answer: Output | Relayed = await running.invoke(answering)
    finally:  # a failure has the words of others, too
        await consent.read_web(tool_call.caller, tuple(tool_call.authorized))
    await _note_read(running, answer, request)
    return answer


async def _gather(
    running: "Running", run: "Callable[[], AsyncGenerator[str | Output | CopiedChanges, None]]"
) -> Output:
    """Send each piece of an answer as it comes, and return the whole, or what ends it."""
    texts: list[str] = []
    async with contextlib.aclosing(run()) as pieces:
        async for piece in pieces:
            if isinstance(piece, Output):
                return piece
            if isinstance(piece, CopiedChanges):
                return await take_over(running, piece)
            texts.append(piece)
            running.tool_call.notify(ToolOutput(**running.tool_call.event_members, text=piece))
    return Output(None, "".join(texts))


async def _note_read(running: "Running", answer: Output | Relayed, request: RequestEffect | None) -> None:
    """Keep the addresses in an answer from the network: they are what the caller has read."""
    if running.services.outgoing is not None:
        output = answer.output if isinstance(answer, Relayed) else answer
        # What came out of a command may be put together of notes.
        texts = () if request is not None and request.networked else (output.text,)
        await asyncio.to_thread(running.services.outgoing.read, running.tool_call.caller, request, texts)


class Reading(PreparedEffect[ReadEffect]):
    """The effect of a read tool."""

    only_reads = True

    def terms(self) -> Terms:
        """Return whether it gives a caller only what is its own, and what allows it."""
        return super().terms()._replace(own=self.effect.own, granted=self.effect.granted)

    async def carry_out(self, running: "Running") -> Output | Relayed:
        """Let the tool read."""
        return await run_tool(running, self)


class Requesting(PreparedEffect[RequestEffect]):
    """The effect of a network or process tool. A program may end with an outcome in a copy of the vault."""

    def risk(self, spec: ToolSpec) -> Risk:
        """Return the tool's risk; a request that changes something elsewhere is of high risk."""
        return Risk(RiskLevel.HIGH if self.effect.writes else spec.risk)

    def terms(self) -> Terms:
        """Return how far it may be trusted, and what leaves with it."""
        effect = self.effect
        terms = super().terms()
        return terms._replace(
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


@dataclass(frozen=True)
class WritingByCaller(Proposal):
    """A change that its caller makes itself: it is asked about as a whole, and then the tool runs."""

    async def carry_out(self, running: "Running") -> Output | Relayed:
        """Let the tool note what was allowed."""
        return await run_tool(running, self, approved=self.plan)


MOST_CONFLICTS: Final = 100
"""Files that others changed in the instant in which a program's changes are made, and that are left alone; beyond that
nothing is changed."""
_INSISTS: Final = "a program did this to a copy of the vault; what it changes in the vault is asked about every time"


@dataclass(frozen=True)
class ProgramChange(Proposal):
    """The change that a program made to a copy of the vault.

    Attributes:
        outcome: How the program's tool plans and reports it.
    """

    outcome: CopiedChanges = field(kw_only=True)

    def terms(self) -> Terms:
        """Return what the rules need to know of it."""
        return super().terms()._replace(insists=_INSISTS)

    async def approved(self, running: "Running") -> Self:
        """Ask the person. Their time is not the call's."""
        with running.time_paused():
            return await super().approved(running)

    async def carry_out(self, running: "Running") -> Output:
        """Apply what was approved, and report what the program did."""
        return await self.made(running, self.outcome.report)


async def take_over(running: "Running", outcome: CopiedChanges) -> Output:
    """Make an outcome in the vault.

    What others changed meanwhile is left alone, and the person is asked about what remains.

    Raises:
        PermissionDenied: They say no.
        Conflict: The vault does not hold still.
    """

    def refused(path: str) -> str | None:
        if path in conflicts:
            return conflicts[path]
        writing = ChangePlan(Operation.UPDATE, "", (Change(ChangeKind.MODIFY, path),), {})
        verdict = running.verdict(ProgramChange(writing, outcome=outcome))[1]
        return verdict.why if verdict.outcome == "deny" else None

    conflicts: dict[str, str] = {}
    while True:
        plan = await running.in_thread(partial(outcome.plan, refused))
        if plan is None:
            return outcome.report(None)
        try:
            change = await ProgramChange(plan, outcome=outcome).examine(running, run=True)
            return await (await change.approved(running)).carry_out(running)
        except Conflict as conflict:
            if running.tool_call.made is not None:
                raise  # not the change failed, but its report
            running.tool_call.phase = Phase.RUNNING
            path = conflict.data.get("path")
            if not isinstance(path, str) or path in conflicts or len(conflicts) > MOST_CONFLICTS:
                raise
            conflicts[path] = conflict.message


class _Finding(EffectKind):
    """Something that a call found out about the vault, and that its caller is told only where it may read there."""

    async def ask_to_show(self, running: "Running") -> None:
        """Return when the caller may be told."""
        await running.ask_to_tell(self.targets, self.summary)

    async def ask(self, running: "Running") -> EffectKind:
        """Return it when the caller may be told."""
        await running.ask_to_tell(self.targets, self.summary)
        return self


class Answering(_Finding, PreparedEffect[Unchanged]):
    """An answer without an effect, because the vault is already as it should be."""

    async def carry_out(self, running: "Running") -> Output:
        """Return the answer."""
        del running
        return self.effect.output


@dataclass(frozen=True)
class Failing(_Finding, PreparedEffect[ReadEffect]):
    """A failure of a tool that has looked at the vault before: its reason may say what is there.

    Attributes:
        failure: The failure.
    """

    failure: ToolFailure

    async def carry_out(self, running: "Running") -> Output:
        """Raise the failure."""
        del running
        raise self.failure

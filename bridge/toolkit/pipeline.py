"""The one way to a tool's effect.

    lookup -> validate -> limit -> prepare -> consent -> execute -> trim -> audit

A tool contains none of these steps and cannot skip one. Every exit, refusals and crashes too, leaves one audit record.
"""

import asyncio
import contextlib
import inspect
import logging
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

from bridge.clock import Clock
from bridge.contract.base import Event
from bridge.contract.consent import Operation
from bridge.contract.events import ToolFinished, ToolOutput, ToolProgress, ToolStarted
from bridge.contract.identity import Capability
from bridge.contract.result import CallPlan, CallPreview, Explanation, Refusal, RequestPlan, ToolResult, WritePlan
from bridge.drafts.draft import Draft
from bridge.drafts.store import Drafts
from bridge.errors import (
    Conflict,
    DeadlineExceeded,
    ExecutionFailed,
    InvalidParameters,
    NotFound,
    PermissionDenied,
    ToolFailure,
)
from bridge.journal.editors import unsaved_warnings
from bridge.journal.ledger import Ledger
from bridge.journal.record import Cause
from bridge.policy.consent import may_confirm
from bridge.policy.hazards import with_hazards
from bridge.policy.targets import Target
from bridge.settings.model import Settings
from bridge.toolkit.approval import Approval
from bridge.toolkit.arguments import check_members
from bridge.toolkit.chain import Chain
from bridge.toolkit.consent_step import ConsentStep, call_fingerprint, risk_of, targets_of
from bridge.toolkit.enabled import EnabledTools, enabled_tools, refusal
from bridge.toolkit.outgoing import Outgoing
from bridge.toolkit.rate_limit_step import RateLimitStep
from bridge.toolkit.references import size_of
from bridge.toolkit.registry import LONGEST_NAME, ToolRegistry
from bridge.toolkit.tool import (
    STILL_INDEXED,
    Applied,
    CallContext,
    ChainEffect,
    Effect,
    Outcome,
    Output,
    ReadEffect,
    ReadTool,
    Relayed,
    RequestEffect,
    Tool,
    Unchanged,
    WriteTool,
    in_vault,
)
from bridge.toolkit.tool_call import LARGE, Phase, TimeLimit, ToolCall
from bridge.toolkit.unbroken import unbroken
from bridge.vault.looks import EVERYTHING, noting_looks
from bridge.vault.plan import Change, ChangeKind, ChangePlan
from bridge.vault.unprotected import NO_BACKUP, needs_backup

logger = logging.getLogger(__name__)

Finished = Callable[[ToolCall, ToolResult, ChangePlan | None, float], Awaitable[None]]
"""Called at every call's end: the call, its result, the plan it applied if it applied one, and the seconds it took."""

GRACE = 1.0
"""Seconds in which a tool that watches its deadline says itself, and better, why it ended."""

MOST_CONFLICTS = 100
"""Files that others changed in the instant in which a program's changes are made, and that are left alone; beyond that
nothing is changed."""

T = TypeVar("T")
_Looked = TypeVar("_Looked", bound=Effect)
_BEFORE_CONSENT = frozenset({Phase.QUEUED, Phase.PREPARING})


@dataclass(frozen=True, slots=True)
class _Failed:
    """Why a tool cannot say what it would do, after it has looked at the vault: the reason may tell what is there.

    Attributes:
        targets: What it looked at.
        summary: The question's sentence, where telling it must be asked for.
        failure: The reason.
    """

    targets: tuple[Target, ...]
    summary: str
    failure: ToolFailure


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A call that has come as far as its tool saying what it would do."""

    tool: Tool[Any]
    params: Any
    effect: Effect | _Failed
    own_warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pipeline:
    """Takes a call through every step.

    Attributes:
        registry: The tools.
        rate_limit: The limit step.
        consent: The consent step.
        ledger: Applies change plans.
        settings: The settings as they are now.
        clock: For durations and deadlines.
        workers: Threads for tools written as plain functions.
        person_workers: Threads for the person's own calls and answers, which wait for no agent's.
        on_event: Called when a call starts, goes on and ends, for the hosts. From any thread.
        on_finished: Called at every call's end, for the audit log.
        losses: A sentence for each thing that a change would take away although its diff does not say so: headings and
            blocks that links name, and properties.
        read_only: A sentence for each file that a change touches although it is marked read-only.
        nearest_names: The files that a name which nothing has was probably meant for, without closed ones. Blocking.
        drafts: The drafts, of which a caller may be in one; None where there are none.
        incomplete_answers: How many answers the index has given, in all calls, while it did not know everything yet.
        is_indexing: Whether the index is being built just now.
    """

    registry: ToolRegistry
    rate_limit: RateLimitStep
    consent: ConsentStep
    ledger: Ledger
    settings: Callable[[], Settings]
    clock: Clock
    workers: Executor
    person_workers: Executor
    on_event: Callable[[Event], None]
    on_finished: Finished
    losses: Callable[[ChangePlan], Iterable[str]] = lambda _plan: ()
    read_only: Callable[[ChangePlan], Iterable[str]] = lambda _plan: ()
    nearest_names: Callable[[str], Iterable[str]] = lambda _wanted: ()
    drafts: Drafts | None = None
    incomplete_answers: Callable[[], int] = lambda: 0
    is_indexing: Callable[[], bool] = lambda: False
    outgoing: Outgoing | None = None

    async def call(self, tool_call: ToolCall) -> ToolResult:
        """Run one call to its end. Raises nothing but cancellation; what goes wrong is in the result.

        Args:
            tool_call: The call; its phase, execution id and open question are set on the way.
        """
        started = self.clock.monotonic()
        tool_call.execution_id = f"call-{secrets.token_hex(4)}"
        tool_call.incomplete_before = self.incomplete_answers()
        settings = self.settings()
        relayed: ToolResult | None = None
        cancelled: asyncio.CancelledError | None = None
        try:
            prepared = await self._prepare(tool_call, settings, count=tool_call.counted, run=True)
            tool, params, effect = prepared.tool, prepared.params, prepared.effect
            tool_call.phase = Phase.ASKING
            if isinstance(effect, _Failed | Unchanged):
                await self._ask_to_tell(tool, effect, tool_call, settings)
                output = _answer(effect)
            elif isinstance(effect, ChainEffect):
                output = await self._chain(prepared, effect, tool_call, settings)
            elif isinstance(effect, ChangePlan) and (draft := self._draft(tool, effect, tool_call)) is not None:
                output = await self._stage(draft, prepared, effect, tool_call, settings)
            else:
                own = prepared.own_warnings
                approval = Approval(effect, self.ledger, self.person_workers, warned=self._warned, own_warnings=own)
                await self.consent.ask(tool, effect, tool_call, settings, approval)
                if isinstance(tool, WriteTool) and isinstance(approval.effect, ChangePlan):
                    output = await self._write(tool, params, approval, approval.effect, tool_call)
                else:
                    ran = await self._run(tool, params, effect, tool_call, settings)
                    relayed, output = (ran.result, ran.output) if isinstance(ran, Relayed) else (None, ran)
            result = self._succeeded(output, tool_call, settings, started)
        except asyncio.CancelledError as error:
            cancelled = error
            unfinished = PermissionDenied("The call was cancelled before it did anything", code="cancelled")
            result = self._failed(unfinished, tool_call, started)
        except ToolFailure as failure:
            result = self._failed(failure, tool_call, started)
        except Exception as error:
            logger.exception("The tool %s crashed (%s)", tool_call.tool, tool_call.execution_id)
            crash = _crashed(tool_call, error, changed=tool_call.made is not None)
            result = self._failed(crash, tool_call, started)
        tool_call.phase = Phase.DONE
        await self.on_finished(tool_call, result, tool_call.made, self.clock.monotonic() - started)
        self.on_event(
            ToolFinished(**_named(tool_call), success=result.success, duration_ms=result.metadata["durationMs"])
        )
        if cancelled is not None:
            raise cancelled
        return relayed or result

    async def _write(
        self, tool: WriteTool[Any], params: Any, approval: Approval, plan: ChangePlan, tool_call: ToolCall
    ) -> Output:
        """Carry out what was approved, and say so."""
        tool_call.phase = Phase.WRITING
        try:
            applied = await self._apply(plan, tool_call)
        finally:
            if tool_call.allowed_by_person:
                self.rate_limit.give_back(tool_call)
        tool_call.made = plan
        told = approval.told(tool.report(params, approval.reported(applied)))
        lost = applied.backup is None and self._keeps_nothing_of(plan)
        return _with_id(told, applied.execution_id if tool.spec.listed else "", can_undo=not lost)

    def _draft(self, tool: Tool[Any], plan: ChangePlan, tool_call: ToolCall) -> Draft | None:
        """The draft that a plan becomes part of; None where it is carried out.

        Raises:
            InvalidParameters: Its caller is in a draft, and this is nothing that a draft can hold.
        """
        draft = self.drafts.of(tool_call.caller) if self.drafts is not None and plan.draft is None else None
        if draft is not None and not tool.spec.stages:
            if draft.head.of_chain:
                raise _no_part(tool)
            raise InvalidParameters(
                f"{tool.spec.title} is not possible in a draft, and you are in {draft.head.draft_id}. "
                "Submit or discard it first"
            )
        return draft

    async def _stage(
        self, draft: Draft, prepared: _Prepared, plan: ChangePlan, tool_call: ToolCall, settings: Settings
    ) -> Output:
        """Make a plan part of a draft: nothing is written and nothing is asked, but what reading its files needs."""
        tool = prepared.tool
        if not isinstance(tool, WriteTool) or self.drafts is None:
            raise TypeError(f"{tool.name} is no WriteTool, but returned a change plan")
        self.consent.refuse_denied(tool, plan, tool_call, settings)
        what = f"Draft a change with {tool.spec.title}: {plan.summary}"
        read = (*targets_of(plan), *in_vault(*plan.reads))
        await self._ask_to_tell(tool, ReadEffect(read, what), tool_call, settings)
        tool_call.phase = Phase.WRITING
        own = replace(plan, warnings=prepared.own_warnings)
        staging = partial(self.drafts.stage, draft, own, tool_call.tool, tool_call.caller.chain)
        await unbroken(asyncio.get_running_loop().run_in_executor(self._threads(tool_call), staging))
        output = tool.report(prepared.params, Applied(tool_call.whole.execution_id, None, plan, plan.disposal))
        if draft.head.of_chain:
            return replace(output, metadata=output.metadata | {"staged": True})
        head = f"Staged in {draft.head.draft_id}; nothing is written until the user takes the draft."
        facts = {"staged": True, "draft": draft.head.draft_id}
        return replace(output, text=f"{head}\n{output.text}", metadata=output.metadata | facts)

    async def _chain(self, prepared: _Prepared, effect: ChainEffect, tool_call: ToolCall, settings: Settings) -> Output:
        """Make the calls of a chain, and then ask about all that they would change."""
        tool = prepared.tool
        if tool_call.within is not None:
            raise _no_part(tool)
        if not isinstance(tool, WriteTool):
            raise TypeError(f"{tool.name} is no WriteTool, but returned a chain")
        self.consent.refuse_denied(tool, effect, tool_call, settings)
        for name in dict.fromkeys(call.tool for call in effect.calls):
            part = self._lookup(ToolCall(tool_call.caller, name, None), settings)
            if part.spec.own or not part.spec.stages:
                raise _no_part(part)
        chain = Chain(
            effect,
            tool_call,
            drafts=self.drafts,
            writes=lambda name: self._lookup(ToolCall(tool_call.caller, name, None), settings).spec.writes,
            call=self.call,
            threads=self._threads(tool_call),
            progress=self._context(tool, tool_call, settings, 0).progress,
        )
        async with chain:
            await chain.make_calls()
            if chain.in_draft is not None:
                text = f"Staged in {chain.in_draft}; nothing is written until the user takes the draft."
                return chain.told(Output({"modified": False}, text, metadata={"staged": True, "draft": chain.in_draft}))
            plan = (await chain.plan()).plan
            if plan is None:
                return chain.told(Output({"modified": False, "files": []}, "All calls were made; no file was changed."))
            shown = await unbroken(
                asyncio.get_running_loop().run_in_executor(self._threads(tool_call), self._warned, plan)
            )
            shown = await self._looked_at(shown, tool_call)
            approval = Approval(
                shown, self.ledger, self.person_workers, warned=self._warned, own_warnings=plan.warnings
            )
            await self.consent.ask(tool, shown, tool_call, settings, approval)
            if not isinstance(approval.effect, ChangePlan):
                raise TypeError("a person's answer makes no plan anything else")
            return chain.told(await self._write(tool, prepared.params, approval, approval.effect, tool_call))

    async def preview(self, tool_call: ToolCall) -> CallPreview:
        """What a call would do, without doing it. For an agent it needs the consent that reading the targets needs.

        Raises:
            ToolFailure: What the call itself would be refused for.
        """
        settings = self.settings()
        prepared = await self._prepare(tool_call, settings)
        tool, effect = prepared.tool, prepared.effect
        if isinstance(effect, ChangePlan):
            what = f"Show what {tool.spec.title} would change: {effect.summary}"
            await self._ask_to_tell(tool, ReadEffect(targets_of(effect), what), tool_call, settings)
        elif isinstance(effect, _Failed | Unchanged):
            await self._ask_to_tell(tool, effect, tool_call, settings)
        if isinstance(effect, _Failed):
            raise effect.failure
        return CallPreview(plan=_plan(tool, effect))

    async def explain(self, tool_call: ToolCall) -> Explanation | Refusal:
        """What would become of a call, and which rule decides. Nothing is done, asked, logged or counted."""
        settings = self.settings()
        try:
            prepared = await self._prepare(tool_call, settings, count=False)
            effect = prepared.effect
            if isinstance(effect, _Failed):
                raise effect.failure
        except ToolFailure as failure:
            rule = failure.data.get("rule") or failure.code or failure.error_type.value
            outcome = "deny" if isinstance(failure, PermissionDenied) else "fail"
            return Refusal(outcome=outcome, rule=rule, why=failure.message)
        case, verdict = self.consent.verdict(prepared.tool, effect, tool_call, settings)
        return Explanation(
            outcome=verdict.outcome,
            rule=verdict.rule,
            why=verdict.why,
            choices=verdict.choices,
            targets=tuple(target.label for target in case.targets),
            operation=case.operation,
            consent_class=case.consent_class,
            mode=case.mode,
            summary=effect.summary,
            elicitation=verdict.outcome == "ask" and may_confirm(case),
        )

    async def _prepare(
        self, tool_call: ToolCall, settings: Settings, *, count: bool = True, run: bool = False
    ) -> _Prepared:
        """The way of every call to what its tool says it would do: lookup, validate, limit, prepare.

        Args:
            tool_call: The call.
            settings: As they were when it began.
            count: Whether it counts against the rate limits.
            run: Whether it is to be run, so that hosts hear of it.

        Raises:
            ToolFailure: The call would get no further.
        """
        self.rate_limit.listen(tool_call)
        try:
            if self.drafts is not None:
                self.drafts.of(tool_call.caller)  # a call names none that is not there
            tool = self._lookup(tool_call, settings)
            tool_call.execution_id = f"{tool.spec.id_prefix or tool.name}-{secrets.token_hex(4)}"
            params = await self._parse(tool, tool_call)
            if (left_out := self._enabled(tool_call, settings).missing(tool.spec, params)) is not None:
                raise refusal(left_out, self._enabled(tool_call, settings), tool_call.caller)
        except ToolFailure:
            self.rate_limit.refused(tool_call)
            raise
        if count:
            await self.rate_limit.pass_gate(tool, tool_call, self.settings)
        tool_call.admitted = True
        if run:
            self.on_event(ToolStarted(**_named(tool_call)))
            tool_call.phase = Phase.PREPARING
        seconds = tool.spec.seconds(params)
        context = self._context(tool, tool_call, settings, seconds, heard=run)
        with noting_looks() as looks:
            try:
                effect: Effect = await self._invoke(partial(tool.prepare, params, context), tool_call, seconds)
            except ToolFailure as failure:
                if not looks:
                    raise  # judged from the arguments alone
                why = f"Tell why {tool.spec.title} is not possible: {failure.message}"
                return _Prepared(tool, params, _Failed(in_vault(*sorted(looks)), why, failure))
        if not isinstance(effect, ChangePlan):
            looked_at = await self._looked_at(effect, tool_call) if run else effect  # a look tells nothing of notes
            return _Prepared(tool, params, looked_at)
        warned = partial(self._warned, effect, ours=not tool.spec.by_caller)
        shown = await asyncio.get_running_loop().run_in_executor(self._threads(tool_call), warned)
        return _Prepared(tool, params, await self._looked_at(shown, tool_call) if run else shown, effect.warnings)

    async def _looked_at(self, effect: _Looked, tool_call: ToolCall) -> _Looked:
        """The same effect, with what is to be said of what leaves with it, now or when an address is followed."""
        look: Callable[[], Any]
        if self.outgoing is None:
            return effect
        if isinstance(effect, ChangePlan):
            look = partial(self.outgoing.warned, effect)
        elif isinstance(effect, RequestEffect) and effect.sends_something:
            look = partial(self.outgoing.looked_at, effect, tool_call.caller)
        else:
            return effect
        return cast("_Looked", await asyncio.get_running_loop().run_in_executor(self._threads(tool_call), look))

    def _threads(self, tool_call: ToolCall) -> Executor:
        return self.person_workers if tool_call.caller.client.is_person else self.workers

    async def _parse(self, tool: Tool[Any], tool_call: ToolCall) -> Any:
        """The arguments as the tool's parameters; large ones are looked through in a thread."""

        def parse() -> Any:
            check_members(tool_call.arguments)
            params = tool_call.params = tool.spec.parameters.parse(tool_call.arguments)
            tool_call.fingerprint = call_fingerprint(tool.name, tool_call.tool, tool_call.arguments)
            return params

        if tool_call.size <= LARGE:
            return parse()
        return await asyncio.get_running_loop().run_in_executor(self._threads(tool_call), parse)

    async def _ask_to_tell(
        self, tool: Tool[Any], found: ReadEffect | Unchanged | _Failed, tool_call: ToolCall, settings: Settings
    ) -> None:
        """Return when the caller may be told what was found in the vault. The person's own programs may always be."""
        if not tool_call.caller.client.is_person:
            reader = self.registry.get("read", tool_call.caller)
            told = ReadEffect(found.targets, found.summary)
            await self.consent.ask_to_tell(tool, reader, told, tool_call, settings)

    def _lookup(self, tool_call: ToolCall, settings: Settings) -> Tool[Any]:
        tool = self.registry.get(tool_call.tool, tool_call.caller)
        if tool is None:
            hint, near = self.registry.advice(tool_call.tool, tool_call.caller)
            raise InvalidParameters(f"Unknown tool {tool_call.tool[:LONGEST_NAME]!r}. {hint}", data={"nearest": near})
        enabled = self._enabled(tool_call, settings)
        if not enabled.calls(tool.spec):
            raise refusal(tool.name, enabled, tool_call.caller)
        return tool

    def _enabled(self, tool_call: ToolCall, settings: Settings) -> EnabledTools:
        return enabled_tools(self.registry, tool_call.caller, settings)

    def _context(
        self, tool: Tool[Any], tool_call: ToolCall, settings: Settings, seconds: float, *, heard: bool = True
    ) -> CallContext:
        """What a tool knows of one call; with a new deadline each time, as the person takes time.

        Nobody is told of the progress of what is only looked at (`heard`).
        """

        def progress(done: int, total: int | None, message: str) -> None:
            if not heard:
                return
            event = ToolProgress(**_named(tool_call), done=done, total=total, message=message)
            self.on_event(event)
            is_host = tool_call.caller.can(Capability.ADMINISTER)  # those hear of every call anyway
            if not is_host and (tool_call.phase not in _BEFORE_CONSENT or self._may_read_all(tool_call, settings)):
                tool_call.notify(event)

        async def authorize(target: Target, summary: str) -> None:
            if target in tool_call.authorized:
                return
            await review(RequestEffect((target,), summary, exact=target.label))
            tool_call.authorized.add(target)

        async def review(effect: RequestEffect) -> None:
            began, limit = self.clock.monotonic(), tool_call.time_limit
            with limit.paused() if limit is not None else contextlib.nullcontext():
                try:
                    await self.consent.ask(tool, effect, tool_call, settings)
                finally:
                    context.deadline += self.clock.monotonic() - began

        async def call(name: str, arguments: dict[str, Any]) -> ToolResult:
            began, limit = self.clock.monotonic(), tool_call.time_limit
            with limit.paused() if limit is not None else contextlib.nullcontext():
                try:
                    return await self.call_within(tool_call, name, arguments)
                finally:
                    context.deadline += self.clock.monotonic() - began

        context = CallContext(
            tool_call.caller,
            settings,
            self.clock.monotonic() + seconds,
            progress,
            authorize,
            review,
            call,
            asked=tool_call.asked,
            looking=not heard,
        )
        return context

    async def call_within(self, whole: ToolCall, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Make a call as a part of another: by the same caller, with no more rights, and logged as such a part.

        Args:
            whole: The call that makes it, or the chain that this one is a part of.
            name: The tool.
            arguments: Its arguments.
        """
        other = self.registry.get(name, whole.caller)
        if other is not None and other.spec.calls_others:
            return ToolResult.failed(
                PermissionDenied(f"{name!r} calls other tools itself, and cannot be called by one", code="no_nesting")
            )
        part = ToolCall(
            whole.caller,
            name,
            arguments,
            reason=whole.reason,
            wait_for_host=whole.wait_for_host,
            may_ask=whole.may_ask,
            counted=whole.counted,
            size=size_of(arguments),
            within=whole.whole,
        )
        return await self.call(part)

    def _may_read_all(self, tool_call: ToolCall, settings: Settings) -> bool:
        """Whether the caller may read the whole vault without being asked, so that nothing in it is news to it."""
        return self._may_read(EVERYTHING, tool_call, settings)

    def _may_read(self, path: str, tool_call: ToolCall, settings: Settings) -> bool:
        """Whether the caller may read a file, or the whole vault, without being asked."""
        reader = self.registry.get("read", tool_call.caller)
        if reader is None:
            return False
        return self.consent.verdict(reader, ReadEffect(in_vault(path), ""), tool_call, settings)[1].outcome == "allow"

    async def _with_nearest(self, failure: NotFound, wanted: str, tool_call: ToolCall) -> NotFound:
        """The failure with the names that were probably meant, as far as the caller may read them."""
        near = await asyncio.get_running_loop().run_in_executor(self._threads(tool_call), self.nearest_names, wanted)
        settings, person = self.settings(), tool_call.caller.client.is_person
        names = [name for name in near if person or self._may_read(name, tool_call, settings)]
        if not names:
            return failure
        message = f"{failure.message.rstrip('.')}. Nearest: {', '.join(map(repr, names))}"
        return NotFound(message, data=failure.data | {"nearest": names})

    def _warned(self, plan: ChangePlan, *, ours: bool = True) -> ChangePlan:
        """The plan with warnings of what its diff does not show: the same for every tool that writes. Blocking.

        Backups are kept of what the ledger does (`ours`); what a caller does itself is recorded in another way.
        """
        shown = with_hazards(plan)
        found = [*unsaved_warnings(plan, self.ledger.editors), *self.losses(plan), *self.read_only(plan)]
        if ours and self._keeps_nothing_of(plan):
            found.append(NO_BACKUP)
        return replace(shown, warnings=(*found, *shown.warnings)) if found else shown

    def _keeps_nothing_of(self, plan: ChangePlan) -> bool:
        """Whether the user has set that what a plan replaces is lost."""
        return needs_backup(plan) and not self.settings().patch_backup_enabled

    async def _apply(self, plan: ChangePlan, tool_call: ToolCall) -> Applied:
        """Hand the plan to the ledger. A write once begun is finished, also when the caller goes away."""
        caller = tool_call.caller
        await self._note_addresses(plan, tool_call)
        cause = Cause(
            execution_id=tool_call.execution_id,
            tool=tool_call.tool,
            client=caller.name,
            session_id=caller.session_id,
            call_id=tool_call.call_key,
            arguments_hash=tool_call.arguments_hash,
            kind=plan.reversal or "change",
            reverses=plan.reverses,
            credential=caller.subject,
            grant=tool_call.grant,
        )
        writing = asyncio.get_running_loop().run_in_executor(self._threads(tool_call), self.ledger.apply, plan, cause)
        done = await unbroken(writing)
        return Applied(done.execution_id, done.backup, plan, done.disposal)

    async def _note_addresses(self, plan: ChangePlan, tool_call: ToolCall) -> None:
        """Before addresses are written: whose they are. Raises ExecutionFailed where that cannot be kept."""
        if self.outgoing is not None:
            noting = partial(self.outgoing.writing, tool_call.caller, plan)
            await asyncio.get_running_loop().run_in_executor(self._threads(tool_call), noting)

    async def _run(
        self, tool: Tool[Any], params: Any, effect: Effect, tool_call: ToolCall, settings: Settings
    ) -> Output | Relayed:
        """Let a tool do what is not a change plan."""
        tool_call.phase = Phase.RUNNING
        tool_call.authorized.update(targets_of(effect))
        whole = tool_call.whole
        if whole is tool_call or not isinstance(effect, ReadEffect):
            whole.phase = Phase.RUNNING
            if whole.before_run is not None:
                await whole.before_run()
        if not isinstance(tool, ReadTool):
            raise TypeError(f"{tool.name} is neither a ReadTool nor did it return a change plan")
        seconds = tool.spec.seconds(params)
        context = self._context(tool, tool_call, settings, seconds)
        context.approved = effect if isinstance(effect, ChangePlan) else None
        run = partial(tool.run, params, context)
        if isinstance(effect, ChangePlan):
            await self._note_addresses(effect, tool_call)
        request = effect if isinstance(effect, RequestEffect) else None
        web = tool.spec.operation is Operation.NETWORK or (request is not None and request.networked)
        if web and not (request is not None and request.address):
            # A page may lead elsewhere, which is asked about first; whatever else answers may do so while it runs.
            await self.consent.read_web(tool_call.caller, targets_of(effect))
        if inspect.isasyncgenfunction(tool.run):
            pieces = cast("Callable[[], AsyncIterator[str | Output | Outcome]]", run)
            carry_out = partial(self._carry_out, tool, tool_call, settings)
            answer: Any = _Gathering(pieces, tool_call, carry_out).gather
        else:
            answer = run
        try:
            output: Output | Relayed = await self._invoke(answer, tool_call, seconds)
        finally:
            if web:  # before the caller gets an answer, or a failure, that has the words of others
                await self.consent.read_web(tool_call.caller, tuple(tool_call.authorized))
        told = output.output if isinstance(output, Relayed) else output
        if told.strangers:
            await self.consent.read_web(tool_call.caller, told.strangers)
        if web:
            await self._note_read(told, request, tool_call)
        return output

    async def _note_read(self, output: Output, request: RequestEffect | None, tool_call: ToolCall) -> None:
        """The addresses in an answer from the network are what the caller has read."""
        if self.outgoing is not None:
            # What came out of a command may be put together of notes.
            texts = () if request is not None and request.networked else (output.text,)
            await asyncio.to_thread(self.outgoing.read, tool_call.caller, request, texts)

    async def _carry_out(self, tool: Tool[Any], tool_call: ToolCall, settings: Settings, outcome: Outcome) -> Output:
        """Make in the vault what a program did to a copy of it, as one change that the person has seen.

        What others changed meanwhile is left alone, and the person is asked about what remains.

        Raises:
            PermissionDenied: They say no.
            Conflict: The vault does not hold still.
        """

        def refused(path: str) -> str | None:
            if path in conflicts:
                return conflicts[path]
            writing = ChangePlan(Operation.UPDATE, "", (Change(ChangeKind.MODIFY, path),), {})
            verdict = self.consent.verdict(tool, writing, tool_call, settings)[1]
            return verdict.why if verdict.outcome == "deny" else None

        conflicts: dict[str, str] = {}
        threads = self._threads(tool_call)
        loop = asyncio.get_running_loop()
        while True:
            plan = await loop.run_in_executor(threads, outcome.plan, refused)
            if plan is None:
                return outcome.report(None)
            shown = await loop.run_in_executor(threads, self._warned, plan)
            try:
                await self._ask_about_outcome(tool, shown, tool_call, settings)
                tool_call.phase = Phase.WRITING
                applied = await self._apply(plan, tool_call)
            except Conflict as conflict:
                tool_call.phase = Phase.RUNNING
                path = conflict.data.get("path")
                if not isinstance(path, str) or path in conflicts or len(conflicts) > MOST_CONFLICTS:
                    raise
                conflicts[path] = conflict.message
                continue
            tool_call.made = plan
            lost = applied.backup is None and self._keeps_nothing_of(plan)
            return _with_id(outcome.report(applied), applied.execution_id, can_undo=not lost)

    async def _ask_about_outcome(
        self, tool: Tool[Any], plan: ChangePlan, tool_call: ToolCall, settings: Settings
    ) -> None:
        """Return when the person has said yes to what a program did. Their time is not the call's."""
        limit = tool_call.time_limit
        approval = Approval(plan, self.ledger, self.person_workers)
        with limit.paused() if limit is not None else contextlib.nullcontext():
            await self.consent.ask(tool, plan, tool_call, settings, approval)

    async def _invoke(self, function: Callable[[], T | Awaitable[T]], tool_call: ToolCall, seconds: float) -> T:
        """Call a tool's method: a coroutine function on the loop, a plain one in a worker thread.

        A plain function cannot be stopped from outside; it watches the deadline in its context by itself. What we
        stop here is the waiting for it.

        Raises:
            DeadlineExceeded: It took longer than `seconds`.
        """
        try:
            async with asyncio.timeout(seconds + GRACE) as bound:
                tool_call.time_limit = TimeLimit(bound)
                if inspect.iscoroutinefunction(getattr(function, "func", function)):
                    return await cast("Awaitable[T]", function())
                threads = self._threads(tool_call)
                result = await asyncio.get_running_loop().run_in_executor(threads, copy_context().run, function)
                return cast("T", result)
        except NotFound as failure:
            if failure.wanted is None:
                raise
            raise await self._with_nearest(failure, failure.wanted, tool_call) from None
        except TimeoutError:
            remedy = (
                "the index of the vault is being built, so try again in a minute"
                if self.is_indexing()
                else "ask for less, for example with a narrower pattern"
            )
            raise DeadlineExceeded(
                f"The call took longer than {seconds:.0f} seconds and was stopped; {remedy}"
            ) from None
        finally:
            tool_call.time_limit = None

    def _succeeded(self, output: Output, tool_call: ToolCall, settings: Settings, started: float) -> ToolResult:
        text, metadata = output.trimmed(settings.max_output_bytes)
        if tool_call.comments:  # before the text and not a part of it, so that it is never cut
            text, metadata = f"{_said(tool_call)}\n{text}", metadata | _feedback(tool_call)
        if self.incomplete_answers() != tool_call.incomplete_before:
            if "indexing" not in metadata and STILL_INDEXED not in text:
                text = f"{text}\n{STILL_INDEXED}"
            metadata = metadata | {"indexing": True}
        return ToolResult.model_construct(
            success=True,
            data=output.data,
            text=text,
            execution_id=tool_call.execution_id,
            metadata=self._timed(metadata, started),
            parts=output.parts,
        )

    def _failed(self, failure: ToolFailure, tool_call: ToolCall, started: float) -> ToolResult:
        metadata = self._timed(_feedback(tool_call), started)
        result = ToolResult.failed(failure, execution_id=tool_call.execution_id, metadata=metadata)
        if not tool_call.comments:
            return result
        return result.model_copy(update={"text": f"{result.text}\n{_said(tool_call)}"})

    def _timed(self, metadata: dict[str, Any], started: float) -> dict[str, Any]:
        return metadata | {"durationMs": round((self.clock.monotonic() - started) * 1000, 3)}


class _Gathering:
    """An answer that comes in pieces: each is sent to the caller as it comes, and all of them are the result.

    Args:
        run: The tool's generator.
        tool_call: The call.
        carry_out: Does to the vault what was done to a copy.
    """

    def __init__(
        self,
        run: Callable[[], AsyncIterator[str | Output | Outcome]],
        tool_call: ToolCall,
        carry_out: Callable[[Outcome], Awaitable[Output]],
    ) -> None:
        self._run = run
        self._tool_call = tool_call
        self._carry_out = carry_out

    async def gather(self) -> Output:
        """Run to the end, or to the `Output` or `Outcome` that ends it."""
        texts: list[str] = []
        running = cast("AsyncGenerator[str | Output | Outcome, None]", self._run())
        async with contextlib.aclosing(running) as pieces:
            async for piece in pieces:
                if isinstance(piece, Output):
                    return piece
                if isinstance(piece, Outcome):
                    return await self._carry_out(piece)
                texts.append(piece)
                self._tool_call.notify(ToolOutput(**_named(self._tool_call), text=piece))
        return Output(None, "".join(texts))


def _with_id(output: Output, execution_id: str, *, can_undo: bool) -> Output:
    """What a write answers: with its name, if it has one, under which it can be undone, or that it cannot."""
    text = output.text if execution_id in output.text else f"{output.text} ({execution_id})"
    return replace(output, text=text if can_undo else f"{text}\nNo backup was kept, so this cannot be undone.")


def _no_part(tool: Tool[Any]) -> InvalidParameters:
    """The refusal of a tool that no chain can hold."""
    return InvalidParameters(f"{tool.spec.title} ({tool.name}) cannot be part of a chain; call it by itself")


def _said(tool_call: ToolCall) -> str:
    """What the person said with a yes, as models read it."""
    return "The user allowed this and said: " + "\n".join(tool_call.comments)


def _feedback(tool_call: ToolCall) -> dict[str, Any]:
    """The same, for programs."""
    return {"feedback": "\n".join(tool_call.comments)} if tool_call.comments else {}


def _answer(effect: _Failed | Unchanged) -> Output:
    """What a tool answers that does nothing. Raises its failure where it has one."""
    if isinstance(effect, _Failed):
        raise effect.failure
    return effect.output


def _named(tool_call: ToolCall) -> dict[str, Any]:
    """The members that all events of a call have; without an id of the caller's own, none is sent."""
    named = {"execution_id": tool_call.execution_id, "tool": tool_call.tool, "client": tool_call.caller.name}
    return named | ({"call_id": tool_call.call_id} if tool_call.call_id else {})


def _crashed(tool_call: ToolCall, error: Exception, *, changed: bool) -> ExecutionFailed:
    """What the caller gets to know of a crash: not its own words, but what became of the vault."""
    what = (
        f"the change was made all the same, as {tool_call.execution_id}, and can be undone"
        if changed
        else "nothing was changed"
    )
    if isinstance(error, ImportError) and error.name:
        why = f"needs the package {error.name!r}, which is missing or damaged"
        return ExecutionFailed(f"{tool_call.tool!r} {why}; {what}. `vault-bridge doctor` says what the user can do")
    return ExecutionFailed(f"{tool_call.tool!r} crashed; {what}. The bridge's console says more")


def _plan(tool: Tool[Any], effect: Effect) -> CallPlan:
    """An effect as `tools.preview` shows it."""
    risk = risk_of(tool.spec, effect)
    facts: dict[str, Any] = {
        "tool": tool.name,
        "operation": effect.operation if isinstance(effect, ChangePlan) else tool.spec.operation,
        "risk_level": risk.level,
        "risk_reasons": risk.reasons,
        "summary": effect.summary,
        "targets": tuple(target.label for target in targets_of(effect)),
    }
    match effect:
        case ChangePlan():
            return WritePlan(**facts, digest=effect.digest, files=effect.previews, warnings=effect.warnings)
        case RequestEffect():
            return RequestPlan(**facts, request=effect.exact, warnings=effect.warnings)
        case ReadEffect() | Unchanged() | ChainEffect():
            return CallPlan(**facts)

"""The one way to a tool's effect.

    lookup -> validate -> limit -> prepare -> consent -> execute -> trim -> audit

A tool contains none of these steps and cannot skip one. Every exit, refusals and crashes too, leaves one audit record.
"""

import asyncio
import contextlib
import inspect
import logging
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

from bridge.clock import Clock
from bridge.contract.base import Event
from bridge.contract.events import ToolFinished, ToolOutput, ToolProgress, ToolStarted
from bridge.contract.identity import Capability
from bridge.contract.result import CallPlan, CallPreview, Explanation, Refusal, RequestPlan, ToolResult, WritePlan
from bridge.errors import DeadlineExceeded, ExecutionFailed, InvalidParameters, PermissionDenied, ToolFailure
from bridge.journal.editors import unsaved_warnings
from bridge.journal.ledger import Ledger
from bridge.journal.record import Cause
from bridge.policy.hazards import with_hazards
from bridge.policy.targets import Target
from bridge.settings.model import Settings
from bridge.toolkit.consent_step import Approval, ConsentStep, targets_of
from bridge.toolkit.rate_limit_step import RateLimitStep
from bridge.toolkit.registry import LONGEST_NAME, ToolRegistry
from bridge.toolkit.tool import (
    Applied,
    CallContext,
    Effect,
    Output,
    ReadEffect,
    ReadTool,
    RequestEffect,
    Tool,
    Unchanged,
    WriteTool,
    in_vault,
)
from bridge.toolkit.tool_call import Phase, TimeLimit, ToolCall
from bridge.vault.plan import ChangePlan

logger = logging.getLogger(__name__)

Finished = Callable[[ToolCall, ToolResult, ChangePlan | None, float], Awaitable[None]]
"""Called at every call's end: the call, its result, the plan it applied if it applied one, and the seconds it took."""

GRACE = 1.0
"""Seconds in which a tool that watches its deadline says itself, and better, why it ended."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A call that has come as far as its tool saying what it would do."""

    tool: Tool[Any]
    params: Any
    effect: Effect


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
        on_event: Called when a call starts, goes on and ends, for the hosts. From any thread.
        on_finished: Called at every call's end, for the audit log.
        incomplete_answers: How many answers the index has given, in all calls, while it did not know everything yet.
    """

    registry: ToolRegistry
    rate_limit: RateLimitStep
    consent: ConsentStep
    ledger: Ledger
    settings: Callable[[], Settings]
    clock: Clock
    workers: Executor
    on_event: Callable[[Event], None]
    on_finished: Finished
    incomplete_answers: Callable[[], int] = lambda: 0

    async def call(self, tool_call: ToolCall) -> ToolResult:
        """Run one call to its end. Raises nothing but cancellation; what goes wrong is in the result.

        Args:
            tool_call: The call; its phase, execution id and open question are set on the way.
        """
        started = self.clock.monotonic()
        tool_call.execution_id = f"call-{secrets.token_hex(4)}"
        tool_call.incomplete_before = self.incomplete_answers()
        settings = self.settings()
        made: ChangePlan | None = None
        cancelled: asyncio.CancelledError | None = None
        try:
            prepared = await self._prepare(tool_call, settings, run=True)
            tool, params, effect = prepared.tool, prepared.params, prepared.effect
            tool_call.phase = Phase.ASKING
            approval = Approval(effect, self.ledger, self.workers)
            if isinstance(effect, Unchanged):
                await self._ask_to_read(effect, tool_call, settings)
                output = effect.output
            else:
                await self.consent.ask(tool, effect, tool_call, settings, approval)
                if isinstance(tool, WriteTool) and isinstance(approval.effect, ChangePlan):
                    tool_call.phase = Phase.WRITING
                    applied = await self._apply(approval.effect, tool_call)
                    made = approval.effect
                    output = approval.add_left_out(tool.report(params, applied))
                else:
                    tool_call.phase = Phase.RUNNING
                    tool_call.authorized.update(targets_of(effect))
                    output = await self._run(tool, params, tool_call, settings)
            result = self._succeeded(output, tool_call, settings, started)
        except asyncio.CancelledError as error:
            cancelled = error
            refusal = PermissionDenied("The call was cancelled before it did anything", code="cancelled")
            result = self._failed(refusal, tool_call, started)
        except ToolFailure as failure:
            result = self._failed(failure, tool_call, started)
        except Exception:
            logger.exception("The tool %s crashed (%s)", tool_call.tool, tool_call.execution_id)
            result = self._failed(_crashed(tool_call, changed=made is not None), tool_call, started)
        tool_call.phase = Phase.DONE
        await self.on_finished(tool_call, result, made, self.clock.monotonic() - started)
        self.on_event(
            ToolFinished(**_named(tool_call), success=result.success, duration_ms=result.metadata["durationMs"])
        )
        if cancelled is not None:
            raise cancelled
        return result

    async def preview(self, tool_call: ToolCall) -> CallPreview:
        """What a call would do, without doing it. For an agent it needs the consent that reading the targets needs.

        Raises:
            ToolFailure: What the call itself would be refused for.
        """
        settings = self.settings()
        prepared = await self._prepare(tool_call, settings)
        tool, effect = prepared.tool, prepared.effect
        if not tool_call.caller.client.is_person and isinstance(effect, ChangePlan | Unchanged):
            what = f"Show what {tool.spec.title} would change: {effect.summary}"
            await self._ask_to_read(ReadEffect(targets_of(effect), what), tool_call, settings)
        return CallPreview(plan=_plan(tool, effect))

    async def explain(self, tool_call: ToolCall) -> Explanation | Refusal:
        """What would become of a call, and which rule decides. Nothing is done, asked, logged or counted."""
        settings = self.settings()
        try:
            prepared = await self._prepare(tool_call, settings, count=False)
        except ToolFailure as failure:
            rule = failure.data.get("rule") or failure.code or failure.error_type.value
            outcome = "deny" if isinstance(failure, PermissionDenied) else "fail"
            return Refusal(outcome=outcome, rule=rule, why=failure.message)
        case, verdict = self.consent.verdict(prepared.tool, prepared.effect, tool_call, settings)
        return Explanation(
            outcome=verdict.outcome,
            rule=verdict.rule,
            why=verdict.why,
            choices=verdict.choices,
            targets=tuple(target.label for target in case.targets),
            operation=case.operation,
            consent_class=case.consent_class,
            mode=case.mode,
            summary=prepared.effect.summary,
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
        tool = self._lookup(tool_call, settings)
        tool_call.execution_id = f"{tool.spec.id_prefix or tool.name}-{secrets.token_hex(4)}"
        params = tool.spec.parameters.parse(tool_call.arguments)
        if count:
            await self.rate_limit.pass_gate(tool, tool_call, self.settings)
        if run:
            self.on_event(ToolStarted(**_named(tool_call)))
            tool_call.phase = Phase.PREPARING
        seconds = tool.spec.seconds(params)
        context = self._context(tool, tool_call, settings, seconds)
        try:
            effect: Effect = await self._invoke(partial(tool.prepare, params, context), tool_call, seconds)
        except ToolFailure as failure:
            if failure.reveals and not tool_call.caller.client.is_person:
                why = ReadEffect(in_vault(*failure.reveals), f"Tell why {tool.spec.title} failed")
                await self._ask_to_read(why, tool_call, settings)
            raise
        return _Prepared(tool, params, await self._warned(effect) if isinstance(effect, ChangePlan) else effect)

    async def _ask_to_read(self, effect: ReadEffect | Unchanged, tool_call: ToolCall, settings: Settings) -> None:
        """Ask what a read of the same targets would have to ask."""
        reader = self.registry.get("read", tool_call.caller)
        if reader is not None:
            await self.consent.ask(reader, ReadEffect(effect.targets, effect.summary), tool_call, settings)

    def _lookup(self, tool_call: ToolCall, settings: Settings) -> Tool[Any]:
        tool = self.registry.get(tool_call.tool, tool_call.caller)
        if tool is None:
            near = self.registry.nearest(tool_call.tool, tool_call.caller)
            hint = f"Did you mean {' or '.join(repr(name) for name in near)}?" if near else "`tools.list` names them"
            raise InvalidParameters(f"Unknown tool {tool_call.tool[:LONGEST_NAME]!r}. {hint}", data={"nearest": near})
        if not tool.spec.is_enabled(settings):
            raise PermissionDenied(
                f"The tool {tool.name!r} is disabled. The user can enable it in the settings, "
                f"or with `vault-bridge settings enable {tool.name}`",
                code="tool_disabled",
            )
        return tool

    def _context(self, tool: Tool[Any], tool_call: ToolCall, settings: Settings, seconds: float) -> CallContext:
        """What a tool knows of one call; with a new deadline each time, as the person takes time."""

        def progress(done: int, total: int | None, message: str) -> None:
            event = ToolProgress(**_named(tool_call), done=done, total=total, message=message)
            self.on_event(event)
            if not tool_call.caller.can(Capability.ADMINISTER):  # those hear of every call anyway
                tool_call.notify(event)

        async def authorize(target: Target, summary: str) -> None:
            if target in tool_call.authorized:
                return
            began, limit = self.clock.monotonic(), tool_call.time_limit
            effect = RequestEffect((target,), summary, exact=target.label)
            with limit.paused() if limit is not None else contextlib.nullcontext():
                try:
                    await self.consent.ask(tool, effect, tool_call, settings)
                finally:
                    context.deadline += self.clock.monotonic() - began
            tool_call.authorized.add(target)

        deadline = self.clock.monotonic() + seconds
        context = CallContext(tool_call.caller, settings, deadline, progress, authorize)
        return context

    async def _warned(self, plan: ChangePlan) -> ChangePlan:
        """The plan with warnings of what its diff does not show: the same for every tool that writes."""

        def warned() -> ChangePlan:
            shown = with_hazards(plan)
            found = tuple(unsaved_warnings(plan, self.ledger.editors))
            return replace(shown, warnings=(*found, *shown.warnings)) if found else shown

        return await asyncio.get_running_loop().run_in_executor(self.workers, warned)

    async def _apply(self, plan: ChangePlan, tool_call: ToolCall) -> Applied:
        """Hand the plan to the ledger. A write once begun is finished, also when the caller goes away."""
        caller = tool_call.caller
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
        )
        writing = asyncio.get_running_loop().run_in_executor(self.workers, self.ledger.apply, plan, cause)
        while not writing.done():  # a connection that closes and a bridge that stops may each cancel us
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([writing])
        done = writing.result()
        return Applied(done.execution_id, done.backup, plan, done.disposal)

    async def _run(self, tool: Tool[Any], params: Any, tool_call: ToolCall, settings: Settings) -> Output:
        if not isinstance(tool, ReadTool):
            raise TypeError(f"{tool.name} is neither a ReadTool nor did it return a change plan")
        seconds = tool.spec.seconds(params)
        run = partial(tool.run, params, self._context(tool, tool_call, settings, seconds))
        if inspect.isasyncgenfunction(tool.run):
            pieces = cast("Callable[[], AsyncIterator[str | Output]]", run)
            return await self._invoke(_Gathering(pieces, tool_call).gather, tool_call, seconds)
        return await self._invoke(cast("Callable[[], Output | Awaitable[Output]]", run), tool_call, seconds)

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
                result = await asyncio.get_running_loop().run_in_executor(self.workers, copy_context().run, function)
                return cast("T", result)
        except TimeoutError:
            raise DeadlineExceeded(
                f"The call took longer than {seconds:.0f} seconds and was stopped; "
                "ask for less, for example with a narrower pattern"
            ) from None
        finally:
            tool_call.time_limit = None

    def _succeeded(self, output: Output, tool_call: ToolCall, settings: Settings, started: float) -> ToolResult:
        text, metadata = output.trimmed(settings.max_output_bytes)
        if self.incomplete_answers() != tool_call.incomplete_before:
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
        return ToolResult.failed(failure, execution_id=tool_call.execution_id, metadata=self._timed({}, started))

    def _timed(self, metadata: dict[str, Any], started: float) -> dict[str, Any]:
        return metadata | {"durationMs": round((self.clock.monotonic() - started) * 1000, 3)}


class _Gathering:
    """An answer that comes in pieces: each is sent to the caller as it comes, and all of them are the result.

    Args:
        run: The tool's generator.
        tool_call: The call.
    """

    def __init__(self, run: Callable[[], AsyncIterator[str | Output]], tool_call: ToolCall) -> None:
        self._run = run
        self._tool_call = tool_call

    async def gather(self) -> Output:
        """Run to the end, or to the `Output` that ends it."""
        texts: list[str] = []
        async with contextlib.aclosing(cast("AsyncGenerator[str | Output, None]", self._run())) as pieces:
            async for piece in pieces:
                if isinstance(piece, Output):
                    return piece
                texts.append(piece)
                self._tool_call.notify(ToolOutput(**_named(self._tool_call), text=piece))
        return Output(None, "".join(texts))


def _named(tool_call: ToolCall) -> dict[str, Any]:
    """The members that all events of a call have; without an id of the caller's own, none is sent."""
    named = {"execution_id": tool_call.execution_id, "tool": tool_call.tool, "client": tool_call.caller.name}
    return named | ({"call_id": tool_call.call_id} if tool_call.call_id else {})


def _crashed(tool_call: ToolCall, *, changed: bool) -> ExecutionFailed:
    """What the caller gets to know of a crash: not its own words, but what became of the vault."""
    what = (
        f"the change was made all the same, as {tool_call.execution_id}, and can be undone"
        if changed
        else "nothing was changed"
    )
    return ExecutionFailed(f"{tool_call.tool!r} crashed; {what}. The bridge's console says more")


def _plan(tool: Tool[Any], effect: Effect) -> CallPlan:
    """An effect as `tools.preview` shows it."""
    facts: dict[str, Any] = {
        "tool": tool.name,
        "operation": effect.operation if isinstance(effect, ChangePlan) else tool.spec.operation,
        "risk_level": tool.spec.risk,
        "summary": effect.summary,
        "targets": tuple(target.label for target in targets_of(effect)),
    }
    match effect:
        case ChangePlan():
            return WritePlan(**facts, digest=effect.digest, files=effect.previews, warnings=effect.warnings)
        case RequestEffect():
            return RequestPlan(**facts, request=effect.exact, warnings=effect.warnings)
        case ReadEffect() | Unchanged():
            return CallPlan(**facts)

"""The one way to a tool's effect.

    lookup -> validate -> limit -> prepare -> consent -> execute -> trim -> audit

A tool contains none of these steps and cannot skip one. Every exit, refusals and crashes too, leaves one audit record.
"""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bridge.clock import Clock
from bridge.contract.result import ToolResult
from bridge.errors import ExecutionFailed, InvalidParameters, PermissionDenied, ToolFailure
from bridge.journal.editors import unsaved_warnings
from bridge.journal.ledger import Ledger
from bridge.journal.record import Cause
from bridge.policy.hazards import with_hazards
from bridge.settings.model import Settings
from bridge.toolkit.approval import Approval
from bridge.toolkit.arguments import parse_arguments
from bridge.toolkit.consent_step import ConsentStep
from bridge.toolkit.invoke import invoke
from bridge.toolkit.rate_limit_step import RateLimitStep
from bridge.toolkit.registry import LONGEST_NAME, ToolRegistry
from bridge.toolkit.tool import Applied, CallContext, Effect, Output, ReadEffect, ReadTool, Tool, Unchanged, WriteTool
from bridge.toolkit.tool_call import Phase, ToolCall
from bridge.toolkit.trim import trim
from bridge.vault.plan import ChangePlan

logger = logging.getLogger(__name__)

Finished = Callable[[ToolCall, ToolResult, ChangePlan | None, float], Awaitable[None]]
"""Told of every call's end: the call, its result, the plan it applied if it applied one, and the seconds it took."""


@dataclass(frozen=True)
class Pipeline:
    """Takes a call through every step.

    Attributes:
        registry: The tools.
        limiting: The limit step.
        asking: The consent step.
        ledger: Applies change plans.
        settings: The settings as they are now.
        clock: For durations and deadlines.
        workers: Threads for tools written as plain functions.
        on_event: Told `tool.started`, `tool.progress` and `tool.finished`, for the hosts.
        on_finished: Told of every call's end, for the audit log.
        incomplete_answers: How many answers the index has given, in all calls, while it did not know everything yet.
    """

    registry: ToolRegistry
    limiting: RateLimitStep
    asking: ConsentStep
    ledger: Ledger
    settings: Callable[[], Settings]
    clock: Clock
    workers: Executor
    on_event: Callable[[str, dict[str, Any]], None]
    on_finished: Finished
    incomplete_answers: Callable[[], int] = lambda: 0

    async def call(self, tool_call: ToolCall) -> ToolResult:
        """Run one call to its end. Raises nothing but cancellation; what goes wrong is in the result."""
        started = self.clock.monotonic()
        tool_call.execution_id = f"call-{secrets.token_hex(4)}"
        tool_call.incomplete_before = self.incomplete_answers()
        settings = self.settings()
        made: ChangePlan | None = None
        cancelled: asyncio.CancelledError | None = None
        try:
            tool = self._lookup(tool_call, settings)
            tool_call.execution_id = f"{tool.id_prefix or tool.name}-{secrets.token_hex(4)}"
            params = parse_arguments(tool.parameters, tool_call.arguments)
            await self.limiting.pass_gate(tool, tool_call, self.settings)
            self._tell("tool.started", tool_call)
            tool_call.phase = Phase.PREPARING
            effect = await self._prepare(tool, params, tool_call, settings)
            tool_call.phase = Phase.ASKING
            approval = Approval(effect, self.ledger, self.workers)
            part = approval.part if approval.can_be_parted else None
            if isinstance(effect, Unchanged):
                await self._ask_to_read(effect, tool_call, settings)
            else:
                await self.asking.ask(tool, effect, tool_call, settings, approval.check, part=part)
            if isinstance(effect, Unchanged):
                output = effect.output
            elif isinstance(tool, WriteTool) and isinstance(approval.effect, ChangePlan):
                tool_call.phase = Phase.WRITING
                applied = await self._apply(approval.effect, tool_call)
                made = approval.effect
                output = approval.tell(tool.report(params, applied))
            else:
                tool_call.phase = Phase.RUNNING
                output = await self._run(tool, params, self._context(tool, tool_call, settings))  # the person took time
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
        self._tell("tool.finished", tool_call, success=result.success, durationMs=result.metadata["durationMs"])
        if cancelled is not None:
            raise cancelled
        return result

    async def preview(self, tool_call: ToolCall) -> dict[str, Any]:
        """What a call would do, without doing it. For an agent it needs the consent that reading the targets needs.

        Returns:
            `{"plan": {...}}`, with digest, summary, warnings and a diff a file.

        Raises:
            ToolFailure: What the call itself would be refused for.
        """
        settings = self.settings()
        tool = self._lookup(tool_call, settings)
        params = parse_arguments(tool.parameters, tool_call.arguments)
        await self.limiting.pass_gate(tool, tool_call, self.settings)
        effect = await self._prepare(tool, params, tool_call, settings)
        if tool_call.caller.role == "agent" and isinstance(effect, ChangePlan | Unchanged):
            what = f"Show what {tool.title} would change: {effect.summary}"
            await self._ask_to_read(ReadEffect(effect.targets, what), tool_call, settings)
        return {"plan": plan_wire(tool, effect)}

    async def explain(self, tool_call: ToolCall) -> dict[str, Any]:
        """What would become of a call, and which rule decides. Nothing is done, asked, logged or counted.

        Returns:
            `outcome` is what the rules say (`allow`, `ask`, `deny`), or `fail` when the call would not get that far.
        """
        settings = self.settings()
        try:
            tool = self._lookup(tool_call, settings)
            params = parse_arguments(tool.parameters, tool_call.arguments)
            effect = await self._prepare(tool, params, tool_call, settings)
        except ToolFailure as failure:
            denied = isinstance(failure, PermissionDenied)
            rule = failure.data.get("rule") or failure.code or failure.error_type.value
            return {"outcome": "deny" if denied else "fail", "rule": rule, "why": failure.message}
        case, verdict = self.asking.verdict(tool, effect, tool_call, settings)
        return {
            "outcome": verdict.outcome,
            "rule": verdict.rule,
            "why": verdict.why,
            "choices": list(verdict.choices),
            "targets": list(case.targets),
            "operation": case.operation,
            "class": case.consent_class,
            "mode": case.mode,
            "summary": effect.summary,
        }

    async def _ask_to_read(self, effect: ReadEffect | Unchanged, tool_call: ToolCall, settings: Settings) -> None:
        """Ask what a read of the same targets would have to ask."""
        reader = self.registry.get("read")
        if reader is not None:
            await self.asking.ask(reader, ReadEffect(effect.targets, effect.summary), tool_call, settings, None)

    def _lookup(self, tool_call: ToolCall, settings: Settings) -> Tool[Any]:
        tool = self.registry.get(tool_call.tool)
        if tool is None:
            near = self.registry.nearest(tool_call.tool)
            hint = f"Did you mean {' or '.join(repr(name) for name in near)}?" if near else "`tools.list` names them"
            raise InvalidParameters(f"Unknown tool {tool_call.tool[:LONGEST_NAME]!r}. {hint}", data={"nearest": near})
        if tool.listed and not settings.enables(tool.name):
            raise PermissionDenied(
                f"The tool {tool.name!r} is disabled. The user can enable it in the settings, "
                f"or with `vault-bridge settings enable {tool.name}`",
                code="tool_disabled",
            )
        return tool

    def _context(self, tool: Tool[Any], tool_call: ToolCall, settings: Settings) -> CallContext:
        def progress(done: int, total: int | None, message: str) -> None:
            self._tell("tool.progress", tool_call, done=done, total=total, message=message)
            tool_call.notify("tool.progress", self._facts(tool_call, done=done, total=total, message=message))

        caller = tool_call.caller
        deadline = self.clock.monotonic() + tool.timeout
        return CallContext(caller.session_id, caller.client, settings, deadline, progress)

    async def _prepare(self, tool: Tool[Any], params: Any, tool_call: ToolCall, settings: Settings) -> Effect:
        context = self._context(tool, tool_call, settings)
        try:
            effect: Effect = await invoke(self.workers, partial(tool.prepare, params, context), tool.timeout)
        except ToolFailure as failure:
            if failure.reveals and tool_call.caller.role == "agent":
                why = ReadEffect(failure.reveals, f"Tell why {tool.title} failed")
                await self._ask_to_read(why, tool_call, settings)
            raise
        return await self._warned(effect) if isinstance(effect, ChangePlan) else effect

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
            client=caller.client,
            session_id=caller.session_id,
            call_id=tool_call.call_id,
            arguments_hash=tool_call.arguments_hash,
            kind=plan.reversal or "change",
            reverses=plan.reverses,
        )
        writing = asyncio.get_running_loop().run_in_executor(self.workers, self.ledger.apply, plan, cause)
        while not writing.done():  # a connection that closes and a bridge that stops may each cancel us
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([writing])
        done = writing.result()
        return Applied(done.execution_id, done.backup, plan, done.disposal)

    async def _run(self, tool: Tool[Any], params: Any, context: CallContext) -> Output:
        if not isinstance(tool, ReadTool):
            raise TypeError(f"{tool.name} is neither a ReadTool nor did it return a change plan")
        return await invoke(self.workers, partial(tool.run, params, context), tool.timeout)

    def _succeeded(self, output: Output, tool_call: ToolCall, settings: Settings, started: float) -> ToolResult:
        text, metadata = trim(output.text, settings.max_output_bytes, output.metadata)
        if self.incomplete_answers() != tool_call.incomplete_before:
            metadata = metadata | {"indexing": True}
        return ToolResult.model_construct(
            success=True,
            data=output.data,
            text=text,
            execution_id=tool_call.execution_id,
            metadata=self._timed(metadata, started),
        )

    def _failed(self, failure: ToolFailure, tool_call: ToolCall, started: float) -> ToolResult:
        return ToolResult.failed(failure, execution_id=tool_call.execution_id, metadata=self._timed({}, started))

    def _timed(self, metadata: dict[str, Any], started: float) -> dict[str, Any]:
        return metadata | {"durationMs": round((self.clock.monotonic() - started) * 1000, 3)}

    def _tell(self, event: str, tool_call: ToolCall, **facts: Any) -> None:
        self.on_event(event, self._facts(tool_call, **facts))

    @staticmethod
    def _facts(tool_call: ToolCall, **facts: Any) -> dict[str, Any]:
        known = {"executionId": tool_call.execution_id, "tool": tool_call.tool, "client": tool_call.caller.client}
        return known | ({"callId": tool_call.call_id} if tool_call.call_id else {}) | facts


def _crashed(tool_call: ToolCall, *, changed: bool) -> ExecutionFailed:
    """What is told of a crash: not its own words, but what became of the vault."""
    what = (
        f"the change was made all the same, as {tool_call.execution_id}, and can be undone"
        if changed
        else "nothing was changed"
    )
    return ExecutionFailed(f"{tool_call.tool!r} crashed; {what}. The bridge's console says more")


def plan_wire(tool: Tool[Any], effect: Effect) -> dict[str, Any]:
    """An effect as `tools.preview` tells it."""
    wire: dict[str, Any] = {
        "tool": tool.name,
        "operation": tool.operation,
        "riskLevel": tool.risk,
        "summary": effect.summary,
        "targets": list(effect.targets),
    }
    match effect:
        case ChangePlan():
            files = [preview.to_wire() for preview in effect.previews]
            wire |= {"operation": effect.operation, "digest": effect.digest, "files": files}
            wire |= {"warnings": list(effect.warnings)}
        case ReadEffect() | Unchanged():
            pass
        case _:
            wire |= {"request": effect.exact, "warnings": list(effect.warnings)}
    return wire

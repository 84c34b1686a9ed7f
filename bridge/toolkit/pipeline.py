"""The one way to a tool's effect.

    lookup -> validate -> limit -> prepare -> consent -> execute -> trim -> audit

A tool contains none of these steps and cannot skip one. Every exit, refusals and crashes too, leaves one audit record.
Here is the order of the steps; what an effect does in each of them is its kind's own (`effects/`).
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from bridge.contract.events import ToolFinished, ToolStarted
from bridge.contract.tools import CallPreview, Explanation, Refusal, ToolResult
from bridge.errors import ExecutionFailed, PermissionDenied, ToolFailure
from bridge.policy.consent import may_confirm
from bridge.settings.model import Settings
from bridge.toolkit.effects.kind import EffectKind
from bridge.toolkit.effects.running import CallServices, Running, kind_of
from bridge.toolkit.effects.tool_run import Failing
from bridge.toolkit.parameters import check_members
from bridge.toolkit.permitted import SessionFiles
from bridge.toolkit.registry import refusal
from bridge.toolkit.tool import STILL_INDEXED, Effect, Output, ReadEffect, Relayed, Tool, in_vault
from bridge.toolkit.tool_call import LARGE, Phase, ToolCall, call_fingerprint
from bridge.vault.root import noting_looks

logger = logging.getLogger(__name__)

Finished = Callable[[ToolCall, ToolResult, float], Awaitable[None]]
"""Called at every call's end: the call, its result, and the seconds it took."""


@dataclass(frozen=True, kw_only=True)
class Pipeline(CallServices):
    """The pipeline, which takes a call through every step.

    Attributes:
        on_finished: Called at every call's end, for the audit log.
        session_files: Remembers what each session has written.
        incomplete_answers: How many answers the index has given, in all calls, while it did not know everything yet.
    """

    on_finished: Finished
    session_files: SessionFiles = field(default_factory=SessionFiles)
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
        relayed: ToolResult | None = None
        try:
            running, effect = await self._prepare(tool_call, settings, count=tool_call.counted, run=True)
            allowed = await self._decide(running, effect)
            answer = await allowed.carry_out(running)
            relayed, output = (answer.result, answer.output) if isinstance(answer, Relayed) else (None, answer)
            result = self._succeeded(output, tool_call, settings, started)
        except asyncio.CancelledError:
            unfinished = PermissionDenied("The call was cancelled before it did anything", code="cancelled")
            await self._finish(tool_call, self._failed(unfinished, tool_call, started), started)
            raise
        except ToolFailure as failure:
            result = self._failed(failure, tool_call, started)
        except Exception as error:
            logger.exception("The tool %s crashed (%s)", tool_call.tool, tool_call.execution_id)
            result = self._failed(_crash(tool_call, error), tool_call, started)
        await self._finish(tool_call, result, started)
        return self._with_news(tool_call, relayed or result)

    async def _finish(self, tool_call: ToolCall, result: ToolResult, started: float) -> None:
        """Remember what a call has written, and let the log and the hosts know of its end."""
        tool_call.phase = Phase.DONE
        if tool_call.made is not None:
            self.session_files.applied(tool_call.caller.session_id, tool_call.made)
        await self.on_finished(tool_call, result, self.clock.monotonic() - started)
        milliseconds = result.metadata["durationMs"]
        self.on_event(ToolFinished(**tool_call.event_members, success=result.success, duration_ms=milliseconds))

    async def preview(self, tool_call: ToolCall) -> CallPreview:
        """Return what a call would do, without doing it. An agent needs the consent that reading the targets needs.

        Raises:
            ToolFailure: What the call itself would be refused for.
        """
        running, effect = await self._prepare(tool_call, self.settings())
        await effect.ask_to_show(running)
        if effect.failure is not None:
            raise effect.failure
        return CallPreview(plan=effect.call_plan(running.tool.spec))

    async def explain(self, tool_call: ToolCall) -> Explanation | Refusal:
        """Return what would become of a call, and which rule decides. Nothing is done, asked, logged or counted."""
        try:
            running, effect = await self._prepare(tool_call, self.settings(), count=False)
            if effect.failure is not None:
                raise effect.failure
        except ToolFailure as failure:
            rule = failure.data.get("rule") or failure.code or failure.error_type.value
            outcome = "deny" if isinstance(failure, PermissionDenied) else "fail"
            return Refusal(outcome=outcome, rule=rule, why=failure.message)
        case, verdict = running.verdict(effect)
        decided = {name: getattr(verdict, name) for name in ("outcome", "rule", "why", "choices")}
        may = verdict.outcome == "ask" and may_confirm(case)
        labels = tuple(target.label for target in case.targets)
        return Explanation.of(case, **decided, targets=labels, summary=effect.summary, elicitation=may)

    async def _prepare(
        self, tool_call: ToolCall, settings: Settings, *, count: bool = True, run: bool = False
    ) -> tuple[Running, EffectKind]:
        """Take a call to what its tool says it would do: lookup, validate, limit, prepare.

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
                self.drafts.of(tool_call.caller)  # raises where the call names a draft that does not exist
            enabled = self.enabled(tool_call, settings)
            tool = self.lookup(tool_call, tool_call.tool, enabled)
            tool_call.execution_id = f"{tool.spec.id_prefix or tool.name}-{secrets.token_hex(4)}"
            params = await self._parse(tool, tool_call)
            if (missing := enabled.missing(tool.spec, params)) is not None:
                raise refusal(missing, enabled, tool_call.caller)
        except ToolFailure:
            self.rate_limit.refused(tool_call)
            raise
        if count:
            await self.rate_limit.pass_gate(tool, tool_call, self.settings)
        tool_call.admitted = True
        if run:
            self.on_event(ToolStarted(**tool_call.event_members))
            tool_call.phase = Phase.PREPARING
        running = Running(tool, tool_call, settings, params, self)
        with noting_looks() as looks:
            try:
                planned: Effect = await running.invoke(partial(tool.prepare, params, running.context(looking=not run)))
            except ToolFailure as failure:
                if not looks:
                    raise  # judged from the arguments alone
                why = f"Tell why {tool.spec.title} is not possible: {failure.message}"
                return running, Failing(ReadEffect(in_vault(*sorted(looks)), why), failure)
        return running, await kind_of(tool, planned).examine(running, run=run)

    async def _decide(self, running: Running, effect: EffectKind) -> EffectKind:
        """Return what is to be carried out, once the rules or a person have decided about it."""
        running.tool_call.phase = Phase.ASKING
        allowed = await effect.ask(running)
        if not running.tool_call.decided:
            raise TypeError(f"an effect of {running.tool.name} is not carried out before it is decided about")
        return allowed

    async def _parse(self, tool: Tool[Any], tool_call: ToolCall) -> Any:
        """Return the arguments as the tool's parameters; large ones are looked through in a thread."""

        def parse() -> Any:
            check_members(tool_call.arguments)
            params = tool_call.params = tool.spec.parameters.parse(tool_call.arguments)
            tool_call.fingerprint = call_fingerprint(tool.name, tool_call.tool, tool_call.arguments)
            return params

        if tool_call.size <= LARGE:
            return parse()
        return await asyncio.get_running_loop().run_in_executor(self.threads(tool_call), parse)

    def _succeeded(self, output: Output, tool_call: ToolCall, settings: Settings, started: float) -> ToolResult:
        text, metadata = output.trimmed(settings.max_output_bytes)
        if tool_call.comments:  # before the text and not a part of it, so that it is never cut
            text, metadata = f"{_comments(tool_call)}\n{text}", metadata | _feedback(tool_call)
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
        return result.model_copy(update={"text": f"{result.text}\n{_comments(tool_call)}"})

    def _with_news(self, tool_call: ToolCall, result: ToolResult) -> ToolResult:
        """Return a result that begins with what its client does not know yet of its drafts, at most once a session."""
        news = None if self.drafts is None or tool_call.within is not None else self.drafts.news(tool_call.caller)
        return result if news is None else result.model_copy(update={"text": f"{news}\n{result.text}"})

    def _timed(self, metadata: dict[str, Any], started: float) -> dict[str, Any]:
        return metadata | {"durationMs": round((self.clock.monotonic() - started) * 1000, 3)}


def _comments(tool_call: ToolCall) -> str:
    """Return what the person said with a yes, as models read it."""
    return "The user allowed this and said: " + "\n".join(tool_call.comments)


def _feedback(tool_call: ToolCall) -> dict[str, Any]:
    """Return the same, for programs."""
    return {"feedback": "\n".join(tool_call.comments)} if tool_call.comments else {}


def _crash(tool_call: ToolCall, error: Exception) -> ExecutionFailed:
    """Return what the caller gets to know of a crash: not its own words, but what became of the vault."""
    what = (
        "nothing was changed"
        if tool_call.made is None
        else f"the change was made all the same, as {tool_call.execution_id}, and can be undone"
    )
    if isinstance(error, ImportError) and error.name:
        why = f"needs the package {error.name!r}, which is missing or damaged"
        return ExecutionFailed(f"{tool_call.tool!r} {why}; {what}. `vault-bridge doctor` says what the user can do")
    return ExecutionFailed(f"{tool_call.tool!r} crashed; {what}. The bridge's console says more")

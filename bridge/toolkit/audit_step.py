"""The audit step: what of a call and of a decision goes into the log."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from bridge.audit.log import AuditLog
from bridge.clock import Clock, stamp
from bridge.consent.broker import ConsentAnswer
from bridge.contract.events import AuditAppended
from bridge.contract.result import ToolResult
from bridge.identity.caller import Caller
from bridge.policy.consent import Verdict
from bridge.policy.targets import Target
from bridge.toolkit.registry import ToolRegistry
from bridge.toolkit.tool_call import ToolCall
from bridge.vault.plan import ChangePlan

SHORT = 200
"""Characters of a result's own texts that the log keeps; the notes themselves do not belong into it."""

MOST_TARGETS = 50
"""Targets of a decision that the log names."""

NOTES_TEXT = frozenset({"content", "text", "diff", "preview", "snippet", "lines"})
"""Members of results that hold what is written in notes, however short it is."""


class AuditStep:
    """Writes one record for every execution, every decision, and what else there is to know later.

    Args:
        log: Where to.
        registry: Says which parameters of a tool are sensitive.
        clock: For the times.
        on_appended: Called from a thread with each record, without its parameters and result: hosts ask for those.
    """

    def __init__(
        self,
        log: AuditLog,
        registry: ToolRegistry,
        clock: Clock,
        on_appended: Callable[[AuditAppended], None] = lambda _event: None,
    ) -> None:
        self._log = log
        self._on_appended = on_appended
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="audit")
        self._registry = registry
        self._clock = clock

    def close(self) -> None:
        """Wait until everything is written."""
        self._writer.shutdown()

    async def finished(self, tool_call: ToolCall, result: ToolResult, plan: ChangePlan | None, seconds: float) -> None:
        """Log the end of a call. Returns when it is written.

        Args:
            tool_call: The call.
            result: Its result.
            plan: What it wrote; None when it wrote nothing.
            seconds: How long it took.
        """
        facts: dict[str, Any] = {
            "success": result.success,
            "result": _shape(result.data) if result.success else {"error": result.error},
            "duration": round(seconds * 1000, 3),
        }
        if result.error_type is not None:
            facts["errorType"] = result.error_type.value
        if isinstance(result.data, dict) and not result.success and "code" in result.data:
            facts["code"] = result.data["code"]
        if tool_call.call_id is not None:
            facts["callId"] = tool_call.call_id
        if plan is not None:
            facts["planDigest"] = plan.digest
            facts["files"] = [
                {"path": change.path, "newPath": change.new_path, "change": change.kind.value}
                | {"before": change.before, "after": change.after}
                for change in plan.changes
            ]
        record = self._record("execution", tool_call, facts)
        await asyncio.get_running_loop().run_in_executor(self._writer, self._write, *record)

    def decided(
        self,
        tool_call: ToolCall,
        verdict: Verdict,
        answer: ConsentAnswer | None,
        *,
        targets: Sequence[Target],
        by: str | None = None,
    ) -> None:
        """Log a decision: what the rules said, and who answered what where a person was asked.

        Args:
            tool_call: The call.
            verdict: What the rules said, or how the question ended without an answer.
            answer: The person's, where one was asked.
            targets: What it was about: all that the call touches, or what its tool came upon while it ran.
            by: Who ended the question without an answer that counts.
        """
        facts: dict[str, Any] = {"outcome": verdict.outcome, "rule": verdict.rule, "why": verdict.why}
        facts["targets"] = [target.label for target in targets[:MOST_TARGETS]]
        if by is not None:
            facts["by"] = by
        if answer is not None:
            facts |= {"outcome": "allow" if answer.decision.allows else "deny", "decision": answer.decision.value}
            facts |= {"by": answer.by, "feedback": answer.feedback}
            if answer.part is not None:
                facts["planDigest"] = answer.part
            if answer.extent.reach is not None:
                facts["reach"] = answer.extent.reach.value
            if answer.extent.everyone is not None:
                facts["everyone"] = answer.extent.everyone
        # Not waited for: the call's own record comes after it in the one thread that writes, and that is waited for.
        self._writer.submit(self._write, *self._record("decision", tool_call, facts))

    async def delivered(self, caller: Caller, tool_call: ToolCall) -> None:
        """Log that a result is handed out again, or later than its call was made. Returns when it is written.

        Args:
            caller: Who got it.
            tool_call: The call whose result it is.
        """
        facts = {"tool": tool_call.tool, "executionId": tool_call.execution_id, "callId": tool_call.call_id}
        facts |= {"client": caller.name, "clientId": caller.client.id, "role": caller.role}
        if (written := self._submit("delivery", facts)) is not None:
            await asyncio.wrap_future(written)

    def note(self, kind: str, facts: dict[str, Any]) -> None:
        """Log what is no call and no decision. May be called from any thread, and waits on all but the event loop's.

        Args:
            kind: `limit`, `settings`, `grant`, `client`, `bridge` or `network`.
            facts: What happened; `docs/protocol.md` says what each kind holds.
        """
        written = self._submit(kind, facts)
        if written is not None and not _on_event_loop():
            written.result()

    def _submit(self, kind: str, facts: dict[str, Any]) -> Future[None] | None:
        """Have it written; None when the log is closed, because the bridge has stopped."""
        record = {"timestamp": stamp(self._clock.now()), "kind": kind, "tool": None, "client": None}
        with contextlib.suppress(RuntimeError):
            return self._writer.submit(self._write, record | facts, frozenset())
        return None

    def _record(self, kind: str, tool_call: ToolCall, facts: dict[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
        """One record of a call, and which of its parameters must not be logged.

        One thread writes them all: in order, and large parameters do not hold up the event loop.
        """
        tool = self._registry.get(tool_call.tool, tool_call.caller)
        record = {
            "timestamp": stamp(self._clock.now()),
            "kind": kind,
            "tool": tool_call.tool,
            "executionId": tool_call.execution_id,
            "client": tool_call.caller.name,
            "clientId": tool_call.caller.client.id,
            "role": tool_call.caller.role,
            "userId": tool_call.caller.session_id,
            "parameters": tool_call.arguments,
            "reason": tool_call.reason,
        }
        sensitive = tool.spec.sensitive if tool else frozenset()
        return record | facts, sensitive

    def _write(self, record: dict[str, Any], sensitive: frozenset[str]) -> None:
        self._log.append(record, sensitive=sensitive)
        self._on_appended(AuditAppended.model_validate(record))


def _on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _shape(data: Any) -> Any:
    """What a result was like, without the notes' text in it."""
    if isinstance(data, list):
        return {"items": len(data)}
    if isinstance(data, dict):
        return {key: _measured(value) if key in NOTES_TEXT else _scalar(value) for key, value in data.items()}
    return _scalar(data)


def _measured(value: Any) -> Any:
    return {"characters": len(value)} if isinstance(value, str) else _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, str) and len(value) > SHORT:
        return _measured(value)
    if isinstance(value, list):
        return {"items": len(value)}
    if isinstance(value, dict):
        return {"members": len(value)}
    return value

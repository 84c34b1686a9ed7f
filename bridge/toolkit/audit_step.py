"""The audit step: what of a call and of a decision goes into the log; and the console, which shows no secret."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from bridge.audit.log import AuditLog
from bridge.audit.records import COUNT, Folding
from bridge.clock import Clock, stamp
from bridge.consent.question import ConsentAnswer
from bridge.contract.events import AuditAppended, LimitHit
from bridge.contract.tools import ToolResult
from bridge.identity.caller import Caller
from bridge.policy.consent import Verdict
from bridge.policy.redaction import Secrets, hide_secrets, redact_text
from bridge.policy.targets import Target
from bridge.toolkit.registry import ToolRegistry
from bridge.toolkit.tool_call import ToolCall, without_bulk

SHORT = 200
"""Characters of a result's own texts that the log keeps; the notes themselves do not belong into it."""

MOST_TARGETS = 50
"""Targets of a decision that the log names."""

NOTES_TEXT = frozenset({"content", "text", "diff", "preview", "snippet", "lines"})
"""Members of results that hold what is written in notes, however short it is."""


COUNT_SECONDS = 60.0
"""For how long calls that were refused before anybody decided about them are counted, until the count is logged."""


class AuditStep:
    """The step that writes a record for every execution and decision, and what else there is to know.

    What one client can cause without limit (calls that are refused before the limit or by it, waits, deliveries) is
    folded: the first few records are whole, and the others one counting record a minute.

    Args:
        log: The log to write to.
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
        self._folding = Folding()
        self._counting: asyncio.TimerHandle | None = None

    def close(self) -> None:
        """Wait until everything is written, what is counted too."""
        self._write_counts()
        self._writer.shutdown()

    async def finished(self, tool_call: ToolCall, result: ToolResult, seconds: float) -> None:
        """Log the end of a call. Returns when it is written.

        Args:
            tool_call: The call.
            result: Its result.
            seconds: The time it took.
        """
        facts: dict[str, Any] = {
            "success": result.success,
            "result": _shape(result.data) if result.success else {"error": result.error},
            **_measures(tool_call, result, seconds),
        }
        if result.error_type is not None:
            facts["errorType"] = result.error_type.value
        if isinstance(result.data, dict) and not result.success and "code" in result.data:
            facts["code"] = result.data["code"]
        if tool_call.call_id is not None:
            facts["callId"] = tool_call.call_id
        if result.metadata.get("staged"):
            facts["staged"] = True
            if "draft" in result.metadata:
                facts["draft"] = result.metadata["draft"]
        if (plan := tool_call.made) is not None:
            facts["planDigest"] = plan.digest
            facts["files"] = [
                {"path": change.path, "newPath": change.new_path, "change": change.kind.value}
                | {"before": change.before, "after": change.after}
                for change in plan.changes
            ]
        record = self._record("execution", tool_call, facts)
        if not tool_call.admitted:
            is_known = self._registry.get(tool_call.tool, tool_call.caller) is not None
            if self._is_counted(record[0] | {"tool": tool_call.tool if is_known else None}):
                return
        await asyncio.get_running_loop().run_in_executor(self._writer, self._write, *record)

    def decided(
        self,
        tool_call: ToolCall,
        verdict: Verdict,
        answer: ConsentAnswer | None,
        *,
        targets: Sequence[Target],
        by: str | None = None,
        edit: tuple[Caller, str] | None = None,
        waited: float | None = None,
    ) -> None:
        """Log a decision: what the rules said, and who answered what where a person was asked.

        Args:
            tool_call: The call.
            verdict: What the rules said, or how the question ended without an answer.
            answer: The person's, where one was asked.
            targets: What it was about: all that the call touches, or what its tool came upon while it ran.
            by: Who ended the question without an answer that counts.
            edit: Who has edited what the question is about, which decides nothing yet, and the digest of the plan then.
            waited: Seconds for which the question was open; None where none was asked.
        """
        facts: dict[str, Any] = {"outcome": verdict.outcome, "rule": verdict.rule, "why": verdict.why}
        facts["grant"] = verdict.grant
        facts["targets"] = [target.label for target in targets[:MOST_TARGETS]]
        if by is not None:
            facts["by"] = by
        if waited is not None:
            facts["waited"] = round(waited * 1000, 3)
        if edit is not None:
            who, digest = edit
            facts |= {"by": who.name, "byId": who.client.id, "planDigest": digest}
        if answer is not None:
            facts |= {"outcome": "allow" if answer.decision.allows else "deny", "decision": answer.decision.value}
            facts |= {"by": answer.by, "byId": answer.by_id, "feedback": answer.feedback}
            if answer.elicited:
                facts["elicited"] = True
            if answer.send_back:
                facts["sentBack"] = True
            if answer.comments:
                facts["comments"] = [comment.to_wire() for comment in answer.comments]
            if answer.part is not None:
                facts["planDigest"] = answer.part
            if answer.option is not None:
                facts["holds"] = answer.option.sentence
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
        if self._is_counted(self._event("delivery", facts)):
            return
        if (written := self._submit("delivery", facts)) is not None:
            await asyncio.wrap_future(written)

    def limited(self, hit: LimitHit) -> None:
        """Log that a call has to wait, or is refused for its rate. On the event loop."""
        facts = hit.to_wire()
        if not self._is_counted(self._event("limit", facts)):
            self._submit("limit", facts)

    def note(self, kind: str, facts: dict[str, Any]) -> None:
        """Log what is no call and no decision. Any thread may call this; all but the event loop wait for the writing.

        Args:
            kind: `settings`, `grant`, `client`, `key`, `bridge` or `network`.
            facts: What happened; `docs/protocol.md` says what each kind holds.
        """
        written = self._submit(kind, facts)
        if written is not None and not _on_event_loop():
            written.result()

    def _submit(self, kind: str, facts: dict[str, Any]) -> Future[None] | None:
        """Have it written; None when the log is closed, because the bridge has stopped."""
        with contextlib.suppress(RuntimeError):
            return self._writer.submit(self._write, self._event(kind, facts), frozenset())
        return None

    def _event(self, kind: str, facts: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": stamp(self._clock.now()), "kind": kind, "tool": None, "client": None} | facts

    def _is_counted(self, record: dict[str, Any]) -> bool:
        """Return whether a record is one of so many that only their number is logged, within a minute."""
        if self._folding.is_empty and self._counting is None:
            self._counting = asyncio.get_running_loop().call_later(COUNT_SECONDS, self._write_counts)
        return self._folding.takes(record)

    def _write_counts(self) -> None:
        """Log how many records were only counted."""
        if self._counting is not None:
            self._counting.cancel()
            self._counting = None
        for facts in self._folding.drain():
            self._submit(COUNT, facts)

    def _record(self, kind: str, tool_call: ToolCall, facts: dict[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
        """Return one record of a call, and which of its parameters must not be logged.

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
            "parameters": without_bulk(tool_call.arguments, tool.spec.bulky) if tool else tool_call.arguments,
            "reason": tool_call.reason,
        }
        if tool_call.within is not None:
            record["within"] = tool_call.within.execution_id
        sensitive = tool.spec.sensitive if tool else frozenset()
        return record | facts, sensitive

    def _write(self, record: dict[str, Any], sensitive: frozenset[str]) -> None:
        self._log.append(record, sensitive=sensitive)
        self._on_appended(AuditAppended.model_validate(record))


def _measures(tool_call: ToolCall, result: ToolResult, seconds: float) -> dict[str, Any]:
    """Return how long the call took, for how long a question was open meanwhile, and whether the cache answered."""
    found: dict[str, Any] = {"duration": round(seconds * 1000, 3)}
    if tool_call.waited is not None:
        found["waited"] = round(tool_call.waited * 1000, 3)
    if isinstance(result.metadata.get("cached"), bool):
        found["cached"] = result.metadata["cached"]
    return found


def _on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _shape(data: Any) -> Any:
    """Return the shape of a result, without the notes' text in it."""
    if isinstance(data, dict):
        return {key: _scalar(value, 0 if key in NOTES_TEXT else SHORT) for key, value in data.items()}
    return _scalar(data, SHORT)


def _scalar(value: Any, most: int) -> Any:
    """Return a value, or how much it holds: of a text longer than `most` (0: of any), a list or an object."""
    match value:
        case str() if not most or len(value) > most:
            return {"characters": len(value)}
        case list():
            return {"items": len(value)}
        case dict():
            return {"members": len(value)}
    return value


CALLS: Final = "bridge.calls"
"""The logger of calls; `vault-bridge serve` shows it."""

_calls = logging.getLogger(CALLS)
_FORMATTER = logging.Formatter()


def _redact(secrets: Secrets, record: logging.LogRecord) -> bool:
    """Take secrets out of a record, its traceback too, and let it through."""
    record.msg = redact_text(record.getMessage(), secrets)
    record.args = None
    if record.exc_info and not record.exc_text:
        record.exc_text = _FORMATTER.formatException(record.exc_info)
    if record.exc_text:
        record.exc_text = hide_secrets(record.exc_text, secrets)
    record.exc_info = None
    return True


@contextmanager
def redacted_console(secrets: Secrets) -> Iterator[None]:
    """Keep secrets from every handler of the root logger as long as this lasts, and from Python's of last resort."""
    redact = partial(_redact, secrets)
    handlers = [*logging.getLogger().handlers, *([logging.lastResort] if logging.lastResort else [])]
    for handler in handlers:
        handler.addFilter(redact)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(redact)


def log_call(tool_call: ToolCall, result: ToolResult, seconds: float) -> None:
    """Write one line about a call that has ended: who, what, how it ended, and how long it took, people included."""
    if result.success:
        end = f"done, {len(result.text):,} characters"
    else:
        code = result.data.get("code") if isinstance(result.data, dict) else None
        kind = result.error_type.value if result.error_type is not None else "failed"
        end = f"{kind} ({code})" if code else kind
    who, milliseconds = tool_call.caller.name, seconds * 1000
    _calls.info("%s by %s: %s in %.1f ms [%s]", tool_call.tool, who, end, milliseconds, tool_call.execution_id)

"""The consent step: from what a tool will do to the question a person is asked, and from their answer to yes or no."""

import asyncio
import secrets
import unicodedata
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, Literal, Protocol

import orjson

from bridge.clock import Clock, stamp
from bridge.consent.broker import Broker, ConsentAnswer
from bridge.consent.grants import GrantStore
from bridge.contract.consent import ConsentRequest, Decision, Operation, Preview, Scope, ToolFace
from bridge.errors import Conflict, PermissionDenied
from bridge.journal.ledger import Ledger
from bridge.policy.consent import ConsentCase, Verdict, decide
from bridge.policy.targets import Target, common_ladder, rung_view
from bridge.settings.model import Settings
from bridge.toolkit.tool import Effect, Output, ReadEffect, RequestEffect, Tool, Unchanged, in_vault
from bridge.toolkit.tool_call import Phase, ToolCall
from bridge.vault.partial import KeptHunks, LeftOut, is_divisible
from bridge.vault.plan import ChangePlan, content_hash

FOR_GOOD = frozenset({Decision.ALLOW_ALWAYS, Decision.DENY_ALWAYS})
"""Answers that are written down."""


class Record(Protocol):
    """Writes decisions down."""

    def __call__(
        self,
        tool_call: ToolCall,
        verdict: Verdict,
        answer: ConsentAnswer | None,
        *,
        targets: Sequence[Target],
        by: str | None = None,
    ) -> None:
        """The verdict on `targets`, and the person's answer where one was asked; `by` ended it without one."""
        ...


class Approval:
    """One effect on its way through a question.

    Args:
        effect: What the tool will do.
        ledger: Looks at the vault again.
        workers: Threads for that.

    Attributes:
        effect: What is to be done; after an answer with hunks, the smaller plan.
        left_out: What the person left out of it.
        is_divisible: Whether hunks may be left out.
    """

    def __init__(self, effect: Effect, ledger: Ledger, workers: Executor) -> None:
        self.effect = effect
        self.left_out: tuple[LeftOut, ...] = ()
        self.is_divisible = isinstance(effect, ChangePlan) and is_divisible(effect)
        self._ledger = ledger
        self._workers = workers

    async def check(self) -> None:
        """Re-hash the plan's files: done when a yes comes, and again by the ledger when it writes.

        Raises:
            Conflict: The vault has changed since.
        """
        if isinstance(self.effect, ChangePlan):
            await asyncio.get_running_loop().run_in_executor(self._workers, self._ledger.check, self.effect)

    async def keep_selected(self, keep: KeptHunks) -> str:
        """Leave everything out that is not kept, and check the rest.

        Args:
            keep: The hunks wanted of each file, by path, counted from 0.

        Returns:
            The digest of what will be done.

        Raises:
            InvalidParameters: The choice makes no sense; all is as before.
            Conflict: The vault has changed since.
        """
        if not isinstance(self.effect, ChangePlan):
            raise TypeError("only a change plan has hunks")
        work = asyncio.get_running_loop().run_in_executor(self._workers, self._ledger.part, self.effect, keep)
        partial = await work
        self.effect, self.left_out = partial.plan, partial.left_out
        return partial.plan.digest

    def add_left_out(self, output: Output) -> Output:
        """A tool's answer, and in it what the person left out."""
        if not self.left_out:
            return output
        facts = [_left_out(file) for file in self.left_out]
        data = output.data | {"leftOut": facts} if isinstance(output.data, dict) else output.data
        lines = ["", "The user left out the following; do not repeat it without asking them why."]
        for file in self.left_out:
            which = f"{len(file.hunks)} of {file.of} hunks" if file.hunks else "the whole file"
            lines += [f"{file.path} ({file.change}): {which}", file.diff.removesuffix("\n")]
        return replace(output, data=data, text=output.text + "\n".join(lines))


class ConsentStep:
    """The consent step of the pipeline.

    Args:
        broker: Holds the open questions.
        grants: What people have said before.
        clock: For the question's times.
        record: Called with every decision, for the audit log.
        deny_all: Whether nothing is asked and whatever would be asked is refused.
    """

    def __init__(
        self, broker: Broker, grants: GrantStore, clock: Clock, record: Record, *, deny_all: bool = False
    ) -> None:
        self._broker = broker
        self._grants = grants
        self._clock = clock
        self._record = record
        self._deny_all = deny_all

    def verdict(
        self, tool: Tool[Any], effect: Effect, tool_call: ToolCall, settings: Settings
    ) -> tuple[ConsentCase, Verdict]:
        """What the rules say of this call, without asking anyone."""
        spec = tool.spec
        plan = effect if isinstance(effect, ChangePlan) else None
        # What a tool asks for while it runs is another question than the call itself.
        later = [target.place.key for target in targets_of(effect)] if tool_call.phase is Phase.RUNNING else []
        case = ConsentCase(
            tool=spec.name,
            operation=plan.operation if plan else spec.operation,
            consent_class=spec.consent_class,
            risk=spec.risk,
            covers=spec.covers,
            targets=targets_of(effect),
            caller=tool_call.caller,
            mode=spec.mode(settings),
            developer_mode=settings.developer_mode,
            call=call_fingerprint(tool.name, tool_call.tool, tool_call.arguments, *later),
            by_user=tool_call.caller.client.is_person and plan is not None and plan.reversal is not None,
        )
        if self._deny_all and not case.by_user:
            return case, Verdict("deny", "deny_all", "this bridge was started with `--consent deny`")
        return case, decide(case, self._grants)

    async def ask(
        self,
        tool: Tool[Any],
        effect: Effect,
        tool_call: ToolCall,
        settings: Settings,
        approval: Approval | None = None,
    ) -> None:
        """Return when the call may go on.

        Args:
            tool: The tool.
            effect: What it will do.
            tool_call: The call; its `request_id` is set while the question is open.
            settings: The modes and the time-out.
            approval: Looks at the vault again when a yes comes, before it counts; None where nothing is planned.

        Raises:
            PermissionDenied: With the code that says who or what refused.
            Conflict: `stale`: the vault has changed meanwhile.
        """
        case, verdict = self.verdict(tool, effect, tool_call, settings)
        record = partial(self._record, tool_call, targets=case.targets)
        if verdict.outcome == "allow":
            self._grants.used(case, verdict.rule)
            record(verdict, None)
            return
        if verdict.outcome == "deny":
            record(verdict, None)
            raise PermissionDenied(
                f"{tool.spec.title} is not allowed: {verdict.why}", code="denied_by_rule", data={"rule": verdict.rule}
            )
        hunks = approval is not None and approval.is_divisible
        question = self._question(tool, effect, tool_call, case=case, verdict=verdict, settings=settings, hunks=hunks)
        tool_call.request_id = question.request_id
        try:
            answer = await self._broker.ask(
                question,
                timeout=settings.consent_timeout,
                wait_for_host=tool_call.wait_for_host,
                check=approval.check if approval else None,
                part=approval.keep_selected if approval and hunks else None,
            )
        except (PermissionDenied, Conflict) as refusal:
            ending = Verdict(outcome="deny", rule=refusal.code or "", why=refusal.message, choices=())
            record(ending, None, by=self._broker.ended_by(question.request_id))
            raise
        finally:
            tool_call.request_id = None
        remember = partial(self._grants.remember, answer.decision, case, answer.feedback, answer.extent, by=answer.by)
        if answer.decision in FOR_GOOD:
            await asyncio.to_thread(remember)  # writes files
        else:
            remember()
        record(verdict, answer)
        if not answer.decision.allows:
            said = f" and said: {answer.feedback}" if answer.feedback else ""
            end = "" if said.endswith((".", "!", "?")) else "."
            raise PermissionDenied(
                f"The user denied this call{said}{end} Do not repeat it unchanged; ask the user what they want instead",
                code="denied_by_user",
                data={"feedback": answer.feedback} if answer.feedback else {},
            )

    def _question(
        self,
        tool: Tool[Any],
        effect: Effect,
        tool_call: ToolCall,
        *,
        case: ConsentCase,
        verdict: Verdict,
        settings: Settings,
        hunks: bool,
    ) -> ConsentRequest:
        now, spec, caller = self._clock.now(), tool.spec, tool_call.caller
        return ConsentRequest(
            request_id=f"c-{secrets.token_hex(6)}",
            client=caller.name,
            client_id=caller.client.id,
            calls_itself=caller.calls_itself,
            verified=caller.client.name is not None,
            session_id=caller.session_id,
            tool=ToolFace.of(spec),
            risk_level=spec.risk,
            operation=case.operation,
            summary=effect.summary,
            reason=tool_call.reason,
            parameters=tool_call.arguments,
            targets=tuple(target.label for target in case.targets),
            touches=tuple(target.to_wire() for target in case.targets),
            ladder=tuple(rung_view(reach, rungs) for reach, rungs in common_ladder(case.targets)),
            covers=case.scope,
            can_bypass=spec.can_bypass,
            choices=verdict.choices,
            preview=_preview(effect, tool_call, settings),
            scope=_scope(effect, case),
            brief=settings.developer_mode and case.operation is Operation.NETWORK,
            plan_digest=effect.digest if isinstance(effect, ChangePlan) else None,
            hunks_supported=hunks,
            created_at=stamp(now),
            expires_at=stamp(now + timedelta(seconds=settings.consent_timeout)),
        )


def _scope(effect: Effect, case: ConsentCase) -> Scope:
    """What the call reaches. What lies in the vault is in scope, whatever else can be read is not."""
    target = case.targets[0].label if len(case.targets) == 1 else None
    count = len(case.targets)
    match case.operation:
        case Operation.READ:
            return Scope(kind="read_in_scope", target=target)
        case Operation.NETWORK:
            return Scope(kind="read_out_of_scope", target=target)
        case Operation.EXECUTE:
            return Scope(kind="admin", target=target, operation=case.tool, affects_count=count)
        case Operation.DELETE:
            linked = effect.linked_from if isinstance(effect, ChangePlan) else None
            known = None if linked is None else linked > 0
            return Scope(kind="write_delete", target=target, has_backlinks=known, affects_count=count)
    kind: Literal["write_create", "write_update"] = (
        "write_create" if case.operation is Operation.CREATE else "write_update"
    )
    size = sum(map(len, effect.blobs.values())) if isinstance(effect, ChangePlan) else None
    return Scope(kind=kind, target=target, size_bytes=size, affects_count=count)


def targets_of(effect: Effect) -> tuple[Target, ...]:
    """What an effect touches."""
    return in_vault(*effect.targets) if isinstance(effect, ChangePlan) else effect.targets


def call_fingerprint(*parts: Any) -> str:
    """What the same call, made again, has again; white space and invisible characters make no other call.

    Args:
        parts: The tool's names and the arguments: JSON values.
    """
    return content_hash(orjson.dumps([_plain(part) for part in parts], option=orjson.OPT_SORT_KEYS))


def _plain(value: Any) -> Any:
    """A JSON value without what can be changed in a text while a person would still call it the same."""
    match value:
        case str():
            seen = "".join(character for character in value if unicodedata.category(character) != "Cf")
            return " ".join(unicodedata.normalize("NFKC", seen).split())
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {name: _plain(item) for name, item in value.items()}
    return value


def _preview(effect: Effect, tool_call: ToolCall, settings: Settings) -> Preview | None:
    match effect:
        case ChangePlan():
            overwrites = any(change.before for change in effect.changes)
            backup = f".vault-bridge/backups/{tool_call.execution_id}/"
            return Preview(
                files=effect.previews,
                backup=backup if overwrites and settings.patch_backup_enabled else None,
                warnings=effect.warnings,
            )
        case RequestEffect():
            return Preview(warnings=effect.warnings, request=effect.exact)
        case ReadEffect() | Unchanged():
            return None


def _left_out(file: LeftOut) -> dict[str, Any]:
    return {
        "path": file.path,
        "change": file.change,
        "hunks": list(file.hunks),
        "of": file.of,
        "diff": file.diff,
    }

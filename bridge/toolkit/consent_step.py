"""The consent step: from what a tool will do to the question a person is asked, and from their answer to yes or no."""

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, TypeVar

from bridge.clock import Clock, stamp
from bridge.consent.broker import Broker
from bridge.consent.grants import GrantStore
from bridge.consent.question import ConsentAnswer, Handling
from bridge.consent.web_readers import WebReaders
from bridge.contract import consent as wire
from bridge.contract.base import Event
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Decision, Operation, Reach, RiskLevel
from bridge.drafts.store import said_of
from bridge.errors import Conflict, PermissionDenied
from bridge.identity.caller import Caller
from bridge.policy.consent import ConsentCase, Verdict, choices, decide, may_confirm
from bridge.policy.offers import AnswerBounds, Offer, offers
from bridge.policy.targets import Target
from bridge.settings.model import Settings
from bridge.toolkit.audit_step import AuditStep
from bridge.toolkit.effects.approval import Approval
from bridge.toolkit.effects.kind import EffectKind, Terms
from bridge.toolkit.effects.tool_run import Reading
from bridge.toolkit.registry import acts_of, strictest_class, strictest_mode
from bridge.toolkit.tool import ReadEffect, Tool, in_vault
from bridge.toolkit.tool_call import Phase, ToolCall, call_fingerprint, in_own_words, without_bulk
from bridge.vault.person_edits import HunkText
from bridge.web.guard import all_listed

FOR_GOOD = frozenset({Decision.ALLOW_ALWAYS, Decision.DENY_ALWAYS})
"""Answers that are written down."""


_READER: Final = "read"  # the tool by whose answers reading is judged

T = TypeVar("T")


@dataclass(frozen=True)
class PreparedCall:
    """A call whose tool and arguments are known, as the consent step sees it.

    Attributes:
        tool: The tool.
        tool_call: The call; its `request_id` is set while a question about it is open.
        settings: The modes and the time-out, as they were when it began.
    """

    tool: Tool[Any]
    tool_call: ToolCall
    settings: Settings


@dataclass(slots=True)
class _Inquiry:
    """A question on its way, which changes when the person edits what is to be written.

    Attributes:
        call: The call.
        case: What the rules are asked about.
        offered: What may be answered.
        question: The question as it is shown.
        approval: What is to be done, where a plan is.
        covered: Whether the rules say by now that it is allowed or denied; None while it must be asked.
    """

    call: PreparedCall
    case: ConsentCase
    offered: Sequence[Offer]
    question: wire.ConsentRequest
    approval: Approval | None
    covered: Callable[[], bool | None]


@dataclass(frozen=True, kw_only=True)
class ConsentStep:
    """The consent step of the pipeline.

    Attributes:
        broker: Holds the open questions.
        grants: What people have said before.
        clock: For the question's times.
        audit: Writes every decision into the log.
        settings: The settings as they are now, by which it is judged whether an open question is still one.
        deny_all: Whether nothing is asked and whatever would be asked is refused.
        on_event: Called when what is counted has changed, for the hosts.
        tools: The tools that a caller has, by which it is known what a call is called besides.
        web_readers: The clients that have read from the web, of which more is asked about.
    """

    broker: Broker
    grants: GrantStore
    clock: Clock
    audit: AuditStep
    settings: Callable[[], Settings]
    tools: Callable[[Caller], Sequence[Tool[Any]]]
    deny_all: bool = False
    on_event: Callable[[Event], None] = lambda _event: None
    web_readers: WebReaders | None = None

    def verdict(self, call: PreparedCall, effect: EffectKind) -> tuple[ConsentCase, Verdict]:
        """Return the verdict of the rules on this call, without asking anyone."""
        tool, tool_call, settings = call.tool, call.tool_call, call.settings
        spec, terms, targets = tool.spec, effect.terms(), effect.targets
        # What a tool asks for while it runs is another question than the call itself.
        later = [target.place.key for target in targets] if tool_call.phase is Phase.RUNNING else []
        if terms.draft is not None and terms.digest is not None:
            later.append(terms.digest)  # a draft that has changed since it was denied is another
        operation = effect.operation(spec)
        tools = self.tools(tool_call.caller)
        params = tool_call.params if tool.name == tool_call.tool else None
        acts = acts_of(spec, params, terms.about, operation, tools)
        mode, mode_of = strictest_mode(spec, acts, tools, settings)
        if spec.listed_sites and mode is ConsentMode.ALWAYS_ALLOW and not all_listed(targets, settings):
            mode = ConsentMode.SESSION_ALLOW  # the list says where "always" holds; elsewhere the person is asked
        case = ConsentCase(
            tool=spec.name,
            operation=operation,
            consent_class=strictest_class(spec, acts, tools, terms.at_most),
            covers=spec.covers,
            targets=targets,
            caller=tool_call.caller,
            mode=mode,
            mode_of=mode_of,
            acts=acts,
            developer_mode=settings.developer_mode,
            call=call_fingerprint(
                tool_call.fingerprint or call_fingerprint(tool.name, tool_call.tool, tool_call.arguments), *later
            ),
            by_user=tool_call.caller.client.is_person and terms.takes_back,
            title=spec.title,
            subjects=terms.subjects,
            additions=terms.additions,
            files=terms.files,
            insists=self._insists(effect, terms, tool_call.caller),
        )
        if spec.own or terms.own:
            return case, Verdict("allow", "own", f"{spec.title} gives a client only what is its own")
        if self.deny_all and not case.by_user:
            return case, Verdict("deny", "deny_all", "this bridge was started with `--consent deny`")
        verdict = decide(case, self.grants)
        if terms.granted is not None and verdict.outcome != "deny":
            return case, Verdict("allow", terms.granted.name, terms.granted.why, grant=terms.granted.grant)
        if (
            verdict.outcome == "ask"
            and case.reads_vault
            and tool_call.within is not None
            and case.caller.client.is_person
        ):
            return case, Verdict("allow", "own_reading", "the user runs this chain themselves and may read their notes")
        if terms.reads:
            verdict = self._with_reading(case, verdict, terms.reads, settings)
        return case, verdict

    def _insists(self, effect: EffectKind, terms: Terms, caller: Caller) -> str:
        """Return why a call must be asked about in any case: for itself, or for what its client has read."""
        if terms.insists or self.web_readers is None or effect.only_reads:
            return terms.insists
        return self.web_readers.insists(caller, effect.targets, terms.hazards, sends_new=terms.sends_new)

    async def read_web(self, caller: Caller, targets: Sequence[Target]) -> None:
        """Mark a client that is about to get something from the web. Raises ExecutionFailed where it must not."""
        if self.web_readers is not None and not self.web_readers.is_marked(caller, targets):
            await asyncio.to_thread(self.web_readers.mark, caller, targets)

    def _with_reading(self, case: ConsentCase, verdict: Verdict, reads: Sequence[str], settings: Settings) -> Verdict:
        """Return the verdict on a change that puts text of files into others: they must be allowed to be read, too.

        Where they are not yet, the person is asked, and sees the text.
        """
        reading = case._replace(
            tool=_READER,
            title="Read",
            operation=Operation.READ,
            consent_class=ConsentClass.ALWAYS,
            covers=Covers.TOOL,
            targets=in_vault(*reads),
            mode=ConsentMode(settings.consent_mode.get(_READER, ConsentMode.SESSION_ALLOW)),
            subjects=(),
            additions=None,
            files=0,
        )
        read = decide(reading, self.grants)
        if read.outcome == "deny":
            return read
        if read.outcome == "ask" and verdict.outcome == "allow":
            why = f"its text comes from {', '.join(reads)}, which {case.caller.name} may not read yet"
            return Verdict("ask", "reads", why, choices(case))
        return verdict

    async def ask(self, call: PreparedCall, effect: EffectKind, approval: Approval | None = None) -> None:
        """Return when the call may go on.

        Args:
            call: The call.
            effect: What it will do.
            approval: Looks at the vault again when a yes comes, before it counts; None where nothing is planned.

        Raises:
            PermissionDenied: With the code that says who or what refused.
            Conflict: `stale`: the vault has changed meanwhile.
        """
        case, verdict = await _beside(effect, partial(self.verdict, call, effect))
        if verdict.outcome != "ask":
            self._follow(verdict, case, call)
            return
        if call.tool_call.may_ask and self.broker.connected:
            self.broker.check_room(case.caller.client.id)  # before the question is made, which takes long

        def covered() -> bool | None:
            now = self.verdict(self._now(call), effect)[1].outcome
            # What is not only read has shown a diff of its own, which nobody has said yes to.
            return None if now == "ask" or (now == "allow" and not case.reads_vault) else now == "allow"

        def made() -> tuple[Sequence[Offer], wire.ConsentRequest]:
            offered = self._offered(case, call)
            question = self._question(call, effect, case, offered)
            if approval is None or call.tool.spec.by_caller:
                return offered, question
            return offered, question.model_copy(update=approval.offered)

        offered, question = await _beside(effect, made)
        await self._put(_Inquiry(call, case, offered, question, approval, covered), verdict)

    def refuse_denied(self, call: PreparedCall, effect: EffectKind) -> None:
        """Refuse a call that the rules deny, and let every other go on without asking: it only becomes part of a draft.

        Raises:
            PermissionDenied: The rules deny it.
        """
        case, verdict = self.verdict(call, effect)
        if verdict.outcome == "deny":
            self._follow(verdict, case, call)

    async def ask_to_tell(self, call: PreparedCall, reader: Tool[Any] | None, found: Reading) -> None:
        """Return when the caller may be told what a call came upon in the vault, where it does nothing else.

        Whoever may read there is told. Anybody else is answered as if the call could be made: by the rules for that,
        and by the person, who sees the same tool and can allow it this once. So nothing shows what is there.

        Args:
            call: The call.
            reader: The tool that reads files, by which reading is judged.
            found: What was looked at, and what there is to tell.

        Raises:
            PermissionDenied: As of `ask`.
        """
        reading = None if reader is None else replace(call, tool=reader)

        def may_read() -> bool:
            return reading is not None and self.verdict(self._now(reading), found)[1].outcome == "allow"

        if call.tool.spec.operation is Operation.READ:
            await self.ask(call, found)
            return
        if reading is not None and may_read():
            await self.ask(reading, found)
            return
        files = tuple(target for target in found.targets if target.place.reach is not Reach.VAULT)
        named = Reading(ReadEffect(files, found.summary))
        case, verdict = self.verdict(call, named)
        if verdict.outcome == "deny":
            self._follow(verdict, case, call)

        def covered() -> bool | None:
            denied = self.verdict(self._now(call), named)[1].outcome == "deny"
            return may_read() or (False if denied else None)

        case = case._replace(only_once=True)
        once = self._offered(case, call)
        offered = [
            *(offer for offer in once if offer.decision.allows),
            *(self._reading_offered(reading, found) if reading is not None else ()),
            *(offer for offer in once if not offer.decision.allows),
        ]
        question = self._question(call, named, case._replace(operation=Operation.READ), offered)
        question = question.model_copy(update={"risk_level": RiskLevel.LOW})
        await self._put(_Inquiry(call, case, offered, question, None, covered), verdict)

    def _now(self, call: PreparedCall) -> PreparedCall:
        """Return a call under the settings as they are now."""
        return replace(call, settings=self.settings())

    def _reading_offered(self, reading: PreparedCall, found: Reading) -> list[Offer]:
        """Return what may be answered so that the client reads there from now on, and no failure is asked about."""
        return [
            offer
            for offer in self._offered(self.verdict(reading, found)[0], reading)
            if offer.decision.allows
            and offer.extent.what is wire.Coverage.READING
            and offer.extent.who is not wire.Holder.EVERYONE
        ]

    def keep_waiting(self, tool_call: ToolCall, until: datetime) -> bool:
        """Let the open question of a call, if there is one, wait quietly, because its caller has a ticket.

        Returns:
            Whether it can; if not, too many of its client do.
        """
        return self.expires_at(tool_call) is None or self.broker.keep_waiting(tool_call.request_id or "", until)

    def expires_at(self, tool_call: ToolCall) -> str | None:
        """Return until when the open question of a call can be answered; None when none is open."""
        return None if tool_call.request_id is None else self.broker.expires_at(tool_call.request_id)

    def was_shown(self, tool_call: ToolCall) -> bool:
        """Return whether the open question of a call has reached a screen."""
        return tool_call.request_id is not None and self.broker.was_shown(tool_call.request_id)

    def _follow(self, verdict: Verdict, case: ConsentCase, call: PreparedCall) -> None:
        """Do as the rules say, where nobody is asked. Raises PermissionDenied when they deny."""
        tool_call = call.tool_call
        if verdict.outcome == "allow":
            tool_call.grant = verdict.grant
            if self.grants.used(case, verdict.rule, verdict.grant):
                tool_call.allowed_by_person = True
                self.on_event(wire.GrantsChanged(bounded=self.grants.session.bounded()))
        self.audit.decided(tool_call, verdict, None, targets=case.targets)
        if verdict.outcome == "deny":
            raise PermissionDenied(
                f"{case.title} is not allowed: {verdict.why}", code="denied_by_rule", data={"rule": verdict.rule}
            )

    async def _put(self, inquiry: _Inquiry, verdict: Verdict) -> None:
        """Put a question to a person, and return when they say yes. Raises what `ask` raises."""
        tool_call, approval = inquiry.call.tool_call, inquiry.approval
        record = partial(self.audit.decided, tool_call, targets=inquiry.case.targets)
        if not tool_call.may_ask:
            why = "the caller asked for nothing that a person must be asked about"
            record(Verdict(outcome="deny", rule="not_allowed_yet", why=why, choices=()), None)
            raise PermissionDenied(
                f"{inquiry.case.title} is not allowed without asking, and this call was not to ask",
                code="not_allowed_yet",
            )
        whole = tool_call.whole
        whole.request_id = inquiry.question.request_id
        whole.asked = True
        began = self.clock.monotonic()
        if whole.ticket_at_once:  # who waits hears of it when the question is open, which is before anything is awaited
            whole.alone.set()

        def offer() -> None:
            tool_call.notify(_own_question(inquiry))

        try:
            handling = Handling(
                check=approval.check if approval else None,
                part=approval.keep_selected if approval else None,
                revise=partial(self._revise, inquiry, approval) if approval else None,
                keep=partial(self._remember, inquiry),
                covered=inquiry.covered,
                comment=approval.comments if approval and approval.is_draft else None,
                offer=offer if may_confirm(inquiry.case) else None,
                alone=whole.alone.set,
                held=approval.held if approval else 0,
            )
            seconds = self._seconds(inquiry.call)
            answer = await self.broker.ask(
                inquiry.question, handling, timeout=seconds, wait_for_host=tool_call.wait_for_host
            )
        except (PermissionDenied, Conflict) as refusal:
            ending = Verdict(outcome="deny", rule=refusal.code or "", why=refusal.message, choices=())
            by = self.broker.ended_by(inquiry.question.request_id)
            record(ending, None, by=by, waited=self.clock.monotonic() - began)
            raise
        finally:
            whole.request_id = None
            whole.alone.clear()
            waited = self.clock.monotonic() - began
            for one in {id(each): each for each in (tool_call, whole)}.values():
                one.waited = (one.waited or 0.0) + waited
        record(verdict, answer, waited=waited)
        if not answer.decision.allows:
            raise _denied(answer, approval.plan.draft if approval else None)
        if answer.feedback:
            tool_call.comments.append(answer.feedback)
        if approval is not None and answer.send_back:
            approval.send_rest_back(answer.feedback or "", answer.comments)
        tool_call.allowed_by_person = True

    async def _revise(
        self,
        inquiry: _Inquiry,
        approval: Approval,
        change: HunkText | Mapping[str, wire.Take] | None,
        by: Caller | None,
    ) -> wire.ConsentRequest:
        """Return the question about another plan: of a person's text or choices, or of the vault as it is now (None).

        Nothing but a yes to it, or a no, is offered.
        """
        revised = await approval.revised(change, "" if by is None else by.name)
        effect, call = approval.with_plan(revised.plan), inquiry.call
        case = self.verdict(call, effect)[0]._replace(only_once=True)
        offered = self._offered(case, call)
        question = self._question(call, effect, case, offered)
        if by is not None:
            ruled = Verdict("ask", "chosen", "the user chose what is taken before answering")
            if isinstance(change, HunkText):
                ruled = Verdict("ask", "revised", f"the user edited the text of {change.path!r} before answering")
            self.audit.decided(call.tool_call, ruled, None, targets=case.targets, edit=(by, revised.plan.digest))
        approval.take(revised)
        before = inquiry.question
        inquiry.case, inquiry.offered = case, offered
        inquiry.question = question.model_copy(
            update={
                "request_id": before.request_id,
                "created_at": before.created_at,
                "expires_at": before.expires_at,
                "revised": before.revised or isinstance(change, HunkText),
                **approval.offered,
            }
        )
        return inquiry.question

    async def _remember(self, inquiry: _Inquiry, answer: ConsentAnswer) -> wire.Grant | None:
        """Keep an answer for as long as its option says; returns what now holds."""
        if answer.option is None:
            return None
        extent = next(offer.extent for offer in inquiry.offered if offer.id == answer.option.option_id)
        said = None if answer.decision.allows else answer.feedback  # with a yes it is about this call
        remember = partial(self.grants.remember, answer.decision, extent, inquiry.case, said, by=answer.by)
        # Those for good write files.
        kept = await asyncio.to_thread(remember) if answer.decision in FOR_GOOD else remember()
        if not kept:
            return None
        if answer.decision.allows:
            # The call that was asked about is the first of those that the answer allows, and counts like them.
            inquiry.call.tool_call.grant = kept[-1].grant_id
            self.grants.session.count(inquiry.case, kept[-1].grant_id)
        self.on_event(wire.GrantsChanged(bounded=self.grants.session.bounded()))
        return kept[-1]

    def _seconds(self, call: PreparedCall) -> float:
        """Return how long a question that is asked now can be answered."""
        until = call.tool_call.whole.ticket_until
        return call.settings.consent_timeout if until is None else (until - self.clock.now()).total_seconds()

    def _offered(self, case: ConsentCase, call: PreparedCall) -> Sequence[Offer]:
        return offers(case, _bounds(call.settings), self.clock.now())

    def _question(
        self, call: PreparedCall, effect: EffectKind, case: ConsentCase, offered: Sequence[Offer]
    ) -> wire.ConsentRequest:
        spec, tool_call, settings = call.tool.spec, call.tool_call, call.settings
        now, caller, whole = self.clock.now(), tool_call.caller, tool_call.whole
        bounds, terms, risk = _bounds(settings), effect.terms(), effect.risk(spec)
        return wire.ConsentRequest(
            request_id=f"c-{secrets.token_hex(6)}",
            client=caller.name,
            client_id=caller.client.id,
            calls_itself=caller.calls_itself,
            verified=caller.client.name is not None,
            session_id=caller.session_id,
            tool=wire.ToolFace.of(spec),
            risk_level=risk.level,
            risk_reasons=risk.reasons,
            operation=case.operation,
            summary=effect.summary,
            reason=tool_call.reason or terms.reason,
            parameters=without_bulk(tool_call.arguments, spec.bulky),
            targets=tuple(target.label for target in case.targets),
            touches=tuple(target.to_wire() for target in case.targets),
            options=tuple(offer.to_wire(case, bounds) for offer in offered),
            can_bypass=spec.can_bypass,
            choices=tuple(dict.fromkeys(offer.decision for offer in offered)),
            preview=effect.preview(spec, tool_call, settings, case.insists),
            scope=_scope(terms, case),
            brief=settings.developer_mode and case.operation is Operation.NETWORK,
            plan_digest=terms.digest,
            created_at=stamp(whole.since or now),
            expires_at=stamp(whole.ticket_until or now + timedelta(seconds=settings.consent_timeout)),
            waiting=whole.ticket_until is not None,
            draft=terms.draft,
        )


async def _beside(effect: EffectKind, work: Callable[[], T]) -> T:
    """Return what some work comes to; beside the loop where it goes through very many files."""
    return await asyncio.to_thread(work) if effect.is_large else work()


def _denied(answer: ConsentAnswer, draft: str | None) -> PermissionDenied:
    """Return the failure that tells the caller of a no: the person's words, and what it can do now."""
    said = f" and said: {answer.feedback}" if answer.feedback else ""
    end = "" if said.endswith((".", "!", "?")) else "."
    data: dict[str, Any] = {"feedback": answer.feedback} if answer.feedback else {}
    if answer.comments:
        data["comments"] = [comment.to_wire() for comment in answer.comments]
        end += "".join(f"\n- {said_of(comment)}" for comment in answer.comments) + "\n"
    if draft is None:
        then = "Do not repeat it unchanged; ask the user what they want instead"
    else:
        data["draft"] = draft
        then = (
            f"{draft} stays with all that is staged in it: change it as they want and submit "
            "it again, or discard it. Do not submit it unchanged"
        )
    return PermissionDenied(f"The user denied this call{said}{end} {then}", code="denied_by_user", data=data)


def _own_question(inquiry: _Inquiry) -> wire.OwnQuestion:
    """Return what a client may ask its own user. The question itself may say what the client may not read."""
    tool_call = inquiry.call.tool_call
    wanted = in_own_words(inquiry.call.tool.spec.action, tool_call)
    return wire.OwnQuestion(
        request_id=inquiry.question.request_id,
        call_id=tool_call.whole.call_id,
        message=f"{tool_call.caller.name} wants to {wanted} in your vault. Allow this once?",
    )


def _bounds(settings: Settings) -> AnswerBounds:
    return AnswerBounds(settings.adding_most_files, settings.adding_minutes, settings.grant_expiry_days)


def _scope(terms: Terms, case: ConsentCase) -> wire.Scope:
    """Return what the call reaches. What lies in the vault is in scope, whatever else can be read is not."""
    target = case.targets[0].label if len(case.targets) == 1 else None
    count = len(case.targets)
    match case.operation:
        case Operation.READ:
            return wire.Scope(kind="read_in_scope", target=target)
        case Operation.NETWORK:
            return wire.Scope(kind="read_out_of_scope", target=target)
        case Operation.EXECUTE:
            return wire.Scope(kind="admin", target=target, operation=case.tool, affects_count=count)
        case Operation.DELETE:
            known = None if terms.linked_from is None else terms.linked_from > 0
            return wire.Scope(kind="write_delete", target=target, has_backlinks=known, affects_count=count)
        case Operation.CREATE:
            return wire.Scope(kind="write_create", target=target, size_bytes=terms.size, affects_count=count)
    return wire.Scope(kind="write_update", target=target, size_bytes=terms.size, affects_count=count)

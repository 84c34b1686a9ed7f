"""The open questions. Each has exactly one outcome, however many people answer and whatever else happens meanwhile.

Every end of a question goes through `_settle`, the one compare-and-set: the first to come closes it, and all others
find it closed. A yes first claims the question (`checking`), so that no second answer is looked at while the files
are hashed again; a time-out or a cancelled call may still end it in that time, and then the yes came too late. So does
an edit of the text: until the new plan is made there is no answer, and after that none to the old plan.

A question whose call has a ticket waits quietly: its client does not hold a connection open for it, so it lives for
hours, and no screen announces it again.

Where nobody is there to see a question, its call is told so after a moment, and the question waits for a screen.

To be used on the event loop only.
"""

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol

from bridge.clock import Clock, stamp
from bridge.consent.question import PLAIN, Change, ConsentAnswer, End, Handling, OpenQuestion
from bridge.contract import consent as wire
from bridge.contract.base import Event
from bridge.errors import InvalidParameters, PermissionDenied, RateLimited, ToolFailure
from bridge.identity.caller import HOST_ID, PERSON, Caller
from bridge.vault.person_edits import HunkText, KeptHunks

logger = logging.getLogger(__name__)

RETRY_SECONDS = 10
"""Seconds after which a client that has too many questions open may try again."""
MAX_FEEDBACK = 2_000
"""Characters of a person's words that an agent is given."""
MAX_ENDED = 1_000
"""Closed questions whose outcome is still returned to those who answer late."""
MAX_OPEN = 25
"""Questions of one client that may be open at once: a list of 20 can be answered together, and still be read."""
MAX_HELD = 32 * 1024 * 1024
"""Bytes of changes that the open questions of one client may hold, where there are several."""
MAX_WAITING = 20
"""Questions of one client that may wait quietly."""
RETRY_WAITING_SECONDS = 60
"""Seconds after which a client that has too many of those may try again."""
ALONE_SECONDS = 3.0
"""The time a question waits for a screen until its call is told that nobody is there; a screen may just reconnect."""
LOOK_SECONDS = 60.0
"""The longest time between two looks at the clock: while a machine sleeps, its event loop's time may stand still."""


class ConsentHost(Protocol):
    """A connected consent screen."""

    @property
    def id(self) -> str:
        """Return its id, which no other has."""

    @property
    def caller(self) -> Caller:
        """Return who looks at it."""

    def notify(self, event: Event) -> None:
        """Send it an event, without waiting."""


class Broker:
    """The broker, which holds the open questions and brings them to the people who can answer.

    Args:
        clock: Says when a question's time is over.
    """

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._hosts: dict[str, ConsentHost] = {}
        self._open: dict[str, OpenQuestion] = {}
        self._ended: OrderedDict[str, End] = OrderedDict()

    @property
    def connected(self) -> bool:
        """Return whether anybody could answer."""
        return bool(self._hosts)

    def attach(self, host: ConsentHost) -> None:
        """Connect a host that shows questions; it is sent every open one, the first now, each other a turn later.

        Args:
            host: The host.
        """
        self._hosts[host.id] = host
        self._show_next(host, deque(one for one in self._open.values() if one.may_answer(host.caller)))

    def _show_next(self, host: ConsentHost, left: deque[OpenQuestion]) -> None:
        """Send the first of some questions that is still open, and the rest later: a long one takes a while to send."""
        while left and self._hosts.get(host.id) is host:
            waiting = left.popleft()
            if waiting.end is None:
                self._show(waiting, host)
                asyncio.get_running_loop().call_soon(self._show_next, host, left)
                return

    def detach(self, host: ConsentHost) -> None:
        """Disconnect a host. No question ends by that.

        Args:
            host: The host.
        """
        if self._hosts.get(host.id) is host:
            del self._hosts[host.id]

    def pending(self, screen: Caller = PERSON) -> list[wire.ConsentRequest]:
        """Return the open questions that a screen may answer, oldest first; the person's own may answer all.

        A client does not even see its own: they show what is in files that it may not read.
        """
        return [waiting.question for waiting in self._open.values() if waiting.may_answer(screen)]

    async def ask(
        self,
        question: wire.ConsentRequest,
        handling: Handling = PLAIN,
        *,
        timeout: float,  # noqa: ASYNC109 (one of the outcomes, which must not come as a cancellation)
        wait_for_host: bool,
    ) -> ConsentAnswer:
        """Ask, and wait for the outcome.

        Args:
            question: What to ask; its id is new. It may be `waiting` from the start.
            handling: What its call wants done with it.
            timeout: Seconds after which nobody has answered.
            wait_for_host: Whether to wait when nobody is connected.

        Returns:
            What the person answered: a yes that counts, or a no.

        Raises:
            PermissionDenied: `no_ui`, `timed_out` or `cancelled`.
            RateLimited: Too many questions of this client are open, or they hold too much.
            Conflict: `stale`: what `handling.check` raised.
        """
        request_id = question.request_id
        if request_id in self._open or request_id in self._ended:
            raise ValueError(f"the question {request_id!r} was asked before")
        now = self._clock.now()
        waiting = OpenQuestion(question, handling, now, now + timedelta(seconds=timeout))
        screens = [host for host in self._hosts.values() if waiting.may_answer(host.caller)]
        if not wait_for_host and not screens:
            raise PermissionDenied(
                f"No consent screen is connected, so nobody could be asked about {question.tool.title}. Ask the user "
                "to open Obsidian with the Vault Bridge plugin, or to run `vault-bridge approve --vault` with this "
                "vault's folder in a terminal; then call again",
                code="no_ui",
            )
        self.check_room(question.client_id, handling.held)
        self._open[request_id] = waiting
        self._watch_time(waiting)
        try:
            for host in screens:
                if waiting.end is None:
                    self._show(waiting, host)
                    await asyncio.sleep(0)  # a long question takes time to be written down, which is done for each
            if handling.offer is not None and waiting.end is None:
                handling.offer()  # the client's own user may be there
            elif handling.alone is not None and not screens:
                waiting.alone = asyncio.get_running_loop().call_later(ALONE_SECONDS, handling.alone)
            await waiting.closed.wait()
        except asyncio.CancelledError:
            self._settle(waiting, End(wire.Outcome.CANCELLED))
            raise
        finally:
            for timer in (waiting.timer, waiting.alone):
                if timer is not None:
                    timer.cancel()
        return self._outcome(waiting)

    def keep_waiting(self, request_id: str, until: datetime) -> bool:
        """Let an open question wait quietly from now on, because its call has a ticket.

        Args:
            request_id: The question.
            until: When nobody has answered.

        Returns:
            Whether it waits so; if not, it has ended, or its client has too many that do.
        """
        waiting = self._open.get(request_id)
        if waiting is None:
            return False
        question = waiting.question
        if question.waiting:
            return True
        if question.client_id != HOST_ID and self._count_waiting(question.client_id) >= MAX_WAITING:
            return False
        waiting.expires = until
        waiting.question = question.model_copy(update={"waiting": True, "expires_at": stamp(until)})
        self._watch_time(waiting)
        self._announce(waiting, wire.ConsentWaiting(request_id=request_id, expires_at=stamp(until)))
        return True

    def expires_at(self, request_id: str) -> str | None:
        """Return until when an open question can be answered, ISO 8601 UTC; None when it is not open."""
        waiting = self._open.get(request_id)
        return waiting.question.expires_at if waiting else None

    def was_shown(self, request_id: str) -> bool:
        """Return whether an open question was sent to any screen that may answer it."""
        waiting = self._open.get(request_id)
        return waiting is not None and waiting.shown

    async def respond(self, said: wire.RespondParams, by: Caller) -> wire.ConsentReply:
        """Answer a question. What is not a valid answer changes nothing. A client never answers its own questions.

        Args:
            said: The answer. A yes to a plan needs the digest of the plan that the person was shown.
            by: Who answers: the person's own programs, or a client that may answer others' questions.

        Returns:
            Whether the answer counts; if not, why, and how the question ended where it has.
        """
        request_id, decision = said.request_id, said.decision
        waiting = self._open.get(request_id)
        if waiting is None:
            return self._too_late(request_id)
        reason = (
            waiting.screen_fault(by)
            or waiting.decision_fault(decision, said.plan_digest)
            or waiting.details_fault(said)
        )
        if reason is not None:
            return wire.ConsentReply(accepted=False, reason=reason)
        feedback = said.feedback[:MAX_FEEDBACK] if said.feedback else None
        answer = ConsentAnswer(decision, by.name, feedback, by_id=by.client.id, send_back=said.send_back)
        if said.comments and waiting.handling.comment is not None:
            try:
                answer = answer._replace(comments=await waiting.handling.comment(said.comments))
                reason = waiting.decision_fault(decision, said.plan_digest)
            except ToolFailure as failure:
                reason = failure.message
            if waiting.end is not None:
                return self._too_late(request_id)
            if reason is not None:
                return wire.ConsentReply(accepted=False, reason=reason)
        answer = answer._replace(option=waiting.option(decision, said.option))
        if not decision.allows:
            self._settle(waiting, End(wire.Outcome.DENIED, by.name, answer))
            grant = await self._keep(waiting, answer)
            return wire.ConsentReply(accepted=True, outcome=wire.Outcome.DENIED, by=by.name, grant=grant)
        return await self._allow(waiting, answer, said.kept)

    async def confirm(self, request_id: str, *, by: Caller) -> wire.ConsentReply:
        """Take a client's word that its user has said yes to a question of its own, which then holds for this once.

        Args:
            request_id: The question.
            by: The client, as it is now.

        Returns:
            As of `respond`. Of the questions of others it says nothing, not even how they ended.
        """
        waiting = self._open.get(request_id)
        if waiting is None or waiting.question.client_id != by.client.id:
            return wire.ConsentReply(accepted=False, reason=f"There is no open question {request_id!r} of this client")
        if not (waiting.handling.offer is not None and by.client.elicitation):
            return wire.ConsentReply(accepted=False, reason="Only the user answers this, on a screen of theirs")
        reason = waiting.decision_fault(wire.Decision.ALLOW_ONCE, waiting.question.plan_digest)
        if reason is not None:
            return wire.ConsentReply(accepted=False, reason=reason)
        chosen = waiting.option(wire.Decision.ALLOW_ONCE, None)
        answer = ConsentAnswer(wire.Decision.ALLOW_ONCE, by.name, option=chosen, by_id=by.client.id, elicited=True)
        return await self._allow(waiting, answer, None)

    async def revise(
        self, request_id: str, change: HunkText | Mapping[str, wire.Take], *, plan_digest: str, by: Caller
    ) -> wire.Revision:
        """Put other text into the plan in question, or take something where a draft and other changes conflict.

        From then on only the new plan can be allowed.

        Args:
            request_id: The question.
            change: The text, and for which hunk; or what is taken at which places.
            plan_digest: The digest of the plan the person was shown.
            by: Who does: whoever may answer.

        Returns:
            The question as it is now, which is sent to every screen too; or why the text was not taken.
        """
        waiting = self._open.get(request_id)
        if waiting is None:
            return wire.Revision(accepted=False, reason=self._too_late(request_id).reason)
        reason = waiting.screen_fault(by) or waiting.digest_fault(plan_digest)
        if reason is None and isinstance(change, HunkText) and not waiting.question.editable:
            reason = "The text of this question cannot be edited; allow or deny it as it is"
        if reason is None and not isinstance(change, HunkText) and not waiting.conflicts:
            reason = "There is no place in this question where anything is to be chosen"
        if reason is not None:
            return wire.Revision(accepted=False, reason=reason)
        return await self._revise(waiting, change, by)

    async def renew(self, request_id: str) -> None:
        """Show an open question anew, because the vault has changed. While a person's answer is looked at, nothing."""
        waiting = self._open.get(request_id)
        if waiting is not None and not waiting.checking:
            await self._revise(waiting, None, None)

    async def _revise(self, waiting: OpenQuestion, change: Change, by: Caller | None) -> wire.Revision:
        if waiting.handling.revise is None:
            return wire.Revision(accepted=False, reason="This question cannot be changed; allow or deny it as it is")
        request_id, name = waiting.question.request_id, None if by is None else by.name
        waiting.checking = True
        try:
            question = await waiting.handling.revise(change, by)
        except InvalidParameters as failure:
            return wire.Revision(accepted=False, reason=failure.message)
        except ToolFailure as failure:
            self._settle(waiting, End(wire.Outcome.STALE, name, failure=failure))
            return wire.Revision(accepted=False, reason=failure.message)
        finally:
            waiting.checking = False
        if waiting.end is not None:
            return wire.Revision(accepted=False, reason=self._too_late(request_id).reason)
        now = waiting.question
        if by is None and question.plan_digest == now.plan_digest and question.preview == now.preview:
            return wire.Revision(accepted=True, question=now)
        question = question.model_copy(update={"waiting": now.waiting, "expires_at": now.expires_at})
        waiting.question = question
        self._announce(waiting, wire.ConsentRevised(**dict(question)))
        return wire.Revision(accepted=True, question=question)

    def cancel(self, request_id: str, *, by: str | None = None) -> bool:
        """End a question because nobody needs its answer any more.

        Args:
            request_id: The question.
            by: The host that ended it, if any did.

        Returns:
            False when it has ended already.
        """
        waiting = self._open.get(request_id)
        return waiting is not None and self._settle(waiting, End(wire.Outcome.CANCELLED, by))

    async def _allow(self, waiting: OpenQuestion, answer: ConsentAnswer, hunks: KeptHunks | None) -> wire.ConsentReply:
        """Count a yes if the plan, or the part of it that is wanted, still fits the vault."""
        by = answer.by
        try:
            part = await waiting.recheck(hunks)
        except ToolFailure as failure:
            if hunks is not None and isinstance(failure, InvalidParameters) and waiting.end is None:
                return wire.ConsentReply(accepted=False, reason=failure.message)
            if self._settle(waiting, End(wire.Outcome.STALE, by, failure=failure)):
                return wire.ConsentReply(accepted=False, outcome=wire.Outcome.STALE, by=by, reason=failure.message)
        else:
            if self._settle(waiting, End(wire.Outcome.ALLOWED, by, answer._replace(part=part))):
                digest = part or waiting.question.plan_digest
                grant = await self._keep(waiting, answer)
                return wire.ConsentReply(
                    accepted=True, outcome=wire.Outcome.ALLOWED, by=by, plan_digest=digest, grant=grant
                )
        return self._too_late(waiting.question.request_id)

    async def _keep(self, waiting: OpenQuestion, answer: ConsentAnswer) -> wire.Grant | None:
        """Remember the answer that has settled a question, and then let its call go on, and all others it covers."""
        try:
            return None if waiting.handling.keep is None else await waiting.handling.keep(answer)
        finally:
            waiting.closed.set()
            if answer.decision is not wire.Decision.ALLOW_ONCE:  # which is remembered nowhere
                self._end_covered(answer)

    def follow_rules(self, *, by: str, by_id: str = HOST_ID) -> None:
        """End every question whose call is allowed or denied by now, because the rules have changed without an answer.

        Args:
            by: The host that changed them.
            by_id: The id of their credential.
        """
        for waiting, allows in self._covered():
            decision = wire.Decision.ALLOW_ALWAYS if allows else wire.Decision.DENY_ALWAYS
            self._end_with(waiting, ConsentAnswer(decision, by, by_id=by_id))

    def _end_covered(self, answer: ConsentAnswer) -> None:
        """End every other question that what was just answered says is allowed, or denied."""
        for waiting, allows in self._covered():
            if allows is answer.decision.allows:
                # What was said with a yes is about that call; a no says why, and says it of this one too.
                said = None if allows else answer.feedback
                self._end_with(waiting, answer._replace(option=None, feedback=said))

    def _covered(self) -> list[tuple[OpenQuestion, bool]]:
        """Return the open questions that are none any more, each with whether its call is allowed."""
        asked = [(waiting, waiting.handling.covered) for waiting in self._open.values()]
        found = [(waiting, covered()) for waiting, covered in asked if covered is not None]
        return [(waiting, allows) for waiting, allows in found if allows is not None]

    def _end_with(self, waiting: OpenQuestion, answer: ConsentAnswer) -> None:
        """End a question as another answer, or the rules, say."""
        outcome = wire.Outcome.ALLOWED if answer.decision.allows else wire.Outcome.DENIED
        if self._settle(waiting, End(outcome, answer.by, answer)):
            waiting.closed.set()

    def check_room(self, client: str, held: int = 0) -> None:
        """Refuse a question of a client that has too many open, or too much. The person's programs have no limit.

        Args:
            client: The client's id.
            held: Bytes of the change that would be kept for it.

        Raises:
            RateLimited: There is no room.
        """
        if client == HOST_ID:
            return
        if self._count_waiting(client) >= MAX_WAITING:
            raise RateLimited(
                f"{MAX_WAITING} questions of this client wait for the user already, and more are not asked. Nothing "
                "was done. Wait with `await_decision` until the user has answered some, then call again",
                retry_after=RETRY_WAITING_SECONDS,
            )
        own = [one for one in self._open.values() if one.question.client_id == client]
        others = sum(one.handling.held for one in own)
        if held and others and others + held > MAX_HELD:
            raise RateLimited(
                f"The changes of this client that wait for the user take {MAX_HELD:,} bytes, and more are not kept. "
                "Nothing was done. Wait until the user has answered some, then call again",
                retry_after=RETRY_SECONDS,
            )
        if len(own) >= MAX_OPEN:
            raise RateLimited(
                f"{MAX_OPEN} questions of this client are open already, and more are not asked. Nothing was done. Wait "
                "until the user has answered some, then call again; many changes in one call are one question",
                retry_after=RETRY_SECONDS,
            )

    def _count_waiting(self, client_id: str) -> int:
        """Return how many questions of a client wait quietly."""
        return sum(one.question.waiting and one.question.client_id == client_id for one in self._open.values())

    def _watch_time(self, waiting: OpenQuestion) -> None:
        """Look again when the question's time should be over, and before that now and then."""
        if waiting.timer is not None:
            waiting.timer.cancel()
        left = (waiting.expires - self._clock.now()).total_seconds()
        seconds = min(max(left, 0.0), LOOK_SECONDS)
        waiting.timer = asyncio.get_running_loop().call_later(seconds, self._look_at_time, waiting)

    def _look_at_time(self, waiting: OpenQuestion) -> None:
        if self._clock.now() >= waiting.expires:
            self._settle(waiting, End(wire.Outcome.TIMED_OUT))
        elif waiting.end is None:
            self._watch_time(waiting)

    def ended_by(self, request_id: str) -> str | None:
        """Return the host that ended a question; None when nobody did, or it is open or long past.

        Args:
            request_id: The question.
        """
        end = self._ended.get(request_id)
        return end.by if end else None

    def _settle(self, waiting: OpenQuestion, end: End) -> bool:
        """Close the question, if nothing has closed it before: the only place where one ends."""
        if waiting.end is not None:
            return False
        waiting.end = end
        request_id = waiting.question.request_id
        del self._open[request_id]
        self._ended[request_id] = End(end.outcome, end.by)  # a failure would keep the plan and its files
        if len(self._ended) > MAX_ENDED:
            self._ended.popitem(last=False)
        if end.answer is None:
            waiting.closed.set()  # an answer is remembered first
        decision = end.answer.decision if end.answer else None
        done = wire.ConsentResolved(request_id=request_id, decision=decision, outcome=end.outcome, by=end.by)
        self._announce(waiting, done)
        return True

    def _outcome(self, waiting: OpenQuestion) -> ConsentAnswer:
        end, tool = waiting.end or End(wire.Outcome.CANCELLED), waiting.question.tool.title
        if end.answer is not None:
            return end.answer
        if end.failure is not None:
            raise end.failure
        if end.outcome is wire.Outcome.TIMED_OUT:
            raise PermissionDenied(
                f"Nobody answered the question about {tool} within {waiting.span}, by {stamp(self._clock.now())}. "
                "Nothing was done. Ask the user to look at Obsidian or `vault-bridge approve`, then call again",
                code="timed_out",
            )
        raise PermissionDenied(
            f"The question about {tool} was cancelled before anybody answered. Nothing was done. Call again if needed",
            code="cancelled",
        )

    def _too_late(self, request_id: str) -> wire.ConsentReply:
        end = self._ended.get(request_id)
        if end is None:
            return wire.ConsentReply(accepted=False, reason=f"There is no open question {request_id!r}")
        why = f"The question has ended already: {end.outcome}{f' by {end.by!r}' if end.by else ''}"
        return wire.ConsentReply(accepted=False, outcome=end.outcome, by=end.by, reason=why)

    def _announce(self, waiting: OpenQuestion, event: Event) -> None:
        for host in list(self._hosts.values()):
            if waiting.may_answer(host.caller):
                self._tell(host, event)

    def _show(self, waiting: OpenQuestion, host: ConsentHost) -> None:
        """Send a screen an open question. From then on the person counts as asked."""
        waiting.shown = True
        if waiting.alone is not None:
            waiting.alone.cancel()
        self._tell(host, waiting.question)

    @staticmethod
    def _tell(host: ConsentHost, event: Event) -> None:
        """Notify the hosts. One that cannot be notified keeps neither the others nor the end of the question."""
        try:
            host.notify(event)
        except Exception:
            logger.exception("the host %r cannot be sent %s", host.caller.name, event.event_name)

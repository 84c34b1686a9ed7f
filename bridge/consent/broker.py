"""The open questions. Each has exactly one outcome, however many people answer and whatever else happens meanwhile.

Every end of a question goes through `_settle`, the one compare-and-set: the first to come closes it, and all others
find it closed. A yes first claims the question (`checking`), so that no second answer is looked at while the files
are hashed again; a time-out or a cancelled call may still end it in that time, and then the yes came too late.

To be used on the event loop only.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from bridge.clock import Clock, stamp
from bridge.contract.base import Event
from bridge.contract.consent import ConsentReply, ConsentRequest, ConsentResolved, Decision, Outcome
from bridge.errors import InvalidParameters, PermissionDenied, ToolFailure
from bridge.identity.caller import PERSON, Caller
from bridge.policy.consent import Extent
from bridge.vault.partial import KeptHunks

logger = logging.getLogger(__name__)

MAX_FEEDBACK = 2_000
"""Characters of a person's words that an agent is given."""
MAX_ENDED = 1_000
"""Closed questions whose outcome is still returned to those who answer late."""


class ConsentHost(Protocol):
    """A connected consent screen."""

    @property
    def id(self) -> str:
        """Tells it from every other."""
        ...

    @property
    def caller(self) -> Caller:
        """Who looks at it."""
        ...

    def notify(self, event: Event) -> None:
        """Send it an event, without waiting."""
        ...


@dataclass(frozen=True, slots=True)
class ConsentAnswer:
    """What a person answered.

    Attributes:
        decision: One of the choices they had.
        by: The screen they answered on.
        feedback: Their words to the agent.
        part: The digest of the part that they allowed, when they left hunks out.
        extent: How far an answer for longer reaches.
    """

    decision: Decision
    by: str
    feedback: str | None = None
    part: str | None = None
    extent: Extent = field(default_factory=Extent)


@dataclass(frozen=True, slots=True)
class _End:
    """How a question ended."""

    outcome: Outcome
    by: str | None = None
    answer: ConsentAnswer | None = None
    failure: ToolFailure | None = None


@dataclass(slots=True, eq=False)
class _Open:
    """A question that a call waits for."""

    question: ConsentRequest
    check: Callable[[], Awaitable[None]] | None
    part: Callable[[KeptHunks], Awaitable[str]] | None = None
    person_only: bool = False
    checking: bool = False
    end: _End | None = None
    closed: asyncio.Event = field(default_factory=asyncio.Event)


class Broker:
    """Holds the open questions and brings them to the people who can answer.

    Args:
        clock: For the time in the failure when nobody answered.
    """

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._hosts: dict[str, ConsentHost] = {}
        self._open: dict[str, _Open] = {}
        self._ended: OrderedDict[str, _End] = OrderedDict()

    @property
    def connected(self) -> bool:
        """Whether anybody could answer."""
        return bool(self._hosts)

    def attach(self, host: ConsentHost) -> None:
        """Connect a host that shows questions; it is sent every open one.

        Args:
            host: The host.
        """
        self._hosts[host.id] = host
        for question in self.pending(host.caller):
            self._tell(host, question)

    def detach(self, host: ConsentHost) -> None:
        """Disconnect a host. No question ends by that.

        Args:
            host: The host.
        """
        if self._hosts.get(host.id) is host:
            del self._hosts[host.id]

    def pending(self, screen: Caller = PERSON) -> list[ConsentRequest]:
        """The open questions that a screen may answer, oldest first; the person's own may answer all.

        A client does not even see its own: they show what is in files that it may not read.
        """
        return [waiting.question for waiting in self._open.values() if _may_answer(waiting, screen)]

    async def ask(
        self,
        question: ConsentRequest,
        *,
        timeout: float,  # noqa: ASYNC109 (one of the outcomes, which must not come as a cancellation)
        wait_for_host: bool,
        check: Callable[[], Awaitable[None]] | None,
        part: Callable[[KeptHunks], Awaitable[str]] | None = None,
        person_only: bool = False,
    ) -> ConsentAnswer:
        """Ask, and wait for the outcome.

        Args:
            question: What to ask; its id is new.
            timeout: Seconds after which nobody has answered.
            wait_for_host: Whether to wait when nobody is connected.
            check: Run when a yes comes, before it counts; raises `Conflict` when the vault has changed since.
            part: Run instead when a yes leaves hunks out. Returns the digest of what is left; raises what `check`
                raises, or `InvalidParameters` when there are no such hunks, and then the question stays open.
            person_only: Whether only the person's own programs may show and answer it.

        Returns:
            What the person answered: a yes that counts, or a no.

        Raises:
            PermissionDenied: `no_ui`, `timed_out` or `cancelled`.
            Conflict: `stale`: what `check` raised.
        """
        request_id = question.request_id
        if request_id in self._open or request_id in self._ended:
            raise ValueError(f"the question {request_id!r} was asked before")
        waiting = _Open(question, check, part, person_only)
        if not wait_for_host and not any(_may_answer(waiting, host.caller) for host in self._hosts.values()):
            raise _no_ui(question)
        self._open[request_id] = waiting
        timer = asyncio.get_running_loop().call_later(timeout, self._settle, waiting, _End(Outcome.TIMED_OUT))
        try:
            self._announce(waiting, question)
            await waiting.closed.wait()
        except asyncio.CancelledError:
            self._settle(waiting, _End(Outcome.CANCELLED))
            raise
        finally:
            timer.cancel()
        return self._outcome(waiting, timeout)

    async def respond(
        self,
        request_id: str,
        decision: Decision,
        *,
        plan_digest: str | None,
        feedback: str | None,
        by: Caller,
        hunks: KeptHunks | None = None,
        extent: Extent | None = None,
    ) -> ConsentReply:
        """Answer a question. What is not a valid answer changes nothing. A client never answers its own questions.

        Args:
            request_id: Which question.
            decision: One of the choices it offers.
            plan_digest: The digest of the plan the person was shown; a yes to a plan needs it.
            feedback: The person's words to the agent.
            by: Who answers: the person's own programs, or a client that may answer others' questions.
            hunks: With `allow_once`, the hunks they want of each file; None for everything.
            extent: With an answer for longer, how far it reaches; None where nothing was said.

        Returns:
            Whether the answer counts; if not, why, and how the question ended where it has.
        """
        waiting = self._open.get(request_id)
        if waiting is None:
            return self._too_late(request_id)
        extent = extent or Extent()
        reason = (
            _fault_of_screen(waiting, by)
            or _fault(waiting, decision, plan_digest)
            or _fault_of_hunks(waiting, decision, hunks)
            or _fault_of_extent(waiting, decision, extent)
        )
        if reason is not None:
            return ConsentReply(accepted=False, reason=reason)
        answer = ConsentAnswer(decision, by.name, feedback[:MAX_FEEDBACK] if feedback else None, extent=extent)
        if not decision.allows:
            self._settle(waiting, _End(Outcome.DENIED, by.name, answer))
            return ConsentReply(accepted=True, outcome=Outcome.DENIED, by=by.name)
        return await self._allow(waiting, answer, hunks)

    def cancel(self, request_id: str, *, by: str | None = None) -> bool:
        """End a question because nobody needs its answer any more.

        Args:
            request_id: Which question.
            by: Who ended it, if anybody did.

        Returns:
            False when it has ended already.
        """
        waiting = self._open.get(request_id)
        return waiting is not None and self._settle(waiting, _End(Outcome.CANCELLED, by))

    async def _allow(self, waiting: _Open, answer: ConsentAnswer, hunks: KeptHunks | None) -> ConsentReply:
        """A yes counts when the plan, or the part of it that is wanted, still fits the vault."""
        by = answer.by
        try:
            part = await self._recheck(waiting, hunks)
        except ToolFailure as failure:
            if hunks is not None and isinstance(failure, InvalidParameters) and waiting.end is None:
                return ConsentReply(accepted=False, reason=failure.message)
            if self._settle(waiting, _End(Outcome.STALE, by, failure=failure)):
                return ConsentReply(accepted=False, outcome=Outcome.STALE, by=by, reason=failure.message)
        else:
            if self._settle(waiting, _End(Outcome.ALLOWED, by, replace(answer, part=part))):
                digest = part or waiting.question.plan_digest
                return ConsentReply(accepted=True, outcome=Outcome.ALLOWED, by=by, plan_digest=digest)
        return self._too_late(waiting.question.request_id)

    def ended_by(self, request_id: str) -> str | None:
        """The host that ended a question; None when nobody did, or it is open or long past.

        Args:
            request_id: Which question.
        """
        end = self._ended.get(request_id)
        return end.by if end else None

    def _settle(self, waiting: _Open, end: _End) -> bool:
        """Close the question, if nothing has closed it before: the only place where one ends."""
        if waiting.end is not None:
            return False
        waiting.end = end
        request_id = waiting.question.request_id
        del self._open[request_id]
        self._ended[request_id] = end
        if len(self._ended) > MAX_ENDED:
            self._ended.popitem(last=False)
        waiting.closed.set()
        decision = end.answer.decision if end.answer else None
        self._announce(
            waiting, ConsentResolved(request_id=request_id, decision=decision, outcome=end.outcome, by=end.by)
        )
        return True

    @staticmethod
    async def _recheck(waiting: _Open, hunks: KeptHunks | None) -> str | None:
        """Whether the plan can be carried out as it was shown, or in part; the part's digest.

        Raises:
            ToolFailure: It can not.
        """
        waiting.checking = True
        try:
            if hunks is not None and waiting.part is not None:
                return await waiting.part(hunks)
            if waiting.check is not None:
                await waiting.check()
        finally:
            waiting.checking = False
        return None

    def _outcome(self, waiting: _Open, timeout: float) -> ConsentAnswer:
        end = waiting.end
        if end is not None and end.answer is not None:
            return end.answer
        if end is not None and end.failure is not None:
            raise end.failure
        tool = waiting.question.tool.title
        if end is not None and end.outcome is Outcome.TIMED_OUT:
            raise PermissionDenied(
                f"Nobody answered the question about {tool} within {timeout:g} seconds, by {stamp(self._clock.now())}. "
                "Nothing was done. Ask the user to look at Obsidian or `vault-bridge approve`, then call again",
                code="timed_out",
            )
        raise PermissionDenied(
            f"The question about {tool} was cancelled before anybody answered. Nothing was done. Call again if needed",
            code="cancelled",
        )

    def _too_late(self, request_id: str) -> ConsentReply:
        end = self._ended.get(request_id)
        if end is None:
            return ConsentReply(accepted=False, reason=f"There is no open question {request_id!r}")
        by = f" by {end.by!r}" if end.by else ""
        return ConsentReply(
            accepted=False, outcome=end.outcome, by=end.by, reason=f"The question has ended already: {end.outcome}{by}"
        )

    def _announce(self, waiting: _Open, event: Event) -> None:
        for host in list(self._hosts.values()):
            if _may_answer(waiting, host.caller):
                self._tell(host, event)

    @staticmethod
    def _tell(host: ConsentHost, event: Event) -> None:
        """A host that cannot be notified must not keep the others from being notified, nor the question from ending."""
        try:
            host.notify(event)
        except Exception:
            logger.exception("the host %r cannot be sent %s", host.caller.name, event.event_name)


def _fault(waiting: _Open, decision: Decision, plan_digest: str | None) -> str | None:
    """Why this is not a valid answer, if it is none."""
    question = waiting.question
    if decision not in question.choices:
        return f"{decision.value!r} is not offered; choose one of {', '.join(question.choices)}"
    if plan_digest is None and not (decision.allows and question.plan_digest):
        plan_digest = question.plan_digest
    if plan_digest != question.plan_digest:
        return "The digest is not that of the plan in question; look at the plan again before answering"
    if waiting.checking:
        return "Another answer is just being checked"
    return None


def _fault_of_screen(waiting: _Open, by: Caller) -> str | None:
    """Why this screen may not answer, if so."""
    if _may_answer(waiting, by):
        return None
    return (
        "Only the user's own programs answer this"
        if waiting.person_only
        else "A client never answers its own questions"
    )


def _may_answer(waiting: _Open, screen: Caller) -> bool:
    """Whether a screen may show a question and answer it: never the client's own, nor what is the person's alone."""
    if screen.client.is_person:
        return True
    return screen.client.id != waiting.question.client_id and not waiting.person_only


def _fault_of_extent(waiting: _Open, decision: Decision, extent: Extent) -> str | None:
    """Why an extent does not go with this answer, if so."""
    if extent.everyone is not None and decision not in {Decision.ALLOW_ALWAYS, Decision.DENY_ALWAYS}:
        return "Only 'allow_always' and 'deny_always' can hold for everyone"
    if extent.reach is None:
        return None
    if decision in {Decision.ALLOW_ONCE, Decision.DENY_ONCE}:
        return "Only an answer for longer has a reach"
    if extent.reach not in {rung.reach for rung in waiting.question.ladder}:
        return f"The reach {extent.reach.value!r} is not offered"
    return None


def _fault_of_hunks(waiting: _Open, decision: Decision, hunks: KeptHunks | None) -> str | None:
    """Why hunks do not go with this answer, if so."""
    if hunks is None:
        return None
    if decision is not Decision.ALLOW_ONCE:
        return "Hunks can be left out with 'allow_once' only"
    return None if waiting.part else "This question is answered as a whole; leave `hunks` out"


def _no_ui(question: ConsentRequest) -> PermissionDenied:
    return PermissionDenied(
        f"No consent screen is connected, so nobody could be asked about {question.tool.title}. Ask the user to open "
        "Obsidian with the Vault Bridge plugin, or to run `vault-bridge approve --vault` with this vault's folder in a "
        "terminal; then call again",
        code="no_ui",
    )

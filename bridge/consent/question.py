"""One open question: what its call wants of it, who may answer it, and which answers go with it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from bridge.contract import consent as wire
from bridge.contract.drafts import ReviewComment
from bridge.errors import ToolFailure
from bridge.identity.caller import HOST_ID, Caller
from bridge.vault.person_edits import HunkText, KeptHunks

_HOUR = 3600.0

Change = HunkText | Mapping[str, wire.Take] | None
"""A change to a plan in question: other text, choices where it meets other changes, or None: as the vault is now."""


class ConsentAnswer(NamedTuple):
    """A person's answer.

    Attributes:
        decision: One of the choices they had.
        by: The screen they answered on.
        by_id: The id of that screen's credential.
        elicited: Whether it was given in the client that asked, by whoever that says is its user.
        feedback: Their words to the agent.
        part: The digest of the part that they allowed, when they left hunks out.
        comments: Their comments on files and lines.
        send_back: Whether what they left out of a draft stays in it and goes back to the client.
        option: Which of the question's options it names; None where it was given to another question, and holds for
            this one too.
    """

    decision: wire.Decision
    by: str
    feedback: str | None = None
    part: str | None = None
    option: wire.AnswerOption | None = None
    by_id: str = HOST_ID
    elicited: bool = False
    comments: tuple[ReviewComment, ...] = ()
    send_back: bool = False


class Handling(NamedTuple):
    """The handling of a question, as its call wants it.

    Attributes:
        check: Run when a yes comes, before it counts; raises `Conflict` when the vault has changed since.
        part: Run instead when a yes leaves hunks out. Returns the digest of what is left; raises what `check` raises,
            or `InvalidParameters` when there are no such hunks, and then the question stays open.
        person_only: Whether only the person's own programs may show and answer it.
        keep: Awaited with an answer that counts, before the call goes on: remembers it, and returns what now holds.
        revise: Awaited with what a person did at a screen, or others did (None); makes a new plan, and returns the
            question about that. Raises what `check` raises, or `InvalidParameters` when the text cannot be taken, and
            then all is as before.
        covered: Called when another question has been answered, or the rules have changed: if they say now that this
            call is allowed or denied, its question ends so; None while a person must be asked.
        comment: Awaited with what the person says of files and lines of a draft, before the answer counts; returns
            that for the client, and raises `InvalidParameters` where a comment fits nothing.
        offer: Called once the question is open, where its own client's user may confirm it: tells the client so.
        alone: Called where no screen that may answer has come after a moment. The question waits on.
        held: Bytes of the change that is kept for it.
    """

    check: Callable[[], Awaitable[None]] | None = None
    part: Callable[[KeptHunks], Awaitable[str]] | None = None
    person_only: bool = False
    keep: Callable[[ConsentAnswer], Awaitable[wire.Grant | None]] | None = None
    revise: Callable[[Change, Caller | None], Awaitable[wire.ConsentRequest]] | None = None
    covered: Callable[[], bool | None] | None = None
    comment: Callable[[Sequence[wire.LineComment]], Awaitable[tuple[ReviewComment, ...]]] | None = None
    offer: Callable[[], None] | None = None
    alone: Callable[[], None] | None = None
    held: int = 0


PLAIN: Final = Handling()
"""A question of whose answer nothing else follows."""


class End(NamedTuple):
    """The end of a question."""

    outcome: wire.Outcome
    by: str | None = None
    answer: ConsentAnswer | None = None
    failure: ToolFailure | None = None


@dataclass(slots=True, eq=False)
class OpenQuestion:
    """A question that a call waits for.

    Attributes:
        question: The question as it is shown.
        handling: What its call wants done with it.
        asked: When it was asked.
        expires: When its time is over.
        shown: Whether it was sent to any screen.
        checking: Whether an answer or an edit is just being looked at.
        end: Its end, once it has one.
        timer: Looks at the time.
        alone: Says after a moment that nobody is there.
        closed: Set when the call may go on.
    """

    question: wire.ConsentRequest
    handling: Handling
    asked: datetime
    expires: datetime
    shown: bool = False
    checking: bool = False
    end: End | None = None
    timer: asyncio.TimerHandle | None = None
    alone: asyncio.TimerHandle | None = None
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def span(self) -> str:
        """Return how long there is to answer."""
        seconds = (self.expires - self.asked).total_seconds()
        return f"{seconds:g} seconds" if seconds < _HOUR else f"{seconds / _HOUR:.0f} h"

    @property
    def conflicts(self) -> tuple[wire.MergePlace, ...]:
        """Return where a draft and other changes conflict."""
        return self.question.preview.conflicts if self.question.preview else ()

    def may_answer(self, screen: Caller) -> bool:
        """Return whether a screen may show and answer it: never its own client's, nor what is the person's alone."""
        if screen.client.is_person:
            return True
        return screen.client.id != self.question.client_id and not self.handling.person_only

    def option(self, decision: wire.Decision, option: str | None) -> wire.AnswerOption | None:
        """Return the option that an answer names, or means where it names none."""
        offered = (one for one in self.question.options if one.decision is decision)
        return next((one for one in offered if option in {None, one.option_id}), None)

    async def recheck(self, hunks: KeptHunks | None) -> str | None:
        """Return the digest of the part that is left of a plan; None where it is carried out as it was shown.

        Raises:
            ToolFailure: It cannot be carried out so.
        """
        self.checking = True
        try:
            if hunks is not None and self.handling.part is not None:
                return await self.handling.part(hunks)
            if self.handling.check is not None:
                await self.handling.check()
        finally:
            self.checking = False
        return None

    def screen_fault(self, by: Caller) -> str | None:
        """Return why a screen may not answer, if so."""
        if self.may_answer(by):
            return None
        if self.handling.person_only:
            return "Only the user's own programs answer this"
        return "A client never answers its own questions"

    def digest_fault(self, plan_digest: str | None) -> str | None:
        """Return why nothing can be said about a plan now, if so."""
        if plan_digest != self.question.plan_digest:
            return "The digest is not that of the plan in question; look at the plan again before answering"
        return "Another answer is just being checked" if self.checking else None

    def decision_fault(self, decision: wire.Decision, plan_digest: str | None) -> str | None:
        """Return why a decision about a plan is no valid answer, if so. A no needs no digest."""
        if decision not in self.question.choices:
            return f"{decision.value!r} is not offered; choose one of {', '.join(self.question.choices)}"
        if plan_digest is None and not (decision.allows and self.question.plan_digest):
            plan_digest = self.question.plan_digest
        return self.digest_fault(plan_digest)

    def details_fault(self, said: wire.RespondParams) -> str | None:
        """Return why what comes with a decision does not go with it, if so."""
        decision, hunks = said.decision, said.kept
        if hunks is not None and decision is not wire.Decision.ALLOW_ONCE:
            return "Hunks can be left out with 'allow_once' only"
        if hunks is not None and (self.handling.part is None or not self.question.hunks_supported):
            return "This question is answered as a whole; leave `hunks` out"
        if said.option is not None and self.option(decision, said.option) is None:
            return f"{said.option!r} is no option of {decision.value!r} here"
        if (said.comments or said.send_back) and self.handling.comment is None:
            return "Only a draft can be sent back, and its files be commented on"
        return self._yes_fault(said) if decision.allows else None

    def _yes_fault(self, said: wire.RespondParams) -> str | None:
        """Return why a yes does not go with what comes with it, if so."""
        if said.comments and not said.send_back:
            return "Comments on files go with what is sent back: add `sendBack`, and leave out what goes back"
        if said.send_back and said.kept is None:
            return "Nothing is left out, so nothing would go back; name in `hunks` what goes back"
        return self._conflict_fault(said.kept or {})

    def _conflict_fault(self, hunks: KeptHunks) -> str | None:
        """Return why a yes cannot count while places of the files that it keeps are open."""
        files = self.question.preview.files if self.question.preview else ()
        left = {path for path, kept in hunks.items() if not kept}
        units = {file.unit for file in files if file.unit and file.path in left}
        left |= {file.path for file in files if file.unit in units}
        unresolved = [place for place in self.conflicts if place.taken is None and place.path not in left]
        if not unresolved:
            return None
        return (
            f"{unresolved[0].path!r} {unresolved[0].why}: choose what is taken (`consent.resolve`) in "
            f"{len(unresolved)} {'place' if len(unresolved) == 1 else 'places'} first, or leave the files out"
        )

"""The consent screen's connection: which questions are open, as the bridge says; answers on their way to it.

The connection comes back when the bridge does.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.connection import as_person
from bridge.cli.layout import local_time
from bridge.cli.printer import typed_command
from bridge.cli.sanitize import sanitize_plain
from bridge.cli.status import described, opening
from bridge.client import BridgeNotRunning, Connection, ConnectionLost, Notification, ProtocolFailure, connect
from bridge.client.connection import given_of
from bridge.contract.consent import (
    AnswerOption,
    ConsentReply,
    ConsentRequest,
    ConsentResolved,
    ConsentRevised,
    ConsentWaiting,
    Decision,
    MergePlace,
    Outcome,
    Revision,
    Take,
)
from bridge.contract.events import DraftsChanged
from bridge.contract.versions import OutsideNotice

if TYPE_CHECKING:
    from bridge.cli.speaking import StartedBridge


REVISED: Final = "revised"
"""The "end" of a question that goes on as another: somebody has edited what would be written."""


@dataclass(frozen=True, slots=True)
class ScreenAnswer:
    """The person's decision about a question.

    Attributes:
        request: The question, as it was shown.
        decision: One of the choices they had.
        option: Of an answer for longer, which one; None for an answer to this call alone.
        feedback: Their words to the agent.
        hunks: The hunks they want, by file; None for everything.
        comments: Their comments on files and lines of a draft, as the wire has them.
        send_back: Whether what they leave out of a draft goes back to the client.
    """

    request: ConsentRequest
    decision: Decision
    option: AnswerOption | None = None
    feedback: str | None = None
    hunks: dict[str, list[int]] | None = None
    comments: tuple[dict[str, str | int], ...] = ()
    send_back: bool = False

    def to_params(self) -> dict[str, Any]:
        """Return the answer as `consent.respond` takes it."""
        return given_of(
            requestId=self.request.request_id,
            decision=self.decision.value,
            planDigest=self.request.plan_digest,
            option=self.option and self.option.option_id,
            feedback=self.feedback,
            hunks=self.hunks,
            comments=list(self.comments) or None,
            sendBack=self.send_back or None,
        )


@dataclass(frozen=True, slots=True)
class QuestionEnd:
    """The end of a question that was not answered here.

    Attributes:
        how: The decision, or the outcome when nobody decided, or `REVISED`; None when the bridge went away.
        by: The name of the host that answered.
    """

    how: str | None
    by: str | None = None


@dataclass(slots=True)
class _Waiting:
    request: ConsentRequest
    aside: bool = False
    message: str | None = None
    ended: asyncio.Future[QuestionEnd] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Questions:
    """The open questions in the order they came; those that the person has set aside wait until they are taken up."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Waiting] = {}
        self._ended_aside: list[tuple[ConsentRequest, QuestionEnd]] = []
        self._changed = asyncio.Event()

    def message(self, request: ConsentRequest) -> str | None:
        """Return what the person wants to tell the agent with the answer to that question."""
        waiting = self._waiting.get(request.request_id)
        return waiting.message if waiting else None

    def set_message(self, request: ConsentRequest, text: str) -> None:
        """Keep what the person wants to tell the agent until that question has ended; empty: nothing."""
        if (waiting := self._waiting.get(request.request_id)) is not None:
            waiting.message = text or None

    @property
    def set_aside(self) -> list[ConsentRequest]:
        """Return those that the person wants to answer later."""
        return [waiting.request for waiting in self._waiting.values() if waiting.aside]

    @property
    def is_idle(self) -> bool:
        """Return whether there is none to show: those that are open, if any, are set aside."""
        return all(waiting.aside for waiting in self._waiting.values())

    def add(self, request: ConsentRequest) -> None:
        """Note a question that was asked. One that is sent again changes nothing."""
        if request.request_id not in self._waiting:
            self._waiting[request.request_id] = _Waiting(request)
            self._changed.set()

    def revise(self, request: ConsentRequest) -> None:
        """Replace a question whose text was edited by `request`. Whoever showed it shows it anew."""
        waiting = self._waiting.get(request.request_id)
        if waiting is not None and not _is_same(waiting.request, request):
            self._waiting[request.request_id] = _Waiting(request, waiting.aside, waiting.message)
            _resolve(waiting, QuestionEnd(REVISED))

    def wait(self, request_id: str, expires_at: str) -> None:
        """Note that the call of a question has a ticket: the question can be answered until then."""
        waiting = self._waiting.get(request_id)
        if waiting is not None:
            waiting.request = waiting.request.model_copy(update={"waiting": True, "expires_at": expires_at})

    def current(self, request: ConsentRequest) -> ConsentRequest:
        """Return that question as it is now, or as it was when it has ended."""
        waiting = self._waiting.get(request.request_id)
        return waiting.request if waiting else request

    def end(self, request_id: str, how: QuestionEnd) -> None:
        """Note that a question ended, here or elsewhere."""
        waiting = self._waiting.pop(request_id, None)
        if waiting is not None:
            _resolve(waiting, how)
            if waiting.aside:
                self._ended_aside.append((waiting.request, how))
            self._changed.set()

    def close(self, request_id: str, how: QuestionEnd) -> None:
        """Note that the person ended a question here, and need not be told."""
        self.end(request_id, how)
        self._ended_aside = [ended for ended in self._ended_aside if ended[0].request_id != request_id]

    def end_all(self) -> None:
        """Drop all questions: the bridge went away, and none of them can be answered any more."""
        for request_id in list(self._waiting):
            self.end(request_id, QuestionEnd(None))

    def put_aside(self, request_id: str) -> None:
        """Set a question aside: the person wants to answer it later."""
        if request_id in self._waiting:
            self._waiting[request_id].aside = True

    def take_up(self) -> None:
        """Take up what was set aside: the person wants to answer it now."""
        for waiting in self._waiting.values():
            waiting.aside = False
        self._changed.set()

    def ended_aside(self) -> list[tuple[ConsentRequest, QuestionEnd]]:
        """Return how those ended that were set aside, since this was asked last."""
        ended, self._ended_aside = self._ended_aside, []
        return ended

    async def next(self) -> ConsentRequest:
        """Return the oldest open question that is not set aside, as soon as there is one."""
        while self.is_idle:
            await self.changed()
        return next(waiting.request for waiting in self._waiting.values() if not waiting.aside)

    def changed(self) -> Awaitable[object]:
        """Return an awaitable that ends when a question comes, ends, or is taken up again."""
        self._changed.clear()
        return self._changed.wait()

    async def ended(self, request: ConsentRequest) -> QuestionEnd:
        """Return when that question has ended, or become another; at once when it is not open."""
        waiting = self._waiting.get(request.request_id)
        if waiting is None:
            return QuestionEnd(None)
        if not _is_same(waiting.request, request):
            return QuestionEnd(REVISED)
        return await asyncio.shield(waiting.ended)

    def others(self, request_id: str) -> int:
        """Return how many wait besides that one."""
        return len(self._waiting) - (request_id in self._waiting)

    def of_client(self, request: ConsentRequest) -> list[ConsentRequest]:
        """Return the open questions of the client that asks this one, this one included: of the same credential."""
        return [waiting.request for waiting in self._waiting.values() if waiting.request.client_id == request.client_id]


def _is_same(one: ConsentRequest, other: ConsentRequest) -> bool:
    """Return whether both questions show the same plan with the same choices."""
    return one.plan_digest == other.plan_digest and _conflicts(one) == _conflicts(other)


def _conflicts(request: ConsentRequest) -> tuple[MergePlace, ...]:
    return request.preview.conflicts if request.preview else ()


def _resolve(waiting: _Waiting, how: QuestionEnd) -> None:
    if not waiting.ended.done():
        waiting.ended.set_result(how)


NAME: Final = "Terminal"
"""The name by which other hosts know this screen."""
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 3.0
"""Seconds between two tries to reach a bridge that went away; doubled from the first to the longest."""
_NEWS: Final = frozenset({DraftsChanged.event_name, OutsideNotice.event_name})
"""The events after which something else than a question may wait."""

Say = Callable[[str], Awaitable[None]]


class ConsentLink:
    """The link that keeps `questions` in step with the bridge, and takes answers there.

    Args:
        vault: The vault's folder.

    Attributes:
        questions: The open questions.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self.questions = Questions()
        self._bridge: Connection | None = None
        self._told: set[tuple[str, str]] = set()
        """The parts of the inbox already reported."""
        self._telling: asyncio.Task[None] | None = None
        self._has_news = False
        self._started: StartedBridge | None = None

    async def run(self, say: Say) -> None:
        """Connect as soon as there is a bridge, and again whenever it comes back; ends only by being cancelled.

        Args:
            say: Called with what the person should know about the connection.
        """
        greeting = "Waiting for questions. Ctrl-C leaves; open questions stay open."
        try:
            await self._listen(say, greeting)
        except BridgeNotRunning:
            if await self._waits():
                await say("No bridge serves this vault, and something waits for you: one is started.")
                from bridge.cli.speaking import StartedBridge  # noqa: PLC0415 - mostly a bridge runs

                self._started = StartedBridge(self._vault)  # it ends when nobody is connected any more
            else:
                await say("No bridge serves this vault yet. Waiting for one to start; Ctrl-C leaves.")
            await self._reconnect(say, greeting)
        while True:
            await say("The bridge has gone. Waiting for it to come back; Ctrl-C leaves.")
            await self._reconnect(say, "The bridge is back. Waiting for questions.")

    async def respond(self, answers: Sequence[ScreenAnswer]) -> list[ConsentReply] | None:
        """Send answers to the bridge, those to several questions in one message.

        Args:
            answers: One a question.

        Returns:
            What the bridge says to each, in their order; None when it has stopped.
        """
        if self._bridge is None:
            return None
        try:
            replies = await _send(self._bridge, answers)
            unclear = any(not reply.accepted and reply.outcome is None for reply in replies)
            pending = await self._bridge.request("consent.pending") if unclear else ()
        except ProtocolFailure as failure:
            return [ConsentReply(accepted=False, reason=str(failure)) for _ in answers]
        except ConnectionLost:
            return None
        still_open = {wire["requestId"] for wire in pending}
        return [
            reply
            if reply.accepted or reply.outcome is not None or answer.request.request_id in still_open
            else ConsentReply(accepted=False, outcome=Outcome.CANCELLED, reason=reply.reason)
            for answer, reply in zip(answers, replies, strict=True)
        ]

    async def revise(self, request: ConsentRequest, path: str, hunk: int, text: str) -> Revision | None:
        """Have the bridge plan anew with other text in one hunk.

        Args:
            request: The question as it was shown.
            path: The file, as the preview names it.
            hunk: The hunk of its diff, from 0.
            text: Its lines as they are to be, each with its line feed.

        Returns:
            The question with its new plan, or why there is none; None when the bridge has stopped.
        """
        return await self._revised(request, "consent.revise", path=path, hunk=hunk, text=text)

    async def resolve(self, request: ConsentRequest, choices: Mapping[str, Take]) -> Revision | None:
        """Have the bridge plan anew with what the person takes where a draft and other changes conflict.

        Args:
            request: The question as it was shown.
            choices: The side to take, by the id of the place.

        Returns:
            As of `revise`.
        """
        chosen = [{"placeId": place_id, "take": take.value} for place_id, take in choices.items()]
        return await self._revised(request, "consent.resolve", choices=chosen)

    async def _revised(self, request: ConsentRequest, method: str, **params: Any) -> Revision | None:
        if self._bridge is None:
            return None
        shown = {"requestId": request.request_id, "planDigest": request.plan_digest}
        try:
            return Revision.model_validate(await self._bridge.request(method, **shown, **params))
        except ProtocolFailure as failure:
            return Revision(accepted=False, reason=str(failure))
        except ConnectionLost:
            return None

    async def _waits(self) -> bool:
        """Return whether something waits for an answer, where no bridge runs that would ask."""
        async with as_person(self._vault) as bridge:
            return any(line["kind"] in {"question", "draft"} for line in await bridge.request("inbox.list"))

    async def _reconnect(self, say: Say, greeting: str) -> None:
        pause = FIRST_PAUSE
        while True:
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)
            with contextlib.suppress(BridgeNotRunning):
                await self._listen(say, greeting)
                return

    async def _listen(self, say: Say, greeting: str) -> None:
        """Stay connected as long as the bridge does."""
        try:
            async with connect(self._vault, name=NAME, role="host", can=["consent"]) as bridge:
                self._bridge = bridge
                notifications = bridge.notifications()
                await say(greeting)
                for wire in await bridge.request("consent.pending"):
                    self.questions.add(ConsentRequest.model_validate(wire))
                self._tell_of_others(bridge, say)
                async for notification in notifications:
                    self._take(notification)
                    if notification.method in _NEWS:
                        self._tell_of_others(bridge, say)
        except ConnectionLost:
            pass
        finally:
            self._bridge = None
            if self._telling is not None:
                self._telling.cancel()
            self.questions.end_all()

    def _tell_of_others(self, bridge: Connection, say: Say) -> None:
        """Say what else waits, as soon as no question is being answered. Returns at once."""
        self._has_news = True
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell(bridge, say))

    async def _tell(self, bridge: Connection, say: Say) -> None:
        """Say what waits besides the questions, each thing once; also what comes while a question is answered."""
        with contextlib.suppress(ConnectionLost, ProtocolFailure):
            while self._has_news:
                self._has_news = False
                for line in await bridge.request("inbox.list"):
                    name = (line["kind"], line["ids"][0] if line["count"] == 1 else line["clientId"])
                    if not line["questions"] and line["kind"] != "question" and name not in self._told:
                        self._told.add(name)
                        await say(self._saying(line))

    def _saying(self, line: dict[str, Any]) -> str:
        said = f"{line['client']}, since {local_time(line['since'])}: {described(line)}"
        is_asked = line["kind"] == "draft"
        how = "You are asked about it here." if is_asked else f"See `{typed_command(opening(line), self._vault)}`."
        return f"{sanitize_plain(said)}. {how}"

    def _take(self, notification: Notification) -> None:
        params = notification.params
        if notification.method == ConsentRequest.event_name:
            self.questions.add(ConsentRequest.model_validate(params))
        elif notification.method == ConsentRevised.event_name:
            self.questions.revise(ConsentRequest.model_validate(params))
        elif notification.method == ConsentWaiting.event_name:
            self.questions.wait(params["requestId"], params["expiresAt"])
        elif notification.method == ConsentResolved.event_name:
            how = QuestionEnd(params.get("decision") or params.get("outcome"), params.get("by"))
            self.questions.end(params["requestId"], how)


async def _send(bridge: Connection, answers: Sequence[ScreenAnswer]) -> list[ConsentReply]:
    params = [answer.to_params() for answer in answers]
    if len(params) == 1:
        return [ConsentReply.model_validate(await bridge.request("consent.respond", **params[0]))]
    return [ConsentReply.model_validate(wire) for wire in await bridge.request("consent.respondAll", answers=params)]

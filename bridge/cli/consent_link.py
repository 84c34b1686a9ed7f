"""The consent screen's connection: which questions are open, as the bridge says; answers on their way to it.

The connection comes back when the bridge does.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bridge.cli.connection import as_person
from bridge.cli.inbox import described, opening
from bridge.cli.layout import local_time
from bridge.cli.open_questions import ConsentAnswer, Edit, QuestionEnd, Questions
from bridge.cli.printer import typed_command
from bridge.cli.sanitize import sanitize_plain
from bridge.client import BridgeNotRunning, Connection, ConnectionLost, Notification, ProtocolFailure, connect
from bridge.contract.consent import (
    ConsentReply,
    ConsentRequest,
    ConsentResolved,
    ConsentRevised,
    ConsentWaiting,
    Outcome,
    Revision,
    Take,
)
from bridge.contract.events import DraftsChanged
from bridge.contract.outside import OutsideNotice

if TYPE_CHECKING:
    from bridge.cli.attached import StartedBridge

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
        questions: The open questions.
    """

    def __init__(self, vault: Path, questions: Questions) -> None:
        self._vault = vault
        self._questions = questions
        self._bridge: Connection | None = None
        self._told: set[tuple[str, str]] = set()
        """The parts of the inbox already reported."""
        self._telling: asyncio.Task[None] | None = None
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
                self._started = _start_bridge(self._vault)
            else:
                await say("No bridge serves this vault yet. Waiting for one to start; Ctrl-C leaves.")
            await self._reconnect(say, greeting)
        while True:
            await say("The bridge has gone. Waiting for it to come back; Ctrl-C leaves.")
            await self._reconnect(say, "The bridge is back. Waiting for questions.")

    async def respond(self, answers: Sequence[ConsentAnswer]) -> list[ConsentReply] | None:
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
            still_open = await _open_ids(self._bridge) if unclear else set()
        except ProtocolFailure as failure:
            return [ConsentReply(accepted=False, reason=str(failure)) for _ in answers]
        except ConnectionLost:
            return None
        return [
            reply
            if reply.accepted or reply.outcome is not None or answer.request.request_id in still_open
            else ConsentReply(accepted=False, outcome=Outcome.CANCELLED, reason=reply.reason)
            for answer, reply in zip(answers, replies, strict=True)
        ]

    async def revise(self, request: ConsentRequest, edit: Edit) -> Revision | None:
        """Have the bridge plan anew with other text.

        Args:
            request: The question as it was shown.
            edit: The text.

        Returns:
            The question with its new plan, or why there is none; None when the bridge has stopped.
        """
        return await self._revised(request, "consent.revise", path=edit.path, hunk=edit.hunk, text=edit.text)

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
                    self._questions.add(ConsentRequest.model_validate(wire))
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
            self._questions.end_all()

    def _tell_of_others(self, bridge: Connection, say: Say) -> None:
        """Say what else waits, as soon as no question is being answered. Returns at once."""
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell(bridge, say))

    async def _tell(self, bridge: Connection, say: Say) -> None:
        """Say what waits besides the questions, each thing once."""
        with contextlib.suppress(ConnectionLost, ProtocolFailure):
            for line in await bridge.request("inbox.list"):
                name = (line["kind"], line["ids"][0] if line["count"] == 1 else line["clientId"])
                if line["questions"] or line["kind"] == "question" or name in self._told:
                    continue
                self._told.add(name)
                draft = "You are asked about it here." if line["kind"] == "draft" else ""
                how = draft or f"See `{typed_command(opening(line), self._vault)}`."
                said = f"{line['client']}, since {local_time(line['since'])}: {described(line)}"
                await say(f"{sanitize_plain(said)}. {how}")

    def _take(self, notification: Notification) -> None:
        params = notification.params
        if notification.method == ConsentRequest.event_name:
            self._questions.add(ConsentRequest.model_validate(params))
        elif notification.method == ConsentRevised.event_name:
            self._questions.revise(ConsentRequest.model_validate(params))
        elif notification.method == ConsentWaiting.event_name:
            self._questions.wait(params["requestId"], params["expiresAt"])
        elif notification.method == ConsentResolved.event_name:
            how = QuestionEnd(params.get("decision") or params.get("outcome"), params.get("by"))
            self._questions.end(params["requestId"], how)


def _start_bridge(vault: Path) -> "StartedBridge":
    """Start a bridge that ends when nobody is connected any more."""
    from bridge.cli.attached import StartedBridge  # noqa: PLC0415 - mostly a bridge runs

    return StartedBridge(vault)


async def _send(bridge: Connection, answers: Sequence[ConsentAnswer]) -> list[ConsentReply]:
    params = [answer.to_params() for answer in answers]
    if len(params) == 1:
        return [ConsentReply.model_validate(await bridge.request("consent.respond", **params[0]))]
    return [ConsentReply.model_validate(wire) for wire in await bridge.request("consent.respondAll", answers=params)]


async def _open_ids(bridge: Connection) -> set[str]:
    return {wire["requestId"] for wire in await bridge.request("consent.pending")}

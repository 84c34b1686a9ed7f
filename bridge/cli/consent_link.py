"""The consent screen's connection: which questions are open, as the bridge says; answers on their way to it.

The connection comes back when the bridge does.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bridge.client import BridgeNotRunning, Connection, ConnectionLost, Notification, ProtocolFailure, connect
from bridge.contract.consent import ConsentReply, ConsentRequest, ConsentResolved, Decision, Outcome
from bridge.contract.targets import Reach

NAME: Final = "Terminal"
"""The name by which other hosts know this screen."""
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 3.0
"""Seconds between two tries to reach a bridge that went away; doubled from the first to the longest."""

Say = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ConsentAnswer:
    """What the person decided, and what they want the agent to know.

    Attributes:
        decision: One of the choices they had.
        feedback: Their words to the agent.
        reach: With an answer for longer, the rung that they chose; None for the usual one.
        everyone: With "always" and "never", whether it holds for every program; None for what is usual.
    """

    decision: Decision
    feedback: str | None = None
    reach: Reach | None = None
    everyone: bool | None = None


@dataclass(frozen=True, slots=True)
class QuestionEnd:
    """How a question ended that was not answered here.

    Attributes:
        how: The decision, or the outcome when nobody decided; None when the bridge went away.
        by: The name of the host that answered.
    """

    how: str | None
    by: str | None = None


@dataclass(slots=True)
class _Waiting:
    request: ConsentRequest
    ended: asyncio.Future[QuestionEnd] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Questions:
    """The questions that are open, as far as this screen knows, in the order they came."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Waiting] = {}
        self._arrived = asyncio.Event()

    def add(self, request: ConsentRequest) -> None:
        """A question was asked, or sent again; the second time changes nothing."""
        if request.request_id not in self._waiting:
            self._waiting[request.request_id] = _Waiting(request)
            self._arrived.set()

    def end(self, request_id: str, how: QuestionEnd) -> None:
        """A question ended, here or elsewhere."""
        waiting = self._waiting.pop(request_id, None)
        if waiting is not None and not waiting.ended.done():
            waiting.ended.set_result(how)

    def end_all(self) -> None:
        """The bridge went away: nothing that it asked can be answered any more."""
        for request_id in list(self._waiting):
            self.end(request_id, QuestionEnd(None))

    async def next(self) -> ConsentRequest:
        """The oldest open question, as soon as there is one."""
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        return next(iter(self._waiting.values())).request

    async def ended(self, request_id: str) -> QuestionEnd:
        """Returns when that question has ended; at once when it is not open."""
        waiting = self._waiting.get(request_id)
        return QuestionEnd(None) if waiting is None else await asyncio.shield(waiting.ended)

    def others(self, request_id: str) -> int:
        """How many wait besides that one."""
        return len(self._waiting) - (request_id in self._waiting)


class ConsentLink:
    """Keeps `questions` in step with the bridge, and takes answers there.

    Args:
        vault: The vault's folder.
        questions: What is open.
    """

    def __init__(self, vault: Path, questions: Questions) -> None:
        self._vault = vault
        self._questions = questions
        self._bridge: Connection | None = None

    async def run(self, say: Say) -> None:
        """Connect, and connect again whenever the bridge comes back; ends only by being cancelled.

        Args:
            say: Called with what the person should know about the connection.

        Raises:
            BridgeNotRunning: There is no bridge to begin with.
        """
        await self._listen(say, "Waiting for questions. Ctrl-C leaves; open questions stay open.")
        while True:
            await say("The bridge has gone. Waiting for it to come back; Ctrl-C leaves.")
            await self._reconnect(say)

    async def respond(self, request: ConsentRequest, answer: ConsentAnswer) -> ConsentReply | None:
        """Send an answer to the bridge.

        Returns:
            What the bridge says to it; None when it has stopped.
        """
        if self._bridge is None:
            return None
        params: dict[str, Any] = {"requestId": request.request_id, "decision": answer.decision.value}
        params |= {"planDigest": request.plan_digest} if request.plan_digest else {}
        params |= {"feedback": answer.feedback} if answer.feedback else {}
        params |= {"reach": answer.reach.value} if answer.reach else {}
        params |= {} if answer.everyone is None else {"everyone": answer.everyone}
        try:
            reply = ConsentReply.model_validate(await self._bridge.request("consent.respond", **params))
            if reply.accepted or reply.outcome is not None or await self._is_open(self._bridge, request.request_id):
                return reply
        except ProtocolFailure as failure:
            return ConsentReply(accepted=False, reason=str(failure))
        except ConnectionLost:
            return None
        return ConsentReply(accepted=False, outcome=Outcome.CANCELLED, reason=reply.reason)

    async def _reconnect(self, say: Say) -> None:
        pause = FIRST_PAUSE
        while True:
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)
            with contextlib.suppress(BridgeNotRunning):
                await self._listen(say, "The bridge is back. Waiting for questions.")
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
                async for notification in notifications:
                    self._take(notification)
        except ConnectionLost:
            pass
        finally:
            self._bridge = None
            self._questions.end_all()

    def _take(self, notification: Notification) -> None:
        params = notification.params
        if notification.method == ConsentRequest.event_name:
            self._questions.add(ConsentRequest.model_validate(params))
        elif notification.method == ConsentResolved.event_name:
            how = QuestionEnd(params.get("decision") or params.get("outcome"), params.get("by"))
            self._questions.end(params["requestId"], how)

    @staticmethod
    async def _is_open(bridge: Connection, request_id: str) -> bool:
        return any(wire["requestId"] == request_id for wire in await bridge.request("consent.pending"))

"""The consent screen's connection: hears of questions, carries answers, and comes back when the bridge does."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from bridge.cli.consent_prompt import Answer
from bridge.cli.questions import Ending, Questions
from bridge.client import Bridge, BridgeNotRunning, ConnectionLost, Notification, ProtocolFailure, connect
from bridge.contract.consent import ConsentReply, ConsentRequest, ConsentResolved, Outcome

NAME: Final = "Terminal"
"""What this screen calls itself to the others."""
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 3.0
"""Seconds between two tries to reach a bridge that went away; doubled from the first to the longest."""

Say = Callable[[str], Awaitable[None]]


class Link:
    """Keeps `questions` true to what the bridge holds open.

    Args:
        vault: The vault's folder.
        questions: Where questions and their ends are told.
    """

    def __init__(self, vault: Path, questions: Questions) -> None:
        self._vault = vault
        self._questions = questions
        self._bridge: Bridge | None = None

    async def run(self, say: Say) -> None:
        """Connect, and connect again whenever the bridge comes back; ends only by being cancelled.

        Args:
            say: Tells the person about the connection.

        Raises:
            BridgeNotRunning: There is no bridge to begin with.
        """
        await self._listen(say, "Waiting for questions. Ctrl-C leaves; what is open then stays open.")
        while True:
            await say("The bridge has gone. Waiting for it to come back; Ctrl-C leaves.")
            await self._return(say)

    async def respond(self, request: ConsentRequest, answer: Answer) -> ConsentReply | None:
        """Carry an answer to the bridge; None when it has gone."""
        if self._bridge is None:
            return None
        params: dict[str, Any] = {"requestId": request.request_id, "decision": answer.decision.value}
        params |= {"planDigest": request.plan_digest} if request.plan_digest else {}
        params |= {"feedback": answer.feedback} if answer.feedback else {}
        try:
            reply = ConsentReply.model_validate(await self._bridge.request("consent.respond", **params))
            if reply.accepted or reply.outcome is not None or await self._is_open(self._bridge, request.request_id):
                return reply
        except ProtocolFailure as failure:
            return ConsentReply(accepted=False, reason=str(failure))
        except ConnectionLost:
            return None
        return ConsentReply(accepted=False, outcome=Outcome.CANCELLED, reason=reply.reason)

    async def _return(self, say: Say) -> None:
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
                heard = bridge.notifications()
                await say(greeting)
                for wire in await bridge.request("consent.pending"):
                    self._questions.add(ConsentRequest.model_validate(wire))
                async for notification in heard:
                    self._hear(notification)
        except ConnectionLost:
            pass
        finally:
            self._bridge = None
            self._questions.end_all()

    def _hear(self, notification: Notification) -> None:
        params = notification.params
        if notification.method == ConsentRequest.event_name:
            self._questions.add(ConsentRequest.model_validate(params))
        elif notification.method == ConsentResolved.event_name:
            ending = Ending(params.get("decision") or params.get("outcome"), params.get("by"))
            self._questions.end(params["requestId"], ending)

    @staticmethod
    async def _is_open(bridge: Bridge, request_id: str) -> bool:
        return any(wire["requestId"] == request_id for wire in await bridge.request("consent.pending"))

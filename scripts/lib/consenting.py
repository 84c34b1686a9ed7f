"""Somebody who says yes to everything at once, for the bench and for the tests of the documents."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from bridge.client import connect
from bridge.consent.broker import Broker
from bridge.contract.base import Event
from bridge.contract.consent import ConsentRequest, Decision, RespondParams
from bridge.identity.caller import PERSON


@contextlib.asynccontextmanager
async def consenting_host(vault: Path) -> AsyncIterator[None]:
    """A host over a socket that allows every question once."""
    async with connect(vault, name="Yes", role="host", can=["consent"]) as host:

        async def allow(question: dict[str, Any]) -> None:
            await host.request(
                "consent.respond",
                requestId=question["requestId"],
                decision=Decision.ALLOW_ONCE.value,
                planDigest=question["planDigest"],
            )

        host.on("consent.requested", allow)
        yield


class YesHost:
    """The same within the process: no socket in between.

    Args:
        broker: Where it answers.
    """

    id = "yes"
    caller = PERSON

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._answers: set[asyncio.Task[Any]] = set()

    def notify(self, event: Event) -> None:
        """Answer a question."""
        if not isinstance(event, ConsentRequest):
            return
        said = {"requestId": event.request_id, "decision": Decision.ALLOW_ONCE, "planDigest": event.plan_digest}
        answer = asyncio.get_running_loop().create_task(
            self._broker.respond(RespondParams.model_validate(said), PERSON)
        )
        self._answers.add(answer)
        answer.add_done_callback(self._answers.discard)

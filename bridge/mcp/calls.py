"""One tool call of an MCP client: its progress, its cancellation, and what it answers while a person decides."""

import asyncio
import contextlib
import itertools
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import anyio

from bridge.client.connection import check_arguments
from bridge.contract.base import OWN_QUESTION, TOOL_PROGRESS
from bridge.errors import BridgeError
from bridge.mcp.port import BridgePort

PROGRESS_SECONDS: Final = 10.0
"""Between two notes of progress of a call that waits; clients may count their time-outs from the last one."""
MOST_NOTES: Final = 32
"""Of progress that are kept for a client that is slow to read them: the latest."""
WITHDRAW_SECONDS: Final = 2.0
"""In which the bridge takes back a call that its client has given up."""

Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends a note of progress: a number that rises, a total, and a text."""
Elicit = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]
"""Puts a question that the client may answer itself to its user; returns what the client must be answered first."""


@dataclass(frozen=True)
class Calls:
    """The calls of tools for one MCP client.

    Attributes:
        bridge: Where they are called.
        progress_seconds: Between two notes of progress.
    """

    bridge: BridgePort
    progress_seconds: float = PROGRESS_SECONDS

    async def call(
        self, name: str, arguments: dict[str, Any], report: Report, *, elicit: Elicit, call_id: str | None, ticket: bool
    ) -> Any:
        """Call a tool, once, however often the way to the bridge breaks meanwhile.

        Args:
            name: The tool.
            arguments: Its arguments.
            report: Sends the client a note of progress.
            elicit: Puts a question to the client's user.
            call_id: The call that this goes on with; None: a new one.
            ticket: Whether a ticket may be returned where a person does not answer in time.

        Returns:
            A ToolResult, or a PendingCall, as on the wire; or what `elicit` returns.

        Raises:
            BridgeError: The bridge cannot be reached, or refuses the request.
            ValueError: The arguments cannot be sent.
        """
        check_arguments(arguments)
        call_id = call_id or str(uuid.uuid4())
        asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        async with self._withdrawn_when_cancelled(call_id), self._reporting(call_id, report, asked):
            answering = asyncio.create_task(self._answer(name, arguments, call_id, ticket=ticket))
            eliciting = asyncio.create_task(_elicit_all(asked, elicit))
            try:
                await asyncio.wait((answering, eliciting), return_when=asyncio.FIRST_COMPLETED)
                if not answering.done() and eliciting.exception() is None:
                    return eliciting.result()  # the bridge goes on with the call, which will be asked for again
                return await answering
            finally:
                answering.cancel()
                eliciting.cancel()

    async def _answer(self, name: str, arguments: dict[str, Any], call_id: str, *, ticket: bool) -> Any:
        info = await self.bridge.request("session.info")
        # The client may have left for now with a question that it is asked. An older bridge does not know `carry`.
        waiting = {"withdraw": True} | ({"carry": False} if "sent" in info else {})
        waiting |= {"wait": info["waitSeconds"], "ticketIfAlone": True} if ticket else {}
        answer = await self.bridge.request("tools.call", name=name, arguments=arguments, callId=call_id, **waiting)
        while answer.get("status") == "pending" and not answer["requestId"]:
            answer = await self.bridge.request("tools.result", callId=call_id, **waiting)
        return answer

    async def look(self, name: str, **arguments: Any) -> Any:
        """Return the data of a tool that reads, where nobody must be asked; None where somebody must, or it fails."""
        with contextlib.suppress(BridgeError):
            answer = await self.bridge.request("tools.call", name=name, arguments=arguments, ask=False)
            return answer["data"] if answer["success"] else None
        return None

    @contextlib.asynccontextmanager
    async def _withdrawn_when_cancelled(self, call_id: str) -> AsyncIterator[None]:
        """Withdraw the question of a cancelled call: nobody has its ticket, so it is of no use to anybody."""
        try:
            yield
        except asyncio.CancelledError:
            with anyio.move_on_after(WITHDRAW_SECONDS, shield=True), contextlib.suppress(BridgeError):
                await self.bridge.request("tools.cancel", callId=call_id)
            raise

    @contextlib.asynccontextmanager
    async def _reporting(
        self, call_id: str, report: Report, asked: asyncio.Queue[dict[str, Any]]
    ) -> AsyncIterator[None]:
        """Report the call's progress as it comes, and that it still waits when none has come for a while."""
        notes: asyncio.Queue[str | None] = asyncio.Queue()  # None: the call is over
        steps = itertools.count(1)

        def note(event: str, params: dict[str, Any]) -> None:
            if params.get("callId") != call_id:
                return
            if event == OWN_QUESTION:
                asked.put_nowait(params)
            elif event == TOOL_PROGRESS:
                total = f" of {params['total']}" if params.get("total") is not None else ""
                if notes.qsize() >= MOST_NOTES:
                    notes.get_nowait()
                notes.put_nowait(f"{params['message']} ({params['done']}{total})")

        async def report_all() -> None:
            while True:
                try:
                    text = await asyncio.wait_for(notes.get(), self.progress_seconds)
                except TimeoutError:
                    text = "Still waiting"
                if text is None:
                    return
                await report(next(steps), None, text)

        stop = self.bridge.listen(note)
        reporting = asyncio.create_task(report_all())
        try:
            yield
            notes.put_nowait(None)
            await reporting  # what came at the very end is told before the answer
        finally:
            stop()
            reporting.cancel()


async def _elicit_all(asked: asyncio.Queue[dict[str, Any]], elicit: Elicit) -> dict[str, Any]:
    """Put every question to the client's user. Returns when the client must be answered first."""
    while (interim := await elicit(await asked.get())) is None:
        pass
    return interim

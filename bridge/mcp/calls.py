"""One tool call of an MCP client: its arguments, progress and cancellation, and what it answers while a person decides.

Programs add arguments of their own to every call, whatever the tool's schema says; those are left out. A client may put
a question to its own user, where the person lets it, as either era of MCP has that. The right to answer is not looked
at here: the bridge sends such a question only where there is one, and looks again when it is confirmed. Anything but a
yes leaves the question to the person.
"""

import asyncio
import contextlib
import itertools
import re
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import anyio
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, InputResponseRequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from bridge.client.connection import check_arguments
from bridge.contract.base import OWN_QUESTION, TOOL_PROGRESS
from bridge.errors import BridgeError
from bridge.mcp.port import BridgePort

PROGRESS_SECONDS: Final = 10.0
"""Seconds between two progress notes of a waiting call; clients may count their time-outs from the last one."""
MOST_NOTES: Final = 32
"""Progress notes that are kept for a client that is slow to read them: the latest."""
WITHDRAW_SECONDS: Final = 2.0
"""Seconds in which the bridge takes back a call that its client has given up."""

Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends a note of progress: a number that rises, a total, and a text."""
Elicit = Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]
"""Puts a question that the client may answer itself to its user; returns what the client must be answered first."""


@dataclass(frozen=True)
class McpCalls:
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


ADDED: Final[Mapping[str, tuple[str, str]]] = {
    "wait_for_previous": (
        "Gemini CLI (0.61.0), whose model says with it whether a call waits for those before it",
        "https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/tools/tools.ts",
    ),
    "toolCallId": (
        "n8n's MCP Client Tool, whose agent passes the model's id of the call on",
        "https://github.com/n8n-io/n8n/issues/21500",
    ),
}
"""By the argument's name: which program adds it, and where that can be seen."""


async def without_added(
    tool: str, arguments: dict[str, Any], listed: Callable[[], Awaitable[list[dict[str, Any]]]]
) -> dict[str, Any]:
    """Return a call's arguments without those that its program has added; what the tool itself has stays.

    Args:
        tool: The tool's name.
        arguments: As they came.
        listed: Returns the tools as the program was told of them.
    """
    added = ADDED.keys() & arguments.keys()
    if not added:
        return arguments
    own = {
        name for each in await listed() if each["name"] == tool for name in each["inputSchema"].get("properties", ())
    }
    return {name: value for name, value in arguments.items() if name not in added or name in own}


KEY: Final = "allow"
STATE: Final = re.compile(r"([0-9a-f-]{36}) (c-[0-9a-f]{12})", re.ASCII)
"""The id of the call, and of the question."""
YES_OR_NO: Final[dict[str, Any]] = {"type": "object", "properties": {}}
"""A form without fields: it is accepted, or it is not."""


async def elicit(
    ctx: ServerRequestContext[Any, Any], bridge: BridgePort, question: dict[str, Any]
) -> dict[str, Any] | None:
    """Put a question to the client's user, where the client can do that.

    Args:
        ctx: The request whose call asks.
        bridge: Is told of a yes.
        question: The event `consent.own`.

    Returns:
        In the newer era, what to answer the request with; the client then sends it again with what its user said.
    """
    capabilities = ctx.session.client_capabilities
    declared = None if capabilities is None else capabilities.elicitation
    if declared is None or (declared.form is None and declared.url is not None):
        return None
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        params = {"mode": "form", "message": question["message"], "requestedSchema": YES_OR_NO}
        wanted = {KEY: {"method": "elicitation/create", "params": params}}
        state = f"{question['callId']} {question['requestId']}"
        return {"resultType": "input_required", "inputRequests": wanted, "requestState": state}
    if (await ctx.session.elicit_form(question["message"], YES_OR_NO, ctx.request_id)).action == "accept":
        await bridge.request("consent.confirm", requestId=question["requestId"])
    return None


async def resume(bridge: BridgePort, params: InputResponseRequestParams) -> str | None:
    """Take what a request says that was sent again: its user's yes is passed on.

    The state is as a ticket is: another client's leads nowhere, and the same call is never made twice.

    Returns:
        The call that it goes on with; None where it begins one.

    Raises:
        BridgeError: The bridge refuses, or cannot be reached.
        MCPError: The state is none of ours.
    """
    if params.request_state is None:
        return None
    if (ours := STATE.fullmatch(params.request_state)) is None:
        raise MCPError(INVALID_PARAMS, "The requestState is not one that was sent")
    call_id, request_id = ours.groups()
    if getattr((params.input_responses or {}).get(KEY), "action", None) == "accept":
        await bridge.request("consent.confirm", requestId=request_id)
    return call_id

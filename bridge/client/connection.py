"""One connection to a bridge, as an agent or as a host."""

import asyncio
import contextlib
import inspect
import itertools
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Self

import aiohttp
import orjson

from bridge.client.discovery import find_endpoint, find_vault, not_running, unseen
from bridge.client.errors import ConnectionLost, ProtocolFailure, TokenNotFound, ToolFailed
from bridge.client.token_storage import find_token


class Result(NamedTuple):
    """A ToolResult, or the ticket of a call that waits for a person.

    Attributes:
        raw: The JSON object as the bridge sent it.
    """

    raw: dict[str, Any]

    @property
    def ok(self) -> bool:
        """Return whether the tool did what was asked."""
        return self.raw.get("success") is True

    @property
    def pending(self) -> bool:
        """Return whether a person has yet to decide; `Connection.result(call_id)` has the answer later."""
        return self.raw.get("status") == "pending"

    @property
    def call_id(self) -> str | None:
        """Return the id to ask for later, of a pending call."""
        return self.raw.get("callId")

    @property
    def data(self) -> Any:
        """Return the data, for programs."""
        return self.raw.get("data")

    @property
    def text(self) -> str:
        """Return the text, for people and models."""
        return str(self.raw.get("text", ""))

    @property
    def error(self) -> str | None:
        """Return what went wrong and what to do next; None when nothing did."""
        return self.raw.get("error")

    @property
    def error_type(self) -> str | None:
        """Return the kind of failure."""
        return self.raw.get("errorType")

    @property
    def code(self) -> str | None:
        """Return `data.code` of a failure, such as `denied_by_user`."""
        return self.data.get("code") if isinstance(self.data, dict) and not self.ok else None

    @property
    def execution_id(self) -> str | None:
        """Return the execution's name in the log and in the history."""
        return self.raw.get("executionId")

    def or_raise(self) -> Self:
        """Return this result, if the tool did what was asked.

        Raises:
            ToolFailed: It did not, or has not yet.
        """
        if self.ok:
            return self
        if self.pending:
            raise ToolFailed(f"A person has yet to decide; ask for {self.call_id!r} later", None, "pending")
        raise ToolFailed(self.error or "The tool failed", self.error_type, self.code)


MOST_DEPTH: Final = 50
MOST_VALUES: Final = 15_000
"""Of a call's arguments; a little less than the bridge takes in a frame."""


def check_arguments(arguments: dict[str, Any]) -> None:
    """Make sure that the bridge can read a frame with these arguments of a tool.

    Raises:
        ValueError: It could not; the message says why.
    """
    level: list[Any] = [arguments]
    values = 0
    for _ in range(MOST_DEPTH):
        nested = [value for value in level if isinstance(value, dict | list)]
        level = [member for value in nested for member in (value.values() if isinstance(value, dict) else value)]
        values += len(level)
        if not level or values > MOST_VALUES:
            break
    if level:
        raise ValueError(f"Arguments have at most {MOST_VALUES:,} values, nested at most {MOST_DEPTH} deep")
    try:
        orjson.dumps(arguments)
    except orjson.JSONEncodeError as error:
        raise ValueError(f"The arguments are not JSON: {error}") from None


Handler = Callable[[dict[str, Any]], Any]
MAX_MESSAGE: Final = 256 * 1024 * 1024
"""Bytes of one message we accept; the bridge is ours, so this only guards against a mistake."""
MAX_UNDELIVERED: Final = 1000
"""Notifications that are kept until somebody asks for them."""
UNAUTHORIZED: Final = 401


class Notification(NamedTuple):
    """A message of the bridge that answers no request."""

    method: str
    params: dict[str, Any]


@contextlib.asynccontextmanager
async def connect(
    vault: str | Path | None = None,
    *,
    name: str,
    role: Literal["agent", "host"] = "agent",
    client: str | None = None,
    can: Sequence[str] | None = None,
    brief: bool = False,
) -> AsyncIterator["Connection"]:
    """Connect to the bridge that serves a vault.

    Args:
        vault: Its folder; by default `VAULT_BRIDGE_VAULT`, or the vault of the working directory.
        name: The client's name in questions and in the log.
        role: `host` answers questions and changes settings; an agent calls tools.
        client: As which client, by the name that the person gave it; its token is looked for where
            `vault-bridge clients add --save` put it, and no other is used instead.
        can: The abilities of a host, such as `["consent"]`; by default none.
        brief: Whether this is for one call, so that the person is offered no answer for the session.

    Raises:
        VaultNotFound: There is no such vault.
        BridgeNotRunning: Nobody serves it.
        BridgeUnseen: Whether somebody does cannot be seen.
        TokenNotFound: This machine has no token for the client.
        ProtocolFailure: The name is refused.
    """
    folder = find_vault(vault)
    endpoint = find_endpoint(folder, role)
    token = endpoint.token if client is None else find_token(folder, client)
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as http:
        try:
            socket = await http.ws_connect(endpoint.url, max_msg_size=MAX_MESSAGE, compress=0)
        except aiohttp.WSServerHandshakeError as error:
            if error.status == UNAUTHORIZED and client is not None:
                raise TokenNotFound(f"The token of {client!r} is not valid any more; add the client again") from None
            raise not_running(folder) from None
        except aiohttp.ClientConnectorError as error:
            refused = isinstance(error.os_error, ConnectionRefusedError)
            raise (not_running(folder) if refused else unseen(error.os_error)) from None
        except aiohttp.ClientError:
            raise not_running(folder) from None
        connection = Connection(socket)
        try:
            shown = list(can or ()) if role == "host" or can else None
            await connection.request("session.name", client=name, **given_of(can=shown, brief=brief or None))
            yield connection
        finally:
            await connection.close()


class Connection:
    """A connection. Made by `connect`.

    Args:
        socket: An open WebSocket.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._handlers: dict[str, list[Handler]] = {}
        self._queues: list[asyncio.Queue[Notification | None]] = []
        self._undelivered: deque[Notification] = deque(maxlen=MAX_UNDELIVERED)
        self._handling: set[asyncio.Task[Any]] = set()
        self._reader = asyncio.create_task(self._read())

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        /,
        *,
        call_id: str | None = None,
        wait: float | None = None,
        reason: str | None = None,
        ticket_if_alone: bool = False,
        **more: Any,
    ) -> Result:
        """Call a tool.

        Args:
            tool: Its name.
            arguments: Its arguments; needed for those that have the name of an option below.
            call_id: Makes the call idempotent, and lets it outlive this connection.
            wait: Seconds until a ticket comes instead of the result.
            reason: Shown to the person who is asked.
            ticket_if_alone: Whether the ticket comes sooner where nobody is there to be asked.
            more: More arguments of the tool, by name.

        Raises:
            ProtocolFailure: The request was refused; a tool that fails is a `Result` that is not `ok`.
            ConnectionLost: The bridge went away.
        """
        given = given_of(callId=call_id, wait=wait, reason=reason, ticketIfAlone=ticket_if_alone or None)
        return Result(await self.request("tools.call", name=tool, arguments={**(arguments or {}), **more}, **given))

    async def result(self, call_id: str, wait: float | None = None, *, ticket_if_alone: bool = False) -> Result:
        """Return the result of an earlier call, or its ticket if nobody has decided after `wait` seconds."""
        given = given_of(wait=wait, ticketIfAlone=ticket_if_alone or None)
        return Result(await self.request("tools.result", callId=call_id, **given))

    async def preview(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **more: Any) -> dict[str, Any]:
        """Return the effect of a call, as `{"plan": {...}}`; nothing is written."""
        answer: dict[str, Any] = await self.request("tools.preview", name=tool, arguments={**(arguments or {}), **more})
        return answer

    async def request(self, method: str, /, **params: Any) -> Any:
        """Call any method of the protocol, with its parameters spelled as there: `request("tools.result", callId="1")`.

        Raises:
            ProtocolFailure: The bridge answered with an error.
            ConnectionLost: The bridge went away.
        """
        number = next(self._numbers)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        try:
            await self._send(message)
            return await answer
        finally:
            del self._open[number]

    def on(self, method: str, handler: Handler) -> None:
        """Have a function or coroutine function called with the params of every such notification, in order."""
        self._handlers.setdefault(method, []).append(handler)
        undelivered, self._undelivered = self._undelivered, deque(maxlen=MAX_UNDELIVERED)
        for notification in undelivered:
            self._deliver(notification)

    def notifications(self) -> AsyncIterator[Notification]:
        """Return every notification from now on, and those nobody has received yet, until the connection ends."""
        queue: asyncio.Queue[Notification | None] = asyncio.Queue()
        for notification in self._undelivered:
            queue.put_nowait(notification)
        self._undelivered.clear()
        if self._reader.done():
            queue.put_nowait(None)
        self._queues.append(queue)
        return self._listen(queue)

    async def _listen(self, queue: asyncio.Queue[Notification | None]) -> AsyncIterator[Notification]:
        try:
            while (notification := await queue.get()) is not None:
                yield notification
        finally:
            self._queues.remove(queue)

    async def close(self) -> None:
        """Close the connection."""
        await self._socket.close()
        for task in self._handling:
            task.cancel()
        await asyncio.gather(self._reader, *self._handling, return_exceptions=True)

    async def _send(self, message: dict[str, Any]) -> None:
        if self._reader.done():
            raise _lost()
        try:
            await self._socket.send_frame(orjson.dumps(message), aiohttp.WSMsgType.TEXT)
        except ConnectionError:
            raise _lost() from None

    async def _read(self) -> None:
        """Hand every message to whoever waits for it, until the connection ends."""
        try:
            async for message in self._socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    await self._take(orjson.loads(message.data))
        finally:
            for waiting in self._open.values():
                if not waiting.done():
                    waiting.set_exception(_lost())
            for queue in self._queues:
                queue.put_nowait(None)

    async def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._resolve(message)
        elif "id" in message:  # the bridge asks what only the plugin can do
            refusal = {"code": -32601, "message": "Method not found", "data": {"hint": "This host cannot do that"}}
            await self._send({"jsonrpc": "2.0", "id": message["id"], "error": refusal})
        else:
            self._deliver(Notification(message["method"], message.get("params", {})))

    def _resolve(self, message: dict[str, Any]) -> None:
        waiting = self._open.get(message["id"])
        if waiting is None or waiting.done():
            return
        error = message.get("error")
        if error is None:
            waiting.set_result(message.get("result"))
        else:
            hint = (error.get("data") or {}).get("hint")
            waiting.set_exception(ProtocolFailure(error["code"], error["message"], hint))

    def _deliver(self, notification: Notification) -> None:
        handlers = self._handlers.get(notification.method, ())
        if not handlers and not self._queues:  # open questions are sent to a host before it can listen
            self._undelivered.append(notification)
        for queue in self._queues:
            queue.put_nowait(notification)
        for handler in handlers:
            asyncio.get_running_loop().call_soon(self._handle, handler, notification.params)

    def _handle(self, handler: Handler, params: dict[str, Any]) -> None:
        outcome = handler(params)
        if inspect.iscoroutine(outcome):
            task = asyncio.create_task(outcome)
            self._handling.add(task)
            task.add_done_callback(self._handling.discard)


def _lost() -> ConnectionLost:
    return ConnectionLost("The bridge went away before it answered; connect again")


def given_of(**params: Any) -> dict[str, Any]:
    """Return those of some parameters that were given: not None."""
    return {name: value for name, value in params.items() if value is not None}

"""The way to the bridge from within it: a session like that of any connection, without a socket."""

import asyncio
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from bridge.client.errors import ConnectionLost, ProtocolFailure

if TYPE_CHECKING:
    from bridge.rpc.session import Session

Listener = Callable[[str, dict[str, Any]], None]
"""Called with the name and the parameters of an event."""


class InProcess:
    """The requests of one client, as if they came over a connection of its own.

    Args:
        open_session: Opens a session of the client, given the way to send it messages.
        on_cut: Called when the session is ended from the other side, as when the client was revoked.
    """

    def __init__(self, open_session: "Callable[[InProcess], Session]", on_cut: Callable[[], object]) -> None:
        self._on_cut = on_cut
        self._numbers = itertools.count(1)
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._listeners: list[Listener] = []
        self._name: str | None = None
        self._naming: asyncio.Task[Any] | None = None
        self._closed = False
        self._session = open_session(self)

    @property
    def is_there(self) -> bool:
        """Return True: a request waits for no bridge to start."""
        return True

    async def request(self, method: str, /, **params: Any) -> Any:
        """Call a method, with its parameters spelled as on the wire.

        Raises:
            ProtocolFailure: The request was refused.
            ConnectionLost: The session has ended.
        """
        if self._closed:
            raise _ended()
        number = next(self._numbers)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        try:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            await self._session.receive(orjson.dumps(message))
            return await answer
        finally:
            del self._open[number]

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Have a function called with every event."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def introduce(self, name: str) -> None:
        """Say what the program calls itself; a name that cannot be shown is left out."""
        if name != self._name:
            self._name = name
            self._naming = asyncio.create_task(self._introduce(name))

    async def _introduce(self, name: str) -> None:
        try:
            await self.request("session.name", client=name)
        except (ProtocolFailure, ConnectionLost):
            return

    def close(self) -> None:
        """End the session: calls that nobody has a ticket for end with it."""
        if self._closed:
            return
        self._closed = True
        self._session.close()
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(_ended())

    async def send(self, data: bytes) -> None:
        """Take a message of the session."""
        self.post(data)

    def post(self, data: bytes) -> None:
        """Take a message of the session."""
        message = orjson.loads(data)
        if "method" in message:
            for listener in list(self._listeners):
                listener(message["method"], message.get("params", {}))
            return
        waiting = self._open.get(message["id"])
        if waiting is None or waiting.done():
            return
        if "error" in message:
            error = message["error"]
            waiting.set_exception(
                ProtocolFailure(error["code"], error["message"], (error.get("data") or {}).get("hint"))
            )
        else:
            waiting.set_result(message["result"])

    def cut(self) -> None:
        """End the session: the client was revoked."""
        self.close()
        self._on_cut()


def _ended() -> ConnectionLost:
    return ConnectionLost("This client's session has ended; connect again")

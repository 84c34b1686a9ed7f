"""The WebSocket pump: frames in, messages out. What they mean is the session's business."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from bridge.contract.discovery import SUBPROTOCOL
from bridge.rpc import frames
from bridge.rpc.frames import MAX_FRAME, PARSE_ERROR
from bridge.rpc.session import Session
from bridge.server.door import offered_protocols

HEARTBEAT: Final = 120.0
"""Seconds between pings. Long, for a script that computes between two calls does not answer them."""
MAX_BEHIND: Final = 32 * 1024 * 1024
"""Bytes of notifications that may wait for a slow client before it is dropped."""
MAX_READ: Final = 4 * MAX_FRAME
"""Up to here a frame that is too large is read and thrown away, so that its sender sees why it is refused. Beyond it
the library cuts the connection in the middle of the frame, and the sender may see no more than that."""
TURN: Final = 16
"""Frames of one client in a row before others have their turn."""
AHEAD: Final = 512 * 1024
"""Bytes of a client's messages up to which more are read before those are taken."""
OVERHEAD: Final = 128
"""Bytes that a message counts besides its own."""


class SocketLink:
    """The way to one client.

    Args:
        socket: Its WebSocket, already open.
        transport: The connection under it, to be cut when the client does not read.
        max_behind: Bytes of notifications it may leave unread.
    """

    def __init__(
        self, socket: web.WebSocketResponse[bool], transport: asyncio.Transport, *, max_behind: int = MAX_BEHIND
    ) -> None:
        self._socket = socket
        self._transport = transport
        self._max_behind = max_behind
        self._waiting: deque[bytes] = deque()
        self._behind = 0
        self._wake = asyncio.Event()

    async def send(self, data: bytes) -> None:
        """Send a message; waits while the client is slow. A closed connection is not an error."""
        try:
            await self._socket.send_frame(data, WSMsgType.TEXT)
        except ConnectionError:
            return

    def post(self, data: bytes) -> None:
        """Send a message soon; a client too far behind is cut off, so that it cannot fill our memory."""
        if self._behind + len(data) > self._max_behind:
            self._waiting.clear()
            self._transport.abort()
            return
        self._waiting.append(data)
        self._behind += len(data)
        self._wake.set()

    def cut(self) -> None:
        """End the connection at once."""
        self._transport.abort()

    async def pump(self) -> None:
        """Send what is posted, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                data = self._waiting.popleft()
                await self.send(data)
                self._behind -= len(data)


async def open_socket(request: web.Request) -> web.WebSocketResponse[bool]:
    """Upgrade a request that has been authenticated."""
    # The library logs what a client offers when nothing of it fits, and a token may be in that: then offer nothing.
    fits = SUBPROTOCOL in offered_protocols(request.headers)
    if not fits and "Sec-WebSocket-Protocol" in request.headers:
        raise web.HTTPBadRequest(text=f"Offer the subprotocol {SUBPROTOCOL}, or none")
    socket: web.WebSocketResponse[bool] = web.WebSocketResponse(
        protocols=(SUBPROTOCOL,),
        heartbeat=HEARTBEAT,
        max_msg_size=MAX_READ,
        autoclose=False,  # what came before the client said that it leaves is still to be taken
        compress=False,
        decode_text=False,
        timeout=2.0,
    )
    await socket.prepare(request)
    return socket


async def serve_socket(
    socket: web.WebSocketResponse[bool], link: SocketLink, session: Session, taken: Callable[[int], None]
) -> None:
    """Answer everything that comes, until the client is gone.

    Args:
        socket: What comes.
        link: The way back.
        session: Knows what it means.
        taken: Called with the bytes of each message when it needs no more room.
    """
    pumping = asyncio.create_task(link.pump())
    count = 0
    try:
        async with aclosing(_read_ahead(socket, session.leave)) as messages:
            async for message in messages:
                begun = False
                if message.type in {WSMsgType.TEXT, WSMsgType.BINARY} and len(message.data) > MAX_FRAME:
                    await socket.close(code=WSCloseCode.MESSAGE_TOO_BIG, message=b"A frame has at most 16 MiB")
                elif message.type is WSMsgType.TEXT:
                    begun = await session.receive(message.data)
                elif message.type is WSMsgType.BINARY:
                    await link.send(
                        frames.failure(None, PARSE_ERROR, "Parse error", "Send text frames, not binary ones")
                    )
                taken(len(message.data) if isinstance(message.data, bytes) else 0)
                del message  # else it is held until the next one comes, which may be never
                count += 1
                if begun or count % TURN == 0:  # calls that come together do not begin in one turn of the loop
                    await asyncio.sleep(0)
    finally:
        pumping.cancel()
        session.close()


async def _read_ahead(socket: web.WebSocketResponse[bool], on_end: Callable[[], None]) -> AsyncGenerator[Any, None]:
    """Give what comes, and read on meanwhile: while a call waits for its turn, its client may leave.

    Args:
        socket: What comes.
        on_end: Called when nothing more comes, before the last of it is given.
    """
    come: deque[Any] = deque()
    held, ended, changed = 0, False, asyncio.Event()

    async def read() -> None:
        nonlocal held, ended
        try:
            async for message in socket:
                come.append(message)
                held += _size(message)
                changed.set()
                while held > AHEAD:
                    changed.clear()
                    await changed.wait()
        finally:
            ended = True
            on_end()
            changed.set()

    reading = asyncio.create_task(read())
    try:
        while True:
            while not come and not ended:
                changed.clear()
                await changed.wait()
            if not come:
                await reading
                return
            yield come[0]  # not taken out before: else it is held until the next one comes, which may be never
            held -= _size(come.popleft())
            changed.set()
    finally:
        reading.cancel()


def _size(message: Any) -> int:
    return OVERHEAD + (len(message.data) if isinstance(message.data, bytes) else 0)

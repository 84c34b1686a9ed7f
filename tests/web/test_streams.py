"""An answer that comes in pieces: passed on as it comes, within limits, and its connection closed when nobody waits."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bridge.clock import SystemClock
from bridge.errors import DeadlineExceeded, NetworkFailure
from bridge.settings.model import Settings
from bridge.web.door import Exchanged, StreamLimits, WebDoor, WebRequest
from bridge.web.guard import RequestRefused, Service
from tests.patience import PATIENCE
from tests.web.conftest import Doorway
from tests.web_servers import LocalWeb, Seen, answer, redirect

LIMITS = StreamLimits(most=100_000, silence=PATIENCE, seconds=2 * PATIENCE)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"


class Streaming:
    """A door to a server on this machine, which sends what the test says, when it says so."""

    def __init__(self, web: LocalWeb) -> None:
        self.web = web
        self.logged: list[Exchanged] = []
        self.left = asyncio.Event()
        self.more = asyncio.Event()
        self.door = WebDoor(Settings, web.transport, SystemClock(), log=self.logged.append)
        self.service = Service.of("The model", f"http://localhost:{web.plain_port}")

    def request(self, path: str = "/stream") -> WebRequest:
        return WebRequest.json(self.service.url(path), {"q": 1})

    def sends(self, *pieces: bytes, endless: bool = False) -> None:
        """Say what the server sends: each piece in a chunk; it waits for `more` after the first."""

        async def respond(_seen: Seen, writer: asyncio.StreamWriter) -> None:
            writer.write(HEAD)
            for at, piece in enumerate(pieces):
                if at == 1:
                    await self.more.wait()
                writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                await writer.drain()
            if endless:
                try:
                    while True:
                        writer.write(b"1\r\nx\r\n")
                        await writer.drain()
                        await asyncio.sleep(0)
                except ConnectionError:
                    self.left.set()
                    raise
            writer.write(b"0\r\n\r\n")

        self.web.answers["/stream"] = respond


@pytest.fixture
async def streaming(doorway: Doorway) -> AsyncIterator[Streaming]:
    streaming = Streaming(doorway.web)
    yield streaming
    streaming.more.set()


async def test_a_piece_is_passed_on_before_the_next_one_comes(streaming: Streaming) -> None:
    streaming.sends(b"one", b"two")
    async with streaming.door.stream(streaming.request(), service=streaming.service, limits=LIMITS) as found:
        assert found.status == 200
        pieces = found.pieces()
        assert await anext(pieces) == b"one"
        streaming.more.set()
        assert [piece async for piece in pieces] == [b"two"]
    (logged,) = streaming.logged
    assert (logged.service, logged.status, logged.failure) == ("The model", 200, None)
    assert logged.received > len("onetwo")


async def test_leaving_the_block_closes_the_connection(streaming: Streaming) -> None:
    streaming.sends(b"one", endless=True)
    async with streaming.door.stream(streaming.request(), service=streaming.service, limits=LIMITS) as found:
        await anext(found.pieces())
    async with asyncio.timeout(PATIENCE):
        await streaming.left.wait()


async def test_cancelling_closes_the_connection_and_is_logged(streaming: Streaming) -> None:
    streaming.sends(b"one", endless=True)
    begun = asyncio.Event()

    async def take() -> None:
        async with streaming.door.stream(streaming.request(), service=streaming.service, limits=LIMITS) as found:
            async for _piece in found.pieces():
                begun.set()
                await asyncio.sleep(0)

    task = asyncio.create_task(take())
    async with asyncio.timeout(PATIENCE):
        await begun.wait()
        task.cancel()
        await streaming.left.wait()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert streaming.logged[0].failure == "stopped"


async def test_an_answer_without_an_end_ends_at_its_limit(streaming: Streaming) -> None:
    streaming.sends(b"one", endless=True)
    with pytest.raises(NetworkFailure, match="more than 1,000 bytes"):
        await _all(streaming, StreamLimits(most=1_000, silence=PATIENCE, seconds=PATIENCE))


async def test_silence_ends_an_answer(streaming: Streaming) -> None:
    streaming.sends(b"one", b"never")
    with pytest.raises(DeadlineExceeded, match=r"sent nothing for 0\.05 seconds"):
        await _all(streaming, StreamLimits(most=1_000, silence=0.05, seconds=PATIENCE))


async def test_the_whole_has_a_limit_of_time_too(streaming: Streaming) -> None:
    streaming.sends(b"one", b"never")
    with pytest.raises(DeadlineExceeded, match=r"not done after 0\.05 seconds"):
        await _all(streaming, StreamLimits(most=1_000, silence=PATIENCE, seconds=0.05))


async def test_a_connection_that_breaks_is_said(streaming: Streaming) -> None:
    async def breaks(_seen: Seen, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"3\r\none\r\n")
        await writer.drain()
        writer.transport.abort()

    streaming.web.answers["/stream"] = breaks
    with pytest.raises(NetworkFailure) as broken:
        await _all(streaming, LIMITS)
    assert broken.value.code == "protocol"


async def test_nothing_is_followed_and_no_other_place_is_reached(streaming: Streaming) -> None:
    streaming.web.answers["/stream"] = redirect("http://localhost:1/")
    assert await _all(streaming, LIMITS) == b""
    assert len(streaming.web.seen) == 1
    other = Service.of("Another", "http://localhost:9")
    with pytest.raises(RequestRefused):
        async with streaming.door.stream(streaming.request(), service=other, limits=LIMITS):
            pass


async def test_the_answer_is_asked_for_as_it_is(streaming: Streaming) -> None:
    streaming.web.answers["/stream"] = answer("hello")
    assert await _all(streaming, LIMITS) == b"hello"
    assert streaming.web.seen[0].headers["accept-encoding"] == "identity"


async def _all(streaming: Streaming, limits: StreamLimits) -> bytes:
    async with streaming.door.stream(streaming.request(), service=streaming.service, limits=limits) as found:
        return b"".join([piece async for piece in found.pieces()])

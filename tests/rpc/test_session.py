"""One connection: order, the cap, and what happens to its calls when it closes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import orjson
import pytest
from aiohttp import WSMessage, WSMsgType

from bridge.contract.base import SparseEvent
from bridge.contract.hosts import DirtyQuestion
from bridge.rpc.session import MAX_IN_FLIGHT, Session
from bridge.server.websocket import AHEAD, serve_socket
from tests.rpc.world import FakeTransport, World, frame


class Progress(SparseEvent):
    event_name: ClassVar[str] = "tool.progress"

    done: int = 0


def request(id: Any, method: str, **params: Any) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


def slow(id: Any, tag: str = "", **more: Any) -> bytes:
    return request(id, "tools.call", name="slow", arguments={"tag": tag}, **more)


async def test_a_quick_request_is_answered_while_a_slow_one_runs(world: World) -> None:
    transport = FakeTransport()
    session = world.open("agent", transport)
    await session.receive(slow(1))
    await session.receive(request(2, "ping"))
    assert [sent["id"] for sent in transport.sent] == [2]
    await world.calls.until_running(1)
    world.calls.release.set()
    assert [sent["id"] for sent in await transport.wait_for(2)] == [2, 1]


@pytest.fixture
async def turns() -> list[None]:
    """As many as the loop has taken."""
    turns: list[None] = []

    def turn() -> None:
        turns.append(None)
        asyncio.get_running_loop().call_soon(turn)

    turn()
    return turns


class Socket:
    """A connection over which some frames come together, and then its end."""

    def __init__(self, *frames: bytes) -> None:
        self._frames = frames

    async def __aiter__(self) -> AsyncIterator[WSMessage]:
        for data in self._frames:
            yield WSMessage(WSMsgType.TEXT, data, None)


class Link:
    """The way to a client that is sent nothing."""

    async def pump(self) -> None:
        """Nothing is sent."""


async def serve(session: Session, *frames: bytes) -> None:
    """Serve a client that sends these and leaves."""
    socket: Any = Socket(*frames)
    link: Any = Link()
    await serve_socket(socket, link, session, lambda _size: None)


async def test_others_have_their_turn_between_two_calls_that_come_together(world: World, turns: list[None]) -> None:
    await serve(world.open("host", FakeTransport()), *(slow(number) for number in range(10)))
    assert len(turns) > 10


async def test_what_an_agent_sends_and_leaves_is_not_begun_but_what_is_kept_or_answered_at_once(world: World) -> None:
    transport = FakeTransport()
    kept = request(1, "tools.call", name="echo", arguments={}, callId="c-1")
    batch = frame(("ping",), ("tools.call", {"name": "echo", "arguments": {}}), first=3)
    withdrawn = request(2, "tools.call", name="echo", arguments={}, wait=1)
    await serve(world.open("agent", transport), slow(0), kept, withdrawn, *[slow(0)] * MAX_IN_FLIGHT, batch)
    assert [asked["callId"] for asked in world.calls.asked] == ["c-1"]
    assert [each["id"] for each in transport.sent[-1]] == [3]


async def test_what_the_person_sends_and_leaves_is_begun(world: World) -> None:
    await serve(world.open("host", FakeTransport()), *(slow(number) for number in range(3)))
    await world.calls.until_running(3)


async def test_no_more_than_some_is_read_before_it_is_taken(world: World) -> None:
    read = 0

    class Growing(Socket):
        async def __aiter__(self) -> AsyncIterator[WSMessage]:
            nonlocal read
            async for message in super().__aiter__():
                read += len(message.data)
                yield message

    held: list[int] = []
    large = request(1, "ping", x="x" * (AHEAD // 4))
    socket: Any = Growing(*[large] * 20)
    link: Any = Link()
    taken = 0

    def take(size: int) -> None:
        nonlocal taken
        held.append(read - taken)
        taken += size

    await serve_socket(socket, link, world.open("agent", FakeTransport()), take)
    assert taken == read
    assert max(held) <= AHEAD + len(large)


async def test_others_have_their_turn_between_the_calls_of_a_batch(world: World, turns: list[None]) -> None:
    session = world.open("agent", FakeTransport())
    await session.receive(frame(*[("ping",), ("tools.call", {"name": "slow", "arguments": {}})] * 5))
    assert len(turns) > 10


async def test_a_name_given_in_one_frame_holds_for_the_next(world: World) -> None:
    transport = FakeTransport()
    session = world.open("agent", transport)
    await session.receive(request(1, "session.name", client="Ada"))
    await session.receive(request(2, "tools.call", name="echo", arguments={}))
    await transport.wait_for(2)
    assert world.calls.asked[0]["caller"] == session.caller
    assert session.caller.calls_itself == "Ada"


async def test_a_batch_is_answered_in_its_own_order_when_all_of_it_is_done(world: World) -> None:
    transport = FakeTransport()
    session = world.open("agent", transport)
    slow_item = {"name": "slow", "arguments": {}}
    await session.receive(frame(("tools.call", slow_item), ("ping",), ("nothing",), ("tools.call", {"name": "echo"})))
    await world.calls.until_running(1)
    assert transport.sent == []
    world.calls.release.set()
    (answers,) = await transport.wait_for(1)
    assert [answer["id"] for answer in answers] == [1, 2, 3, 4]
    assert answers[1]["result"] == "pong"
    assert answers[2]["error"]["code"] == -32601


async def test_a_batch_answers_bad_members_one_by_one_and_notifications_not_at_all(world: World) -> None:
    data = b'[1,{"jsonrpc":"2.0","method":"ping"},{"jsonrpc":"2.0","id":5,"method":"ping"},{"id":"x"}]'
    answer = await world.open().answer(data)
    assert answer is not None
    assert [(told["id"], told.get("error", {}).get("code")) for told in orjson.loads(answer)] == [
        (None, -32600),
        (5, None),
        ("x", -32600),
    ]


async def test_a_batch_of_notifications_has_no_answer(world: World) -> None:
    assert await world.open().answer(b'[{"jsonrpc":"2.0","method":"ping"}]') is None


async def test_more_than_the_cap_is_busy_and_room_comes_back(world: World) -> None:
    transport = FakeTransport()
    session = world.open("agent", transport)
    for number in range(MAX_IN_FLIGHT):
        await session.receive(slow(number))
    await world.calls.until_running(MAX_IN_FLIGHT)
    await session.receive(request("over", "ping"))
    await session.receive(orjson.dumps({"jsonrpc": "2.0", "method": "ping"}))
    assert [(sent["id"], sent["error"]["code"]) for sent in transport.sent] == [("over", -32002)]
    assert await world.ask("agent", "ping") == {"jsonrpc": "2.0", "id": 1, "result": "pong"}
    world.calls.release.set()
    await transport.wait_for(MAX_IN_FLIGHT + 1)
    await session.receive(request("now", "ping"))
    assert transport.sent[-1] == {"jsonrpc": "2.0", "id": "now", "result": "pong"}


async def test_a_batch_counts_each_of_its_members(world: World) -> None:
    transport = FakeTransport()
    session = world.open("agent", transport)
    calls = [("tools.call", {"name": "slow", "arguments": {}})] * 50
    await session.receive(frame(*calls))
    await session.receive(frame(*calls, first=51))
    await world.calls.until_running(MAX_IN_FLIGHT)
    world.calls.release.set()
    batches = await transport.wait_for(2)
    codes = {told["id"]: told.get("error", {}).get("code") for batch in batches for told in batch}
    assert [number for number, code in sorted(codes.items()) if code == -32002] == list(range(MAX_IN_FLIGHT + 1, 101))
    assert [code for code in codes.values() if code != -32002] == [None] * MAX_IN_FLIGHT


async def test_an_agent_that_leaves_cancels_its_calls_but_those_with_a_call_id(world: World) -> None:
    session = world.open("agent", FakeTransport())
    await session.receive(slow(1, "plain"))
    await session.receive(slow(2, "waiting", wait=60))
    await session.receive(slow(3, "kept", callId="c-1"))
    await session.receive(request(4, "tools.result", callId="slow"))
    await world.calls.until_running(4)
    session.close()
    await world.calls.until_cancelled(3)
    assert sorted(world.calls.cancelled) == ["plain", "result", "waiting"]
    given = next(asked["callId"] for asked in world.calls.asked if asked["wait"] == 60)
    assert world.calls.stopped == [given]


async def test_members_of_a_batch_are_cancelled_or_kept_each_for_itself(world: World) -> None:
    session = world.open("agent", FakeTransport())
    plain = {"name": "slow", "arguments": {"tag": "plain"}}
    kept = {"name": "slow", "arguments": {"tag": "kept"}, "callId": "c-1"}
    await session.receive(frame(("tools.call", plain), ("tools.call", kept)))
    await world.calls.until_running(2)
    session.close()
    await world.calls.until_cancelled(1)
    assert world.calls.cancelled == ["plain"]


async def test_a_host_that_leaves_cancels_nothing_but_its_own_waiting(world: World) -> None:
    session = world.open("host", FakeTransport())
    await session.receive(slow(1, "plain"))
    await session.receive(request(2, "tools.result", callId="slow"))
    await world.calls.until_running(2)
    session.close()
    await world.calls.until_cancelled(1)
    assert world.calls.cancelled == ["result"]


async def test_a_post_that_is_dropped_cancels_its_call(world: World) -> None:
    session = world.open("agent")
    posting = asyncio.create_task(session.answer(slow(1, "plain")))
    await world.calls.until_running(1)
    posting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await posting
    assert world.calls.cancelled == []
    session.close()
    await world.calls.until_cancelled(1)


async def test_a_request_that_was_not_begun_when_its_connection_closed_is_never_begun(world: World) -> None:
    session = world.open("agent", FakeTransport())
    await session.receive(slow(1))
    session.close()
    await asyncio.sleep(0)
    assert world.calls.asked == []


async def test_requests_cut_short_when_the_bridge_stops_get_an_error_and_notifications_do_not(world: World) -> None:
    transport = FakeTransport()
    session = world.open("agent", transport)
    call = {"name": "slow", "arguments": {}}
    await session.receive(orjson.dumps({"jsonrpc": "2.0", "method": "tools.call", "params": call}))
    await session.receive(slow(1))
    await session.receive(frame(("tools.call", call), ("ping",), first=2))
    await world.calls.until_running(3)
    await world.hub.stop()
    alone, batch = await transport.wait_for(2)
    assert (alone["id"], alone["error"]["code"]) == (1, -32003)
    assert [(told["id"], told.get("error", {}).get("code")) for told in batch] == [(2, -32003), (3, None)]


async def test_a_slow_notification_is_done_and_not_answered(world: World) -> None:
    transport = FakeTransport()
    session = world.open("agent", transport)
    world.calls.release.set()
    call = {"name": "slow", "arguments": {}}
    await session.receive(orjson.dumps([{"jsonrpc": "2.0", "method": "tools.call", "params": call}]))
    await world.calls.until_running(1)
    await session.receive(request(1, "ping"))
    assert [sent["id"] for sent in transport.sent] == [1]


async def test_the_bridge_can_ask_a_host_and_the_answer_finds_its_way(world: World) -> None:
    transport = FakeTransport()
    session = world.open("host", transport)
    asking = asyncio.create_task(session.request("host.dirty", DirtyQuestion(paths=()), 5))
    (question,) = await transport.wait_for(1)
    await session.receive(b'{"jsonrpc":"2.0","id":"stray","result":1}')
    await session.receive(orjson.dumps({"jsonrpc": "2.0", "id": question["id"], "result": {"dirty": ["a.md"]}}))
    assert await asking == {"dirty": ["a.md"]}
    assert len(transport.sent) == 1


async def test_an_agents_answer_to_nothing_is_an_invalid_request(world: World) -> None:
    answer = await world.open("agent").answer(b'{"jsonrpc":"2.0","id":9,"result":1}')
    assert answer is not None
    told = orjson.loads(answer)
    assert (told["id"], told["error"]["code"]) == (9, -32600)


async def test_notifications_go_to_the_session_they_are_for(world: World) -> None:
    transport = FakeTransport()
    session = world.open("agent", transport)
    world.open("agent", FakeTransport())
    session.notify(Progress(done=1))
    assert transport.sent == [{"jsonrpc": "2.0", "method": "tool.progress", "params": {"done": 1}}]
    world.open("agent").notify(Progress())

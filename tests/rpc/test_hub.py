"""Who is told what, which hosts are consent screens, and what a session is."""

import asyncio
import threading

import orjson
import pytest

from bridge.contract.events import AuditAppended, ToolStarted, VaultChanged
from bridge.errors import DeadlineExceeded, ExecutionFailed
from bridge.rpc.frames import Response
from bridge.rpc.hub import OutgoingQueue
from tests.rpc.world import FakeTransport, World

STARTED = ToolStarted(execution_id="grep-1", tool="grep", client="Ada")


def screens(world: World) -> bool:
    return world.broker.connected


async def methods(transport: FakeTransport, count: int) -> list[str]:
    return [message["method"] for message in await transport.wait_for(count)]


async def test_a_session_is_one_client_however_often_it_connects_and_whatever_it_calls_itself(world: World) -> None:
    info, token = world.clients.add("Claude Code")
    client = world.clients.authenticate(token)
    assert client
    first, again, host = world.open(client), world.open(client), world.open("host")
    again.introduce("Ada", None)
    host.introduce("Claude Code", None)
    assert first.session_id == again.session_id == info.client_id
    assert host.session_id != first.session_id


async def test_a_program_without_a_name_of_its_own_has_a_session_for_each_connection(world: World) -> None:
    first, second = world.open(), world.open()
    session = first.session_id
    assert second.session_id != session
    for peer in (first, second):
        peer.introduce("Ada", None)
    assert first.session_id == session != second.session_id
    assert first.caller.subject == second.caller.subject


async def test_another_run_of_the_bridge_has_other_sessions(world: World) -> None:
    assert World().open().session_id != world.open().session_id


async def test_a_socket_host_is_a_consent_screen_and_gets_the_open_questions_when_it_comes(world: World) -> None:
    asking = await world.question("c-1")
    transport = FakeTransport()
    session = world.open("host", transport)
    assert screens(world)
    assert [(sent["method"], sent["params"]["requestId"]) for sent in transport.sent] == [("consent.requested", "c-1")]
    session.close()
    assert not screens(world)
    assert not asking.done()


async def test_only_hosts_that_can_consent_count_and_they_may_change_their_mind(world: World) -> None:
    transport = FakeTransport()
    session = world.open("host", transport)
    session.introduce("cli", frozenset())
    assert not screens(world)
    session.introduce("plugin", frozenset({"consent", "write"}))
    assert screens(world)
    session.introduce("plugin two", None)
    assert screens(world)
    assert session.can == {"consent", "write"}


async def test_neither_agents_nor_posts_are_consent_screens(world: World) -> None:
    world.open("agent", FakeTransport())
    post = world.open("host")
    post.introduce("curl", frozenset({"consent"}))
    assert post.can == frozenset()
    assert not screens(world)


async def test_hosts_are_notified_of_everything_and_subscribers_of_what_they_asked_for(world: World) -> None:
    host, reader, other = FakeTransport(), FakeTransport(), FakeTransport()
    world.open("host", host)
    world.open("agent", reader).kinds = frozenset({"vault.changed"})
    world.open("agent", other)
    world.hub.notify_hosts(STARTED)
    world.hub.publish(VaultChanged(path="a.md", change="modified"))
    assert [sent["method"] for sent in host.sent] == ["tool.started"]
    assert reader.sent == [
        {"jsonrpc": "2.0", "method": "vault.changed", "params": {"path": "a.md", "change": "modified"}}
    ]
    assert other.sent == []


class Watched(FakeTransport):
    """Notes on which thread it is used."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: list[int] = []

    def post(self, data: bytes) -> None:
        self.threads.append(threading.get_ident())
        super().post(data)


async def test_news_may_come_from_any_thread_and_goes_out_on_the_loop(world: World) -> None:
    transport = Watched()
    world.open("host", transport)
    event = AuditAppended(timestamp="2025-01-01T00:00:00.000Z", kind="execution")
    await asyncio.to_thread(world.hub.notify_hosts, event)
    assert await methods(transport, 1) == ["audit.appended"]
    assert transport.threads == [threading.get_ident()]


async def test_news_before_anybody_came_and_news_that_are_no_json_are_dropped(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.hub.notify_hosts(STARTED)
    transport = FakeTransport()
    session = world.open("host", transport)
    world.hub.publish(VaultChanged(path="\udc80", change="modified"))
    world.hub.notify_hosts(ToolStarted(execution_id="grep-1", tool="\udc80", client="Ada"))
    assert "tool.started" in caplog.text
    session.close()
    world.hub.notify_hosts(STARTED)
    assert transport.sent == []


async def test_stopping_cancels_what_still_runs_and_waits_for_it(world: World) -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    world.hub.spawn(work())
    await asyncio.sleep(0)
    await world.hub.stop()
    assert ended.is_set()


async def asked(outgoing: OutgoingQueue, sent: list[bytes]) -> tuple[asyncio.Task[object], str]:
    asking = asyncio.create_task(outgoing.request("host.dirty", {"paths": ["a.md"]}, 5))
    await asyncio.sleep(0)
    message = orjson.loads(sent.pop())
    assert message["method"] == "host.dirty"
    assert message["params"] == {"paths": ["a.md"]}
    return asking, message["id"]


async def test_the_hosts_answer_comes_back_to_who_asked() -> None:
    sent: list[bytes] = []
    outgoing = OutgoingQueue(sent.append)
    asking, number = await asked(outgoing, sent)
    outgoing.settle(Response("somebody else's", 1))
    outgoing.settle(Response(number, {"dirty": []}))
    outgoing.settle(Response(number, "again"))
    assert await asking == {"dirty": []}
    outgoing.settle(Response(number, "late"))


async def test_a_host_that_answers_with_an_error_or_leaves_is_a_failure() -> None:
    sent: list[bytes] = []
    outgoing = OutgoingQueue(sent.append)
    refused, number = await asked(outgoing, sent)
    outgoing.settle(Response(number, error={"code": 1, "message": "/home/ada"}))
    left, _ = await asked(outgoing, sent)
    outgoing.close()
    with pytest.raises(ExecutionFailed) as caught:
        await refused
    assert "/home" not in caught.value.message
    with pytest.raises(ExecutionFailed, match="went away"):
        await left


async def test_a_host_that_is_silent_costs_no_more_than_the_time_given() -> None:
    with pytest.raises(DeadlineExceeded, match=r"host\.dirty"):
        await OutgoingQueue(lambda _data: None).request("host.dirty", {}, 0.01)

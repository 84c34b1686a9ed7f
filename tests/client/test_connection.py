"""The few lines with which a user scripts the bridge, against a real server."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.client import BridgeNotRunning, Connection, ConnectionLost, Notification, ProtocolFailure, connect
from bridge.contract.events import ToolStarted, VaultChanged
from bridge.contract.hosts import DirtyQuestion
from bridge.errors import ExecutionFailed
from bridge.rpc.session import Session
from bridge.server.websocket import MAX_BEHIND
from tests.patience import PATIENCE
from tests.server.house import House


async def test_a_script_calls_a_tool_under_its_own_name(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge:
        result = await bridge.call("echo", pattern="TODO", maxMatches=5)
    assert result.or_raise().data == {"pattern": "TODO", "maxMatches": 5}
    asked = house.world.calls.asked[0]
    assert (asked["name"], asked["caller"].calls_itself, asked["caller"].role) == ("echo", "my script", "agent")


async def test_what_belongs_to_the_call_is_told_from_what_belongs_to_the_tool(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge:
        await bridge.call("echo", {"wait": "for me"}, call_id="c-1", wait=2.0, reason="to see", depth=1)
        later = await bridge.result("c-1", wait=0)
    asked = house.world.calls.asked[0]
    assert asked["arguments"] == {"wait": "for me", "depth": 1}
    assert (asked["callId"], asked["wait"], asked["reason"]) == ("c-1", 2.0, "to see")
    assert later.data == {"callId": "c-1", "wait": 0}


async def test_calls_run_beside_each_other(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge:
        slow = asyncio.create_task(bridge.call("slow"))
        await house.world.calls.until_running(1)
        assert await bridge.request("ping") == "pong"
        house.world.calls.release.set()
        assert (await slow).ok


async def test_a_preview_writes_nothing_and_shows_the_plan(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge:
        assert await bridge.preview("apply_patch", path="a.md") == {
            "plan": {"tool": "apply_patch", "targets": ["path"]}
        }
    assert house.world.calls.asked == []


async def test_what_the_protocol_refuses_is_raised_with_its_hint(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge:
        with pytest.raises(ProtocolFailure) as caught:
            await bridge.request("settings.get")
        assert caught.value.code == -32001
        assert caught.value.hint is not None
        assert caught.value.hint in str(caught.value)
    with pytest.raises(ProtocolFailure, match="client"):
        async with connect(house.vault, name="bad\nname"):
            pytest.fail("a bad name was taken")


async def test_a_host_has_its_own_authority_and_says_what_it_can(house: House) -> None:
    async with connect(house.vault, name="my screen", role="host") as bridge:
        assert (await bridge.request("session.info"))["hostConnected"] is False
        assert "developerMode" in await bridge.request("settings.get")
    async with connect(house.vault, name="my screen", role="host", can=["consent"]) as bridge:
        assert (await bridge.request("session.info"))["hostConnected"] is True


async def test_questions_that_were_open_before_we_listened_are_heard(house: House) -> None:
    await house.world.question("c-1")
    async with connect(house.vault, name="my screen", role="host", can=["consent"]) as bridge:
        heard: asyncio.Queue[str] = asyncio.Queue()
        bridge.on("consent.requested", lambda question: heard.put_nowait(question["requestId"]))
        async with asyncio.timeout(PATIENCE):
            assert await heard.get() == "c-1"
        await house.world.question("c-2")
        async with asyncio.timeout(PATIENCE):
            assert await heard.get() == "c-2"


async def test_handlers_may_be_coroutines_that_call_back(house: House) -> None:
    asking = await house.world.question("c-1")

    async with connect(house.vault, name="my screen", role="host", can=["consent"]) as bridge:

        async def deny(question: dict[str, Any]) -> None:
            await bridge.request("consent.respond", requestId=question["requestId"], decision="deny_once")

        bridge.on("consent.requested", deny)
        async with asyncio.timeout(PATIENCE):
            assert (await asking).by == "my screen"


async def test_a_handler_that_fails_does_not_end_the_connection(house: House) -> None:
    errors: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: errors.append(context["exception"]))
    async with connect(house.vault, name="my screen", role="host") as bridge:
        bridge.on("tool.started", lambda params: params["missing"])
        house.world.hub.notify_hosts(ToolStarted(execution_id="grep-1", tool="grep", client="Ada"))
        assert await bridge.request("ping") == "pong"
    assert [type(error) for error in errors] == [KeyError]


async def listen(bridge: Connection, count: int) -> list[Notification]:
    heard = []
    async for notification in bridge.notifications():
        heard.append(notification)
        if len(heard) == count:
            break
    return heard


async def test_notifications_are_read_in_order_also_those_from_before(house: House) -> None:
    async with connect(house.vault, name="reader") as bridge, asyncio.timeout(PATIENCE):
        await bridge.request("events.subscribe", kinds=["vault.changed"])
        for path in ("a.md", "b.md"):
            house.world.hub.publish(VaultChanged(path=path, change="modified"))
        await bridge.request("ping")
        heard = await listen(bridge, 2)
    assert heard == [Notification("vault.changed", {"path": path, "change": "modified"}) for path in ("a.md", "b.md")]


async def test_when_the_bridge_stops_every_wait_ends(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge, asyncio.timeout(PATIENCE):
        listening = asyncio.create_task(listen(bridge, 1))
        slow = asyncio.create_task(bridge.call("slow"))
        await house.world.calls.until_running(1)
        await house.server.stop()
        with pytest.raises(ProtocolFailure, match="stopped"):
            await slow
        assert await listening == []
        with pytest.raises(ConnectionLost):
            await bridge.request("ping")
        assert await listen(bridge, 1) == []


async def test_a_connection_that_breaks_off_ends_every_wait(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge, asyncio.timeout(PATIENCE):
        slow = asyncio.create_task(bridge.call("slow"))
        await house.world.calls.until_running(1)
        (peer,) = house.world.hub.peers
        peer.post(bytes(MAX_BEHIND + 1))  # the server cuts off who is so far behind
        with pytest.raises(ConnectionLost):
            await slow


async def test_leaving_ends_ones_own_calls(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge:
        slow = asyncio.create_task(bridge.call("slow"))
        await house.world.calls.until_running(1)
    with pytest.raises(ConnectionLost):
        await slow
    await house.world.calls.until_cancelled(1)


async def test_a_request_nobody_waits_for_any_more_does_no_harm(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge:
        slow = asyncio.create_task(bridge.call("slow"))
        await house.world.calls.until_running(1)
        slow.cancel()
        house.world.calls.release.set()
        assert await bridge.request("ping") == "pong"
        assert await bridge.request("ping") == "pong"


async def test_what_is_no_json_is_not_sent(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge:
        with pytest.raises(TypeError):
            await bridge.call("echo", pattern=object())
        assert await bridge.request("ping") == "pong"


async def test_a_request_made_while_leaving_is_lost(house: House) -> None:
    async with connect(house.vault, name="my script") as bridge:
        leaving = asyncio.create_task(bridge.close())
        await asyncio.sleep(0)
        with pytest.raises(ConnectionLost):
            await bridge.request("ping")
        await leaving


async def test_a_question_only_the_plugin_can_answer_is_answered_so(house: House) -> None:
    async with connect(house.vault, name="my screen", role="host", can=["consent"]):
        (peer,) = house.world.hub.peers
        assert isinstance(peer, Session)
        with pytest.raises(ExecutionFailed, match="could not do it"):
            await peer.request("host.dirty", DirtyQuestion(paths=()), 5)


async def test_a_vault_that_is_not_served_says_how_to_serve_it(vault: Path) -> None:
    with pytest.raises(BridgeNotRunning, match="vault-bridge serve"):
        async with connect(vault, name="my script"):
            pytest.fail("connected to nobody")


async def test_a_bridge_that_died_is_not_running(house: House) -> None:
    discovery = (house.vault / ".vault-bridge" / "bridge.json").read_bytes()
    token = (Path(house.discovery.run_dir) / "agent.json").read_bytes()
    await house.server.stop()
    (house.vault / ".vault-bridge" / "bridge.json").write_bytes(discovery)
    (Path(house.discovery.run_dir) / "agent.json").write_bytes(token)
    with pytest.raises(BridgeNotRunning, match="vault-bridge serve"):
        async with connect(house.vault, name="my script"):
            pytest.fail("connected to nobody")


def test_a_script_that_uses_the_client_can_still_reach_what_is_encrypted() -> None:
    program = "import bridge.client, aiohttp.connector; print(aiohttp.connector.ssl.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    assert done.stdout.strip() == "ssl"

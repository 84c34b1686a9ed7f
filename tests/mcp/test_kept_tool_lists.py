"""`vault-bridge mcp` says which tools there are before there is a bridge, and says so when they are others."""

import asyncio
from pathlib import Path

import pytest
from filelock import FileLock

from bridge.app import Bridge
from bridge.cli.speaking import AttachedBridge
from bridge.client import find_vault
from bridge.contract.identity import Preset
from bridge.mcp import server
from bridge.records.folder import RunFolder, place
from bridge.server.lock import LOCK_FILE
from bridge.server.tool_lists import KIND, kept_list
from tests.mcp.pipes import HANDSHAKE
from tests.mcp.test_patience import piped as attached
from tests.mcp.test_stdio import add_robot, piped, wait_until_nobody_serves
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow


@pytest.fixture
def robot(vault: Path) -> Path:
    asyncio.run(add_robot(vault))
    return vault


async def change(vault: Path, preset: Preset) -> str:
    """Give Robot other tools; returns its id."""
    async with Bridge(vault, brief=True) as bridge:
        (info,) = bridge.services.clients.list()
        bridge.services.clients.choose(info.client_id, preset=preset)
        return info.client_id


def test_the_tools_are_listed_although_no_bridge_can_start(robot: Path) -> None:
    with FileLock(RunFolder(find_vault(robot)).path / LOCK_FILE, timeout=PATIENCE), piped(robot) as pipe:
        told = pipe.ask(1, "initialize", **HANDSHAKE)["result"]["instructions"]
        pipe.say({"method": "notifications/initialized"})
        listed = pipe.ask(2, "tools/list")["result"]["tools"]
    assert {tool["name"] for tool in listed} >= {"read", "search", "apply_patch"}
    assert "`draft`" in told


def test_it_is_the_list_of_the_bridge_and_nobody_is_told_of_a_change(robot: Path) -> None:
    with piped(robot) as pipe:
        pipe.ask(1, "initialize", **HANDSHAKE)
        pipe.say({"method": "notifications/initialized"})
        before = pipe.ask(2, "tools/list")["result"]["tools"]
        pipe.ask(3, "tools/call", name="await_decision", arguments={})
        assert pipe.ask(4, "tools/list")["result"]["tools"] == before
    wait_until_nobody_serves(robot)


async def test_who_connects_waits_for_no_bridge_where_the_tools_are_known(
    robot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LIST_SECONDS", 10 * PATIENCE)
    bridge = AttachedBridge(find_vault(robot), "Robot")
    with FileLock(RunFolder(find_vault(robot)).path / LOCK_FILE, timeout=PATIENCE):
        async with asyncio.timeout(PATIENCE), attached(bridge, "legacy") as client:
            assert "`" in str(client.instructions), "it is told of tools"
            await bridge.close()


def test_a_list_that_has_become_another_is_told_of(robot: Path) -> None:
    client_id = asyncio.run(change(robot, Preset.MINIMAL))
    file = place(find_vault(robot), kind=KIND) / f"{client_id}.json"
    file.write_bytes(b"[]")
    with piped(robot) as pipe:
        with FileLock(RunFolder(find_vault(robot)).path / LOCK_FILE, timeout=PATIENCE):  # no bridge can start yet
            pipe.ask(1, "initialize", **HANDSHAKE)
            pipe.say({"method": "notifications/initialized"})
            assert pipe.ask(2, "tools/list")["result"]["tools"] == []
        for line in pipe.stdout:
            if b"notifications/tools/list_changed" in line:
                break
        assert pipe.ask(3, "tools/list")["result"]["tools"]
    wait_until_nobody_serves(robot)


async def test_each_client_has_its_own_list_which_follows_the_settings_and_goes_with_it(robot: Path) -> None:
    client_id = await change(robot, Preset.MINIMAL)
    folder = find_vault(robot)
    few = {tool["name"] for tool in kept_list(folder, client_id) or ()}
    await change(robot, Preset.EVERYTHING)
    assert few < {tool["name"] for tool in kept_list(folder, client_id) or ()}
    async with Bridge(robot, brief=True) as bridge:
        bridge.services.clients.choose(client_id, preset=Preset.VAULT)
        bridge.settings.update({"enabledTools": ["read"]})
        assert "search_notes" not in {tool["name"] for tool in kept_list(folder, client_id) or ()}
        bridge.services.clients.revoke(client_id)
        assert kept_list(folder, client_id) is None


def test_a_list_that_cannot_be_read_is_none(robot: Path) -> None:
    folder = place(find_vault(robot), kind=KIND)
    (file,) = folder.iterdir()
    for broken in (b"", b"{}", b"\xff"):
        file.write_bytes(broken)
        assert kept_list(find_vault(robot), file.stem) is None

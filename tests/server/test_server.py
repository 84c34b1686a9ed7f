"""A server says where it is while it is there, and takes that back when it goes."""

import asyncio
import os
import stat
import sys
from pathlib import Path

import orjson
import pytest

from bridge.errors import StartError
from bridge.records.folder import RunFolder
from bridge.server.server import Server
from bridge.vault.root import VaultRoot
from tests.rpc.world import World
from tests.server.house import House, open_house, request


def published(vault: Path) -> dict[str, object]:
    discovery: dict[str, object] = orjson.loads((vault / ".vault-bridge" / "bridge.json").read_bytes())
    return discovery


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def test_a_file_in_the_vault_says_where_the_bridge_is_and_holds_no_secret(house: House) -> None:
    discovery = published(house.vault)
    port = house.discovery.http.rsplit(":", 1)[1]
    assert discovery == {
        "url": f"ws://127.0.0.1:{port}/ws",
        "http": f"http://127.0.0.1:{port}",
        "pid": os.getpid(),
        "version": "1.2.3",
        "runDir": house.discovery.run_dir,
    }
    assert not Path(house.discovery.run_dir).is_relative_to(house.vault)


async def test_the_run_folder_has_a_token_for_each_role(house: House) -> None:
    run = Path(house.discovery.run_dir)
    agent, host = (orjson.loads((run / name).read_bytes()) for name in ("agent.json", "host.json"))
    assert set(agent) == {"url", "http", "token", "pid", "version", "vault"}
    assert {key: value for key, value in agent.items() if key != "token"} == {
        key: value for key, value in host.items() if key != "token"
    }
    assert agent["vault"] == str(house.vault)
    assert agent["token"] != host["token"]
    assert len(agent["token"]) >= 43
    if sys.platform != "win32":
        assert [stat.S_IMODE((run / name).stat().st_mode) for name in ("agent.json", "host.json")] == [0o600, 0o600]


async def test_tokens_are_new_at_every_start_and_the_files_go_with_the_bridge(vault: Path) -> None:
    tokens = set()
    for _ in range(2):
        async with open_house(vault) as house:
            tokens.add(house.token())
            run = Path(house.discovery.run_dir)
        assert not (vault / ".vault-bridge" / "bridge.json").exists()
        assert names(run) == []
    assert len(tokens) == 2


async def test_what_a_killed_bridge_left_is_replaced(vault: Path) -> None:
    run = RunFolder(vault)
    run.write("agent.json", b'{"pid": 1}')
    (vault / ".vault-bridge").mkdir()
    (vault / ".vault-bridge" / "bridge.json").write_bytes(b'{"pid": 1}')
    async with open_house(vault) as house:
        assert published(vault)["pid"] == os.getpid()
        assert len(house.token()) >= 43


async def test_two_vaults_are_served_at_once_each_with_its_own_tokens(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "Other").mkdir()
    async with open_house(vault) as house, open_house(tmp_path / "Other") as other:
        assert house.discovery.http != other.discovery.http
        for server, status in ((house, 200), (other, 401)):
            answer = await server.http.post(
                f"{server.discovery.http}/rpc", json=request(1, "ping"), headers=house.bearer()
            )
            assert answer.status == status


async def test_it_listens_on_this_machine_only(house: House) -> None:
    assert house.server._listening is not None
    assert [socket.getsockname()[0] for socket in house.server._listening.sockets] == ["127.0.0.1"]


async def test_a_port_that_is_taken_is_an_error_that_says_what_to_do(house: House, tmp_path: Path) -> None:
    port = int(house.discovery.http.rsplit(":", 1)[1])
    other = tmp_path / "Other"
    other.mkdir()
    world, root = World(), VaultRoot(other)
    with root.state() as state:
        server = Server(world.services, world.hub, run=RunFolder(other), state=state)
        with pytest.raises(StartError, match="--port"):
            await server.start(port)
        await server.stop()
        assert not (other / ".vault-bridge" / "bridge.json").exists()
    root.close()
    assert (await house.get("/health")).status == 200


async def test_a_port_of_ones_own_choice_is_taken(vault: Path) -> None:
    async with open_house(vault) as house:
        port = int(house.discovery.http.rsplit(":", 1)[1])
    world, root = World(), VaultRoot(vault)
    with root.state() as state:
        server = Server(world.services, world.hub, run=RunFolder(root.path), state=state)
        assert (await server.start(port)).http == f"http://127.0.0.1:{port}"
        await server.stop()
    root.close()


async def test_a_file_that_cannot_be_written_is_an_error_and_nothing_listens(vault: Path) -> None:
    (vault / ".vault-bridge" / "bridge.json" / "x").mkdir(parents=True)
    world, root = World(), VaultRoot(vault)
    with root.state() as state:
        server = Server(world.services, world.hub, run=RunFolder(root.path), state=state)
        with pytest.raises(StartError, match="Cannot write"):
            await server.start()
        assert server._runner is None
    root.close()


async def test_stopping_twice_or_before_starting_does_no_harm(house: House) -> None:
    await house.server.stop()
    await house.server.stop()
    with pytest.raises(OSError, match="Connect"):
        await asyncio.open_connection("127.0.0.1", int(house.discovery.http.rsplit(":", 1)[1]))

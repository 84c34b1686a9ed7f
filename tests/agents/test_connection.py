"""A program is connected and disconnected: what its files hold, which credential it has, and what is left alone."""

import errno
import json
import os
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.agents.connection import Connector
from bridge.agents.file_change import real_file
from bridge.agents.machine import ConfigurationRefused, Machine
from bridge.agents.table import AGENTS, BY_ID, Agent
from bridge.client import TokenNotFound, token_storage
from bridge.vault.folder import Folder
from tests.agents.conftest import Clients
from tests.identities import PrivateFiles

Make = Callable[..., Connector]
BEFORE = {
    "json": '{\n  "theme": "dark",\n  "%s": {\n    "other": {"command": "x"}\n  }\n}',
    "commented": '{\n  // mine\n  "%s": {"other": {"command": "x"}}\n}\n',
    "jsonc": '{\n  "%s": {\n    "other": {"command": "x"}, // mine\n  },\n}\n',
    "toml": 'model = "m" # mine\n\n[%s.other]\ncommand = "x"\n',
}
CODE, CODEX = BY_ID["claude-code"], BY_ID["codex"]


def prepare(agent: Agent, machine: Machine, text: str | None = None) -> Path:
    file = agent.file(machine)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes((BEFORE[agent.form] % agent.key if text is None else text).encode())
    return file


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.id)
async def test_connecting_and_disconnecting_leaves_every_byte_as_it_was(
    agent: Agent, machine: Machine, connector: Make, notes: Path
) -> None:
    file = prepare(agent, machine)
    before, clients, ours = file.read_bytes(), Clients(), connector()
    done = await ours.connect(ours.plan_connect(agent), clients)
    assert (done.added_client, ours.connected(agent), clients.presets) == (True, agent.title, ["agent"])
    text = file.read_text("utf-8")
    assert all(word in text for word in ("/opt/vault-bridge", "mcp", notes.name, agent.title, '"other"'[1:-1]))
    token = clients.tokens[agent.title]
    assert token not in text
    assert token_storage.find_token(notes, agent.title) == token
    assert done.backup is not None
    assert done.backup.read_bytes() == before
    left = ours.plan_disconnect(agent)
    assert (await ours.disconnect(left, clients)).revoked_client
    assert (file.read_bytes(), list(clients.tokens), ours.connected(agent)) == (before, [], None)
    assert not [path for path in machine.home.rglob("*") if path.is_file() and path != file]
    with pytest.raises(TokenNotFound):
        token_storage.find_token(notes, agent.title)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.id)
async def test_a_file_that_was_not_there_is_gone_again(agent: Agent, machine: Machine, connector: Make) -> None:
    clients, ours = Clients(), connector()
    await ours.connect(ours.plan_connect(agent), clients)
    if os.name != "nt":
        assert stat.S_IMODE(agent.file(machine).stat().st_mode) == 0o600
    await ours.disconnect(ours.plan_disconnect(agent), clients)
    assert not [path for path in machine.home.rglob("*") if path.is_file()]


async def test_doing_it_twice_changes_nothing(machine: Machine, connector: Make) -> None:
    file, clients, ours = prepare(CODE, machine), Clients(), connector()
    await ours.connect(ours.plan_connect(CODE), clients)
    first, backups = file.read_bytes(), sorted(machine.home.rglob("*.bak"))
    again = ours.plan_connect(CODE)
    assert again.files == ()
    done = await ours.connect(again, clients)
    assert (done.added_client, done.backup, file.read_bytes()) == (False, None, first)
    assert sorted(machine.home.rglob("*.bak")) == backups
    await ours.disconnect(ours.plan_disconnect(CODE), clients)
    assert file.read_text() == BEFORE["json"] % "mcpServers"
    assert ours.plan_disconnect(CODE).files == ()


async def test_what_the_program_wrote_meanwhile_stays(machine: Machine, connector: Make) -> None:
    file, clients, ours = prepare(CODE, machine), Clients(), connector()
    await ours.connect(ours.plan_connect(CODE), clients)
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "count": 2}, indent=4), encoding="utf-8")
    done = await ours.disconnect(ours.plan_disconnect(CODE), clients)
    assert json.loads(file.read_text()) == {"theme": "dark", "mcpServers": {"other": {"command": "x"}}, "count": 2}
    assert done.backup is not None


async def test_another_version_of_the_command_takes_its_place_and_settings_stay(
    machine: Machine, connector: Make
) -> None:
    file, clients = prepare(CODEX, machine), Clients()
    ours = connector()
    await ours.connect(ours.plan_connect(CODEX), clients)
    file.write_text(file.read_text("utf-8") + "tool_timeout_sec = 600\n", encoding="utf-8")
    newer = connector(words=("/new/vault-bridge",))
    await newer.connect(newer.plan_connect(CODEX), clients)
    entry = tomllib.loads(file.read_text("utf-8"))["mcp_servers"]["vault-bridge"]
    assert (entry["command"], entry["tool_timeout_sec"]) == ("/new/vault-bridge", 600)


@pytest.mark.parametrize("chosen", [{}, {"required": False}, {"startup_timeout_sec": 5}])
async def test_codex_waits_for_the_server_unless_the_user_has_said_otherwise(
    machine: Machine, connector: Make, chosen: dict[str, Any]
) -> None:
    """Also an entry that an older version has written gets what makes it wait."""
    older = {"command": "/old/vault-bridge", "args": list(connector().server("Codex").args)}
    lines = [f"{field} = {json.dumps(value)}\n" for field, value in {**older, **chosen}.items()]
    file = prepare(CODEX, machine, "".join(["[mcp_servers.vault-bridge]\n", *lines]))
    ours, clients = connector(), Clients()
    assert ours.connected(CODEX) == "Codex"
    await ours.connect(ours.plan_connect(CODEX), clients)
    entry = tomllib.loads(file.read_text("utf-8"))["mcp_servers"]["vault-bridge"]
    waits = {"required": True, "startup_timeout_sec": 60, **chosen}
    assert entry == {**older, "command": "/opt/vault-bridge", **waits}
    assert ours.plan_connect(CODEX).files == ()


async def test_two_vaults_are_two_entries(machine: Machine, connector: Make, tmp_path: Path) -> None:
    second = tmp_path / "Work & Life!"
    second.mkdir()
    first, other = connector(), connector(vault=real_file(second))
    clients = Clients()
    await first.connect(first.plan_connect(CODE), clients)
    await other.connect(other.plan_connect(CODE), Clients())
    held = json.loads(CODE.file(machine).read_text("utf-8"))["mcpServers"]
    assert sorted(held) == ["vault-bridge", "vault-bridge-work-life"]
    await first.disconnect(first.plan_disconnect(CODE), clients)
    assert list(json.loads(CODE.file(machine).read_text("utf-8"))["mcpServers"]) == ["vault-bridge-work-life"]


async def test_another_server_of_the_same_name_is_never_touched(machine: Machine, connector: Make) -> None:
    theirs = {"command": "uvx", "args": ["vault-bridge"]}
    file = prepare(CODE, machine, json.dumps({"mcpServers": {"vault-bridge": theirs}}))
    ours, clients = connector(), Clients()
    with pytest.raises(ConfigurationRefused, match="another server called 'vault-bridge'"):
        ours.plan_connect(CODE, name="vault-bridge")
    assert ours.plan_disconnect(CODE).files == ()
    await ours.connect(ours.plan_connect(CODE), clients)
    held = json.loads(file.read_text("utf-8"))["mcpServers"]
    assert held["vault-bridge"] == theirs
    assert len(held) == 2


async def test_a_client_that_was_there_before_stays(machine: Machine, connector: Make, notes: Path) -> None:
    ours, clients = connector(), Clients("Claude Code")
    with pytest.raises(ConfigurationRefused, match="not kept on this machine"):
        await ours.connect(ours.plan_connect(CODE), clients)
    assert not CODE.file(machine).exists()
    token_storage.save_to_file(notes, "Claude Code", "token of Claude Code")
    assert not (await ours.connect(ours.plan_connect(CODE), clients)).added_client
    await ours.disconnect(ours.plan_disconnect(CODE), clients)
    assert list(clients.tokens) == ["Claude Code"]
    await ours.connect(ours.plan_connect(CODE), clients)
    await ours.disconnect(ours.plan_disconnect(CODE), clients, revoke=True)
    assert not clients.tokens


async def test_a_file_that_changes_after_it_was_shown_is_not_written(machine: Machine, connector: Make) -> None:
    file, ours, clients = prepare(CODE, machine), connector(), Clients()
    plan = ours.plan_connect(CODE)
    file.write_text('{"other": 1}', encoding="utf-8")
    with pytest.raises(ConfigurationRefused, match="just been changed"):
        await ours.connect(plan, clients)
    assert (file.read_text("utf-8"), clients.tokens) == ('{"other": 1}', {})
    assert ours.plan_connect(CODE).digest != plan.digest


@pytest.mark.parametrize(
    ("agent", "data", "where"),
    [
        ("claude-code", b'{"mcpServers": {}', "line 1, column 18"),
        ("claude-desktop", b'{"a": 1 // no\n}', "line 1, column 9"),
        ("codex", b"a = [1\nb = 2\n", "line 2"),
        ("vscode", b'{"a": "\xff"}', "not UTF-8 .at byte 7"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_its_place_and_left(
    agent: str, data: bytes, where: str, machine: Machine, connector: Make
) -> None:
    file = prepare(BY_ID[agent], machine)
    file.write_bytes(data)
    for plan in (connector().plan_connect, connector().plan_disconnect, connector().connected):
        with pytest.raises(ConfigurationRefused, match=where):
            plan(BY_ID[agent])
    assert file.read_bytes() == data


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes of POSIX")
async def test_a_linked_file_is_changed_where_it_really_is_and_keeps_its_mode(
    machine: Machine, connector: Make
) -> None:
    real = machine.home / "dotfiles" / "codex.toml"
    real.parent.mkdir()
    real.write_text('a = "b"\n', encoding="utf-8")
    real.chmod(0o640)
    link = CODEX.file(machine)
    link.parent.mkdir()
    link.symlink_to(real)
    ours = connector()
    await ours.connect(ours.plan_connect(CODEX), Clients())
    assert link.is_symlink()
    assert "vault-bridge" in real.read_text("utf-8")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert stat.S_IMODE((real.parent / "codex.toml.1.bak").stat().st_mode) == 0o640


async def test_the_skill_comes_and_goes_with_the_connection_unless_it_was_edited(
    machine: Machine, connector: Make
) -> None:
    ours, clients = connector(), Clients()
    skill = machine.home / ".claude" / "skills" / "vault-bridge" / "SKILL.md"
    await ours.connect(ours.plan_connect(CODE), clients)
    assert skill.is_file()
    skill.write_text("mine now", encoding="utf-8")
    plan = ours.plan_disconnect(CODE)
    assert any("has been edited" in sentence for sentence in plan.kept)
    await ours.disconnect(plan, clients)
    assert skill.read_text("utf-8") == "mine now"
    again = ours.plan_connect(CODE)
    assert again.skill is None
    assert any("is there already" in sentence for sentence in again.kept)


async def test_without_the_skill_only_the_configuration_changes(machine: Machine, connector: Make) -> None:
    ours = connector()
    await ours.connect(ours.plan_connect(CODE, skill=False), Clients())
    assert not (machine.home / ".claude").exists()


@pytest.mark.parametrize("name", ["", "a b", "x" * 49, "a/b", 'a"b'])
def test_a_name_that_programs_do_not_take_is_refused(name: str, connector: Make) -> None:
    if name:
        with pytest.raises(ConfigurationRefused, match="no name for a server"):
            connector().plan_connect(CODE, name=name)
    else:
        assert connector().plan_connect(CODE, name=name).name == "vault-bridge"


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_a_vault_whose_path_cannot_be_shown_gets_no_skill(connector: Make, tmp_path: Path) -> None:
    odd = tmp_path.resolve() / "a\n# b"
    odd.mkdir()
    plan = connector(vault=odd).plan_connect(CODE)
    assert plan.skill is None
    assert "cannot be shown" in plan.kept[0]
    assert json.loads(plan.configuration.after or b"")["mcpServers"]["vault-bridge"]["args"][2] == str(odd)


async def test_another_client_takes_the_place_of_the_one_that_was_made(
    machine: Machine, connector: Make, notes: Path
) -> None:
    ours, clients = connector(), Clients()
    await ours.connect(ours.plan_connect(CODE), clients)
    await ours.connect(ours.plan_connect(CODE, client="Claude at work", skill=False), clients)
    assert (ours.connected(CODE), list(clients.tokens)) == ("Claude at work", ["Claude at work"])
    with pytest.raises(TokenNotFound):
        token_storage.find_token(notes, "Claude Code")
    await ours.disconnect(ours.plan_disconnect(CODE), clients)
    assert not clients.tokens
    assert not [path for path in machine.home.rglob("*") if path.is_file()]


async def test_a_full_disk_is_said_and_the_program_stays_connected(machine: Machine, notes: Path) -> None:
    folder = PrivateFiles()
    folder.full = True
    ours = Connector(machine, notes, lambda: ("/opt/vault-bridge",), folder)
    with pytest.raises(ConfigurationRefused, match="is connected, but"):
        await ours.connect(ours.plan_connect(CODE), Clients())
    assert ours.connected(CODE) == "Claude Code"


async def test_connecting_again_with_the_name_in_other_letters_keeps_the_client(connector: Make, notes: Path) -> None:
    clients, ours = Clients(), connector()
    await ours.connect(ours.plan_connect(CODEX, client="my codex"), clients)
    await ours.connect(ours.plan_connect(CODEX, client="My Codex"), clients)
    assert list(clients.tokens) == ["my codex"]
    assert token_storage.find_token(notes, ours.connected(CODEX) or "") == clients.tokens["my codex"]
    assert (await ours.disconnect(ours.plan_disconnect(CODEX), clients)).revoked_client
    assert clients.tokens == {}


async def test_why_no_backup_could_be_made_is_said_as_it_was(
    machine: Machine, connector: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(CODE, machine)
    ours = connector()

    def refuse(*_args: object, **_options: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Folder, "create", refuse)
    with pytest.raises(ConfigurationRefused, match=os.strerror(errno.EACCES)):
        await ours.connect(ours.plan_connect(CODE), Clients())

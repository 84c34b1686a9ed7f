"""How commands and other servers stand is said without starting any of them."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import connect
from bridge.health import programs, running
from bridge.health.finding import Finding
from bridge.records.folder import RunFolder, UserFolder
from bridge.sandbox.sandbox import NO_SANDBOX, Sandbox, SandboxKind
from bridge.servers.configuration import FILE, entry
from bridge.servers.servers import Approvals
from bridge.settings.store import Confirmations

CONFINED = Sandbox(SandboxKind.NAMESPACES)
STRANGER = Path(__file__).parents[1] / "servers" / "stranger.py"


@pytest.fixture(autouse=True)
def sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sandbox on every system."""
    monkeypatch.setattr(programs, "probe", lambda: CONFINED)
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.fixture
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UserFolder:
    """The user's configuration folder."""
    monkeypatch.setenv("VAULT_BRIDGE_CONFIG", str(tmp_path / "configuration" / "vault-bridge"))
    return UserFolder(tmp_path / "configuration" / "vault-bridge")


def set_here(vault: Path, *, confirmed: bool = True, **values: Any) -> None:
    """Put settings into a vault, confirmed on this computer or not."""
    folder = vault / ".vault-bridge"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(values), encoding="ascii")
    if confirmed:
        Confirmations(RunFolder(vault.resolve(), kind="settings")).confirm(values)


@pytest.mark.parametrize(
    ("settings", "confirmed", "found", "level", "said"),
    [
        ({}, True, CONFINED, "ok", "cannot run any"),
        ({"allowTerminal": True}, False, CONFINED, "warn", "not confirmed on this computer"),
        ({"allowTerminal": True}, True, CONFINED, "ok", "in a sandbox, without the network"),
        ({"allowTerminal": True, "terminalNetwork": True}, True, CONFINED, "ok", "in a sandbox, with the network"),
        ({"allowTerminal": True}, True, NO_SANDBOX, "warn", "refused, because no sandbox works here"),
        ({"allowTerminal": True, "requireSandbox": "never"}, True, NO_SANDBOX, "ok", "without a sandbox"),
    ],
)
def test_commands(
    vault: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    settings: dict[str, Any],
    confirmed: bool,
    found: Sandbox,
    level: str,
    said: str,
) -> None:
    monkeypatch.setattr(programs, "probe", lambda: found)
    set_here(vault, confirmed=confirmed, **settings)
    (finding,) = programs.check_commands(vault)
    assert (finding.level, bool(finding.remedy)) == (level, level == "warn")
    assert said in finding.what


def servers(vault: Path) -> list[Finding]:
    """What is said of servers, which must not change a thing."""
    before = sorted(os.walk(vault))
    found = list(programs.check_servers(vault))
    assert sorted(os.walk(vault)) == before
    assert all(bool(finding.remedy) is (finding.level != "ok") for finding in found)
    return found


def test_no_server(vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_BRIDGE_CONFIG", str(tmp_path / "none"))
    (finding,) = servers(vault)
    assert (finding.level, finding.what) == ("ok", "No other server is entered")
    assert not (tmp_path / "none").exists(), "looking changes nothing"


def test_servers_that_agents_may_not_use_yet(vault: Path, configuration: UserFolder) -> None:
    configuration.write(FILE, b'{"mcp_servers": {"tea": {"url": "https://tea.example/mcp"}}}')
    first, _tea = servers(vault)
    assert (first.level, "`allowMcpServers` is off" in first.what) == ("ok", True)
    set_here(vault, confirmed=False, allowMcpServers=True)
    first, _tea = servers(vault)
    assert (first.level, "not confirmed on this computer" in first.what) == ("warn", True)


def test_how_each_server_stands(vault: Path, configuration: UserFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    set_here(vault, allowMcpServers=True)
    members = {
        "new": {"command": sys.executable},
        "known": {"command": sys.executable, "trusted": True},
        "other": {"command": sys.executable, "args": ["--more"]},
        "missing": {"command": "no-such-program"},
        "unused": {"command": "no-such-program", "enabled": False},
        "far": {"url": "https://far.example/mcp"},
    }
    configuration.write(FILE, json.dumps({"mcp_servers": members}).encode())
    approvals = Approvals(configuration)
    approvals.approve("known", entry("known", members["known"]))
    approvals.approve("other", entry("other", {"command": sys.executable}))
    found = {finding.what.partition(" ")[0]: finding for finding in servers(vault)}
    assert {name: finding.level for name, finding in found.items()} == {
        **dict.fromkeys(["new", "known", "unused", "far"], "ok"),
        **dict.fromkeys(["other", "missing"], "warn"),
    }
    for name, said in {
        "new": "is not trusted, not allowed yet, run in a sandbox: ",
        "known": f"is trusted, run in a sandbox: {sys.executable}",
        "other": "started or reached otherwise than when you allowed it",
        "missing": "there is no program 'no-such-program'",
        "unused": "switched off",
        "far": "reached at https://far.example/mcp",
    }.items():
        assert said in found[name].what
    monkeypatch.setattr(programs, "probe", lambda: NO_SANDBOX)
    assert all("and refused, because no sandbox works here" in each.what for each in servers(vault)[:3])
    set_here(vault, allowMcpServers=True, requireSandbox="never")
    assert all("run without a sandbox" in each.what for each in servers(vault)[:3])


def test_a_list_of_servers_that_cannot_be_used(vault: Path, configuration: UserFolder) -> None:
    configuration.write(FILE, b"{")
    (finding,) = servers(vault)
    assert finding.level == "fail"
    assert "is no JSON: line 1" in finding.what


@pytest.mark.slow
async def test_a_bridge_that_runs_says_which_server_has_failed_and_which_tools_are_others(
    vault: Path, configuration: UserFolder, tmp_path: Path
) -> None:
    script = tmp_path / "server" / "stranger.py"
    script.parent.mkdir()
    text = STRANGER.read_text(encoding="utf-8")
    script.write_text(text, encoding="utf-8")
    members = {mode: {"command": sys.executable, "args": [str(script), mode]} for mode in ("good", "gone")}
    configuration.write(FILE, json.dumps({"mcp_servers": members}).encode())
    async with Bridge(vault), connect(vault, name="Person", role="host") as person:
        seen = await person.request("servers.test", name="good")
        await person.request("servers.trust", name="good", digest=seen["digest"])
        script.write_text(text.replace("Greets somebody.", "Greets everybody."), encoding="utf-8")
        for name in members:
            await person.request("servers.test", name=name)
        found = await asyncio.to_thread(lambda: list(running.check_bridge(vault)))
    said = [finding.what for finding in found if finding.name == "servers"]
    assert [finding.level for finding in found if finding.name == "servers"] == ["warn", "warn"]
    assert said[0] == "The descriptions of these tools of good have changed since you allowed them: greet"
    assert said[1].startswith("The server gone cannot be used")

"""Of each client that works in drafts it is said what it lacks when nobody is there."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bridge.agents.machine import this_machine
from bridge.agents.table import BY_ID
from bridge.app import Bridge
from bridge.cli.main import app
from bridge.client import connect
from bridge.client.token_storage import save_to_file, token_file
from bridge.health import unattended
from bridge.health.finding import Finding

pytestmark = pytest.mark.slow
NAME = "Night"


def found(vault: Path) -> list[Finding]:
    findings = list(unattended.check_unattended(vault))
    assert all(bool(one.remedy) is (one.level != "ok") for one in findings)
    return findings


def only(vault: Path, level: str) -> str:
    (finding,) = found(vault)
    assert finding.level == level, finding
    return finding.what


@pytest.fixture
def night(vault: Path, home: Path) -> Path:
    """A vault with a client that works in drafts and has its token in a file."""
    del home

    async def add() -> str:
        async with Bridge(vault), connect(vault, name="Ada", role="host") as host:
            token = str((await host.request("clients.add", name=NAME, drafts=True))["token"])
            await host.request("consent.allowReading", client=NAME, where=["/"])
            return token

    save_to_file(vault.resolve(), NAME, asyncio.run(add()))
    return vault


def connected(vault: Path, program: str) -> Path:
    """Connect a program as that client, and return its configuration's file."""
    result = CliRunner().invoke(app, ["install-client", program, "--client", NAME, "--yes", "--vault", str(vault)])
    assert result.exit_code == 0, result.output
    return BY_ID[program].file(this_machine())


def test_where_nobody_works_in_drafts_there_is_nothing_to_look_at(vault: Path, home: Path) -> None:
    del home
    assert only(vault, "ok") == "No client works in drafts"


def test_a_client_without_a_token_cannot_connect(night: Path) -> None:
    token_file(night.resolve(), NAME).unlink()
    assert "works in drafts and cannot connect: There is no token" in only(night, "fail")


def test_a_client_that_no_program_is_connected_as_is_named(night: Path) -> None:
    assert "no program here is connected as it" in only(night, "warn")


def test_a_token_that_is_in_the_keyring_alone_may_be_locked(night: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token_file(night.resolve(), NAME).unlink()
    monkeypatch.setattr(unattended, "find_token", lambda _vault, _name: "vb_0_1")
    assert "in the keyring, which may be locked" in found(night)[0].what


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("claude-code", "Night works in drafts, with Claude Code; its job needs `--allowedTools mcp__vault-bridge`"),
        ("opencode", "Night works in drafts, with OpenCode"),
    ],
)
def test_a_program_that_is_connected_is_well(night: Path, program: str, said: str) -> None:
    connected(night, program)
    assert only(night, "ok") == said


@pytest.mark.parametrize(
    ("program", "before", "after"),
    [
        (
            "codex",
            "[mcp_servers.vault-bridge]\n",
            '[mcp_servers.vault-bridge]\ndefault_tools_approval_mode = "approve"\n',
        ),
        ("gemini", '"vault-bridge": {', '"vault-bridge": {"trust": true,'),
    ],
)
def test_a_program_that_would_ask_in_its_own_terminal_is_named(
    night: Path, program: str, before: str, after: str
) -> None:
    file = connected(night, program)
    assert "asks in its terminal before it calls our tools" in only(night, "warn")
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")
    assert only(night, "ok").startswith("Night works in drafts, with ")


def test_a_command_that_is_gone_is_named(night: Path) -> None:
    file = connected(night, "opencode")
    entry = json.loads(file.read_text(encoding="utf-8"))
    entry["mcp"]["vault-bridge"]["command"][0] = "/nowhere/vault-bridge"
    file.write_text(json.dumps(entry), encoding="utf-8")
    assert "OpenCode cannot start /nowhere/vault-bridge for Night" in only(night, "fail")


def test_a_configuration_that_cannot_be_read_is_said(night: Path, home: Path) -> None:
    (home / ".claude.json").write_text("{", encoding="utf-8")
    assert any("cannot be understood" in one.what for one in found(night))


def test_a_program_that_does_not_start_without_a_terminal_is_said(
    night: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    connected(night, "opencode")
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho first >&2; echo 'no module named bridge' >&2; exit 3\n", encoding="utf-8")
    broken.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(broken))
    assert found(night)[0].what == "Without a terminal vault-bridge does not start: no module named bridge"


def test_a_client_that_was_not_told_what_it_may_read_is_named(night: Path) -> None:
    connected(night, "claude-code")
    assert len(found(night)) == 1

    async def ask_again() -> None:
        async with Bridge(night), connect(night, name="Ada", role="host") as host:
            await host.request("consent.allowReading", client=NAME, where=[])

    asyncio.run(ask_again())
    (warned,) = [one.what for one in found(night) if one.level == "warn"]
    assert warned == (
        f"{NAME} works in drafts, and you have not said what it may read: each note that nothing else lets it read "
        "becomes a question, also where it only writes to it"
    )

"""`vault-bridge serve`, the real program in a real terminal."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.cli import connection
from bridge.cli.family import CommandLine
from bridge.errors import AlreadyServed
from tests.patience import PATIENCE

Terminal = Callable[..., Any]


def enabled(vault: Path) -> list[str]:
    settings = json.loads((vault / ".vault-bridge" / "settings.json").read_text(encoding="utf-8"))
    return list(settings["enabledTools"])


@pytest.mark.slow
@pytest.mark.parametrize(("word", "has_patch"), [("", True), ("n", False)])
def test_a_new_vault_is_offered_its_tools_once(vault: Path, terminal: Terminal, word: str, *, has_patch: bool) -> None:
    screen = terminal("serve", "--vault", str(vault))
    screen.see("[Y/n]")
    screen.type("maybe\r")
    screen.see("[Y/n]", after="maybe")
    screen.type(f"{word}\r")
    seen = screen.see("Ctrl-C")
    assert ("apply_patch" in seen) is has_patch
    assert "ws://127.0.0.1:" in seen
    assert "vault-bridge approve --vault" in seen
    assert ("apply_patch" in enabled(vault)) is has_patch
    screen.interrupt()
    assert screen.end() == 0
    assert not (vault / ".vault-bridge" / "bridge.json").exists()
    again = terminal("serve", "--vault", str(vault))
    assert "[Y/n]" not in again.see("Ctrl-C")


@pytest.mark.slow
def test_programs_get_one_line_of_json_and_stop_it_with_a_signal(vault: Path) -> None:
    command = [sys.executable, "-m", "bridge", "serve", "--json", "--preset", "vault", "--vault", str(vault)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as server:  # noqa: S603 - ours
        assert server.stdout is not None
        ready = json.loads(server.stdout.readline())
        discovery = json.loads((vault / ".vault-bridge" / "bridge.json").read_text(encoding="utf-8"))
        assert ready == discovery | {"vault": "Vault", "tools": ready["tools"]}
        assert ready["pid"] == server.pid
        assert "apply_patch" in ready["tools"]
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE) == 0
        assert server.stdout.read() == ""


@pytest.mark.slow
def test_without_a_terminal_it_names_the_command_that_enables_the_tools(vault: Path) -> None:
    command = [sys.executable, "-m", "bridge", "serve", "--vault", str(vault)]
    with subprocess.Popen(  # noqa: S603 - ours
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        assert server.stdout.readline().startswith("Serving")
        server.send_signal(signal.SIGINT)
        assert server.wait(PATIENCE) == 0
        assert f"vault-bridge settings preset vault --vault {vault}" in server.stderr.read()


@pytest.mark.slow
def test_a_second_bridge_says_who_has_the_vault(served: Any, terminal: Terminal) -> None:
    screen = terminal("serve", "--vault", str(served.vault), columns=200)
    assert screen.end() == 1
    assert "already served by process" in screen.text()


async def test_a_command_says_that_the_bridge_of_the_vault_does_not_answer(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "PATIENCE_SECONDS", 0)
    async with Bridge(vault):
        (vault / ".vault-bridge" / "bridge.json").unlink()
        with pytest.raises(AlreadyServed, match=r"served by process \d+ .*\nIt does not answer yet\. Try again"):
            await asyncio.to_thread(CommandLine(vault).ask, "bridge.status")


@pytest.mark.slow
def test_consent_deny_refuses_also_what_was_allowed_in_advance(vault: Path, terminal: Terminal) -> None:
    (vault / ".vault-bridge").mkdir(exist_ok=True)
    allowed = '{"consentMode": {"grep": "always_allow"}}'
    (vault / ".vault-bridge" / "settings.json").write_text(allowed, encoding="utf-8")
    server = terminal("serve", "--consent", "deny", "--preset", "vault", "--vault", str(vault))
    server.see("Ctrl-C")
    call = terminal("call", "grep", "pattern=x", "--vault", str(vault))
    assert call.end() == 1
    assert "not allowed" in call.text()


@pytest.mark.slow
def test_ctrl_c_at_the_offer_serves_nothing(vault: Path, terminal: Terminal) -> None:
    screen = terminal("serve", "--vault", str(vault))
    screen.see("[Y/n]")
    screen.interrupt()
    assert screen.end() == 0
    assert not (vault / ".vault-bridge" / "bridge.json").exists()
    assert not (vault / ".vault-bridge" / "settings.json").exists()

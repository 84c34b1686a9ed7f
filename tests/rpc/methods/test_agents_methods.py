"""agents.*: what the plugin shows of the programs of this machine, and does with them."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from bridge.client import Connection, ProtocolFailure, TokenNotFound, connect, token_storage

pytestmark = pytest.mark.slow


@pytest.fixture
async def host(vault: Path, home: Path) -> AsyncIterator[Connection]:
    (home / ".claude.json").write_text('{"a": 1}\n', encoding="utf-8")
    async with Bridge(vault), connect(vault, name="Plugin", role="host") as host:
        yield host


@pytest.fixture
def real(vault: Path) -> Path:
    """The vault's real path, by which tokens are kept."""
    return vault.resolve()


async def row(host: Connection, agent: str = "claude-code") -> dict[str, Any]:
    return next(row for row in await host.request("agents.list") if row["agent"] == agent)


async def test_a_program_is_connected_as_it_was_shown_and_disconnected_again(
    host: Connection, home: Path, vault: Path, real: Path
) -> None:
    file = home / ".claude.json"
    assert await row(host) == {
        "agent": "claude-code",
        "title": "Claude Code",
        "file": str(file),
        "here": True,
        "client": None,
        "fault": None,
    }
    shown = await host.request("agents.preview", agent="claude-code")
    assert '+{"a": 1, "mcpServers": {"vault-bridge":' in shown["files"][0]["diff"]
    done = await host.request("agents.connect", agent="claude-code", digest=shown["digest"])
    assert done["addedClient"]
    assert json.loads(file.read_text("utf-8"))["mcpServers"]["vault-bridge"]["args"][-1] == "Claude Code"
    assert (await row(host))["client"] == "Claude Code"
    async with connect(vault, name="x", client="Claude Code") as agent:
        assert (await agent.request("session.info"))["client"] == "Claude Code"
    left = await host.request("agents.preview", agent="claude-code", remove=True)
    assert (await host.request("agents.disconnect", agent="claude-code", digest=left["digest"]))["revokedClient"]
    assert file.read_text("utf-8") == '{"a": 1}\n'
    assert await host.request("clients.list") == []
    with pytest.raises(TokenNotFound):
        token_storage.find_token(real, "Claude Code")


async def test_what_was_not_shown_is_not_done(host: Connection, home: Path) -> None:
    shown = await host.request("agents.preview", agent="claude-code")
    (home / ".claude.json").write_text('{"a": 2}\n', encoding="utf-8")
    with pytest.raises(ProtocolFailure, match="has changed since it was shown"):
        await host.request("agents.connect", agent="claude-code", digest=shown["digest"])
    assert await host.request("clients.list") == []


async def test_a_mistake_in_a_configuration_is_said_with_its_place(host: Connection, home: Path) -> None:
    (home / ".claude.json").write_text('{"a": }', encoding="utf-8")
    assert "line 1, column 7" in (await row(host))["fault"]
    with pytest.raises(ProtocolFailure, match="line 1, column 7"):
        await host.request("agents.preview", agent="claude-code")
    with pytest.raises(ProtocolFailure, match="no program 'emacs'"):
        await host.request("agents.preview", agent="emacs")


async def test_no_agent_reaches_them(host: Connection, vault: Path, real: Path) -> None:
    added = await host.request("clients.add", name="Robot")
    token_storage.save_to_file(real, "Robot", added["token"])
    async with connect(vault, name="x", client="Robot") as agent:
        for method, params in (
            ("agents.list", {}),
            ("agents.preview", {"agent": "cursor"}),
            ("agents.connect", {"agent": "cursor", "digest": ""}),
            ("agents.disconnect", {"agent": "cursor", "digest": ""}),
        ):
            with pytest.raises(ProtocolFailure, match="Forbidden"):
                await agent.request(method, **params)

"""Other people's clients, as they are published: the TypeScript SDK's two lines, and the Inspector's command line."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.client import find_vault
from bridge.client.token_storage import save_to_file
from tests.mcp.clients import node
from tests.mcp.doors import Door, open_door

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

WAYS = ("stdio", "http")


@pytest.fixture
async def door(vault: Path) -> AsyncIterator[Door]:
    await asyncio.to_thread(node.clients)
    async with open_door(vault) as door:
        save_to_file(find_vault(vault), "Robot", door.token("Robot"))
        door.person.answer = "allow_once"
        yield door


async def printed(*command: str) -> Any:
    """What a program prints as JSON."""
    done = await asyncio.to_thread(node.run, *command)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ours(door: Door) -> list[str]:
    """The command that a client starts."""
    return [sys.executable, "-m", "bridge", "mcp", "--vault", str(door.vault), "--client", "Robot"]


def target(door: Door, way: str) -> list[str]:
    """What a script of ours is given to connect to."""
    return ours(door) if way == "stdio" else [door.url, door.token("Robot")]


def check(seen: Any) -> None:
    assert {"read", "grep", "apply_patch"} <= set(seen["tools"])
    assert seen["result"]["content"][0]["text"].startswith("# Ideas")
    assert seen["result"]["structuredContent"]["path"] == "Ideas.md"
    assert seen["prompts"] >= 3


@pytest.mark.parametrize("way", WAYS)
async def test_the_typescript_sdks_first_line(door: Door, way: str) -> None:
    check(await printed(*node.script("sdk_one.mjs"), *target(door, way)))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_typescript_sdks_second_line(door: Door, way: str, mode: str) -> None:
    check(await printed(*node.script("sdk_two.mjs"), mode, *target(door, way)))


@pytest.mark.parametrize("way", WAYS)
async def test_the_inspectors_command_line(door: Door, way: str) -> None:
    inspector = [*node.program("mcp-inspector"), "--cli"]
    if way == "stdio":
        passed_on = [name for name in os.environ if name.startswith(("VAULT_BRIDGE_", "PYTHON"))]
        to = [*ours(door), *(part for name in passed_on for part in ("-e", f"{name}={os.environ[name]}"))]
    else:
        to = [door.url, "--transport", "http", "--header", f"Authorization: Bearer {door.token('Robot')}"]
    tools = await printed(*inspector, *to, "--method", "tools/list")
    assert {"read", "grep"} <= {tool["name"] for tool in tools["tools"]}
    read = ["--method", "tools/call", "--tool-name", "read", "--tool-arg", "path=Ideas.md"]
    result = await printed(*inspector, *to, *read)
    assert result["content"][0]["text"].startswith("# Ideas")

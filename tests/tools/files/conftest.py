"""The file tools in a whole pipeline, over a small vault: in a folder and in memory, or in a folder alone."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bridge.client.connection import Result
from bridge.contract.tools import ToolResult
from bridge.testing import Sandbox, sandbox


@pytest.fixture(params=["folder", "memory"])
async def any_vault(request: pytest.FixtureRequest, vault: Path) -> AsyncIterator[Sandbox]:
    """A vault to call tools in. Every test that asks for it runs with both storages."""
    if request.param == "folder":
        async with sandbox(folder=vault) as made:
            yield made
        return
    async with sandbox(files_of(vault), memory=True) as made:
        yield made


@pytest.fixture
async def disk_vault(vault: Path) -> AsyncIterator[Sandbox]:
    """The same in a folder alone: for what only a disk has, such as links, modes and times, and for text search."""
    async with sandbox(folder=vault) as made:
        yield made


async def text_of(vault: Sandbox, tool: str, /, **arguments: Any) -> str:
    """What a model reads of a call, of a success or a failure."""
    return said(await vault.call(tool, **arguments))


def said(result: ToolResult | Result) -> str:
    """What a result says, but for the name of the change, which is another each time."""
    return result.text.removesuffix(f" ({result.execution_id})")


def files_of(folder: Path) -> dict[str, bytes]:
    """What every file below a folder holds."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

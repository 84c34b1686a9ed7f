"""The process that an MCP client starts: it speaks with its client, and uses the bridge of the vault."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from pydantic import BaseModel

from bridge import __version__
from bridge.cli.attached import AttachedBridge
from bridge.cli.mcp import load
from bridge.cli.stopping import TERMINATION, on_signals
from bridge.errors import BridgeError
from bridge.leaving_out import put_in_place

MODULES: Final = ("bridge.mcp.pipe", "bridge.mcp.server", "bridge.cli.standard_streams")
"""The modules that speak MCP, with its library."""
BARE: Final = ("mcp", "mcp.server")
"""Packages of that library of which only single modules are wanted: they import clients and servers for the network."""
UNUSED: Final = (
    *("starlette.applications", "starlette.middleware", "starlette.middleware.authentication", "starlette.routing"),
    *("mcp.server.auth.middleware.auth_context", "mcp.server.auth.middleware.bearer_auth", "mcp.server.auth.provider"),
    *("mcp.server.auth.routes", "mcp.server.auth.settings", "mcp.server.streamable_http"),
    *("mcp.server.streamable_http_manager", "mcp.server.transport_security"),
)
"""Modules for the network that its server imports and a pipe does not use. They take 5 MB of each such process."""
PARENT_SECONDS: Final = 2.0
"""The interval of checks whether the program that started us still runs."""


def speak(folder: Path, client: str) -> None:
    """Speak with the client until its side of the pipe closes.

    Args:
        folder: The vault.
        client: As which client.
    """
    asyncio.run(_serve(folder, client))


def _bare(package: str) -> None:
    """Have a package's modules imported without what it imports itself: that takes 14 MB, and no part of it is used."""
    spec = None if package in sys.modules else find_spec(package)
    if spec is not None:
        sys.modules[package] = module_from_spec(spec)


class _Names(ModuleType):
    """A module that is only imported from: whatever is taken from it is never used."""

    def __getattr__(self, name: str) -> type[object]:
        if name.startswith("__"):
            raise AttributeError(name)
        return object


async def _serve(folder: Path, client: str) -> None:
    stopped = asyncio.Event()
    with on_signals(stopped.set, "SIGINT", *TERMINATION):
        async with _attached(folder, client) as bridge:
            serving = asyncio.create_task(_speak(bridge))
            ending = [asyncio.create_task(stopped.wait()), asyncio.create_task(_parent_gone())]
            await asyncio.wait([serving, *ending], return_when=asyncio.FIRST_COMPLETED)
            for task in (serving, *ending):
                task.cancel()
            await asyncio.wait([serving, *ending])
    failure = None if serving.cancelled() else serving.exception()
    if failure is not None:
        raise failure
    sys.stderr.flush()
    os._exit(0)  # a thread may be waiting for a pipe, which no other way of ending would end


@contextlib.asynccontextmanager
async def _attached(folder: Path, client: str) -> AsyncIterator[AttachedBridge]:
    """Provide the bridge; it is looked for, or started, when it is first asked something."""
    bridge = AttachedBridge(folder, client)

    try:
        yield bridge
    finally:
        await bridge.close()


async def _speak(bridge: AttachedBridge) -> None:
    pipe, server, streams = await asyncio.to_thread(_load)
    # Not before: a bridge that starts meanwhile would take the processor time that the first answer needs.
    finding = asyncio.create_task(_find(bridge))
    try:
        async with streams.open_stdio() as (incoming, outgoing):
            await pipe.serve_pipe(server.VaultServer(bridge, __version__), incoming, outgoing)
    finally:
        finding.cancel()


async def _find(bridge: AttachedBridge) -> None:
    """Look for the bridge, or start one, before anything is asked of it."""
    with contextlib.suppress(BridgeError):  # whoever asks something will hear of it
        await bridge.request("ping")


def _load() -> list[Any]:
    """Load what speaks MCP. Of the messages that its library knows, few are ever sent or read: those are made ready."""
    for package in BARE:
        _bare(package)
    BaseModel.model_config["defer_build"] = True
    try:
        with put_in_place({module: _Names(module) for module in UNUSED if module not in sys.modules}):
            return load(*MODULES)
    finally:
        del BaseModel.model_config["defer_build"]


async def _parent_gone() -> None:
    """Return when the program that started us has ended. A pipe that somebody else holds open would not tell."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - nothing tells of it. On Windows it never changes
        await asyncio.sleep(PARENT_SECONDS)

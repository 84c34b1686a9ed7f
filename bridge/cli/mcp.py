"""`vault-bridge mcp`: the Model Context Protocol on standard input and output, for the agents people have."""

import asyncio
import contextlib
import gc
import os
import sys
from collections.abc import AsyncIterator
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from bridge import __version__
from bridge.cli.attached import AttachedBridge
from bridge.cli.options import Vault
from bridge.cli.stopping import TERMINATION, on_signals
from bridge.client import find_vault
from bridge.client.token_storage import find_token
from bridge.errors import BridgeError

MODULES: Final = ("bridge.mcp.pipe", "bridge.mcp.server", "bridge.cli.standard_streams")
"""What speaks MCP, with its library."""
BARE: Final = ("mcp", "mcp.server")
"""Packages of that library of which only single modules are wanted: they import clients and servers for the network."""
PARENT_SECONDS: Final = 2.0
"""How often it is looked whether the program that started us is still there."""


def mcp(
    client: Annotated[
        str,
        typer.Option(metavar="NAME", help="As this client (`vault-bridge clients add NAME --save`)."),
    ],
    vault: Vault = None,
) -> None:
    """Speak the Model Context Protocol (MCP) on standard input and output.

    This is the command that an MCP client starts. It uses the bridge that serves the vault. If there is none, it starts
    one, which ends a few seconds after its last client. It ends itself when standard input closes.

    Examples:
      vault-bridge install-client claude-code           does all of it
      vault-bridge clients add "Claude Code" --save     or by hand: a token of its own, and then
      vault-bridge mcp --vault ~/Notes --client "Claude Code"     what the program starts
    """
    folder = find_vault(vault)
    find_token(folder, client)  # says at once what is missing
    if sys.stdin.isatty():
        typer.echo("An MCP client starts this command and speaks with it. End it with Ctrl-D.", err=True)
    for package in BARE:
        _bare(package)
    asyncio.run(_serve(folder, client))


def _bare(package: str) -> None:
    """Have a package's modules imported without what it imports itself: that takes 14 MB, and no part of it is used."""
    spec = None if package in sys.modules else find_spec(package)
    if spec is not None:
        sys.modules[package] = module_from_spec(spec)


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
    pipe, server, streams = await asyncio.to_thread(_load, *MODULES)
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


def _load(*names: str) -> list[Any]:
    """Modules that take most of a second to load."""
    gc.disable()  # what imports make is no garbage
    try:
        return [import_module(name) for name in names]
    finally:
        gc.freeze()
        gc.enable()


async def _parent_gone() -> None:
    """Return when the program that started us has ended. A pipe that somebody else holds open would not tell."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - nothing tells of it. On Windows it never changes
        await asyncio.sleep(PARENT_SECONDS)

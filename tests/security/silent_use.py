"""A vault is served and used in every way that needs no network, and what was heard of it is written as JSON.

`python -m tests.security.silent_use VAULT SECONDS [proxied]` in a room of `tests/listening_room.py`.
"""

import asyncio
import contextlib
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from bridge.client import BridgeNotRunning, ProtocolFailure, connect, find_endpoint
from bridge.rpc.methods import METHODS
from tests.listening_room import ANSWER, Listener, listen
from tests.patience import PATIENCE
from tests.people import Person, add_client, person_at
from tests.security.test_anonymous_log import CALLS, THE_PERSONS

LOOK_SECONDS: Final = 0.2
PROXY: Final = "198.18.0.2:3128"
_VARIABLES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "WS_PROXY", "WSS_PROXY")
_OFF: Final = {"web_fetch", "web_search"}
_DONE: Final = {"ready", "missing"}
_OTHERS: Final = {"chat.models", "keys.rotate"}
"""Using the chat is not what is tried here; the others end what is tried."""
_COMMANDS: Final = (
    *(["status"], ["doctor"], ["stats"], ["log"], ["history"], ["tools"], ["settings", "get"], ["clients", "list"]),
    *(
        ["policy", "grants"],
        ["web", "cache"],
        ["web", "readers"],
        ["servers", "list"],
        ["custom", "list"],
        ["keys", "status"],
    ),
    *(["drafts"], ["templates"], ["approve"], ["call", "search", "query=what is tea"], ["undo"]),
)


async def main(vault: Path, seconds: float, *, proxied: bool) -> None:
    """Use the vault for so many seconds."""
    listener = listen()
    proved = prove(listener)
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    if proxied:
        names = [name for each in _VARIABLES for name in (each, each.lower())]
        os.environ |= dict.fromkeys(names, f"http://{PROXY}")
        os.environ["NO_PROXY"] = os.environ["no_proxy"] = ""
    async with _served(vault), person_at(vault) as person:
        answered = await _use(vault, person)
        while (meaning := (await person.host.request("vault.status"))["semantic"])["state"] not in _DONE:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_SECONDS)
        await asyncio.sleep(max(0.0, end - loop.time()))
        own = {urlsplit(find_endpoint(vault).url).port or 0}
    told = {**proved, "heard": listener.unexpected(own), "answered": answered, "meaning": meaning}
    sys.stdout.write(json.dumps(told))


def prove(listener: Listener) -> dict[str, Any]:
    """Look a name up and open a connection, which the listener must hear; then it forgets them."""
    found = socket.getaddrinfo("does-anybody-listen.example", 443, type=socket.SOCK_STREAM)
    for address in (ANSWER, "192.0.2.1", "10.1.2.3", "::ffff:203.0.113.5"):
        with contextlib.suppress(OSError):
            socket.create_connection((address, 443), PATIENCE).close()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagram:
        datagram.sendto(b"x", ("192.0.2.9", 9))
    while not any(kind == "datagram" for kind, _where in listener.heard):
        pass
    heard, listener.heard = listener.heard, []
    return {"resolved": found[0][4][0], "proved": heard}


@asynccontextmanager
async def _served(vault: Path) -> AsyncIterator[None]:
    """`vault-bridge serve`, until the end."""
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "bridge", "serve", "--vault", str(vault)],
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    find_endpoint(vault)
                    break
                except BridgeNotRunning:
                    await asyncio.sleep(0.1)
        yield
    finally:
        process.terminate()
        await process.wait()


async def _use(vault: Path, person: Person) -> dict[str, bool]:
    """Call everything once; returns which tools did as they were told."""
    person.answer = "allow_once"
    tools = sorted({tool for tool, _arguments in CALLS if tool.isidentifier()} - _OFF - THE_PERSONS)
    limits = {"globalRateLimit": 1000, "rateLimits": dict.fromkeys(tools, 1000)}
    patch = {"enabledTools": tools, "semanticSearch": "on", **limits}
    await person.host.request("settings.update", patch=patch)
    answered: dict[str, bool] = {}
    async with connect(vault, name="Robot") as agent:
        for tool, arguments in CALLS:
            caller = person.host if tool in THE_PERSONS else agent
            answer = await caller.request("tools.call", name=tool, arguments=arguments)
            answered[tool] = answered.get(tool, False) or answer["success"]
    for method in METHODS.values():
        if method.name not in _OTHERS:
            with contextlib.suppress(ProtocolFailure, TimeoutError):
                async with asyncio.timeout(10):
                    await person.host.request(method.name)
    with contextlib.suppress(ProtocolFailure):
        await add_client(person, vault, "Robot")
    for command in _COMMANDS:
        await _run(*command, "--vault", str(vault))
    await _speak_mcp(vault)
    return answered


async def _run(*arguments: str) -> None:
    """A command, without a terminal, for a while."""
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "bridge", *arguments],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(10):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


async def _speak_mcp(vault: Path) -> None:
    """`vault-bridge mcp`: what programs ask at their start, and a call."""
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "bridge", "mcp", "--vault", str(vault), "--client", "Robot"],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=1 << 24,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": info},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "what is tea"}}},
    ]
    try:
        async with asyncio.timeout(PATIENCE):
            for each in asked:
                process.stdin.write(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n")
                while "id" in each and json.loads(await process.stdout.readline()).get("id") != each["id"]:
                    pass
    finally:
        process.stdin.close()
        await process.wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), float(sys.argv[2]), proxied="proxied" in sys.argv[3:]))

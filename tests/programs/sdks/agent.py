"""An agent that is written with one of the SDKs: it does what each line of its input says, and prints what it sees.

`python agent.py SDK COMMAND [ARGUMENT...]` connects by a pipe, `python agent.py SDK URL TOKEN` by HTTP. Nothing of
Vault Bridge is imported.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

LONG = 120
"""Seconds that a call may take where an SDK waits less by itself."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where to connect: a command and its arguments, or an address and a token."""

    words: tuple[str, ...]

    @property
    def url(self) -> str | None:
        """The address."""
        return self.words[0] if self.words[0].startswith("http") else None

    @property
    def headers(self) -> dict[str, str]:
        """What says who asks."""
        return {"Authorization": f"Bearer {self.words[1]}"}

    @property
    def command(self) -> dict[str, Any]:
        """The command, as most SDKs take it."""
        return {"command": self.words[0], "args": list(self.words[1:])}


@dataclass(frozen=True, slots=True)
class Agent:
    """What an agent does with a server."""

    tools: Callable[[], Awaitable[list[str]]]
    call: Callable[[str, dict[str, Any]], Awaitable[Any]]


def say(**said: Any) -> None:
    """Print one line."""
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


async def hear(*_progress: Any, **_more: Any) -> None:
    """Say that a call is still waiting."""
    say(progress=True)


def text_of(result: Any) -> str:
    """Return the texts of a result."""
    return "\n".join(part.text for part in result.content if hasattr(part, "text"))


@asynccontextmanager
async def mcp(target: Target) -> AsyncIterator[Agent]:
    """Use the SDK of the protocol, in either of its lines."""
    from mcp import StdioServerParameters, stdio_client

    if not hasattr(sys.modules["mcp"], "Client"):
        async with _mcp_one(target, StdioServerParameters, stdio_client) as agent:
            yield agent
        return
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers=target.headers if target.url else {}, timeout=LONG) as http:
        transport = (
            streamable_http_client(target.url, http_client=http)
            if target.url
            else stdio_client(StdioServerParameters(**target.command))
        )
        async with Client(transport) as client:

            async def tools() -> list[str]:
                return [tool.name for tool in (await client.list_tools()).tools]

            async def call(name: str, arguments: dict[str, Any]) -> str:
                return text_of(await client.call_tool(name, arguments, progress_callback=hear))

            yield Agent(tools, call)


@asynccontextmanager
async def _mcp_one(target: Target, parameters: Any, stdio: Any) -> AsyncIterator[Agent]:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client  # type: ignore[attr-defined] # the first line's

    opened = (
        streamablehttp_client(target.url, headers=target.headers) if target.url else stdio(parameters(**target.command))
    )
    async with opened as (read, write, *_more), ClientSession(read, write) as session:
        await session.initialize()

        async def tools() -> list[str]:
            return [tool.name for tool in (await session.list_tools()).tools]

        async def call(name: str, arguments: dict[str, Any]) -> str:
            return text_of(await session.call_tool(name, arguments, progress_callback=hear))

        yield Agent(tools, call)


def _fastmcp_transport(target: Target) -> Any:
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    if target.url:
        return StreamableHttpTransport(target.url, headers=target.headers)
    return StdioTransport(**target.command)


@asynccontextmanager
async def fastmcp(target: Target) -> AsyncIterator[Agent]:
    """Use FastMCP's client."""
    from fastmcp import Client

    async with Client(_fastmcp_transport(target), progress_handler=hear) as client:

        async def tools() -> list[str]:
            return [tool.name for tool in await client.list_tools()]

        async def call(name: str, arguments: dict[str, Any]) -> str:
            return text_of(await client.call_tool(name, arguments, raise_on_error=False))

        yield Agent(tools, call)


@asynccontextmanager
async def pydantic_ai(target: Target) -> AsyncIterator[Agent]:
    """Use the toolset of Pydantic AI."""
    from pydantic_ai.mcp import MCPToolset

    async with MCPToolset(_fastmcp_transport(target), progress_handler=hear, init_timeout=LONG) as toolset:

        async def tools() -> list[str]:
            return [tool.name for tool in await toolset.list_tools()]

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            return await toolset.direct_call_tool(name, arguments)

        yield Agent(tools, call)


@asynccontextmanager
async def langchain(target: Target) -> AsyncIterator[Agent]:
    """Use LangChain's tools."""
    from langchain_mcp_adapters.callbacks import Callbacks
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_mcp_adapters.tools import load_mcp_tools

    connection = (
        {"transport": "streamable_http", "url": target.url, "headers": target.headers}
        if target.url
        else {"transport": "stdio", **target.command}
    )
    callbacks = Callbacks(on_progress=hear)
    async with MultiServerMCPClient({"vault": connection}).session("vault") as session:
        loaded = {tool.name: tool for tool in await load_mcp_tools(session, callbacks=callbacks)}

        async def tools() -> list[str]:
            return list(loaded)

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            return await loaded[name].ainvoke(arguments)

        yield Agent(tools, call)


@asynccontextmanager
async def openai_agents(target: Target) -> AsyncIterator[Agent]:
    """Use the servers of the OpenAI Agents SDK, which wait five seconds unless they are told otherwise."""
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp

    server = (
        MCPServerStreamableHttp({"url": target.url, "headers": target.headers}, client_session_timeout_seconds=LONG)
        if target.url
        else MCPServerStdio(target.command, client_session_timeout_seconds=LONG)
    )
    async with server:

        async def tools() -> list[str]:
            return [tool.name for tool in await server.list_tools()]

        async def call(name: str, arguments: dict[str, Any]) -> str:
            return text_of(await server.call_tool(name, arguments))

        yield Agent(tools, call)


SDKS = {
    "mcp": mcp,
    "fastmcp": fastmcp,
    "pydantic-ai": pydantic_ai,
    "langchain": langchain,
    "openai-agents": openai_agents,
}


async def work(agent: Agent) -> None:
    """Do what the lines say; one call may be on its way while the next line is read."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    task: asyncio.Task[None] | None = None

    async def call(name: str, arguments: dict[str, Any]) -> None:
        try:
            said = await agent.call(name, arguments)
            say(text=said if isinstance(said, str) else json.dumps(said, default=str))
        except Exception as error:  # noqa: BLE001 - whatever an SDK raises is said
            say(failed=f"{type(error).__name__}: {error}")

    while line := await reader.readline():
        asked = json.loads(line)
        if asked["do"] == "list":
            say(tools=await agent.tools())
        elif asked["do"] == "call":
            task = asyncio.create_task(call(asked["tool"], asked["arguments"]))
        elif task is not None:
            task.cancel()
            await asyncio.wait([task])
            say(cancelled=True)


async def main() -> None:
    """Connect, and work until the input ends."""
    async with SDKS[sys.argv[1]](Target(tuple(sys.argv[2:]))) as agent:
        await work(agent)


asyncio.run(main())

"""A server of ours that speaks Ollama's API over real sockets; what its models say is scripted.

A script is a list of replies, one for each request to `/api/chat`. A reply is a list of steps: an object is sent as one
line, bytes are sent as they are, an event is waited for, and `CUT` closes the connection in the middle.
"""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from tests.patience import PATIENCE

CUT = object()
"""The connection breaks here."""

Step = dict[str, Any] | bytes | asyncio.Event | object
ScriptedReply = Sequence[Step]
Script = Sequence[ScriptedReply] | Callable[[dict[str, Any]], ScriptedReply]


def say(text: str = "", *, thinking: str = "", calls: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """A piece of a reply."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if thinking:
        message["thinking"] = thinking
    if calls:
        message["tool_calls"] = list(calls)
    return {"model": "scripted", "created_at": "2025-01-01T00:00:00Z", "message": message, "done": False}


def use(name: str, /, **arguments: Any) -> dict[str, Any]:
    """A call, as the API has it."""
    return {"id": f"call_{next(_NUMBERS)}", "function": {"index": 0, "name": name, "arguments": arguments}}


_NUMBERS = itertools.count(100)

END: dict[str, Any] = {
    "model": "scripted",
    "message": {"role": "assistant", "content": ""},
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 100,
    "eval_count": 10,
}


def tells(text: str) -> ScriptedReply:
    """A reply that is one text."""
    return [say(text), END]


def calls(*wanted: dict[str, Any]) -> ScriptedReply:
    """A reply that asks for calls."""
    return [say(calls=wanted), END]


@dataclass
class OllamaStandIn:
    """The server.

    Attributes:
        script: What the model says.
        asked: The bodies of the requests to `/api/chat`.
        facts: What else it says of its models.
        gone: Set when a client has closed its connection before its reply was over.
    """

    script: Script = ()
    capabilities: Sequence[str] | None = ("completion", "tools", "thinking")
    context: int = 131_072
    models: Sequence[str] = ("scripted",)
    status: int = 200
    refusal: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    says_no_tools: bool = False
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    @contextlib.asynccontextmanager
    async def serve(self) -> AsyncIterator["OllamaStandIn"]:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._handle(reader, writer)
            writer.close()

        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()

    async def until_asked(self, count: int) -> None:
        """Wait until so many replies were asked for."""
        async with asyncio.timeout(PATIENCE):
            while len(self.asked) < count:
                self.news.clear()
                await self.news.wait()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = head[0].split(" ")[1]
        headers = {key.lower(): value for key, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.paths.append(path)
        self.headers.append(headers)
        if path == "/api/tags":
            await self._answer(writer, {"models": [{"name": name, "model": name, "size": 5} for name in self.models]})
        elif path == "/api/show":
            await self._show(writer, orjson.loads(body)["model"])
        else:
            asked = orjson.loads(body)
            self.asked.append(asked)
            self.news.set()
            if self.says_no_tools and asked.get("tools"):
                text = f"registry.ollama.ai/library/{asked['model']} does not support tools"
                await self._answer(writer, {"error": text}, "400 Bad Request")
            elif self.status != 200:
                await self._answer(writer, {"error": self.refusal} if self.refusal else {}, f"{self.status} Refused")
            else:
                await self._reply(reader, writer, self._next(asked))

    def _next(self, asked: dict[str, Any]) -> ScriptedReply:
        if callable(self.script):
            return self.script(asked)
        at = len(self.asked) - 1
        return self.script[at] if at < len(self.script) else tells("The script is over.")

    async def _show(self, writer: asyncio.StreamWriter, model: str) -> None:
        if model not in self.models:
            await self._answer(writer, {"error": f"model '{model}' not found"}, "404 Not Found")
            return
        facts: dict[str, Any] = {
            "model_info": {"general.architecture": "test", "test.context_length": self.context},
            "details": {"family": "test"},
            **self.facts,
        }
        if self.capabilities is not None:
            facts["capabilities"] = list(self.capabilities)
        await self._answer(writer, facts)

    async def _answer(self, writer: asyncio.StreamWriter, value: Any, status: str = "200 OK") -> None:
        body = orjson.dumps(value)
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()

    async def _reply(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: ScriptedReply) -> None:
        """Send a reply in chunks; notice when nobody listens any more."""
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n")
        leaving = asyncio.create_task(reader.read(1))
        try:
            for step in reply:
                if step is CUT:
                    writer.transport.abort()
                    return
                if isinstance(step, asyncio.Event):
                    waiting = asyncio.create_task(step.wait())
                    await asyncio.wait({waiting, leaving}, return_when=asyncio.FIRST_COMPLETED)
                    waiting.cancel()
                    if leaving.done():
                        self.gone.set()
                        return
                    continue
                data = step if isinstance(step, bytes) else orjson.dumps(step) + b"\n"
                writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                await writer.drain()
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        finally:
            leaving.cancel()

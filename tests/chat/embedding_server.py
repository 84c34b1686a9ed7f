"""A server of ours that embeds texts as Ollama's documentation describes it, over real sockets."""

import asyncio
import contextlib
import hashlib
import math
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.patience import PATIENCE

WORD = re.compile(r"\w+")
SAME = {"appliance": "machine", "leaking": "drips", "laundry": "washing", "bathroom": "drum"}
"""Words that mean the same to the model."""

Fault = Callable[[dict[str, Any]], web.StreamResponse | None]


def refused(status: int, error: str) -> Fault:
    """Every request is answered so."""
    return lambda _asked: web.json_response({"error": error}, status=status)


def raw(body: bytes) -> Fault:
    """Every request for vectors is answered with these bytes."""
    return lambda _asked: web.Response(body=body, content_type="application/json")


@dataclass
class Embedding:
    """The server.

    Attributes:
        models: The models by name, with the length of their vectors.
        digests: The versions of those.
        remote: Those that somebody else runs.
        fault: What is wrong, if anything.
        asked: The bodies of the requests for vectors.
        hold: While it is not set, requests for vectors wait.
        waiting: Set when one does.
        headers: Those of the last request.
    """

    models: dict[str, int] = field(default_factory=lambda: {"words:latest": 32})
    digests: dict[str, str] = field(default_factory=dict)
    remote: set[str] = field(default_factory=set)
    fault: Fault | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    hold: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    headers: dict[str, str] = field(default_factory=dict)
    url: str = ""

    @property
    def texts(self) -> list[str]:
        """Everything that it was sent."""
        return [text for asked in self.asked for text in asked["input"]]

    @contextlib.asynccontextmanager
    async def serve(self, port: int = 0) -> AsyncIterator["Embedding"]:
        self.hold.set()
        app = web.Application()
        app.router.add_get("/api/tags", self._tags)
        app.router.add_post("/api/embed", self._embed)
        runner = web.AppRunner(app, shutdown_timeout=0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            self.hold.set()
            await runner.cleanup()

    async def _tags(self, _request: web.Request) -> web.Response:
        listed: list[dict[str, Any]] = []
        for name in self.models:
            one = {"name": name, "model": name, "size": 5, "digest": self.digests.get(name, "sha256:" + "a" * 64)}
            listed.append(one | ({"remote_host": "https://ollama.com"} if name in self.remote else {}))
        return web.json_response({"models": listed})

    async def _embed(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        self.headers = dict(request.headers)
        self.asked.append(asked)
        self.waiting.set()
        async with asyncio.timeout(PATIENCE):
            await self.hold.wait()
        if self.fault is not None and (answer := self.fault(asked)) is not None:
            return answer
        name = asked["model"] if asked["model"] in self.models else f"{asked['model']}:latest"
        if name not in self.models:
            return web.json_response({"error": f'model "{asked["model"]}" not found, try pulling it first'}, status=404)
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        vectors = [embedded(text, self.models[name]) for text in texts]
        return web.json_response(
            {"model": asked["model"], "embeddings": vectors, "total_duration": 1, "prompt_eval_count": 1}
        )


def embedded(text: str, dimensions: int) -> list[float]:
    """The mean of its words' directions, with the length 1: texts are alike that share words."""
    total = [0.0] * dimensions
    for word in WORD.findall(text.lower()) or ["?"]:
        digest = hashlib.shake_256(SAME.get(word, word).encode()).digest(dimensions)
        total = [number + (byte - 127.5) for number, byte in zip(total, digest, strict=True)]
    length = math.sqrt(sum(number * number for number in total)) or 1.0
    return [number / length for number in total]

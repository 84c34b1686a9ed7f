"""A model on this machine that says what a test has written down, whichever API it is asked in."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from aiohttp import web

from tests.patience import PATIENCE
from tests.programs.apis import APIS, Api
from tests.programs.conversation import Said, Step, Turn

EARLY: Final = "Some MCP servers are still connecting"
"""What Claude Code answers to a search before the tools are there, and that one should search again."""


class ScriptedModel:
    """Plays a list of steps: one for each time that it has been given the answers to its calls.

    Attributes:
        turns: The requests of conversations, in the order in which they came. Those without tools (a title for the
            conversation, say) are not among them.
        url: Where it listens.
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.url = ""
        self._steps: tuple[Step, ...] = ()
        self._early: set[int] = set()
        self._news = asyncio.Event()

    def play(self, *steps: Step) -> None:
        """Begin anew, with these steps."""
        self._steps = steps
        self._early.clear()
        self.turns.clear()

    async def until_turn(self, number: int, waits: float) -> Turn:
        """Wait for the request that comes after so many turns with calls, which take so many seconds by themselves."""
        async with asyncio.timeout(PATIENCE + waits):
            while (turn := next((one for one in self.turns if one.number == number), None)) is None:
                self._news.clear()
                await self._news.wait()
        return turn

    async def respond(self, request: web.Request) -> web.StreamResponse:
        """Answer a request."""
        api = next((one for one in APIS if request.path.endswith(one.path)), None)
        if api is None or request.method != "POST":
            return web.json_response({"data": [], "models": [], "object": "list", "input_tokens": 1, "totalTokens": 1})
        body = await request.json()
        turn = self._numbered(api.turn(body))
        said = await self._say(turn)
        whole, events = api.answer(turn, said)
        if body.get("stream") or "stream" in request.path:
            return await self._stream(request, api, events)
        return web.json_response(whole)

    def _numbered(self, turn: Turn) -> Turn:
        """A turn whose search came too early, as it was told, is the turn before once more: the search is repeated."""
        if any(EARLY in answer.text for answer in turn.answers):
            self._early.add(turn.number)
        return replace(turn, number=turn.number - sum(early <= turn.number for early in self._early))

    async def _say(self, turn: Turn) -> Said:
        if not turn.offered:
            wants = turn.body.get("generationConfig", {}).get("responseMimeType")
            return "{}" if wants == "application/json" else "Notes"
        self.turns.append(turn)
        self._news.set()
        if turn.number >= len(self._steps):
            return "That was all."
        step = self._steps[turn.number]
        return await step(turn) if callable(step) else step

    async def _stream(self, request: web.Request, api: Api, events: list[dict[str, Any]]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events:
            named = f"event: {event['type']}\n" if api.names_events else ""
            await response.write(f"{named}data: {json.dumps(event)}\n\n".encode())
        if api.path.endswith("completions"):
            await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response


@asynccontextmanager
async def scripted_model() -> AsyncIterator[ScriptedModel]:
    """A model that listens, on a port that is free."""
    model = ScriptedModel()
    application = web.Application(client_max_size=1 << 26)
    application.router.add_route("*", "/{path:.*}", model.respond)
    runner = web.AppRunner(application)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        model.url = f"http://{host}:{port}"
        yield model
    finally:
        await runner.cleanup()

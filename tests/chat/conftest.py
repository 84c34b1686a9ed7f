"""A vault that is served, a person at it, and a model that says what it is told to."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bridge.app import Bridge
from tests.chat.ollama_server import OllamaStandIn
from tests.patience import PATIENCE
from tests.people import Person, person_at


@dataclass
class Talk:
    """A person who talks with a model, over the bridge's own socket."""

    vault: Path
    bridge: Bridge
    person: Person
    ollama: OllamaStandIn
    deltas: list[dict[str, Any]] = field(default_factory=list)
    tools: list[dict[str, Any]] = field(default_factory=list)
    done: list[dict[str, Any]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def listen(self) -> None:
        for name, kept in (("chat.delta", self.deltas), ("chat.tool", self.tools), ("chat.done", self.done)):
            self.person.host.on(name, self._keep(kept))

    def _keep(self, kept: list[dict[str, Any]]) -> Callable[[dict[str, Any]], None]:
        def keep(event: dict[str, Any]) -> None:
            kept.append(event)
            self.news.set()

        return keep

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the events say so."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self.news.clear()
                await self.news.wait()

    async def send(self, text: str, **more: Any) -> dict[str, Any]:
        """Begin a turn."""
        started: dict[str, Any] = await self.person.host.request("chat.send", text=text, **more)
        return started

    async def ask(self, text: str, **more: Any) -> dict[str, Any]:
        """Begin a turn and wait for its end."""
        started = await self.send(text, **more)
        await self.until(lambda: any(one["turnId"] == started["turnId"] for one in self.done))
        return next(one for one in self.done if one["turnId"] == started["turnId"])

    @property
    def said(self) -> str:
        """What the model has said."""
        return "".join(one["text"] for one in self.deltas if one["kind"] == "text")

    @property
    def notices(self) -> list[str]:
        """What the bridge has said to the person."""
        return [one["text"] for one in self.deltas if one["kind"] == "notice"]

    async def history(self, conversation_id: str) -> list[dict[str, Any]]:
        """What is kept of a conversation."""
        found = await self.person.host.request("chat.read", conversationId=conversation_id)
        messages: list[dict[str, Any]] = found["history"]
        return messages

    def results(self) -> list[dict[str, Any]]:
        """The results that the model was given with its last request."""
        return [message for message in self.ollama.asked[-1]["messages"] if message["role"] == "tool"]


@pytest.fixture
async def talk(vault: Path) -> AsyncIterator[Talk]:
    """A person at a vault with a model on this machine; they say no to everything unless the test says otherwise."""
    async with AsyncExitStack() as stack:
        ollama = await stack.enter_async_context(OllamaStandIn().serve())
        bridge = await stack.enter_async_context(Bridge(vault))
        bridge.settings.update({"chatEndpoint": ollama.url})
        person = await stack.enter_async_context(person_at(vault))
        found = Talk(vault, bridge, person, ollama)
        found.listen()
        yield found

"""A person at a screen, and clients with a name of their own, over real sockets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bridge.client import Connection, connect, find_vault
from bridge.client.token_storage import save_to_file
from tests.patience import PATIENCE

WRITE = {"path": "Ideas.md", "content": "New\n"}


@dataclass
class Person:
    """Answers every question at once, as the test says; None: leaves it open."""

    host: Connection
    answer: str | None = "deny_once"
    extent: dict[str, Any] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, question: dict[str, Any]) -> None:
        """A question has come."""
        self.asked.append(question)
        self.news.set()
        if self.answer is not None:
            await self.respond(question, self.answer, **self.extent)

    async def until_asked(self, count: int = 1) -> dict[str, Any]:
        """Wait until so many questions have come; returns the last one."""
        async with asyncio.timeout(PATIENCE):
            while len(self.asked) < count:
                self.news.clear()
                await self.news.wait()
        return self.asked[-1]

    async def respond(self, question: dict[str, Any], decision: str, **more: Any) -> Any:
        """Answer a question."""
        digest = {"planDigest": question["planDigest"]} if question["planDigest"] else {}
        return await self.host.request(
            "consent.respond", requestId=question["requestId"], decision=decision, **digest, **more
        )

    async def log(self, kind: str) -> list[dict[str, Any]]:
        """The records of a kind, newest first."""
        records: list[dict[str, Any]] = await self.host.request("audit.query", kind=kind)
        return records


@asynccontextmanager
async def person_at(vault: Path, name: str = "Ada") -> AsyncIterator[Person]:
    """A person at a screen of a vault that is served."""
    async with connect(vault, name=name, role="host", can=["consent"]) as host:
        person = Person(host)
        host.on("consent.requested", person.take)
        yield person


async def add_client(person: Person, vault: Path, name: str) -> dict[str, Any]:
    """The person adds a client, and keeps its token where `named` finds it."""
    added: dict[str, Any] = await person.host.request("clients.add", name=name)
    save_to_file(find_vault(vault), name, added["token"])
    return added


def named(vault: Path, client: str, *, calls_itself: str = "robot", can: list[str] | None = None) -> Any:
    """A connection of a client with a name of its own."""
    return connect(vault, name=calls_itself, client=client, can=can)


async def let_read(person: Person, reading: Awaitable[Any]) -> None:
    """The person lets the client that reads something read the whole vault."""
    person.answer = None
    task = asyncio.ensure_future(reading)
    question = await person.until_asked()
    widest = next(one for one in question["options"] if one["decision"] == "allow_session" and one["suggested"])
    await person.respond(question, "allow_session", option=widest["optionId"])
    assert (await task).ok
    person.asked.clear()


async def until_read(host: Connection) -> None:
    """Return when the vault has been read for the first time: clients are told of what changes after that."""
    async with asyncio.timeout(PATIENCE):
        while (await host.request("vault.status"))["indexing"]:
            pass

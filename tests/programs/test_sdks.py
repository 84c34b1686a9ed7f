"""Agents that are written with other people's SDKs work in a vault, and a person decides."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest

from bridge.app import Bridge
from tests.patience import PATIENCE
from tests.people import Person, person_at
from tests.programs import page
from tests.programs.desk import Desk
from tests.programs.sdk_clients import SDKS, Agent, Sdk, agent_of

TICKET = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
WAITS = 14
"""Seconds after which a call that waits has a ticket; after ten, an agent can hear that it waits."""


@dataclass
class Served:
    """A vault that is served, and the person at a screen, until it is served anew.

    Attributes:
        desk: Where.
        port: Where the bridge listens, each time.
        resolved: The outcomes of questions.
    """

    desk: Desk
    port: int = 0
    resolved: dict[str, str] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def bridge(self) -> AsyncIterator[Person]:
        """A bridge whose person says nothing unless the test does."""
        async with Bridge(self.desk.vault, port=self.port) as bridge, person_at(self.desk.vault) as person:
            bridge.settings.update({"consentMode": {"read": "always_allow"}, "waitSeconds": WAITS}, confirms=True)
            person.answer = None
            person.host.on("consent.resolved", self._resolve)
            self.port = int(bridge.discovery.http.rpartition(":")[2])
            yield person

    def _resolve(self, resolved: dict[str, Any]) -> None:
        self.resolved[resolved["requestId"]] = resolved["outcome"]
        self._news.set()

    async def outcome(self, question: dict[str, Any]) -> str:
        """Return how a question ends."""
        async with asyncio.timeout(PATIENCE):
            while question["requestId"] not in self.resolved:
                self._news.clear()
                await self._news.wait()
        return self.resolved[question["requestId"]]

    async def target(self, way: str, client: str) -> list[str]:
        """Return where a client connects, as `install-client --print` says, once it has its credential."""
        vault = ("--vault", str(self.desk.vault))
        if way == "http":
            added = json.loads(await self.desk.command("clients", "add", client, "--json", *vault))
            return [f"http://127.0.0.1:{self.port}/mcp", added["token"]]
        await self.desk.command("clients", "add", client, "--save", *vault)
        printed = await self.desk.command("install-client", "--print", "--client", client, *vault)
        server = json.loads(printed)["mcpServers"]["vault-bridge"]
        return [server["command"], *server["args"]]


async def awake(url: str, token: str) -> None:
    """A bridge has loaded what MCP needs, as it does at its first request.

    SDKs wait ten seconds for that, and then shake hands in the older way, whose sessions end with the bridge.
    """
    async with asyncio.timeout(PATIENCE), aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as http:
        await http.post(url, json={})


async def question_of(person: Person, client: str, note: str) -> dict[str, Any]:
    """Return the question about a note that a client has asked."""
    async with asyncio.timeout(PATIENCE):
        while True:
            for question in person.asked:
                if question["client"] == client and note in question["summary"]:
                    return question
            person.news.clear()
            await person.news.wait()


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_agents_of_all_sdks_work_at_once(desk: Desk, way: str) -> None:
    served = Served(desk)
    again = asyncio.Event()
    ready = asyncio.Barrier(len(SDKS) + 1)

    async def work(sdk: Sdk, target: list[str], person: Person) -> None:
        try:
            async with agent_of(desk, sdk, *target) as agent:
                await before(agent, served, person, sdk, way)
                await ready.wait()
                await again.wait()
                await after(agent, desk, sdk, way, target)
        except BaseException as error:
            error.add_note(f"{sdk.id} over {way}")
            raise

    async with asyncio.TaskGroup() as group:
        async with served.bridge() as person:
            for sdk in SDKS:
                target = await served.target(way, f"{sdk.id} {way}")
                if way == "http":
                    await awake(*target)
                group.create_task(work(sdk, target, person))
            await ready.wait()
        async with served.bridge():
            again.set()
            while group._tasks:
                await asyncio.wait(group._tasks)


async def before(agent: Agent, served: Served, person: Person, sdk: Sdk, way: str) -> None:
    """List, call, wait for the person twice: one call is answered by its ticket, the other one is given up."""
    client, name = f"{sdk.id} {way}", f"{sdk.id}-{way}"
    await agent.do("list")
    assert {"read", "create_note", "await_decision"} <= set((await agent.said())["tools"])
    page.note(sdk, way, "list", "yes")
    assert "Old content here." in await agent.call("read", path="Ideas.md")
    page.note(sdk, way, "call", "yes")
    waiting = await agent.call("create_note", path=f"{name}.md", content="# Made\n")
    ticket = TICKET.search(waiting)
    assert ticket, waiting
    assert bool(agent.progress) is sdk.tells_progress
    page.note(sdk, way, "progress", "yes" if agent.progress else "it has no way to hear it")
    await person.respond(await question_of(person, client, f"{name}.md"), "allow_once")
    answered = await agent.call("await_decision", ticket=ticket[0])
    assert (served.desk.vault / f"{name}.md").read_text("utf-8") == "# Made\n", answered
    assert f"{name}.md" in answered
    page.note(sdk, way, "ticket", "yes")
    await agent.do("call", tool="create_note", arguments={"path": f"{name}-not.md", "content": "# Not\n"})
    question = await question_of(person, client, f"{name}-not.md")
    await agent.do("cancel")
    assert (await agent.said()) == {"cancelled": True}
    assert "Old content here." in await agent.call("read", path="Ideas.md")
    if sdk.withdraws:
        assert await served.outcome(question) == "cancelled"
    else:
        assert question["requestId"] not in served.resolved
    page.note(sdk, way, "cancelled", "yes" if sdk.withdraws else "it does not say so, and the question stays")


async def after(agent: Agent, desk: Desk, sdk: Sdk, way: str, target: list[str]) -> None:
    """Call again, now that another bridge serves the vault."""
    await agent.do("call", tool="read", arguments={"path": "Ideas.md"})
    said = await agent.said()
    goes_on = "Old content here." in said.get("text", "")
    if not goes_on:
        async with agent_of(desk, sdk, *target) as another:
            assert "Old content here." in await another.call("read", path="Ideas.md"), said
    page.note(sdk, way, "restart", "yes" if goes_on else "when it connects again")

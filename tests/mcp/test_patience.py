"""However long a person takes and a client waits, over MCP too: a change is made once or not at all, and it is known.

A real bridge, the program's own way to it, and the SDK's client with a time-out of its own; the time is moved on by
hand. `tests/toolkit/test_patience.py` has the same of the calls themselves.
"""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client as SdkClient
from mcp.shared.message import SessionMessage

from bridge.app import Bridge
from bridge.cli import speaking
from bridge.cli.speaking import AttachedBridge
from bridge.client import BridgeNotRunning
from bridge.identity.caller import HOST, Client
from bridge.mcp.server import VaultServer, serve_pipe
from bridge.rpc.dispatch import Dispatcher
from bridge.rpc.methods import METHODS
from bridge.rpc.session import InProcess, Listener, Session
from bridge.toolkit.call_registry import CallRegistry
from bridge.tools.core.await_decision import AwaitDecisionTool
from tests.loop_time import LoopClock, run, skip, turns
from tests.mcp.pipes import ERAS

pytestmark = pytest.mark.long

EDIT = {"path": "Ideas.md", "operation": "append", "content": "one more"}
BRIDGE_WAITS = 40
DECISIONS = ("allow_once", "deny_once")
PERSON = (10, 600, 7200)
"""Seconds."""


class World:
    """What serves the vault just now, and the person in front of it."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self.clock = LoopClock()
        self.robot: Client | None = None
        self.bridge: Bridge | None = None
        self.waiting = 0
        self.news = asyncio.Event()
        self._questions: list[dict[str, Any]] = []
        self._ports: list[InProcess] = []
        self._host: InProcess | None = None

    @asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        """A bridge, until the end of the block."""
        async with Bridge(self.vault, clock=self.clock) as bridge:
            bridge.settings.update({"enabledTools": ["*"], "waitSeconds": BRIDGE_WAITS})
            if self.robot is None:
                info, _token = bridge.services.clients.add("Robot")
                self.robot = Client(info.client_id, info.name, frozenset(info.capabilities))
            self.bridge = bridge
            self._host = self._port(HOST, self._hear)
            try:
                yield
            finally:
                self.bridge = None
                self._questions.clear()
        for port in self._ports:
            port.close()
        self._ports.clear()

    def _port(self, client: Client, listener: Listener | None = None) -> InProcess:
        assert self.bridge is not None
        services = self.bridge.services

        def open_session(link: InProcess) -> Session:
            if listener is not None:
                link.listen(listener)  # before there is a session: it begins with the questions that are open
            dispatcher = Dispatcher(METHODS)
            return Session(client, hub=services.hub, dispatcher=dispatcher, services=services, transport=link)

        port = InProcess(open_session, lambda: None)
        self._ports.append(port)
        return port

    def _hear(self, event: str, params: dict[str, Any]) -> None:
        if event == "consent.requested":
            self._questions.append(params)
        self.news.set()

    @asynccontextmanager
    async def connect(self, *_where: Any, **_who: Any) -> AsyncIterator[Any]:
        """A connection of Robot, in the place of the socket's."""
        if self.bridge is None:
            raise BridgeNotRunning("nobody serves the vault")
        assert self.robot is not None
        yield _Connection(self._port(self.robot))

    async def until_asked(self) -> dict[str, Any]:
        """The one open question."""
        while not self._questions:
            self.news.clear()
            await self.news.wait()
        return self._questions[-1]

    async def answer(self, decision: str) -> None:
        """The person answers."""
        question = await self.until_asked()
        assert self._host is not None
        digest, request_id = question["planDigest"], question["requestId"]
        reply = await self._host.request("consent.respond", requestId=request_id, decision=decision, planDigest=digest)
        assert reply["accepted"], reply

    async def until_waiting(self, count: int) -> None:
        """Return when the bridge has been asked so often what became of a call, and waits."""
        while self.waiting < count:
            self.news.clear()
            await self.news.wait()
        await turns()


class _Connection:
    """What the program asks of a connection."""

    def __init__(self, port: InProcess) -> None:
        self.request = port.request
        self._port = port

    def on(self, event: str, listener: Any) -> None:
        """Have a function called with the parameters of an event."""
        self._port.listen(lambda name, params: listener(params) if name == event else None)


class _NotStarted:
    """No process of its own is started here: the test does that."""

    may_be_replaced = False

    def __init__(self, _vault: Path) -> None:
        pass


@asynccontextmanager
async def piped(bridge: AttachedBridge, era: str) -> AsyncIterator[SdkClient]:
    """The SDK's client at the other end of a pipe of the program."""

    @asynccontextmanager
    async def streams() -> AsyncIterator[tuple[Any, Any]]:
        to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, to_client = anyio.create_memory_object_stream[SessionMessage](100)
        serving = asyncio.create_task(serve_pipe(VaultServer(bridge, "1"), incoming, outgoing))
        try:
            yield to_client, to_server
        finally:
            to_server.close()
            await serving
            to_client.close()

    async with SdkClient(streams(), mode=era) as client:
        yield client


async def passes(seconds: float) -> None:
    """Time passes, in steps in which whatever is due happens."""
    while seconds > 0:
        step = min(seconds, 10.0)
        skip(step)
        seconds -= step
        await turns(20)


@pytest.fixture
def world_of(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], World]:
    """Makes the world, once the loop runs."""

    def make() -> World:
        world = World(vault)
        monkeypatch.setattr(speaking, "connect", world.connect)
        monkeypatch.setattr(speaking, "StartedBridge", _NotStarted)
        # The tool has no deadline of its own: time that is moved on by hand runs away from threads that are at work.
        monkeypatch.setattr(AwaitDecisionTool, "spec", replace(AwaitDecisionTool.spec, timeout=1e9))
        result = CallRegistry.result

        async def noted(self: CallRegistry, *arguments: Any, **more: Any) -> Any:
            world.waiting += 1
            world.news.set()
            return await result(self, *arguments, **more)

        monkeypatch.setattr(CallRegistry, "result", noted)
        return world

    return make


@dataclass
class Story:
    """One call of a client, and a person who takes a while."""

    world: World
    client: SdkClient
    patience: int
    person: int
    decision: str
    restart: Callable[[], Awaitable[None]] | None
    progress: list[float] = field(default_factory=list)

    async def told(self) -> Any:
        """What the client knows in the end."""
        result = await self._first_call()
        data = result.structured_content or {}
        return await self._later_calls(data["ticket"]) if data.get("status") == "waiting_for_person" else result

    def _call(self, name: str, arguments: dict[str, Any]) -> "asyncio.Task[Any]":
        self.progress.clear()  # that of each call begins anew

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            del total, message
            self.progress.append(progress)

        return asyncio.create_task(
            self.client.call_tool(name, arguments, read_timeout_seconds=self.patience, progress_callback=hear)
        )

    async def _first_call(self) -> Any:
        calling = self._call("modify_note", EDIT)
        await self.world.until_asked()
        if self.person > BRIDGE_WAITS:
            await passes(BRIDGE_WAITS + 1)
            assert self.progress == [1, 2, 3, 4]
            return await calling
        await passes(self.person / 2)
        if self.restart is not None:  # while it waits, and has no ticket yet
            await self.restart()
        await passes(self.person / 2)
        await self.world.answer(self.decision)
        return await calling

    async def _later_calls(self, ticket: str) -> Any:
        """The client asks again, as it is told to, until it knows."""
        if self.restart is not None:
            await self.restart()
        left = self.person - BRIDGE_WAITS - 1
        for last in (False, False, True):
            if last:  # all that it asks meanwhile would be answered like the two before
                await passes(left - BRIDGE_WAITS / 2)
                left = BRIDGE_WAITS // 2
            waited = self.world.waiting
            calling = self._call("await_decision", {"ticket": ticket})
            await self.world.until_waiting(waited + 1)
            await passes(left if last else BRIDGE_WAITS + 1)
            left -= BRIDGE_WAITS + 1
            if last:
                await self.world.answer(self.decision)
            result = await calling
            assert last or result.structured_content["status"] == "waiting_for_person"
        return result


Case = tuple[int, int, str, bool, str]
CASES = list(itertools.product((45, 60, 240, 300, 355), PERSON, ERAS, (False, True), DECISIONS))


def named(case: Case) -> str:
    patience, person, era, restarted, decision = case
    return f"{patience} s client, {person} s person, {era}, {'restart' if restarted else 'no restart'}, {decision}"


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_change_is_made_once_or_not_at_all_and_its_client_learns_which(
    vault: Path, world_of: Callable[[], World], case: Case
) -> None:
    patience, person, era, restarted, decision = case
    made = decision == "allow_once"

    async def scenario() -> None:
        world = world_of()
        bridge = AttachedBridge(vault, "Robot")
        async with contextlib.AsyncExitStack() as stack:
            serving = await stack.enter_async_context(contextlib.AsyncExitStack())
            await serving.enter_async_context(world.served())
            client = await stack.enter_async_context(piped(bridge, era))
            stack.push_async_callback(bridge.close)

            async def restart() -> None:
                await serving.aclose()
                await serving.enter_async_context(world.served())
                await world.until_asked()

            story = Story(world, client, patience, person, decision, restart if restarted else None)
            result = await story.told()
            assert result.is_error is not made, result.content
            assert (result.structured_content.get("code") == "denied_by_user") is not made
            assert story.progress == sorted(set(story.progress))
            if person > BRIDGE_WAITS:  # a client that has lost the answer finds it in the list
                (listed,) = (await client.call_tool("await_decision", {})).structured_content["result"]
                assert listed["state"] == ("done" if made else "denied")

    run(scenario())
    assert (vault / "Ideas.md").read_text(encoding="utf-8").count("one more") == made

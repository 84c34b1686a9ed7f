"""The ledger's worker threads ask the connected host, and never hang on it."""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
import pytest

from bridge.clock import SystemClock
from bridge.errors import DeadlineExceeded
from bridge.journal.plan_executor import OpenFiles
from bridge.rpc import hosts as module
from bridge.rpc.hosts import HostEditors
from tests.patience import PATIENCE
from tests.rpc.world import FakeTransport, World

ABLE = frozenset({"consent", "dirty", "write"})


class Plugin(FakeTransport):
    """A host that answers what the bridge asks, if it has an answer."""

    def __init__(self, world: World, answers: dict[str, Any], can: Iterable[str] = ABLE) -> None:
        super().__init__()
        self.answers = answers
        self.asked: list[tuple[str, Any]] = []
        self.was_asked = asyncio.Event()
        self.session = world.open("host", self)
        self.session.introduce("Obsidian", frozenset(can))

    def post(self, data: bytes) -> None:
        message = orjson.loads(data)
        if "id" not in message or "method" not in message:
            return
        method = message["method"]
        self.asked.append((method, message["params"]))
        self.was_asked.set()
        if method in self.answers:
            answer = {"jsonrpc": "2.0", "id": message["id"], **self.answers[method]}
            task = asyncio.create_task(self.session.receive(orjson.dumps(answer)))
            task.add_done_callback(lambda _done: None)


def result(value: Any) -> dict[str, Any]:
    return {"result": value}


@pytest.fixture
async def world() -> World:
    return World()


@pytest.fixture
async def editors(world: World) -> HostEditors:
    return HostEditors(world.hub, SystemClock())


WAITS = ("LOOK_SECONDS", "WRITE_SECONDS", "TRASH_SECONDS")


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is answered is waited for, however busy the machine is."""
    for name in WAITS:
        monkeypatch.setattr(module, name, PATIENCE)


@pytest.fixture
def impatient(_patient: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Ends the waiting soon, for an answer that does not come."""

    def end_soon() -> None:
        for name in WAITS:
            monkeypatch.setattr(module, name, 0.05)

    return end_soon


async def test_a_host_that_can_says_what_is_open(world: World, editors: HostEditors) -> None:
    plugin = Plugin(world, {"host.dirty": result({"open": ["a.md", "other.md"], "unsaved": ["a.md"]})})
    assert editors.connected
    found = await asyncio.to_thread(editors.look, ["a.md", "b.md"])
    assert found == OpenFiles(frozenset({"a.md"}), frozenset({"a.md"}))
    assert plugin.asked == [("host.dirty", {"paths": ["a.md", "b.md"]})]


async def test_a_host_writes_what_it_is_given_and_until_when_it_may(world: World, editors: HostEditors) -> None:
    plugin = Plugin(world, {"host.write": result({"results": [{"path": "a.md", "outcome": "written"}]})})
    assert await asyncio.to_thread(editors.write, "a.md", "00ff", "text") == "written"
    ((_method, params),) = plugin.asked
    assert params["changes"] == [{"path": "a.md", "expected": "00ff", "content": "text"}]
    assert params["expiresAt"].endswith("Z")


async def test_a_host_takes_files_away(world: World, editors: HostEditors) -> None:
    Plugin(world, {"host.trash": result({"results": [{"path": "a.md", "outcome": "trashed"}]})})
    assert await asyncio.to_thread(editors.trash, ["a.md"]) == {"a.md": "trashed"}


@pytest.mark.parametrize("can", [(), ("consent",), ("dirty",), ("write",)])
async def test_a_host_that_cannot_is_not_asked(world: World, editors: HostEditors, can: tuple[str, ...]) -> None:
    plugin = Plugin(world, {}, can)
    assert not editors.connected
    assert await asyncio.to_thread(editors.look, ["a.md"]) == OpenFiles()
    assert await asyncio.to_thread(editors.write, "a.md", "", "") is None
    assert await asyncio.to_thread(editors.trash, ["a.md"]) is None
    assert plugin.asked == []


async def test_the_host_that_came_last_is_asked(world: World, editors: HostEditors) -> None:
    first = Plugin(world, {"host.dirty": result({"open": [], "unsaved": []})})
    second = Plugin(world, {"host.dirty": result({"open": ["a.md"], "unsaved": []})})
    assert (await asyncio.to_thread(editors.look, ["a.md"])).open == {"a.md"}
    second.session.close()
    assert (await asyncio.to_thread(editors.look, ["a.md"])).open == frozenset()
    assert len(first.asked) == len(second.asked) == 1


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"host.dirty": {"error": {"code": -32603, "message": "no"}}},
        {"host.dirty": result(None)},
        {"host.dirty": result({"open": "a.md"})},
        {"host.dirty": result({"open": ["a.md"]})},
    ],
)
async def test_no_answer_that_can_be_used_is_not_taken_for_a_no(
    world: World, editors: HostEditors, answers: Any, impatient: Callable[[], None]
) -> None:
    if not answers:
        impatient()
    Plugin(world, answers)
    with pytest.raises(DeadlineExceeded):
        await asyncio.to_thread(editors.look, ["a.md"])


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {"host.write": {"error": {"code": -32603, "message": "no"}}},
        {"host.write": result({"results": []})},
        {"host.write": result({"results": [{"path": "a.md", "outcome": "perhaps"}]})},
        {"host.write": result({"results": [{"path": "b.md", "outcome": "written"}]})},
    ],
)
async def test_a_write_of_which_nothing_is_said_is_unknown(
    world: World, editors: HostEditors, answers: Any, impatient: Callable[[], None]
) -> None:
    if not answers:
        impatient()
    Plugin(world, answers | {"host.trash": result([])})
    assert await asyncio.to_thread(editors.write, "a.md", "", "") is None
    assert await asyncio.to_thread(editors.trash, ["a.md"]) is None


async def test_a_host_that_leaves_while_it_is_asked_has_nothing_open(world: World, editors: HostEditors) -> None:
    plugin = Plugin(world, {})
    looking = asyncio.create_task(asyncio.to_thread(editors.look, ["a.md"]))
    async with asyncio.timeout(PATIENCE):
        await plugin.was_asked.wait()
    plugin.session.close()
    assert await looking == OpenFiles()


async def test_a_host_that_leaves_while_it_is_asked_is_replaced_by_another(world: World, editors: HostEditors) -> None:
    Plugin(world, {"host.dirty": result({"open": ["a.md"], "unsaved": ["a.md"]})})
    leaving = Plugin(world, {})
    looking = asyncio.create_task(asyncio.to_thread(editors.look, ["a.md"]))
    async with asyncio.timeout(PATIENCE):
        await leaving.was_asked.wait()
    leaving.session.close()
    assert (await looking).unsaved == {"a.md"}


async def test_on_the_loops_own_thread_it_does_not_hang(world: World, editors: HostEditors) -> None:
    Plugin(world, {})
    assert editors.write("a.md", "", "") is None
    with pytest.raises(DeadlineExceeded):
        editors.look(["a.md"])


async def test_a_loop_that_does_not_come_round_is_not_waited_for(
    world: World, editors: HostEditors, monkeypatch: pytest.MonkeyPatch, impatient: Callable[[], None]
) -> None:
    impatient()
    monkeypatch.setattr(module, "_GRACE", -0.04)
    Plugin(world, {})
    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(editors.look, ["a.md"])
        # The loop is held up until the other thread has given up on it.
        assert isinstance(looking.exception(PATIENCE), DeadlineExceeded)


def test_after_the_loop_has_closed_nobody_is_asked() -> None:
    async def connect() -> HostEditors:
        world = World()
        Plugin(world, {})
        return HostEditors(world.hub, SystemClock())

    editors = asyncio.run(connect())
    outcome: list[Any] = []

    async def ask() -> None:
        outcome.append(await asyncio.to_thread(editors.write, "a.md", "", ""))

    asyncio.run(ask())
    assert outcome == [None]

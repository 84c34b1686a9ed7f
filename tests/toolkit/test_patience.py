"""However long a person takes, a change is made once or not at all, and its client always learns which.

Whatever patience the client has, and whatever ends the bridge between. The time is moved on by hand.
"""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.consent import Decision
from bridge.contract.tools import ToolResult
from bridge.tools.core.await_decision import AwaitDecisionTool
from tests.identities import PrivateFiles, answer_to
from tests.loop_time import LoopClock, run, skip
from tests.toolkit.conftest import Rig, rigged

LINE = {"path": "Ideas.md", "text": "one more\n"}
BRIDGE_WAITS = 40.0
"""Seconds after which the bridge answers with a ticket, whatever the client could wait."""


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool has no deadline of its own: time that is moved on by hand runs away from threads that are at work."""
    monkeypatch.setattr(AwaitDecisionTool, "spec", replace(AwaitDecisionTool.spec, timeout=1e9))


class Killed(BaseException):
    """The process is gone: nothing after this happens."""


class Disk(PrivateFiles):
    """The tickets' folder of a process that can be killed at each thing it does there."""

    def __init__(self) -> None:
        super().__init__()
        self.operations = 0
        self.kill_at: float | None = None
        self.killed = asyncio.Event()

    @contextlib.contextmanager
    def operation(self) -> Iterator[None]:
        """One thing that is done: the process may be killed before it and after it."""
        self._step()
        yield
        self._step()

    def _step(self) -> None:
        if self.killed.is_set() or self.operations == self.kill_at:
            self.killed.set()
            raise Killed
        self.operations += 1

    def write(self, name: str, data: bytes) -> None:
        with self.operation():
            super().write(name, data)

    def remove(self, *names: str) -> None:
        with self.operation():
            super().remove(*names)

    def revived(self) -> "Disk":
        """What the next process finds."""
        found = Disk()
        found.held = dict(self.held)
        return found


def times(vault: Path) -> int:
    return (vault / "Ideas.md").read_text("utf-8").count("one more\n")


async def answer(rig: Rig, decision: Decision) -> None:
    """The person answers, where something is asked."""
    for question in rig.broker.pending():
        await rig.broker.respond(answer_to(question.request_id, decision, question.plan_digest), rig.screen.caller)
    await ended(rig)


async def ended(rig: Rig) -> None:
    """Everything that needs no more time, only threads, has ended."""
    await rig.until(lambda: all(call.task.done() for call in rig.calls._calls.values()))


async def passes(seconds: float) -> None:
    """Time passes, in steps in which whatever is due happens."""
    while seconds > 0:
        step = min(seconds, 30.0)
        skip(step)
        seconds -= step
        for _ in range(20):
            await asyncio.sleep(0)


async def settled(rig: Rig, task: "asyncio.Task[Any]") -> Any:
    """The end of what needs no more time, only threads."""
    await rig.until(task.done)
    return task.result()


async def ask_again(rig: Rig, ticket: str) -> ToolResult | None:
    """One `await_decision` to its end; None where the decision is still out."""
    arguments = {"ticket": ticket}
    asking = asyncio.create_task(rig.calls.call(rig.caller, "await_decision", arguments))
    while not asking.done():
        await passes(1)
    found = asking.result()
    assert isinstance(found, ToolResult)
    is_out = isinstance(found.data, dict) and found.data.get("status") == "waiting_for_person"
    return None if is_out else found


@pytest.mark.parametrize("restarted", [False, True], ids=["no restart", "restart between"])
@pytest.mark.parametrize("person", [10.0, 600.0, 7200.0], ids=["10 s", "10 min", "2 h"])
@pytest.mark.parametrize("patience", [45.0, 60.0, 240.0, 300.0, 355.0])
@pytest.mark.parametrize("decision", [Decision.ALLOW_ONCE, Decision.DENY_ONCE])
def test_a_change_is_made_once_or_not_at_all_and_its_client_learns_which(
    vault: Path, patience: float, person: float, restarted: bool, decision: Decision
) -> None:
    files = PrivateFiles()

    async def scenario() -> None:
        clock = LoopClock()
        with rigged(vault, clock=clock, tickets=files) as rig:
            rig.person()
            calling = asyncio.create_task(rig.calls.call(rig.caller, "extend", LINE, call_id="one", wait=BRIDGE_WAITS))
            await rig.asked()
            if person < patience:
                await passes(person)
                await answer(rig, decision)
            else:
                await passes(BRIDGE_WAITS + 1)
            first = await settled(rig, calling)
            if not restarted and person >= patience:
                assert await ask_again(rig, "one") is None
                await passes(person - clock.monotonic())
                await answer(rig, decision)
            if restarted:
                await rig.calls.stop()
            else:
                await learns(rig, first)
        if restarted:
            with rigged(vault, clock=clock, tickets=files) as rig:
                rig.person()
                await rig.calls.resume(lambda client: client)
                if person >= patience:
                    await rig.asked()
                    await passes(person - clock.monotonic())
                    await answer(rig, decision)
                await learns(rig, first)
                await rig.calls.stop()

    async def learns(rig: Rig, first: Any) -> None:
        """What the client knows in the end, also where it lost the first answer: what is so."""
        found = await ask_again(rig, "one")
        assert found is not None
        assert found.success is decision.allows
        if isinstance(first, ToolResult) and restarted and not decision.allows:  # it has heard of the no already
            assert "It has changed nothing" in (found.error or "")
            return
        if isinstance(first, ToolResult) and not restarted:
            assert found == first
        assert (found.data or {}).get("code") == (None if decision.allows else "denied_by_user")

    run(scenario())
    assert times(vault) == decision.allows


def test_nobody_answers_for_a_day(vault: Path) -> None:
    files = PrivateFiles()

    async def scenario() -> None:
        clock = LoopClock()
        with rigged(vault, clock=clock, tickets=files) as rig:
            rig.person()
            await rig.calls.call(rig.caller, "extend", LINE, call_id="one", wait=0)
            await rig.asked()
            await passes(23 * 3600)
            assert len(rig.broker.pending()) == 1
            await passes(3600)
            assert rig.broker.pending() == []
            await ended(rig)
            found = await ask_again(rig, "one")
            assert found is not None
            assert found.data["code"] == "timed_out"
            assert "within 24 h" in (found.error or "")
            await rig.calls.call(rig.caller, "extend", LINE, call_id="two", wait=0)
            await rig.asked()
            await rig.calls.stop()
        await passes(25 * 3600)
        with rigged(vault, clock=clock, tickets=files) as rig:
            await rig.calls.resume(lambda client: client)
            assert rig.broker.pending() == []
            found = await ask_again(rig, "two")
            assert found is not None
            assert found.data["code"] == "timed_out"
            assert "Nothing was done" in (found.error or "")
            gone = await ask_again(rig, "one")
            assert gone is not None
            assert gone.error_type == "not_found", "it ended more than a day ago"
            await rig.calls.stop()

    run(scenario())
    assert times(vault) == 0


async def _until_killed(rig: Rig, disk: Disk) -> None:
    """A client that calls and waits, and a person who says yes, until the process is killed, or all is done."""
    rig.person()
    with contextlib.suppress(Killed):
        await rig.calls.call(rig.caller, "extend", LINE, call_id="one", wait=0)
        await rig.until(lambda: rig.broker.pending() or disk.killed.is_set())
        if not disk.killed.is_set():
            await answer(rig, Decision.ALLOW_ONCE)
            await rig.calls.result(rig.caller, "one")


@pytest.mark.parametrize("kill_at", range(5))
def test_a_bridge_that_is_killed_at_any_moment_of_a_ticket_loses_nothing_and_does_nothing_twice(
    vault: Path, kill_at: int
) -> None:
    async def scenario() -> None:
        disk = Disk()
        disk.kill_at = kill_at
        with rigged(vault, tickets=disk) as rig:
            await _until_killed(rig, disk)
            assert disk.killed.is_set() is (kill_at < 4), "there are two writes, and two moments of each"
            rig.calls._stopping = True
            for call in rig.calls._calls.values():
                call.task.cancel()
            await asyncio.gather(*(call.task for call in rig.calls._calls.values()), return_exceptions=True)
        found = disk.revived()
        with rigged(vault, tickets=found) as rig:
            rig.person()
            await rig.calls.resume(lambda client: client)
            before = times(vault)
            if rig.calls._calls:
                await rig.asked()
                await answer(rig, Decision.ALLOW_ONCE)
            result = await rig.calls.result(rig.caller, "one")
            assert isinstance(result, ToolResult)
            if result.success:
                assert times(vault) == 1
            else:  # its client never had a ticket, and may call again
                assert (result.error_type, before, times(vault)) == ("not_found", 0, 0)
                assert kill_at == 0
            await rig.calls.stop()

    asyncio.run(scenario())

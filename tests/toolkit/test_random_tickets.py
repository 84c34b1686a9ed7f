"""Tickets under calls, answers, hours, restarts and kills in any order: done once or not at all, and always known."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bridge.contract.consent import Decision
from bridge.contract.tools import ToolResult
from tests.identities import PrivateFiles
from tests.loop_time import LoopClock, SkippingLoop
from tests.toolkit.conftest import Rig, rigged
from tests.toolkit.test_patience import answer, ended, passes

KEPT_HOURS = 24


class TicketMachine(RuleBasedStateMachine):
    """One client, one person, and a bridge that comes and goes."""

    rig: Rig
    stack: ExitStack

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="vault-bridge-"))
        (self.folder / "Ideas.md").write_bytes(b"# Ideas\n")
        self.runner = asyncio.Runner(loop_factory=SkippingLoop)
        self.clock = LoopClock(self.runner.get_loop())
        self.tickets: list[str] = []
        self.known: dict[str, tuple[bool, float]] = {}
        """What the client has learnt of a ticket, and when."""
        self.looked = 0.0
        """When all tickets were last looked at."""
        self.files = PrivateFiles()
        self.do(self.start())

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        self.runner.run(work)

    async def start(self) -> None:
        self.stack = ExitStack()
        self.rig = self.stack.enter_context(rigged(self.folder, clock=self.clock, tickets=self.files))
        self.rig.settings.update({"rateLimits": {"extend": 1000}, "globalRateLimit": 1000})
        self.rig.person()
        await self.rig.calls.resume(lambda client: client)
        await self.quiet()

    async def stop(self) -> None:
        await self.rig.calls.stop()
        self.stack.close()

    async def quiet(self) -> None:
        """What still runs waits for the person."""

        def waits() -> bool:
            running = [call for call in self.rig.calls._calls.values() if not call.task.done()]
            return len(running) == len(self.rig.broker.pending())

        await self.rig.until(waits)

    def times(self, ticket: str) -> int:
        return (self.folder / "Ideas.md").read_text("utf-8").count(f"{ticket}\n")

    @precondition(lambda self: len(self.tickets) < 12)
    @rule()
    def call(self) -> None:
        async def call() -> None:
            ticket = f"line-{len(self.tickets)}"
            arguments = {"path": "Ideas.md", "text": f"{ticket}\n"}
            await self.rig.calls.call(self.rig.caller, "extend", arguments, call_id=ticket, wait=0)
            await self.quiet()
            self.tickets.append(ticket)

        self.do(call())

    @rule(decision=st.sampled_from([Decision.ALLOW_ONCE, Decision.DENY_ONCE]))
    def answers(self, decision: Decision) -> None:
        self.do(self.respond(decision))

    async def respond(self, decision: Decision) -> None:
        """The person answers the oldest question, and all that are open are decided with it or become stale."""
        await answer(self.rig, decision)
        await self.quiet()

    @rule(hours=st.sampled_from([1, 10, 23, 30]))
    def time_passes(self, hours: int) -> None:
        async def wait() -> None:
            await passes(hours * 3600)
            await self.quiet()

        self.do(wait())

    @rule(number=st.integers(0, 11))
    def withdraw(self, number: int) -> None:
        async def withdraw() -> None:
            self.rig.calls.cancel(self.rig.caller, f"line-{number}")
            await self.quiet()

        self.do(withdraw())

    @rule()
    def restarts(self) -> None:
        self.do(self.stop())
        self.do(self.start())

    @rule(between=st.sampled_from(["nothing", "allow", "deny"]))
    def is_killed(self, between: str) -> None:
        """The bridge goes without a word: of what it did last, only the vault and its journal know."""

        async def die() -> None:
            left = dict(self.files.held)
            if between != "nothing":
                await answer(self.rig, Decision.ALLOW_ONCE if between == "allow" else Decision.DENY_ONCE)
                await ended(self.rig)
            await self.stop()
            self.files = PrivateFiles()
            self.files.held = left

        self.do(die())
        self.do(self.start())

    @invariant()
    def is_done_once_or_not_at_all_and_known(self) -> None:
        async def look() -> None:
            for ticket in self.tickets:
                found = await self.rig.calls.result(self.rig.caller, ticket, 0)
                times = self.times(ticket)
                assert times <= 1
                if not isinstance(found, ToolResult):
                    assert times == 0, "it still waits"
                    assert ticket not in self.known
                elif found.error_type != "not_found":
                    assert found.success is (times == 1)
                    # It ended after the last look, at which it was still waiting.
                    before, _ = self.known.setdefault(ticket, (found.success, self.looked))
                    assert found.success is before
                else:
                    _, since = self.known[ticket]
                    assert self.clock.monotonic() - since >= (KEPT_HOURS - 1) * 3600, "it was kept for a day"
            self.looked = self.clock.monotonic()

        self.do(look())

    def teardown(self) -> None:
        self.do(self.stop())
        self.runner.close()
        shutil.rmtree(self.folder)


def machine(examples: int, steps: int) -> Callable[..., Any]:
    case = TicketMachine.TestCase
    case.settings = settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    return case


TestTickets = pytest.mark.slow(machine(25, 12))

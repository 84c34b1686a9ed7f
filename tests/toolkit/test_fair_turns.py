"""Calls share the turns of the event loop: one step of them in each, the clients one after another."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.toolkit.fairness import FairTurns
from tests.turns import turns_counted

KINDS = ("pass", "sleep", "fail", "raise", "cancelled")


async def _steps(what: list[str], note: Callable[[], object]) -> list[str]:
    """Wait in each of these ways, one after another; returns what came of each."""
    seen = []
    for kind in what:
        note()
        try:
            await _wait(kind)
            seen.append(kind)
        except (ValueError, asyncio.CancelledError) as error:
            seen.append(type(error).__name__)
    note()
    return seen


async def _wait(kind: str) -> None:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    match kind:
        case "pass":
            await asyncio.sleep(0)
        case "sleep":
            await asyncio.sleep(1e-4)
        case "fail":
            future.get_loop().call_soon(future.set_exception, ValueError())
            await future
        case "cancelled":
            future.get_loop().call_soon(future.cancel)
            await future
        case _:
            raise ValueError


@settings(max_examples=50)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from(KINDS), max_size=4)), max_size=8))
def test_calls_end_as_they_would_alone_and_no_two_go_on_in_one_turn(calls: list[tuple[str, list[str]]]) -> None:
    async def run() -> None:
        turns = FairTurns()
        taken: dict[int, set[int]] = {}
        with turns_counted() as turn:

            def went_on(call: int) -> None:
                taken.setdefault(turn.now, set()).add(call)

            work = [turns.run(who, _steps(what, partial(went_on, call))) for call, (who, what) in enumerate(calls)]
            together = await asyncio.gather(*work)
        assert together == [await _steps(what, lambda: None) for _, what in calls]
        # Between two counts there is the end of one turn and the beginning of the next.
        assert all(len(those) <= 2 for those in taken.values())

    asyncio.run(run())


async def test_a_client_with_many_calls_takes_no_more_turns_than_one_with_few() -> None:
    turns = FairTurns()
    order: list[str] = []

    async def call(who: str) -> None:
        for _ in range(5):
            order.append(who)
            await asyncio.sleep(0)

    many = [turns.run("many", call("many")) for _ in range(50)]
    await asyncio.gather(*many, turns.run("few", call("few")))
    last = max(place for place, who in enumerate(order) if who == "few")
    assert order[:last].count("many") < 70


async def test_one_that_is_cancelled_while_it_waits_for_its_turn_ends() -> None:
    turns = FairTurns()
    ended: list[int] = []

    async def call(number: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    tasks = [asyncio.ensure_future(turns.run("a", call(number))) for number in range(3)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    with pytest.raises(asyncio.CancelledError):
        await tasks[1]
    assert ended in ([], [1])  # it may not have begun
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_many_that_are_cancelled_while_they_wait_for_their_turns_end_in_turns_of_their_own() -> None:
    turns, begun = FairTurns(), 0
    ended: dict[int, int] = {}
    with turns_counted() as turn:

        async def call() -> None:
            nonlocal begun
            begun += 1
            try:
                for _ in range(1000):
                    await asyncio.sleep(0)
            finally:
                ended[turn.now] = ended.get(turn.now, 0) + 1

        tasks = [asyncio.ensure_future(turns.run("a", call())) for _ in range(50)]
        for _ in range(2 * len(tasks)):
            await asyncio.sleep(0)
        assert begun == len(tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert sum(ended.values()) == len(tasks)
    assert max(ended.values()) <= 2  # the end of one turn and the beginning of the next


async def test_what_is_never_finished_is_closed() -> None:
    closed = []

    async def call() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    run = FairTurns().run("a", call())
    run.send(None)
    run.close()
    assert closed == [True]

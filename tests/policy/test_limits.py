"""Calls a minute."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.session import LimitUse
from bridge.policy.limits import QUEUE, REFUSALS, WINDOW, RateLimits

MANY = 1000


def wait(limits: RateLimits, now: float, limit: int = 2, everything: int = MANY, tool: str = "grep") -> float:
    return max(limits.waits("c", tool, now, limit, everything, ticket=None))


def passed(*times: float, tool: str = "grep") -> RateLimits:
    limits = RateLimits()
    for time in times:
        limits.record("c", tool, time)
    return limits


def test_calls_within_the_limit_pass_at_once() -> None:
    limits = passed(100.0)
    assert wait(limits, 100.0) == 0


def test_a_call_beyond_the_limit_waits_until_the_oldest_leaves_the_window() -> None:
    limits = passed(100.0, 110.0)
    assert wait(limits, 130.0) == pytest.approx(30.0)
    assert wait(limits, 159.9) == pytest.approx(0.1)
    assert wait(limits, 160.0) == 0


def test_the_window_slides_and_does_not_reset() -> None:
    limits = passed(100.0, 159.0)
    limits.record("c", "grep", 161.0)
    assert wait(limits, 161.0) == pytest.approx(58.0)


def test_clients_and_tools_have_their_own_windows() -> None:
    limits = passed(100.0, 100.0)
    assert max(limits.waits("other", "grep", 100.0, 2, MANY, ticket=None)) == 0
    assert wait(limits, 100.0, tool="read") == 0


def test_the_global_limit_holds_over_all_tools() -> None:
    limits = passed(100.0)
    limits.record("c", "read", 101.0)
    assert wait(limits, 102.0, limit=10, everything=2, tool="find") == pytest.approx(58.0)


def test_a_client_that_has_used_less_than_its_share_passes_although_another_has_used_up_everything() -> None:
    limits = passed(*[100.0] * 10)
    assert wait(limits, 101.0, limit=100, everything=10) > 0
    for _ in range(5):
        assert max(limits.waits("other", "find", 101.0, 100, 10, ticket=None)) == 0
        limits.record("other", "find", 101.0)
    assert max(limits.waits("other", "find", 101.0, 100, 10, ticket=None)) == pytest.approx(59.0)
    assert max(limits.waits("third", "find", 101.0, 100, 10, ticket=None)) == 0, "a third of it is still its own"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 5)), max_size=200), st.integers(3, 12))
def test_whatever_others_do_a_client_gets_its_share(calls: list[tuple[str, float]], everything: int) -> None:
    limits, now = RateLimits(), 0.0
    for client, pause in calls:
        now += pause
        if max(limits.waits(client, "t", now, MANY, everything, ticket=None)) == 0:
            limits.record(client, "t", now)
    for _ in range(everything // 4):
        assert max(limits.waits("late", "t", now, MANY, everything, ticket=None)) == 0
        limits.record("late", "t", now)


def test_a_place_that_is_given_back_is_free_at_once() -> None:
    limits = RateLimits()
    limits.record("c", "grep", 100.0)
    second = limits.record("c", "grep", 110.0)
    assert wait(limits, 120.0) > 0
    limits.give_back("c", "grep", second)
    limits.give_back("c", "grep", second)
    assert wait(limits, 120.0) == 0
    assert limits.total(120.0, MANY).used == 1
    assert limits.status("c", 120.0, {"grep": 2})["grep"].used == 1


def test_calls_that_are_refused_have_a_counter_of_their_own() -> None:
    limits = RateLimits()
    for number in range(REFUSALS):
        assert limits.refusals_wait("c", 100.0 + number / 10) == 0
        limits.refused("c", 100.0 + number / 10)
    assert limits.refusals_wait("c", 110.0) == pytest.approx(50.0)
    assert limits.refusals_wait("other", 110.0) == 0
    assert wait(limits, 110.0) == 0, "no window of any tool"
    assert limits.total(110.0, MANY).used == 0
    assert limits.refusals_wait("c", 160.0) == 0


def test_a_changed_limit_holds_for_the_next_question() -> None:
    limits = passed(100.0, 101.0, 102.0)
    assert wait(limits, 103.0, limit=3) == pytest.approx(57.0)
    assert wait(limits, 103.0, limit=4) == 0
    assert wait(limits, 103.0, limit=1) == pytest.approx(59.0)


def test_ten_calls_may_queue_and_no_more() -> None:
    limits = passed(100.0, 100.0)
    tickets = [limits.enqueue("c", "grep") for _ in range(QUEUE)]
    assert None not in tickets
    assert limits.enqueue("c", "grep") is None
    assert limits.enqueue("c", "read") is not None
    limits.dequeue(tickets[3])
    limits.dequeue(tickets[3])
    limits.dequeue(None)
    assert limits.enqueue("c", "grep") is not None
    assert limits.enqueue("c", "grep") is None


def test_the_queue_is_served_in_order_and_a_newcomer_goes_behind_it() -> None:
    limits = passed(100.0, 110.0)
    first, second = limits.enqueue("c", "grep"), limits.enqueue("c", "grep")
    times = [max(limits.waits("c", "grep", 120.0, 2, MANY, ticket=ticket)) for ticket in (first, second, None)]
    assert times == pytest.approx([40.0, 50.0, 100.0])
    assert max(limits.waits("c", "grep", 160.0, 2, MANY, ticket=first)) == 0
    assert max(limits.waits("c", "grep", 160.0, 2, MANY, ticket=second)) > 0
    limits.record("c", "grep", 160.0)
    limits.dequeue(first)
    assert max(limits.waits("c", "grep", 160.0, 2, MANY, ticket=second)) == pytest.approx(10.0)


def test_one_alone_in_the_queue_does_not_wait_for_itself() -> None:
    limits = passed(100.0)
    ticket = limits.enqueue("c", "grep")
    assert max(limits.waits("c", "grep", 160.0, 1, MANY, ticket=ticket)) == 0
    limits.dequeue(ticket)
    assert limits.total(160.0, MANY).queued == 0


def test_status_tells_limit_use_and_queue() -> None:
    limits = passed(100.0, 110.0)
    limits.enqueue("c", "grep")
    assert limits.status("c", 165.0, {"grep": 5, "read": 7}) == {
        "grep": LimitUse(limit=5, used=1, queued=1),
        "read": LimitUse(limit=7, used=0, queued=0),
    }
    assert limits.total(165.0, 200) == LimitUse(limit=200, used=1, queued=1)


def test_a_clock_that_jumps_back_neither_opens_nor_shuts_the_gate() -> None:
    limits = passed(10_000.0, 10_000.0)
    assert wait(limits, 10_020.0) == pytest.approx(40.0)
    assert wait(limits, 5.0) == pytest.approx(40.0)
    assert wait(limits, 44.9) == pytest.approx(0.1)
    assert wait(limits, 45.0) == 0


@pytest.mark.parametrize("nonsense", [math.nan, math.inf, -math.inf])
def test_a_clock_that_tells_nonsense_is_not_believed(nonsense: float) -> None:
    limits = passed(100.0, 100.0)
    assert wait(limits, nonsense) == pytest.approx(60.0)
    assert wait(limits, 160.0) == 0


def test_clients_that_are_gone_are_forgotten() -> None:
    limits = RateLimits()
    for number in range(500):
        limits.record(f"c{number}", "grep", 100.0 + number)
    limits.record("c", "grep", 10_000.0)
    assert {client for client, _ in limits._passed} == {"", "c"}


@settings(max_examples=100)
@given(
    steps=st.lists(st.tuples(st.floats(-100, 30), st.sampled_from(["a", "b"])), max_size=60),
    limit=st.integers(1, 4),
    everything=st.integers(1, 6),
)
def test_no_window_ever_holds_more_than_the_limit(steps: list[tuple[float, str]], limit: int, everything: int) -> None:
    """Whatever the clock does, in the time that really passed the limits hold."""
    limits = RateLimits()
    clock = real = 1000.0
    history: list[tuple[float, str]] = []
    for step, tool in steps:
        clock, real = clock + step, real + max(step, 0)
        if max(limits.waits("c", tool, clock, limit, everything, ticket=None)) == 0:
            limits.record("c", tool, clock)
            history.append((real, tool))
    for end, tool in history:
        window = [of for time, of in history if end - WINDOW + 1e-6 < time <= end]
        assert len(window) <= everything
        assert window.count(tool) <= limit


@settings(max_examples=100)
@given(times=st.lists(st.floats(0, 200), max_size=20).map(sorted), limit=st.integers(1, 5))
def test_a_call_that_waits_as_long_as_it_was_asked_to_passes(times: list[float], limit: int) -> None:
    limits = passed(*times)
    now = times[-1] if times else 0.0
    delay = wait(limits, now, limit=limit)
    assert wait(limits, now + delay + 1e-6, limit=limit) == 0

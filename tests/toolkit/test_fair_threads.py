"""Of threads that clients share, one client never holds all."""

import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.toolkit.fairness import FairThreads
from tests.patience import PATIENCE


def test_slow_work_of_one_client_holds_up_nobody_else() -> None:
    go = threading.Event()
    with ThreadPoolExecutor(4) as threads:
        fair = FairThreads(threads, 2)
        slow = [fair.of("greedy").submit(go.wait, PATIENCE) for _ in range(100)]
        assert fair.of("other").submit(lambda: "at once").result(PATIENCE) == "at once"
        assert not any(future.done() for future in slow)
        go.set()
        assert all(future.result(PATIENCE) for future in slow)


def test_large_work_of_one_client_is_done_one_after_the_other_beside_its_small_work() -> None:
    go, began = threading.Event(), threading.Semaphore(0)

    def work() -> bool:
        began.release()
        return go.wait(PATIENCE)

    with ThreadPoolExecutor(8) as threads:
        fair = FairThreads(threads, 4)
        large = [fair.of("greedy", large=True).submit(work) for _ in range(5)]
        assert began.acquire(timeout=PATIENCE)
        assert fair.of("greedy").submit(lambda: "beside it").result(PATIENCE) == "beside it"
        assert fair.of("other", large=True).submit(lambda: "at once").result(PATIENCE) == "at once"
        assert not began.acquire(blocking=False), "four threads are free, and none has begun another"
        go.set()
        assert all(future.result(PATIENCE) for future in large)


def test_a_failure_is_that_of_the_call_and_frees_the_thread() -> None:
    with ThreadPoolExecutor(1) as threads:
        fair = FairThreads(threads, 1)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                fair.of("a").submit(lambda: 1 // 0).result(PATIENCE)
        assert fair.of("a").submit(int, "7", base=8).result(PATIENCE) == 7


def test_what_was_cancelled_while_it_waited_is_not_done() -> None:
    go = threading.Event()
    done: list[int] = []
    with ThreadPoolExecutor(2) as threads:
        fair = FairThreads(threads, 1)
        first = fair.of("a").submit(go.wait, PATIENCE)
        second = fair.of("a").submit(done.append, 2)
        third = fair.of("a").submit(done.append, 3)
        assert second.cancel()
        go.set()
        assert first.result(PATIENCE)
        third.result(PATIENCE)
    assert done == [3]


def test_when_the_threads_are_shut_down_what_waits_is_cancelled() -> None:
    go = threading.Event()
    threads = ThreadPoolExecutor(2)
    fair = FairThreads(threads, 2)
    futures: list[Future[Any]] = [fair.of(who).submit(go.wait, PATIENCE) for who in "ab" for _ in range(2000)]
    threads.shutdown(wait=False, cancel_futures=True)
    go.set()
    threads.shutdown()
    ended = [future for future in futures if not future.cancelled()]
    assert 1 <= len(ended) <= 4
    assert all(future.result(PATIENCE) for future in ended)
    with pytest.raises(CancelledError):
        fair.of("c").submit(go.wait, PATIENCE).result(PATIENCE)


@given(st.lists(st.sampled_from("abc"), max_size=40), st.integers(1, 3), st.integers(1, 3))
def test_all_is_done_once_and_no_client_holds_more_than_it_may(order: list[str], threads: int, most: int) -> None:
    lock, done = threading.Lock(), []
    held = dict.fromkeys("abc", 0)

    def work(who: str, number: int) -> int:
        with lock:
            held[who] += 1
            assert held[who] <= most
        with lock:
            held[who] -= 1
            done.append(number)
        return number

    with ThreadPoolExecutor(threads) as pool:
        fair = FairThreads(pool, most)
        futures = [fair.of(who).submit(work, who, number) for number, who in enumerate(order)]
        assert [future.result(PATIENCE) for future in futures] == list(range(len(order)))
    assert sorted(done) == list(range(len(order)))

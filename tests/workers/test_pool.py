"""Worker processes are lent, killed, replaced and never outlive the bridge."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.errors import DeadlineExceeded, ExecutionFailed
from bridge.index.texts.patterns import pattern_workers
from bridge.workers.frames import EXHAUSTED
from bridge.workers.pool import Worker, WorkerPool
from tests.patience import PATIENCE

SIMPLE = {"pattern": "a", "limit": 5}
STUCK = {"pattern": r"(a+)\1+$", "limit": 5}
FOREVER = b"a" * 200_000 + b"!\n"


@pytest.fixture
def clock() -> SystemClock:
    return SystemClock()


@pytest.fixture
def soon(clock: SystemClock) -> float:
    """A deadline no test should reach."""
    return clock.monotonic() + PATIENCE


@pytest.fixture
def pool(clock: SystemClock) -> Iterator[WorkerPool]:
    pool = pattern_workers(clock)
    yield pool
    pool.close()


def test_a_worker_is_kept_warm_and_used_again(pool: WorkerPool, soon: float) -> None:
    with pool.lend(soon) as first:
        assert first.ask({"pattern": "(?=a)a", "limit": 5}, b"a\n") == ({"spans": [[0, 1]], "size": 0}, b"")
    with pool.lend(soon) as second:
        assert second is first


def test_a_worker_that_ended_is_replaced(pool: WorkerPool, soon: float) -> None:
    with pool.lend(soon) as first:
        pass
    first.kill()
    with pool.lend(soon) as second:
        assert second is not first
        assert second.ask(SIMPLE, b"a\n")[0]["spans"] == [[0, 1]]


def test_a_stuck_worker_is_killed_at_the_deadline_and_not_lent_again(clock: SystemClock, soon: float) -> None:
    pool = pattern_workers(clock, workers=1)
    with pytest.raises(DeadlineExceeded, match="stopped"), pool.lend(clock.monotonic() + 0.05) as stuck:
        stuck.ask(STUCK, FOREVER)
    assert not stuck.usable
    with pool.lend(soon) as other:
        assert other is not stuck
        assert other.ask(SIMPLE, b"a\n")[0]["spans"] == [[0, 1]]
    pool.close()


def test_a_worker_that_dies_by_itself_is_an_execution_failure(pool: WorkerPool, soon: float) -> None:
    def ask_a_dead_worker() -> None:
        with pool.lend(soon) as worker:
            worker.kill()
            worker.ask(SIMPLE, b"a\n")

    with pytest.raises(ExecutionFailed, match="simpler pattern"):
        ask_a_dead_worker()


def test_other_callers_do_not_wait_for_a_stuck_one(clock: SystemClock, soon: float) -> None:
    pool = pattern_workers(clock, workers=2)
    asked = threading.Event()
    outcome: list[Exception] = []

    def be_stuck() -> None:
        try:
            with pool.lend(clock.monotonic() + PATIENCE) as worker:
                asked.set()
                worker.ask(STUCK, FOREVER)
        except ExecutionFailed as failure:
            outcome.append(failure)

    thread = threading.Thread(target=be_stuck)
    thread.start()
    assert asked.wait(PATIENCE)
    with pool.lend(soon) as worker:
        assert worker.ask(SIMPLE, b"a\n")[0]["spans"] == [[0, 1]]
    assert thread.is_alive()
    pool.close()
    thread.join(PATIENCE)
    assert [type(failure) for failure in outcome] == [ExecutionFailed]


def test_beyond_the_last_worker_one_waits_no_longer_than_the_deadline(clock: SystemClock, soon: float) -> None:
    pool = pattern_workers(clock, workers=1)
    with (
        pool.lend(soon),
        pytest.raises(DeadlineExceeded, match="every worker"),
        pool.lend(clock.monotonic() + 0.01),
    ):
        pytest.fail("there was no worker to lend")
    pool.close()


def test_a_closed_pool_lends_nothing_and_leaves_no_process(clock: SystemClock, soon: float) -> None:
    pool = pattern_workers(clock)
    with pool.lend(soon) as worker:
        pass
    pool.close()
    assert worker._process.poll() is not None
    with pytest.raises(ExecutionFailed, match="stopping"), pool.lend(soon):
        pytest.fail("a closed pool lent a worker")


def test_a_caller_that_leaves_in_the_middle_gives_no_worker_back(clock: SystemClock, soon: float) -> None:
    pool = pattern_workers(clock)
    lent: list[Worker] = []

    def leave() -> None:
        with pool.lend(soon) as worker:
            lent.append(worker)
            worker._busy = True
            raise KeyError

    with pytest.raises(KeyError):
        leave()
    assert not lent[0].usable
    assert not pool._idle
    pool.close()


def test_the_worker_knows_nothing_of_the_bridges_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it is started with is all it can ever disclose."""
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    worker = Worker("bridge.index.texts.pcre2_worker")
    environment = Path(f"/proc/{worker._process.pid}/environ")
    try:
        if not environment.exists():
            pytest.skip("this system does not show a process's environment")
        assert b"hunter2" not in environment.read_bytes()
    finally:
        worker.close()


@pytest.mark.skipif(sys.platform == "win32", reason="asks for a process by its id")
def test_a_worker_ends_when_the_bridge_is_killed() -> None:
    program = (
        "from bridge.workers.pool import Worker; w = Worker('bridge.index.texts.pcre2_worker'); "
        "w.ask({'pattern': 'a', 'limit': 1}, b'a'); "
        "print(w._process.pid, flush=True); import time; time.sleep(60)"
    )
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) as bridge:  # noqa: S603 - our own program
        assert bridge.stdout is not None
        orphan = int(bridge.stdout.readline())
        os.kill(orphan, 0)
        bridge.kill()
        # The worker held our pipe's other end no longer once both are gone.
        bridge.wait()
    assert _ends(orphan)


def _ends(pid: int) -> bool:
    """Whether a process ends."""
    waited = threading.Event()
    for _ in range(PATIENCE * 100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        status = Path(f"/proc/{pid}/stat")
        with suppress(OSError):
            if ") Z " in status.read_text(encoding="utf-8"):
                return True
        waited.wait(0.01)
    return False


def test_a_process_that_takes_too_much_memory_ends() -> None:
    program = (
        "from bridge.workers.frames import watch_resident_memory; watch_resident_memory(64 * 1024 * 1024); "
        "kept = bytearray(b'x') * (128 * 1024 * 1024); import threading; threading.Event().wait(60)"
    )
    root = str(Path(__file__).parents[2])
    ended = subprocess.run([sys.executable, "-c", program], cwd=root, check=False, timeout=PATIENCE)  # noqa: S603 - our own
    assert ended.returncode == EXHAUSTED

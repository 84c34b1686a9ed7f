"""A worker process that cannot start or ends says why: in the answer, in its data, and in the log."""

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.errors import ExecutionFailed
from bridge.policy.redaction import REDACTED, hide_secrets
from bridge.workers.pool import LONGEST, MOST_KEPT, NOT_STARTED, Job, WorkerPool, without_places
from tests.patience import PATIENCE

CLOCK = SystemClock()


@pytest.fixture
def fails() -> Iterator[Callable[..., ExecutionFailed]]:
    """Asks a worker of `programs/` and returns the failure."""
    pools: list[WorkerPool] = []

    def ask(program: str, *requests: dict[str, Any]) -> ExecutionFailed:
        pool = WorkerPool(CLOCK, Job(f"tests.workers.programs.{program}", "errand", "go on foot"), hide_secrets)
        pools.append(pool)

        def ask_all() -> None:
            with pool.lend(CLOCK.monotonic() + PATIENCE) as worker:
                for request in requests or ({},):
                    worker.ask(request)

        with pytest.raises(ExecutionFailed) as caught:
            ask_all()
        return caught.value

    yield ask
    for pool in pools:
        pool.close()


def test_a_missing_package_is_named_with_the_next_step(
    fails: Callable[..., ExecutionFailed], caplog: pytest.LogCaptureFixture
) -> None:
    failure = fails("incomplete")
    why = "ModuleNotFoundError: No module named 'a_package_that_nobody_has'"
    assert failure.data == {"code": NOT_STARTED, "stderr": why}
    assert failure.message == (
        f"The process for this errand cannot start: {why}. `vault-bridge doctor` says what the user can do; "
        "until then, go on foot"
    )
    assert caplog.record_tuples == [
        ("bridge.workers.pool", logging.WARNING, f"tests.workers.programs.incomplete: {failure.message}")
    ]


def test_a_program_that_is_not_there_is_told_of_in_the_same_way(fails: Callable[..., ExecutionFailed]) -> None:
    assert "cannot start: ModuleNotFoundError" in fails("nowhere").message


def test_a_worker_that_is_killed_at_its_start_is_told_of(fails: Callable[..., ExecutionFailed]) -> None:
    failure = fails("killed")
    assert failure.code == NOT_STARTED
    assert failure.data["stderr"] == ("exit code 15" if sys.platform == "win32" else "killed by signal 9")


def test_where_no_process_can_be_started_the_system_says_why(
    fails: Callable[..., ExecutionFailed], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "moved" / "python"))
    failure = fails("talkative")
    assert (failure.code, "cannot start: " in failure.message) == (NOT_STARTED, True)
    assert str(tmp_path) not in failure.message


def test_one_that_ends_at_work_has_started(fails: Callable[..., ExecutionFailed]) -> None:
    failure = fails("talkative", {"say": ""}, {"say": "", "fail": "no such tea"})
    assert failure.message == "The process of this errand ended (ValueError: no such tea); go on foot"
    assert failure.data == {"stderr": "ValueError: no such tea"}


def test_what_was_said_before_an_answer_is_not_why_it_ended(fails: Callable[..., ExecutionFailed]) -> None:
    failure = fails("talkative", {"say": "a warning\n"}, {"say": "", "fail": "no such tea"})
    assert failure.data["stderr"].endswith("no such tea")


def test_much_that_is_said_is_neither_waited_for_nor_kept(fails: Callable[..., ExecutionFailed]) -> None:
    failure = fails("talkative", {"say": "x" * 1000, "times": MOST_KEPT, "fail": "no"})
    assert failure.data["stderr"] == "x" * LONGEST


def test_a_secret_is_hidden(fails: Callable[..., ExecutionFailed], caplog: pytest.LogCaptureFixture) -> None:
    failure = fails("talkative", {"say": "", "fail": "password: hunter2"})
    assert failure.data["stderr"] == f"ValueError: password: {REDACTED}"
    assert "hunter2" not in failure.message + caplog.text


def test_places_on_this_computer_are_left_out() -> None:
    lost = Path(sys.prefix, "lib", "tea.py")
    assert without_places(f"no name in {lost}, nor in {Path.home() / 'a b'}") == (
        f"no name in …{str(lost).removeprefix(sys.prefix)}, nor in …{Path('/a b')}"
    )

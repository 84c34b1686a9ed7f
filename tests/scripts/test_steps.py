"""Steps run one after the other, also past a failure, and are summed up."""

import sys
from pathlib import Path

import pytest

from scripts.lib.steps import STOPPED, Outcome, Step, run_all, sum_up


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_failing_step_does_not_keep_the_next_from_running(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    outcomes = run_all(
        [
            Step("bad", python("print('oh'); print('no'); raise SystemExit(3)")),
            Step("good", python("print('fine')")),
        ]
    )
    assert [(outcome.name, outcome.code, outcome.closing) for outcome in outcomes] == [
        ("bad", 3, "no"),
        ("good", 0, "fine"),
    ]
    assert b"fine" in capfdbinary.readouterr().out


@pytest.mark.parametrize(("codes", "expected"), [([0, 0], 0), ([0, 2], 1), ([], 0)])
def test_all_is_well_only_when_every_step_is(codes: list[int], expected: int) -> None:
    assert sum_up([Outcome("a step", code, 1.0, "") for code in codes]) == expected


def test_the_summary_has_the_line_with_which_a_step_closed(capsys: pytest.CaptureFixture[str]) -> None:
    sum_up([Outcome("tests", 1, 12.34, "=== 1 failed, 9 passed in 12.00s ===")])
    assert capsys.readouterr().out == "\nFAILED  tests (12.3 s): 1 failed, 9 passed in 12.00s\n"


def test_the_summary_begins_with_what_a_failed_step_printed_last(capfd: pytest.CaptureFixture[str]) -> None:
    outcomes = run_all(
        [
            Step("bad", python("print('why it failed'); print('how long'); raise SystemExit(1)")),
            Step("good", python("print('much else')")),
        ]
    )
    capfd.readouterr()
    sum_up(outcomes)
    printed = capfd.readouterr().out
    assert printed.startswith("\n--- the last lines of bad\nwhy it failed\nhow long\n\nFAILED  bad (")
    assert "much else\n" not in printed.split("FAILED")[0]


def test_a_step_cannot_wait_for_an_answer() -> None:
    assert run_all([Step("asks", python("import sys; print(repr(sys.stdin.read()))"))])[0].closing == "''"


def test_a_step_whose_time_is_over_is_stopped_and_has_failed() -> None:
    outcome = run_all([Step("hangs", python("import time; time.sleep(600)"), minutes=0.001)])[0]
    assert (outcome.code, outcome.closing) == (STOPPED, "stopped after 0.001 minutes")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="closing the pipe ends the reader there")
def test_a_process_that_a_step_leaves_behind_does_not_hold_the_run() -> None:
    leaves = "import subprocess; subprocess.Popen(['sleep', '20']); print('done')"
    outcome = run_all([Step("leaves", python(leaves))])[0]
    assert (outcome.code, outcome.closing) == (0, "done")


def test_the_closing_line_is_kept_without_its_colours() -> None:
    assert run_all([Step("colours", python(r"print('\x1b[2m3 passed\x1b[22m')"))])[0].closing == "3 passed"


def test_steps_that_run_meanwhile_are_shown_whole_and_come_last(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    """Neither side can end before the other has begun, so they do run at the same time."""
    meet = (
        "import pathlib, sys, time\n"
        "mine, other = map(pathlib.Path, sys.argv[1:])\n"
        "print(mine.name, 'begins', flush=True)\n"
        "mine.touch()\n"
        "while not other.exists(): time.sleep(0.01)\n"
        "print(mine.name, 'ends')"
    )
    first, second = tmp_path / "first", tmp_path / "second"
    outcomes = run_all(
        [Step("shown", [*python(meet), str(first), str(second)], minutes=1)],
        meanwhile=[
            Step("aside", [*python(meet), str(second), str(first)], minutes=1),
            Step("bad", python("raise SystemExit(2)")),
        ],
    )
    assert [(each.name, each.code, each.closing) for each in outcomes] == [
        ("shown", 0, "first ends"),
        ("aside", 0, "second ends"),
        ("bad", 2, ""),
    ]
    assert b"\n--- aside\nsecond begins\nsecond ends\n" in capfdbinary.readouterr().out.replace(b"\r\n", b"\n")

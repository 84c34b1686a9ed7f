"""Runs named steps, goes on after a failure, and sums up. Standard library only."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from scripts.lib.environment import ROOT, say, variables

if TYPE_CHECKING:
    from collections.abc import Sequence


STOPPED = 124
"""The exit code of a step that was stopped because its time was over, as `timeout` has it."""

TESTS_MINUTES = 60
"""For a step that runs tests, which take several times as long on a machine that is busy with something else."""

_LAST_OUTPUT = 5.0
"""Seconds for the output of a step that has ended: a process that it left behind may hold the pipe open for ever."""

_KEPT_BYTES = 65_536
"""Bytes of a step's output of which the last lines are taken: some lines are long."""

_KEPT_LINES = 60

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Step(NamedTuple):
    """One thing to do, the command that does it, and the minutes after which it is stopped."""

    name: str
    command: Sequence[str]
    minutes: float = 15


class Outcome(NamedTuple):
    """The outcome of a step. `closing` is the last line that it printed, `last` the last lines."""

    name: str
    code: int
    seconds: float
    closing: str
    last: Sequence[str] = ()


def run_all(steps: Sequence[Step], meanwhile: Sequence[Step] = ()) -> list[Outcome]:
    """Run every step in order, also after a failure, and show its output as it comes.

    Args:
        steps: What to run.
        meanwhile: What to run at the same time, also in order. The output of such a step is shown when it has ended,
            so that two outputs are never mixed line by line.

    Returns:
        How the steps went, then how those went that ran meanwhile.
    """
    others: list[Outcome] = []
    ended = threading.Event()

    def run_others() -> None:
        others.extend(_run(step, at_once=False) for step in meanwhile if not ended.is_set())

    thread = threading.Thread(target=run_others)
    thread.start()
    try:
        outcomes = [_run(step) for step in steps]
    except BaseException:
        ended.set()
        raise
    finally:
        thread.join()
    return outcomes + others


def sum_up(outcomes: Sequence[Outcome]) -> int:
    """Print what each failed step printed last, then a line for each step.

    So the reason of a failure stands at the end of a long log, whatever other steps printed after it.
    Returns the exit code for all of them: 0 when all succeeded, else 1.
    """
    for outcome in outcomes:
        if outcome.code and outcome.last:
            say("\n".join((f"\n--- the last lines of {outcome.name}", *outcome.last)))
    say("")
    for outcome in outcomes:
        mark = "ok    " if outcome.code == 0 else "FAILED"
        closing = outcome.closing.strip("= ")
        say(f"{mark}  {outcome.name} ({outcome.seconds:.1f} s)" + (f": {closing}" if closing else ""))
    return 1 if any(outcome.code for outcome in outcomes) else 0


def _run(step: Step, *, at_once: bool = True) -> Outcome:
    """Run one step until it ends, or stop it when its time is over.

    Args:
        step: What to run.
        at_once: Whether its output is shown as it comes, not when it has ended.
    """
    output = _Output(shown=at_once, heading=f"\n--- {step.name}\n".encode())
    try:
        return _run_into(output, step)
    finally:
        output.show()


def _run_into(output: _Output, step: Step) -> Outcome:
    began = time.monotonic()
    columns = str(shutil.get_terminal_size().columns)
    process = subprocess.Popen(
        list(step.command),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables({"COLUMNS": columns}),
    )
    reader = threading.Thread(target=_pass_on, args=(process, output), daemon=True)
    reader.start()
    try:
        code = process.wait(step.minutes * 60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        reader.join(_LAST_OUTPUT)
        stopped = f"stopped after {step.minutes:g} minutes"
        return Outcome(step.name, STOPPED, time.monotonic() - began, stopped, _last_lines(output.tail))
    except BaseException:  # Ctrl-C reached the step too; it ends as it pleases
        process.wait()
        raise
    reader.join(_LAST_OUTPUT)
    last = _last_lines(output.tail)
    return Outcome(step.name, code, time.monotonic() - began, last[-1] if last else "", last)


def _last_lines(tail: bytearray) -> list[str]:
    """Return the last lines that are not empty, without colours."""
    lines = _COLOUR.sub("", tail.decode("utf-8", "replace")).splitlines()
    return [line for line in lines if line.strip()][-_KEPT_LINES:]


def _pass_on(process: subprocess.Popen[bytes], output: _Output) -> None:
    """Take a step's bytes as they come, so that dots and colours appear at once."""
    if process.stdout is None:
        return
    with process.stdout as stream:
        while data := os.read(stream.fileno(), 65_536):
            output.take(data)


class _Output:
    """The output of a step, which is shown as it comes or as a whole. `tail` has its last bytes."""

    def __init__(self, *, shown: bool, heading: bytes) -> None:
        """Begin with the heading."""
        self.tail = bytearray()
        self._shown = shown
        self._waiting = bytearray()
        self._show(heading)

    def take(self, data: bytes) -> None:
        """Take more of the output."""
        self._show(data)
        self.tail += data
        del self.tail[:-_KEPT_BYTES]

    def show(self) -> None:
        """Show what was not shown yet; from now on everything is shown as it comes."""
        self._shown = True
        self._show(bytes(self._waiting))
        self._waiting.clear()

    def _show(self, data: bytes) -> None:
        if not self._shown:
            self._waiting += data
            return
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

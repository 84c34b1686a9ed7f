"""Runs named steps one after the other, goes on after a failure, and sums up. Standard library only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from scripts.lib.environment import ROOT, say, variables

if TYPE_CHECKING:
    from collections.abc import Sequence


class Step(NamedTuple):
    """One thing to do, and the command that does it."""

    name: str
    command: Sequence[str]


class Outcome(NamedTuple):
    """How a step went. `closing` is the last line that it printed."""

    name: str
    code: int
    seconds: float
    closing: str


def run_all(steps: Sequence[Step]) -> list[Outcome]:
    """Run every step in order, whatever the others did, with its output shown as it comes."""
    return [_run(step) for step in steps]


def sum_up(outcomes: Sequence[Outcome]) -> int:
    """Print a line a step, and give the exit code for all of them: 0 when all went well, else 1."""
    say("")
    for outcome in outcomes:
        mark = "ok    " if outcome.code == 0 else "FAILED"
        closing = outcome.closing.strip("= ")
        say(f"{mark}  {outcome.name} ({outcome.seconds:.1f} s)" + (f": {closing}" if closing else ""))
    return 1 if any(outcome.code for outcome in outcomes) else 0


def _run(step: Step) -> Outcome:
    """Run one step, passing its bytes on as they come, so that dots and colours appear at once."""
    say(f"\n--- {step.name}")
    began = time.monotonic()
    columns = str(shutil.get_terminal_size().columns)
    tail = b""
    with subprocess.Popen(
        list(step.command),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables({"COLUMNS": columns}),
    ) as process:
        stream = process.stdout
        while stream is not None and (data := os.read(stream.fileno(), 65_536)):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            tail = (tail + data)[-4096:]
    code = process.returncode
    lines = [line for line in tail.decode("utf-8", "replace").splitlines() if line.strip()]
    return Outcome(step.name, code, time.monotonic() - began, lines[-1] if lines else "")

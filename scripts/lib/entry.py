"""The work of the commands in `scripts/`. Standard library only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scripts.lib import checking, steps
from scripts.lib.environment import PYTHON, SetupError, become, prepare, say
from scripts.lib.options import parse_start, parse_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def start(arguments: Sequence[str]) -> int:
    """Serve a vault, or show the demonstration on the sample vault."""
    parse_start(arguments)  # bad usage is reported before anything is installed
    prepare(dev=False)
    become([str(PYTHON), "-m", "scripts.lib.start", *arguments])


def test(arguments: Sequence[str]) -> int:
    """Everything that must hold, or the tests that the arguments select."""
    options = parse_test(arguments)
    prepare(dev=True)
    outcomes = checking.tests(options)
    code = steps.sum_up(outcomes)
    if outcomes[-1].code == checking.NO_TESTS and options.depth != "long":
        say("No test was selected. If you want tests that are marked `long`, add --long.")
    return code


def check(_arguments: Sequence[str]) -> int:
    """Format, lint, types and layers."""
    prepare(dev=True)
    return steps.sum_up(steps.run_all(checking.checks()))


def fix(_arguments: Sequence[str]) -> int:
    """Fix format and lint where that can be done automatically."""
    prepare(dev=True)
    return steps.sum_up(steps.run_all(checking.fixes()))


def bench(arguments: Sequence[str]) -> int:
    """Measure, as ratios inside one run."""
    prepare(dev=False)
    become([str(PYTHON), "-m", "scripts.lib.bench", *arguments])


def replay(arguments: Sequence[str]) -> int:
    """Count how often a person is asked during everyday tasks."""
    prepare(dev=False)
    become([str(PYTHON), "-m", "scripts.lib.replay", *arguments])


def check_live(arguments: Sequence[str]) -> int:
    """Ask the real services that search the web."""
    prepare(dev=False)
    become([str(PYTHON), "-m", "scripts.lib.live", *arguments])


def generate_types(arguments: Sequence[str]) -> int:
    """Write the plugin's types of the wire, or with `--check` say whether they are up to date."""
    prepare(dev=False)
    become([str(PYTHON), "-m", "scripts.lib.wire_types", *arguments])


def write_reference(arguments: Sequence[str]) -> int:
    """Write the parts of the pages of reference that are made, or with `--check` say whether they are up to date."""
    prepare(dev=False)
    become([str(PYTHON), "-m", "scripts.lib.reference", *arguments])


def list_promises(arguments: Sequence[str]) -> int:
    """Write the tables of the page on security, or with `--check` say whether they are up to date."""
    prepare(dev=False)
    become([str(PYTHON), "-m", "scripts.lib.promises", *arguments])


def list_functions(arguments: Sequence[str]) -> int:
    """Write the table of functions of bases, or with `--check` say whether it is up to date."""
    prepare(dev=True)
    become([str(PYTHON), "-m", "scripts.lib.base_functions", *arguments])


def record_fixtures(arguments: Sequence[str]) -> int:
    """Record what the bridge says for the plugin's tests, or with `--check` say whether that is up to date."""
    prepare(dev=False)
    become([str(PYTHON), "-m", "scripts.lib.record", *arguments])


def make_pictures(arguments: Sequence[str]) -> int:
    """Make the pictures in the README."""
    prepare(dev=False)
    become([str(PYTHON), "-m", "scripts.lib.pictures", *arguments])


def main(command: Callable[[Sequence[str]], int]) -> None:
    """Run a command on this process's arguments, and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        code = command(sys.argv[1:])
    except SetupError as error:
        print(error, file=sys.stderr)
        code = 1
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)

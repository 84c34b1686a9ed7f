"""The checks, and the tests, which may take a while."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from scripts.lib.changed import changed_files, select_tests
from scripts.lib.debian import install
from scripts.lib.environment import PYTHON, ROOT
from scripts.lib.plugin import plugin_tests
from scripts.lib.steps import TESTS_MINUTES, Step, run_all

if TYPE_CHECKING:
    from scripts.lib.options import Depth, RunOptions
    from scripts.lib.steps import Outcome

_NAMES = (
    "start",
    "test",
    "check",
    "fix",
    "bench",
    "build-plugin",
    "check-release",
    "generate-types",
    "list-functions",
    "list-promises",
    "make-pictures",
    "record-fixtures",
    "write-reference",
)
ENTRY_POINTS = [f"scripts/{name}" for name in _NAMES]
"""Python files without `.py`: the tools do not find them by themselves."""

WORKFLOWS = [f".github/workflows/{name}.yml" for name in ("obsidian", "release", "test")]
"""The workflows that run on a forge; a test says whether the list is complete."""

_MARKED: dict[Depth, list[str]] = {
    "quick": ["-m", "not slow and not long"],
    "default": ["-m", "not long"],
    "long": [],
}
"""The tests that each depth selects, by the markers that pyproject.toml explains."""


NO_TESTS = 5
"""pytest's exit code when it ran no test."""


def checks() -> list[Step]:
    """Format, lint, types, and which room imports which."""
    return [
        *_quick_checks(),
        *(_types_on(system) for system in ("win32", "darwin") if system != sys.platform),
        Step("layers", [str(PYTHON), "-c", "from importlinter.cli import lint_imports_command as run; run()"]),
        Step("plugin: types of the wire", [str(PYTHON), "-m", "scripts.lib.wire_types", "--check"]),
        Step("table of functions", [str(PYTHON), "-m", "scripts.lib.base_functions", "--check"]),
        Step("pages of reference", [str(PYTHON), "-m", "scripts.lib.reference", "--check"]),
        Step("table of promises", [str(PYTHON), "-m", "scripts.lib.promises", "--check"]),
        Step(
            "workflows",
            [str(PYTHON), "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS],
        ),
    ]


def _types_on(system: str) -> Step:
    """The types as they are on another system, where the branches for this one are unreachable on purpose."""
    cache = f".mypy_cache/{system}"
    options = ["--platform", system, "--no-warn-unreachable", "--cache-dir", cache, "bridge"]
    return Step(f"types on {system}", [str(PYTHON), "-m", "mypy", *options])


def fixes() -> list[Step]:
    """Return the steps that fix what can be fixed automatically: format, and some of lint."""
    python = [str(PYTHON), "-m"]
    return [
        Step("format", [*python, "ruff", "format", ".", *ENTRY_POINTS]),
        Step("lint", [*python, "ruff", "check", "--fix", ".", *ENTRY_POINTS]),
    ]


def tests(options: RunOptions) -> list[Outcome]:
    """Run the steps of `scripts/test`: all that its depth includes, or only pytest where tests were selected.

    The plugin's tests wait for a browser much of their time, and a check keeps one processor busy at most: they run at
    the same time.

    Returns:
        How each step went; that of pytest is the last.
    """
    colour = "yes" if sys.stdout.isatty() else "no"
    pytest = [str(PYTHON), "-m", "pytest", f"--color={colour}", *_MARKED[options.depth]]
    if options.selection:
        return run_all([Step("tests", [*pytest, *options.selection])])
    # One more than there are processors: a test waits for other programs nearly half of its time.
    everywhere = [*pytest, "-q", "-n", str(_processors() + 1), "--dist", "worksteal"]
    if options.depth == "quick":
        about = select_tests(changed_files(ROOT), ROOT)
        done = run_all([*_quick_checks(), *([Step("tests", [*pytest, "-q", *about], TESTS_MINUTES)] if about else [])])
        # What has changed may have slow tests alone, of which none is run here: that is no failure.
        return [one._replace(code=0) if one.name == "tests" and one.code == NO_TESTS else one for one in done]
    if sys.platform == "linux":  # without them, the tests that need them are skipped, and say so
        install("bubblewrap", "the tests of the sandbox", "bwrap")
        install("ripgrep", "the tests that compare searches", "rg")
    return run_all(plugin_tests(), meanwhile=checks()) + run_all([Step("tests", everywhere, TESTS_MINUTES)])


def _processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _quick_checks() -> list[Step]:
    """Those that take seconds once mypy has its cache."""
    python = [str(PYTHON), "-m"]
    return [
        Step("format", [*python, "ruff", "format", "--check", ".", *ENTRY_POINTS]),
        Step("lint", [*python, "ruff", "check", ".", *ENTRY_POINTS]),
        Step("types", [*python, "mypy"]),
    ]

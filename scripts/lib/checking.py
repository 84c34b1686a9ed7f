"""The checks and the tests, as lists of steps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scripts.lib.environment import PYTHON
from scripts.lib.plugin import plugin_tests
from scripts.lib.steps import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = ("start", "test", "check", "fix", "bench", "build-plugin", "generate-types")
ENTRY_POINTS = [f"scripts/{name}" for name in _NAMES]
"""Python files without `.py`: the tools do not find them by themselves."""


def checks() -> list[Step]:
    """Format, lint, types, and which room imports which."""
    python = [str(PYTHON), "-m"]
    return [
        Step("format", [*python, "ruff", "format", "--check", ".", *ENTRY_POINTS]),
        Step("lint", [*python, "ruff", "check", ".", *ENTRY_POINTS]),
        Step("types", [*python, "mypy"]),
        Step("layers", [str(PYTHON), "-c", "from importlinter.cli import lint_imports_command as run; run()"]),
        Step("plugin: types of the wire", [*python, "scripts.lib.wire_types", "--check"]),
    ]


def fixes() -> list[Step]:
    """What a machine can put right by itself."""
    python = [str(PYTHON), "-m"]
    return [
        Step("format", [*python, "ruff", "format", ".", *ENTRY_POINTS]),
        Step("lint", [*python, "ruff", "check", "--fix", ".", *ENTRY_POINTS]),
    ]


def tests(arguments: Sequence[str]) -> list[Step]:
    """All tests with coverage, or with `arguments` just those that pytest selects by them."""
    colour = "yes" if sys.stdout.isatty() else "no"
    pytest = [str(PYTHON), "-m", "pytest", f"--color={colour}"]
    if arguments:
        return [Step("tests", [*pytest, *arguments])]
    coverage = ["--cov=bridge", "--cov-branch", "--cov-report=term:skip-covered"]
    return [*plugin_tests(), Step("tests", [*pytest, "-q", *coverage])]

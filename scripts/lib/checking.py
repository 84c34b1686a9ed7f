"""The checks and the tests, as lists of steps."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from scripts.lib.environment import PYTHON, ROOT, say
from scripts.lib.steps import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

ENTRY_POINTS = [f"scripts/{name}" for name in ("start", "test", "check", "fix", "bench", "generate-types")]
"""Python files without `.py`: the tools do not find them by themselves."""


def checks() -> list[Step]:
    """Format, lint, types, and which room imports which."""
    python = [str(PYTHON), "-m"]
    types = [Step("plugin: types of the wire", [*python, "scripts.lib.wire_types", "--check"])] if _has_plugin() else []
    return [
        Step("format", [*python, "ruff", "format", "--check", ".", *ENTRY_POINTS]),
        Step("lint", [*python, "ruff", "check", ".", *ENTRY_POINTS]),
        Step("types", [*python, "mypy"]),
        Step("layers", [str(PYTHON), "-c", "from importlinter.cli import lint_imports_command as run; run()"]),
        *types,
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
    return [*_plugin(), Step("tests", [*pytest, "-q", *coverage])]


def _has_plugin() -> bool:
    return (ROOT / "obsidian-plugin" / "package.json").exists()


def _plugin() -> list[Step]:
    """The Obsidian plugin's own tests, where the plugin and npm are there."""
    if not _has_plugin():
        say("No obsidian-plugin/ in this version: its tests are passed over.")
        return []
    npm = shutil.which("npm")
    if npm is None:
        say("npm is not installed: the tests of obsidian-plugin/ are passed over.")
        return []
    folder = ["--prefix", "obsidian-plugin"]
    return [Step("plugin: install", [npm, *folder, "ci"]), Step("plugin: tests", [npm, *folder, "test"])]

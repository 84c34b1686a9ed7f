"""Which tests are about what has changed, for the inner loop of work. Standard library only."""

from __future__ import annotations

import subprocess
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ROOMS = {"docs": "tests/docs", "scripts": "tests/scripts"}
"""The tests of folders that have no folder of the same layout below `tests`."""


def changed_files(root: Path) -> list[str]:
    """Return the files that differ from the last commit, new ones too; if there are none, those of the last commit.

    Args:
        root: The checkout. Where it is none, or git is not there, nothing has changed.
    """
    new = _git(root, "ls-files", "--others", "--exclude-standard")
    return [*_git(root, "diff", "--name-only", "HEAD"), *new] or _git(root, "diff", "--name-only", "HEAD~1", "HEAD")


def _git(root: Path, *arguments: str) -> list[str]:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def select_tests(files: Iterable[str], root: Path) -> list[str]:
    """Return the tests to run for changed files: those of the same name, otherwise the nearest folder of tests.

    Args:
        files: Paths below `root`, with slashes.
        root: The checkout.
    """
    found = dict.fromkeys(where for file in files if (where := _tests_of(PurePosixPath(file), root)))
    return [where for where in found if not any(str(parent) in found for parent in PurePosixPath(where).parents)]


def _tests_of(file: PurePosixPath, root: Path) -> str:
    """Return the tests of one file; empty where there are none."""
    first = file.parts[0]
    if first in _ROOMS:
        return _ROOMS[first]
    if first not in {"bridge", "tests"} or len(file.parts) == 1:
        return ""
    inside = file.relative_to(first)
    named = [inside] if first == "tests" else [inside.with_name(f"test_{inside.stem}.py")]
    for where in [*(one for one in named if one.name.startswith("test_")), *inside.parents]:
        if where.parts and (root / "tests" / where).exists():
            return f"tests/{where}"
    return ""

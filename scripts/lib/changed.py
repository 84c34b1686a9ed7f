"""Which tests are about what has changed, for the inner loop of work. Standard library only."""

from __future__ import annotations

import re
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
    """Return the tests to run for changed files.

    Those of a module are the tests of its room that have its name or import it. If there are none, and for files that
    tests share, they are all tests of the nearest folder.

    Args:
        files: Paths below `root`, with slashes.
        root: The checkout.
    """
    found = dict.fromkeys(where for file in files for where in _tests_of(PurePosixPath(file), root))
    return [where for where in found if not any(str(parent) in found for parent in PurePosixPath(where).parents)]


def _tests_of(file: PurePosixPath, root: Path) -> list[str]:
    """Return the tests of one file; none where there are none."""
    first = file.parts[0]
    if first in _ROOMS:
        return [_ROOMS[first]]
    if first not in {"bridge", "tests"} or len(file.parts) == 1:
        return []
    inside = file.relative_to(first)
    tests = root / "tests"
    if first == "bridge":
        module = re.compile(rf"\b{re.escape('.'.join(file.with_suffix('').parts))}\b")
        room = (tests / inside.parts[0]).rglob("test_*.py") if len(inside.parts) > 1 else ()
        about = [path for path in room if path.stem == f"test_{file.stem}" or module.search(path.read_text("utf-8"))]
        about = about or [path for path in [tests / f"test_{file.stem}.py"] if len(inside.parts) == 1 and path.exists()]
    else:
        about = [path for path in [tests / inside] if file.name.startswith("test_") and path.exists()]
    nearest = (tests / parent for parent in inside.parents if parent.parts and (tests / parent).exists())
    return [path.relative_to(root).as_posix() for path in sorted(about) or list(nearest)[:1]]

"""Finds a Python that the project supports. Runs on whatever `python3` is, so nothing newer than 3.8 in here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SUPPORTED = ((3, 13), (3, 12), (3, 11))
"""Newest first; the same range as `requires-python` in pyproject.toml."""


class NoPythonError(Exception):
    """There is no Python on this machine that the project supports; the message says what to install."""


def find_python() -> list[str]:
    """The command of a supported Python: the running one if it fits, else the newest that is found.

    Raises:
        NoPythonError: None was found.
    """
    for command in _candidates():
        if version_of(command) in SUPPORTED:
            return command
    running = "{}.{}".format(*sys.version_info)
    raise NoPythonError(
        f"Vault Bridge needs Python 3.11, 3.12 or 3.13; this is {running}, and no other was found.\n"
        "Install one (https://www.python.org/downloads/, `brew install python@3.12`, `apt install python3.12-venv`,\n"
        "`winget install Python.Python.3.12`) and run this command again."
    )


def version_of(command: list[str]) -> tuple[int, int] | None:
    """Major and minor version of an interpreter, or None when it does not run."""
    probe = "import sys; print(*sys.version_info[:2])"
    try:
        answer = subprocess.run(
            [*command, "-c", probe], capture_output=True, text=True, encoding="utf-8", timeout=30, check=True
        )
        major, minor = answer.stdout.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _candidates() -> Iterator[list[str]]:
    """Every place where a Python may be, best first."""
    if sys.executable:
        yield [sys.executable]
    names = [f"{major}.{minor}" for major, minor in SUPPORTED]
    for name in names:
        found = shutil.which("python" + name)
        if found:
            yield [found]
    launcher = shutil.which("py")
    if os.name == "nt" and launcher:
        for name in names:
            yield [launcher, "-" + name]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for name in names:
        for version in sorted(pyenv.glob(name + ".*"), reverse=True):
            yield [str(version / "bin" / "python")]
    for name in ("python3", "python"):
        found = shutil.which(name)
        if found:
            yield [found]

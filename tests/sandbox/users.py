"""What is tried in sandboxes (`attempts.py`), by the user of the tests and by an ordinary one."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bridge.sandbox.sandbox import SandboxKind
from tests.patience import PATIENCE

PYTHON = "/usr/bin/python3"
NOBODY = 65534
ATTEMPTS = Path(__file__).with_name("attempts.py")
needs_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not Path(PYTHON).exists(), reason="needs Linux, and its own Python"
)


@pytest.fixture(params=["this user", "an ordinary user"])
def begin(request: pytest.FixtureRequest) -> list[str]:
    """What starts a program as a user."""
    if request.param == "this user":
        return []
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None:
        pytest.skip("only root can become another user, with setpriv")
    return [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


@pytest.fixture
def place(begin: list[str]) -> Iterator[Path]:
    """A folder of that user. Not one of pytest's, above which it lets nobody else."""
    with TemporaryDirectory() as folder:
        if begin:
            os.chown(folder, NOBODY, NOBODY)
        yield Path(folder)


def succeeded(begin: list[str], kind: SandboxKind, folder: Path, what: str) -> list[str]:
    """The attempts of a sort that succeed in a sandbox."""
    root = str(Path(__file__).parents[2])
    if begin and subprocess.run([*begin, "/bin/cat", str(ATTEMPTS)], capture_output=True, check=False).returncode:  # noqa: S603 - ours
        pytest.skip("that user cannot read this checkout")
    command = [*begin, PYTHON, str(ATTEMPTS), kind.value, str(folder), what]
    ran = subprocess.run(  # noqa: S603 - this test's own
        command, capture_output=True, text=True, env={"PYTHONPATH": root}, timeout=PATIENCE * 4, check=False
    )
    assert ran.returncode == 0, ran.stderr
    found: list[str] | None = json.loads(ran.stdout)
    if found is None:
        pytest.skip(f"{kind} does not work here for that user")
    return found

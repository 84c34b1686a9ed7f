"""A program in a sandbox reaches, changes and sees nothing besides what it was given.

The attempts are made in each sandbox of this system, by the user of the tests and, where that is root, by an ordinary
user too. Landlock alone must fail them: it is not to be called a sandbox.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.sandbox.probing import probe, probe_one
from bridge.sandbox.sandbox import NO_SANDBOX, SandboxKind
from tests.patience import PATIENCE

PYTHON = "/usr/bin/python3"
ATTEMPTS = Path(__file__).parents[1] / "sandbox" / "attempts.py"
SEPARATE = [SandboxKind.NAMESPACES, SandboxKind.BUBBLEWRAP]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not sys.platform.startswith("linux") or not Path(PYTHON).exists(), reason="needs Linux, and its own Python"
    ),
]


@pytest.fixture(params=["this user", "an ordinary user"])
def begin(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """What starts a program as a user who may write in the test's folder."""
    if request.param == "this user":
        return []
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None:
        pytest.skip("only root can become another user, with setpriv")
    os.chown(tmp_path, 65534, 65534)
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    return [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]


def succeeded(begin: list[str], kind: SandboxKind, folder: Path) -> list[str] | None:
    """The attempts that succeed in a sandbox; None where it does not work for that user."""
    root = str(Path(__file__).parents[2])
    command = [*begin, PYTHON, str(ATTEMPTS), kind.value, str(folder)]
    ran = subprocess.run(  # noqa: S603 - this test's own
        command, capture_output=True, text=True, env={"PYTHONPATH": root}, timeout=PATIENCE * 2, check=False
    )
    if ran.returncode and "Permission denied" in ran.stderr and begin:
        pytest.skip("that user cannot read this checkout")
    assert ran.returncode == 0, ran.stderr
    found: list[str] | None = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("kind", SEPARATE)
def test_no_attempt_gets_out_of_a_sandbox(begin: list[str], kind: SandboxKind, tmp_path: Path) -> None:
    found = succeeded(begin, kind, tmp_path)
    if found is None:
        pytest.skip(f"{kind} does not work here for that user")
    assert found == []


def test_with_landlock_alone_some_attempts_succeed_and_it_is_not_called_a_sandbox(tmp_path: Path) -> None:
    found = succeeded([], SandboxKind.LANDLOCK, tmp_path)
    if found is None:
        pytest.skip("this kernel has no Landlock")
    assert {"chmod", "see that a file is there"} <= set(found)
    landlock = probe_one(SandboxKind.LANDLOCK)
    assert landlock is not None
    assert (landlock.confines, landlock.sentence, landlock.lacks) == (False, NO_SANDBOX.sentence, NO_SANDBOX.lacks)


def test_what_is_used_here_is_the_best_that_works() -> None:
    assert probe() == next(found for kind in SandboxKind if (found := probe_one(kind)) is not None)

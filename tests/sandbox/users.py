"""What is tried in sandboxes (`attempts.py`), by the user of the tests and by an ordinary one."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.sandbox.sandbox import SandboxKind
from tests.patience import PATIENCE

PYTHON = "/usr/bin/python3"
ATTEMPTS = Path(__file__).with_name("attempts.py")
needs_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not Path(PYTHON).exists(), reason="needs Linux, and its own Python"
)


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


def succeeded(begin: list[str], kind: SandboxKind, folder: Path, what: str) -> list[str]:
    """The attempts of a sort that succeed in a sandbox."""
    root = str(Path(__file__).parents[2])
    command = [*begin, PYTHON, str(ATTEMPTS), kind.value, str(folder), what]
    ran = subprocess.run(  # noqa: S603 - this test's own
        command, capture_output=True, text=True, env={"PYTHONPATH": root}, timeout=PATIENCE * 4, check=False
    )
    if ran.returncode and "Permission denied" in ran.stderr and begin:
        pytest.skip("that user cannot read this checkout")
    assert ran.returncode == 0, ran.stderr
    found: list[str] | None = json.loads(ran.stdout)
    if found is None:
        pytest.skip(f"{kind} does not work here for that user")
    return found

"""Where a package of the installation is missing, every command says so in a sentence, with what to do."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("missing", "command"),
    [
        ("typer", ["--version"]),
        ("rich", ["status"]),
        ("pydantic", ["serve"]),
        ("aiohttp", ["serve"]),
        ("rich", ["doctor"]),
    ],
)
def test_a_missing_package_is_named_with_the_next_step(vault: Path, missing: str, command: list[str]) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from bridge.__main__ import main; main()"
    where = [] if command == ["--version"] else ["--vault", str(vault)]
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", code, *command, *where], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 1
    said, remedy = done.stderr.splitlines()
    assert said.startswith("This installation of Vault Bridge is incomplete: ")
    assert missing in said
    assert remedy.startswith("Install Vault Bridge again: ")
    assert not (vault / ".vault-bridge").exists(), "nothing is half begun"

"""Where a package of the installation is missing or damaged, every command says so in a sentence, with what to do."""

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


@pytest.mark.parametrize("command", ["serve", "doctor", "status"])
@pytest.mark.parametrize("text", ["def (", "raise ValueError('half of it')\n", "x = {}['lost']\n"])
def test_a_damaged_package_is_named_with_the_next_step(vault: Path, tmp_path: Path, text: str, command: str) -> None:
    package = tmp_path / "damaged" / "aiohttp"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(text, encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(package.parent)!r}); from bridge.__main__ import main; main()"
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", code, command, "--vault", str(vault)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1
    said, remedy = done.stderr.splitlines()
    assert said.startswith(f"This installation of Vault Bridge is incomplete: {package / '__init__.py'} is damaged (")
    assert remedy.startswith("Install Vault Bridge again: ")
    assert not (vault / ".vault-bridge").exists(), "nothing is half begun"


def test_a_fault_of_ours_keeps_its_traceback() -> None:
    code = "import bridge.cli.main as cli; cli.main = lambda: 1 / 0; from bridge.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)  # noqa: S603
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "Traceback (most recent call last):"

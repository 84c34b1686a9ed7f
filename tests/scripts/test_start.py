"""`scripts/start --vault` serves a vault, and says how to answer questions once, when that works."""

import subprocess
import sys
from pathlib import Path

from scripts.lib.environment import ROOT
from tests.patience import PATIENCE


def test_the_command_for_approving_is_said_once_and_with_the_vault_served(vault: Path) -> None:
    command = [sys.executable, "-m", "scripts.lib.start", "--vault", str(vault), "--preset", "vault"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8") as server:  # noqa: S603 - ours
        assert server.stdout is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith("Stop"):
            lines.append(server.stdout.readline())
            assert lines[-1], "".join(lines)
        server.terminate()
        assert server.wait(PATIENCE) == 0
    assert lines[0].startswith("Serving")
    (approve,) = (line.strip() for line in lines if "approve" in line)
    assert approve.endswith(f"vault-bridge approve --vault {vault}")
    assert (vault / ".vault-bridge" / "settings.json").exists()

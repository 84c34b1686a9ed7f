"""No bridge outlives the program that started it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SERVE = [sys.executable, "-m", "bridge", "serve", "--json", "--vault"]


def test_a_bridge_ends_when_the_program_that_started_it_is_gone(vault: Path) -> None:
    with subprocess.Popen(  # noqa: S603 - our own program
        [*SERVE, str(vault)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"VAULT_BRIDGE_PARENT_PID": str(os.getpid())},
    ) as bridge:
        assert bridge.stdout is not None
        assert bridge.stdin is not None
        assert json.loads(bridge.stdout.readline())["url"].startswith("ws://127.0.0.1:")
        assert bridge.poll() is None
        bridge.stdin.close()  # what the system does when the other side is killed
        assert bridge.wait(30) == 0
    assert not (vault / ".vault-bridge" / "bridge.json").exists()


def test_a_bridge_that_nobody_holds_goes_on_without_standard_input(vault: Path) -> None:
    with subprocess.Popen(  # noqa: S603 - our own program
        [*SERVE, str(vault)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as bridge:
        assert bridge.stdout is not None
        bridge.stdout.readline()
        health = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "bridge", "status", "--vault", str(vault)], check=False, capture_output=True
        )
        assert health.returncode == 0
        bridge.terminate()
        bridge.wait(30)

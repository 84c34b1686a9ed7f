"""No bridge outlives the program that started it."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.patience import PATIENCE

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
        assert bridge.wait(PATIENCE) == 0
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
        bridge.wait(PATIENCE)


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_a_bridge_in_the_background_of_a_shell_ends_on_a_signal(vault: Path) -> None:
    """There Ctrl-C is ignored from the beginning, and SIGTERM is what ends it."""
    with subprocess.Popen(  # noqa: S603 - our own program
        [*SERVE, str(vault)],
        stdout=subprocess.PIPE,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_IGN),  # noqa: PLW1509 - nothing else runs here
    ) as bridge:
        assert bridge.stdout is not None
        bridge.stdout.readline()
        bridge.terminate()
        assert bridge.wait(PATIENCE) == 0
    assert not (vault / ".vault-bridge" / "bridge.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there a process is ended without a signal")
@pytest.mark.parametrize("attempt", range(3))
def test_a_bridge_that_is_ended_as_soon_as_it_can_be_found_leaves_nothing(vault: Path, attempt: int) -> None:
    del attempt
    found = vault / ".vault-bridge" / "bridge.json"
    with subprocess.Popen([*SERVE, str(vault)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as bridge:  # noqa: S603 - our own program
        while not found.exists():
            assert bridge.poll() is None
        bridge.send_signal(signal.SIGTERM)
        assert bridge.wait(PATIENCE) == 0
    assert not found.exists()

"""One bridge a vault, and whoever comes second is told who was first."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.errors import StartError
from bridge.server.lock import VaultLock
from bridge.server.run_folder import RunFolder

HOLDER = """
import sys
from pathlib import Path
from bridge.server.lock import VaultLock
from bridge.server.run_folder import RunFolder
lock = VaultLock(RunFolder(Path(sys.argv[1]), Path(sys.argv[2])))
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "Vault", tmp_path / "state")


def test_a_second_bridge_learns_which_process_serves_the_vault(run: RunFolder) -> None:
    with VaultLock(run), pytest.raises(StartError, match=rf"process {os.getpid()}\b"):
        VaultLock(run).acquire()
    with VaultLock(run):
        pass


def test_a_bridge_that_lost_the_race_does_not_take_the_winners_files(run: RunFolder) -> None:
    with VaultLock(run):
        loser = VaultLock(run)
        with pytest.raises(StartError):
            loser.acquire()
        loser.release()
        assert run.read("serve.pid") == f"{os.getpid()}\n".encode()
    assert run.read("serve.pid") is None


def test_two_vaults_are_served_at_once(tmp_path: Path) -> None:
    with (
        VaultLock(RunFolder(tmp_path / "A", tmp_path / "state")),
        VaultLock(RunFolder(tmp_path / "B", tmp_path / "state")),
    ):
        pass


def test_a_process_that_is_killed_leaves_no_lock_and_its_leftovers_are_replaced(tmp_path: Path, run: RunFolder) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "Vault"), str(tmp_path / "state")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:  # noqa: S603 - our own
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        with pytest.raises(StartError, match=rf"process {holder.pid}\b"):
            VaultLock(run).acquire()
        holder.kill()
    assert run.read("serve.pid") == f"{holder.pid}\n".encode()
    with VaultLock(run):
        assert run.read("serve.pid") == f"{os.getpid()}\n".encode()


def test_a_bridge_that_is_just_starting_has_no_number_yet(run: RunFolder) -> None:
    with VaultLock(run):
        run.remove("serve.pid")
        with pytest.raises(StartError, match="just starting"):
            VaultLock(run).acquire()

"""One bridge a vault, and whoever comes second is told who was first."""

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from bridge.errors import StartError
from bridge.records.folder import RunFolder
from bridge.server.lock import vault_lock
from bridge.vault.root import STATE_FOLDER, VaultRoot

HOLDER = """
import sys
from pathlib import Path
from bridge.server.lock import vault_lock
from bridge.records.folder import RunFolder
from bridge.vault.root import VaultRoot
vault = Path(sys.argv[1])
with vault_lock(RunFolder(vault, Path(sys.argv[2])), VaultRoot(vault).state()):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return run_folder(tmp_path)


def run_folder(tmp_path: Path, vault: str = "Vault", state: str = "state") -> RunFolder:
    (tmp_path / vault).mkdir(exist_ok=True)
    return RunFolder(tmp_path / vault, tmp_path / state)


@contextmanager
def holding(run: RunFolder) -> Iterator[None]:
    with VaultRoot(run.vault) as root, root.state() as state, vault_lock(run, state):
        yield


def test_a_second_bridge_learns_which_process_serves_the_vault(run: RunFolder) -> None:
    with (
        holding(run),
        pytest.raises(StartError, match=rf"process {os.getpid()} on '{socket.gethostname()}'"),
        holding(run),
    ):
        pass
    with holding(run):
        pass


def test_another_state_folder_serves_the_same_vault_no_sooner(tmp_path: Path) -> None:
    with (
        holding(run_folder(tmp_path, state="one")),
        pytest.raises(StartError, match=rf"process {os.getpid()} on '{socket.gethostname()}'"),
        holding(run_folder(tmp_path, state="two")),
    ):
        pass
    with holding(run_folder(tmp_path, state="two")):
        pass


def test_where_the_vaults_disk_has_no_locks_the_other_lock_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    acquire = FileLock.acquire

    def only_outside(lock: FileLock, *more: Any, **named: Any) -> Any:
        if STATE_FOLDER in lock.lock_file:
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")
        return acquire(lock, *more, **named)

    monkeypatch.setattr(FileLock, "acquire", only_outside)
    run = run_folder(tmp_path)
    with holding(run), pytest.raises(StartError, match="already served"), holding(run):
        pass
    assert "has no locks (Operation not supported)" in caplog.text


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own on Windows")
def test_a_link_in_place_of_the_lock_changes_nothing_elsewhere(tmp_path: Path) -> None:
    run = run_folder(tmp_path)
    (tmp_path / "Vault" / STATE_FOLDER).mkdir()
    victim = tmp_path / "victim"
    victim.write_text("mine")
    for name in ("serve.lock", "serve.pid"):
        (tmp_path / "Vault" / STATE_FOLDER / name).symlink_to(victim)
    with holding(run):
        pass
    assert victim.read_text() == "mine"


def test_a_bridge_that_lost_the_race_does_not_take_the_winners_files(run: RunFolder) -> None:
    with holding(run):
        with pytest.raises(StartError), holding(run):
            pass
        assert run.read("serve.pid") == f"{os.getpid()} {socket.gethostname()}\n".encode()
    assert run.read("serve.pid") is None


def test_two_vaults_are_served_at_once(tmp_path: Path) -> None:
    with (
        holding(run_folder(tmp_path, "A")),
        holding(run_folder(tmp_path, "B")),
    ):
        pass


def test_a_process_that_is_killed_leaves_no_lock_and_its_leftovers_are_replaced(tmp_path: Path, run: RunFolder) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "Vault"), str(tmp_path / "state")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:  # noqa: S603 - our own
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        for state in ("state", "other"):
            with (
                pytest.raises(StartError, match=rf"process {holder.pid}\b"),
                holding(run_folder(tmp_path, state=state)),
            ):
                pass
        holder.kill()
    assert (run.read("serve.pid") or b"").startswith(f"{holder.pid} ".encode())
    with holding(run):
        assert (run.read("serve.pid") or b"").startswith(f"{os.getpid()} ".encode())


def test_a_bridge_that_is_just_starting_has_no_number_yet(run: RunFolder) -> None:
    with holding(run):
        run.remove("serve.pid")
        with pytest.raises(StartError, match="just starting"), holding(run):
            pass

"""One bridge a vault: held by the system for as long as the process lives, so a crash cannot leave it behind.

There are two locks, and a bridge holds both. The one in the vault's own `.vault-bridge` is met by everybody who serves
this vault: another user, a container, a process whose environment names another state folder. The one in the run folder
holds where the vault's disk has no locks, as some network disks.
"""

import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from bridge.errors import AlreadyServed
from bridge.records.folder import RunFolder
from bridge.vault.folder import Folder, write_atomic
from bridge.vault.root import STATE_FOLDER

LOCK_FILE: Final = "serve.lock"
PID_FILE: Final = "serve.pid"
"""Beside the lock: on Windows nobody can read a locked file, and older filelocks empty it."""

logger = logging.getLogger(__name__)


@contextmanager
def vault_lock(run: RunFolder, state: Folder) -> Iterator[None]:
    """Hold the right to serve a vault. Take it before anything in the vault is touched.

    Args:
        run: The vault's run folder.
        state: The vault's `.vault-bridge` folder, held open.

    Raises:
        AlreadyServed: Another process has it; the message names that process, and its computer.
    """
    who = f"{os.getpid()} {socket.gethostname()}\n".encode()
    with ExitStack() as held:
        _take(held, run.path)
        run.sweep()
        run.write(PID_FILE, who)
        held.callback(run.remove, PID_FILE)
        try:
            _take(held, run.vault / STATE_FOLDER)
            _quietly(lambda: write_atomic(state, PID_FILE, who))
            held.callback(_quietly, lambda: state.unlink(PID_FILE))
        except (OSError, NotImplementedError) as error:
            logger.warning(
                "The vault's disk has no locks (%s): make sure yourself that no other user and no other computer "
                "serves it at the same time",
                getattr(error, "strerror", None) or type(error).__name__,
            )
        yield


def _take(held: ExitStack, folder: Path) -> None:
    lock = FileLock(folder / LOCK_FILE, timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise AlreadyServed(
            f"This vault is already served by {_holder(folder)}", hint="Use that bridge, or stop it first."
        ) from None
    held.callback(lock.release)


def _holder(folder: Path) -> str:
    """Say who has the lock of a folder."""
    with suppress(OSError):
        pid, _, host = (folder / PID_FILE).read_text("ascii", "replace").strip()[:200].partition(" ")
        if pid.isdecimal():
            return f"process {pid}" + (f" on {host!r}" if host.isprintable() and host else "")
    return "process unknown (it is just starting)"


def _quietly(work: Callable[[], None]) -> None:
    with suppress(OSError):  # it only says who has the lock
        work()

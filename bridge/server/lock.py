"""One bridge a vault: held by the system for as long as the process lives, so a crash cannot leave it behind."""

import os
from types import TracebackType
from typing import Final, Self

from filelock import FileLock, Timeout

from bridge.errors import AlreadyServed
from bridge.server.run_folder import RunFolder

LOCK_FILE: Final = "serve.lock"
PID_FILE: Final = "serve.pid"
"""Beside the lock: on Windows nobody can read a locked file, and older filelocks empty it."""


class VaultLock:
    """The right to serve a vault. Take it before anything in the vault is touched.

    Args:
        run: The vault's run folder.
    """

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._lock = FileLock(run.path / LOCK_FILE, timeout=0, mode=0o600)

    def acquire(self) -> None:
        """Take it.

        Raises:
            AlreadyServed: Another process has it; the message names that process.
        """
        try:
            self._lock.acquire()
        except Timeout:
            holder = (self._run.read(PID_FILE) or b"").decode("ascii", "replace").strip()
            raise AlreadyServed(
                f"This vault is already served by process {holder or 'unknown (it is just starting)'}",
                hint="Use that bridge, or stop it first.",
            ) from None
        self._run.sweep()
        self._run.write(PID_FILE, b"%d\n" % os.getpid())

    def release(self) -> None:
        """Give it back."""
        if self._lock.is_locked:
            self._run.remove(PID_FILE)
            self._lock.release()

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

"""Worker processes for work that must be killable.

There are a few, started when first needed, kept warm, and never waited for past a deadline.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, ExecutionFailed
from bridge.workers.frames import read_frame, write_frame

WORKERS = 3
"""Requests that can be in worker processes at once; more wait their turn."""

_PACKAGE_PARENT = str(Path(__file__).parents[2])
# Isolated mode takes nothing from the environment or the working folder, so the package's place is passed. It comes
# after the standard library and before whatever else is installed: a worker runs the code of the bridge that asks it.
_PROGRAM = """
import importlib, sys
place = next((at for at, path in enumerate(sys.path) if path.endswith("-packages")), len(sys.path))
sys.path.insert(place, sys.argv[1])
importlib.import_module(sys.argv[2]).main()
"""
# What an interpreter may need to start; nothing that could hold a secret.
_ENVIRONMENT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class WorkerGone(Exception):
    """The process ended, or was ended, before it answered."""


class Worker:
    """One worker process, seen from the bridge. One thread uses it at a time; any may kill it.

    Args:
        program: The module whose `main` it runs.
    """

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own program, no shell
            [sys.executable, "-I", "-c", _PROGRAM, _PACKAGE_PARENT, program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(sys.executable).anchor,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._busy = False

    @property
    def usable(self) -> bool:
        """Whether it lives and waits for a request."""
        return not self._busy and self._process.poll() is None

    def ask(self, header: dict[str, Any], data: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """The answer to one request, as its program describes it: a JSON object and bytes.

        Raises:
            WorkerGone: The process ended meanwhile.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise WorkerGone
        self._busy = True
        try:
            write_frame(stdin, header, data)
            frame = read_frame(stdout)
        except (OSError, ValueError):
            raise WorkerGone from None
        if frame is None:
            raise WorkerGone
        self._busy = False
        return frame

    def kill(self) -> None:
        """End it now, whatever it does."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it and let its pipes go. Not while another thread is asking."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # bytes it never took


class WorkerPool:
    """Lends worker processes.

    Args:
        clock: Its `monotonic()` is what deadlines are given in.
        program: The module whose `main` the processes run.
        work: What they do, as a noun: "search".
        remedy: What to do where the work ends its process, as an advice.
        workers: How many processes at most.
    """

    def __init__(self, clock: Clock, program: str, work: str, remedy: str, workers: int = WORKERS) -> None:
        self.clock = clock
        self._program = program
        self._work = work
        self._remedy = remedy
        self._free = threading.BoundedSemaphore(workers)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._lent: set[Worker] = set()
        self._closed = False

    @contextmanager
    def lend(self, deadline: float) -> Iterator[Worker]:
        """A worker for this thread alone, killed at the deadline.

        Args:
            deadline: `Clock.monotonic()` value.

        Raises:
            DeadlineExceeded: No worker became free in time, or the deadline came while it worked.
            ExecutionFailed: The process ended by itself, or the pool is closed.
        """
        if not self._free.acquire(timeout=max(deadline - self.clock.monotonic(), 0)):
            raise DeadlineExceeded(
                f"Others held every worker for this {self._work} until the deadline; try again later"
            )
        try:
            yield from self._lent_until(deadline)
        finally:
            self._free.release()

    def _lent_until(self, deadline: float) -> Iterator[Worker]:
        worker = self._take()
        overdue = threading.Event()

        def stop() -> None:
            overdue.set()
            worker.kill()

        alarm = threading.Timer(max(deadline - self.clock.monotonic(), 0), stop)
        alarm.daemon = True
        alarm.start()
        try:
            yield worker
        except WorkerGone:
            if overdue.is_set():
                raise DeadlineExceeded(f"The {self._work} did not finish before its deadline and was stopped") from None
            raise ExecutionFailed(f"The process of this {self._work} ended; {self._remedy}") from None
        finally:
            alarm.cancel()
            alarm.join()
            self._give_back(worker)

    def close(self) -> None:
        """End every worker. What still runs in one fails."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for worker in self._lent:
                worker.kill()
        for worker in idle:
            worker.close()

    def _take(self) -> Worker:
        with self._lock:
            if self._closed:
                raise ExecutionFailed("The bridge is stopping; call again when it runs")
            while self._idle:
                worker = self._idle.pop()
                if worker.usable:
                    break
                worker.close()
            else:
                worker = Worker(self._program)
            self._lent.add(worker)
            return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            self._lent.discard(worker)
            if worker.usable and not self._closed:
                self._idle.append(worker)
                return
        worker.close()

"""Worker processes for work that must be killable.

There are a few, started when first needed, kept warm, and never waited for past a deadline; those for files that
strangers made read one file each, and end with it. Some of what a process writes to its standard error is kept, to tell
why it ended.
"""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, ClassVar, Final, NamedTuple

from bridge.clock import Clock
from bridge.errors import DeadlineExceeded, ExecutionFailed
from bridge.sandbox.job import TELL_ERROR
from bridge.workers.frames import ANSWERED, EXHAUSTED, read_frame, write_frame

MOST_KEPT: Final = 8 * 1024
"""Bytes that are kept, from the beginning: the line that says why comes first."""
LONGEST: Final = 300
"""Characters of a line that are shown."""
_LISTENING: Final = 1.0
"""Seconds to wait for the last of what a process wrote that has ended."""
_CHUNK: Final = 4096
logger = logging.getLogger(__name__)
NOT_STARTED = "worker_not_started"
"""The code of a failure where the process has never been able to work: something is missing or damaged."""
WORKERS = 3
"""Requests that can be in worker processes at once; more wait their turn."""
_PACKAGE_PARENT = str(Path(__file__).parents[2])
_PATIENCE = 1.0
"""Seconds in which a process that answers no more ends by itself."""
# Isolated mode takes nothing from the environment or the working folder, so the package's place is passed. It comes
# after the standard library and before whatever else is installed: a worker runs the code of the bridge that asks it.
# Ctrl-C is for the bridge, which then closes the input.
_PROGRAM = f"""{TELL_ERROR}
import importlib, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
place = next((at for at, path in enumerate(sys.path) if path.endswith("-packages")), len(sys.path))
sys.path.insert(place, sys.argv[1])
importlib.import_module(sys.argv[2]).main()
"""
_NUMBERS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
ONE_THREAD: Final = _NUMBERS | {"TOKENIZERS_PARALLELISM": "false"}
"""Variables that make libraries work in one thread: one processor is enough for work that others should not notice."""
# What an interpreter may need to start; nothing that could hold a secret.
_ENVIRONMENT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
FILES_AT_ONCE: Final = 2
"""Files that are read at a time."""


class WorkerGone(Exception):
    """The process ended, or was ended, before it answered."""


class Job(NamedTuple):
    """The job of worker processes of one kind.

    Attributes:
        program: The module whose `main` they run.
        work: What one request is, as a noun: "search".
        remedy: What to do where the work ends its process, as an advice.
    """

    program: str
    work: str
    remedy: str


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
            stderr=subprocess.PIPE,
            cwd=Path(sys.executable).anchor,
            env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ} | ONE_THREAD,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        if not (self._process.stdin and self._process.stdout and self._process.stderr):
            raise TypeError("a worker has three pipes")
        self._input, self._output = self._process.stdin, self._process.stdout
        self._complaint = Complaint(self._process.stderr)
        self._busy = False
        self._ready = False

    @property
    def usable(self) -> bool:
        """Return whether it runs and waits for a request."""
        return not self._busy and self._process.poll() is None

    def ask(self, header: dict[str, Any], data: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """Return the answer to one request, as its program describes it: a JSON object and bytes.

        Raises:
            WorkerGone: The process ended meanwhile.
        """
        self._busy = True
        self.start()
        try:
            write_frame(self._input, header, data)
        except (OSError, ValueError):
            raise WorkerGone from None
        frame = self._next_frame()
        self._busy = False
        return frame

    def start(self) -> None:
        """Wait until it can be asked.

        Raises:
            WorkerGone: It cannot start, or ended meanwhile.
        """
        if not self._ready:
            self._next_frame()
            self._ready = True

    def end(self) -> tuple[bool, str]:
        """End it, if it does not end by itself. Returns whether it had ever started, and what it said of its end."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        self.kill()
        code = self._process.returncode
        if code == EXHAUSTED:
            return self._ready, "it took more memory than it may"
        why = f"exit code {code}" if code >= 0 else f"killed by signal {-code}"
        return self._ready, self._complaint.first_line() or why

    def _next_frame(self) -> tuple[dict[str, Any], bytes]:
        try:
            frame = read_frame(self._output)
        except (OSError, ValueError):
            frame = None
        if frame is None:
            raise WorkerGone
        return frame

    def kill(self) -> None:
        """End it now, whatever it does."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it and let its pipes go. Not while another thread is asking."""
        self.kill()
        for pipe in (self._input, self._output):
            with suppress(OSError):  # bytes it never took
                pipe.close()


class WorkerPool:
    """The pool that lends worker processes.

    Args:
        clock: Its `monotonic()` is what deadlines are given in.
        job: What they do.
        hide: Takes secrets out of what a process said before it ended.
        workers: How many processes at most.
        reuse: Whether a process that worked is kept for the next one who asks.
    """

    def __init__(
        self, clock: Clock, job: Job, hide: Callable[[str], str], workers: int = WORKERS, *, reuse: bool = True
    ) -> None:
        self.clock = clock
        self._reuse = reuse
        self._job = job
        self._hide = hide
        self._free = threading.BoundedSemaphore(workers)
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._lent: set[Worker] = set()
        self._closed = False

    @contextmanager
    def lend(self, deadline: float) -> Iterator[Worker]:
        """Yield a worker for this thread alone, killed at the deadline.

        Args:
            deadline: `Clock.monotonic()` value.

        Raises:
            DeadlineExceeded: No worker became free in time, or the deadline came while it worked.
            ExecutionFailed: The process cannot start (`NOT_STARTED`) or ended by itself, or the pool is closed.
        """
        if not self._free.acquire(timeout=max(deadline - self.clock.monotonic(), 0)):
            raise DeadlineExceeded(
                f"Others held every worker for this {self._job.work} until the deadline; try again later"
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
                what = f"The {self._job.work} did not finish before its deadline and was stopped"
                raise DeadlineExceeded(what) from None
            if self._closed:
                raise _stopping() from None
            raise self._failure(*worker.end()) from None
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

    def _failure(self, started: bool, why: str) -> ExecutionFailed:
        """Return the failure of a process that ended, with its own explanation; the log has it too."""
        work, remedy, why = self._job.work, self._job.remedy, self._hide(why)
        if started:
            message = f"The process of this {work} ended ({why}); {remedy}"
        else:
            doctor = "`vault-bridge doctor` says what the user can do"
            message = f"The process for this {work} cannot start: {why}. {doctor}; until then, {remedy}"
        logger.warning("%s: %s", self._job.program, message)
        return ExecutionFailed(message, code=None if started else NOT_STARTED, data={"stderr": why})

    def _take(self) -> Worker:
        with self._lock:
            if self._closed:
                raise _stopping()
            while self._idle:
                worker = self._idle.pop()
                if worker.usable:
                    break
                worker.close()
            else:
                try:
                    worker = Worker(self._job.program)
                except OSError as error:
                    raise self._failure(False, error.strerror or type(error).__name__) from None  # noqa: FBT003 - as `end` says it
            self._lent.add(worker)
            return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            self._lent.discard(worker)
            if self._reuse and worker.usable and not self._closed:
                self._idle.append(worker)
                return
        worker.close()


class FileWorkers:
    """The readers of files of one kind. Any thread may ask.

    Args:
        clock: The one that deadlines are given in.
        hide: Takes secrets out of what a process said before it ended.

    Attributes:
        job: What the processes do.
    """

    job: ClassVar[Job]

    def __init__(self, clock: Clock, hide: Callable[[str], str]) -> None:
        self._clock = clock
        self._pool = WorkerPool(clock, self.job, hide, FILES_AT_ONCE, reuse=False)

    def _use(
        self, work: Callable[[Worker], None], deadline: float | None, seconds: float, late: str, ended: str
    ) -> str:
        """Have a process do some work, until a deadline if there is one, and within so many seconds.

        Returns:
            Why it was not finished: `late`, or `ended` with what the process said; empty if it was.

        Raises:
            ExecutionFailed: `worker_not_started`: the process cannot start, so nothing is known of the file.
        """
        latest = self._clock.monotonic() + seconds
        try:
            with self._pool.lend(latest if deadline is None else min(deadline, latest)) as worker:
                work(worker)
        except DeadlineExceeded:
            return late
        except ExecutionFailed as failure:
            if failure.code == NOT_STARTED:
                raise
            return f"{ended} ({failure.data.get('stderr', 'it was stopped')})"
        return ""

    def close(self) -> None:
        """End the processes. What is being read fails."""
        self._pool.close()


def _stopping() -> ExecutionFailed:
    return ExecutionFailed("The bridge is stopping; call again when it runs")


class Complaint:
    """The beginning of a process's standard error since its last answer.

    A thread takes all of it, so the process never blocks.

    Args:
        stream: Its standard error; closed when the process has ended.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._listen, daemon=True, name="standard error of a worker")
        self._thread.start()

    def first_line(self) -> str:
        """Return the first line that a process wrote which has ended; empty where it wrote nothing."""
        self._thread.join(_LISTENING)
        return first_line(bytes(self._kept).decode(errors="replace"))

    def _listen(self) -> None:
        with self._stream as stream:
            while data := os.read(stream.fileno(), _CHUNK):
                _, answered, data = data.rpartition(ANSWERED)
                if answered:
                    self._kept.clear()
                self._kept += data[: max(MOST_KEPT - len(self._kept), 0)]


def first_line(text: str) -> str:
    """Return the first line of a process's output, as it may be shown: cut, and without places on this computer."""
    lines = filter(None, map(str.strip, without_places(text).splitlines()))
    return next(lines, "")[:LONGEST].rstrip(".")


def without_places(text: str) -> str:
    """Return the text without the folders in which this Python, its packages and the user's own files lie."""
    home = os.path.expanduser("~")  # noqa: PTH111 - where there is none, it fails with nothing
    folders = {sys.prefix, sys.base_prefix, str(Path(__file__).parents[2]), home}
    for folder in sorted(folders, key=len, reverse=True):
        if len(Path(folder).parts) > 1:
            text = text.replace(folder, "…")
    return text

"""The process between the bridge and a program that it starts: it confines the program, watches it and outlives it.

On Linux it is the subreaper of all that the program starts, so whatever is left behind becomes its own child and is
ended. Its standard input is its life line: when that ends, the bridge is gone or wants no more, and so everything is
ended at once. The bridge needs to do nothing for that, and can be killed at any moment.

It has one thread and imports nothing but the standard library and its neighbours, so that it starts quickly and can
fork.
"""

import contextlib
import ctypes
import fcntl
import os
import resource
import select
import signal
import sys
import time
from pathlib import Path
from typing import Final, NoReturn

from bridge.sandbox import namespaces
from bridge.sandbox.job import Ending, ProgramJob, Report
from bridge.sandbox.kernel_rules import filter_program, install_filter, restrict
from bridge.sandbox.processes import ControlGroup, Growth, children, descendants, memory, tasks_of_user
from bridge.sandbox.profile import LayerKind, ViewLayer

assert sys.platform != "win32"  # noqa: S101 - tells mypy; there `windows_job.py` does this work, and this cannot be imported

TICK: Final = 0.05
"""Seconds between two looks at the processes."""
# Options of prctl, from the kernel's header prctl.h
_PARENT_DEATH, _SUBREAPER = 1, 36
_DROP_FROM_BOUNDS, _AMBIENT, _CLEAR_ALL = 24, 47, 4
_CAPABILITIES: Final = 64
_NEVER_FOUND: Final = 127
_LONGEST_JOB: Final = 16 * 1024 * 1024
_THREADS: Final = 32
"""Threads that one process may have on average; the system counts threads, and we count processes."""
_DESCRIPTORS: Final = 4096
"""Files that one process may have open: each can hold something that is not measured."""
_IS_LINUX: Final = sys.platform.startswith("linux")


def main() -> None:
    """Take one job from standard input, do it, write the report, and end."""
    line, rest = _read_job()
    job = ProgramJob.from_json(line)
    Supervisor(job, rest).run().write(Path(job.report))


class Supervisor:
    """One program from its start until nothing is left of it.

    Args:
        job: The program.
        first: What has been read already of what is for it.
    """

    def __init__(self, job: ProgramJob, first: bytes = b"") -> None:
        self._job = job
        self._pending = first
        self._program = 0
        self._status: int | None = None
        self._growth = Growth(job.grown, job.disk)
        self._group = ControlGroup.make(job.memory, job.processes * _THREADS) if _IS_LINUX else None
        self._until: float | None = None
        self._lifeline = sys.stdin.fileno()
        self._to_program: int | None = None
        self._woken, self._wake = os.pipe()

    def run(self) -> Report:
        """Start it, and return when it and all that it started have ended."""
        if _IS_LINUX:
            _control(_SUBREAPER, 1)
        for end in (self._woken, self._wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wake)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.signal(signal.SIGTERM, lambda _number, _frame: None)
        failure = self._start()
        if failure:
            self._leave_group()
            return Report(ending=Ending.NOT_STARTED, message=failure)
        if self._job.seconds is not None:
            self._until = time.monotonic() + self._job.seconds
        ending = self._watch()
        self._end_all()
        if self._leave_group():
            ending = Ending.MEMORY
        code = os.waitstatus_to_exitcode(self._status) if self._status is not None else None
        return Report(ending=ending, code=code if ending is Ending.EXITED else None)

    # -- the start ----------------------------------------------------------------------------------------------

    def _start(self) -> str:
        """Start the program. Returns why it could not be started, or nothing."""
        said, saying = os.pipe()
        stdin = os.open(os.devnull, os.O_RDONLY)
        if self._job.talks:
            os.close(stdin)
            stdin, self._to_program = os.pipe()
            os.set_blocking(self._to_program, False)
        user, group = os.geteuid(), os.getegid()
        try:
            job = self._job
            self._program = namespaces.fork(users=job.own_users, network=job.network) if job.layers else os.fork()
        except OSError as error:
            return f"in a sandbox: {error.strerror}"
        if self._program == 0:
            os.close(said)
            if self._group is not None:
                self._group.enter()
            _become(self._job, stdin, saying, user, group)
        os.close(saying)
        os.close(stdin)
        with os.fdopen(said, "rb") as words:
            failure = words.read().decode(errors="replace")
        if failure:
            os.waitpid(self._program, 0)
        return failure

    # -- while it runs ------------------------------------------------------------------------------------------

    def _watch(self) -> Ending:
        """Wait for the end of the program, or for a reason to end it."""
        while True:
            self._reap()
            if self._status is not None:
                return Ending.EXITED
            reason = self._excess()
            if reason is not None:
                return reason
            now = time.monotonic()
            if self._until is not None and now >= self._until:
                return self._told_to_end(Ending.TIMED_OUT)
            wait = TICK if self._until is None else max(min(TICK, self._until - now), 0)
            if not self._exchange(wait):
                return self._told_to_end(Ending.STOPPED) if self._job.talks else Ending.STOPPED

    def _exchange(self, wait: float) -> bool:
        """Wait a moment, passing on what is for the program. Returns whether the life line holds."""
        reading = [self._woken]
        if not self._pending or not self._job.talks:
            reading.append(self._lifeline)
        writing = [self._to_program] if self._pending and self._to_program is not None else []
        ready, writable, _ = select.select(reading, writing, [], wait)
        if self._woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._woken, 4096)
        if self._lifeline in ready:
            data = os.read(self._lifeline, 65536)
            if not data:
                return False
            self._pending = data if self._job.talks else b""
        if writable and self._to_program is not None:
            try:
                self._pending = self._pending[os.write(self._to_program, self._pending) :]
            except BrokenPipeError:
                os.close(self._to_program)
                self._to_program, self._pending = None, b""
            except BlockingIOError:
                pass
        return True

    def _told_to_end(self, ending: Ending) -> Ending:
        """Ask the program to end by itself, and give it the time for that that it has."""
        if self._to_program is not None:
            os.close(self._to_program)
            self._to_program = None
        else:
            self._signal(signal.SIGTERM, inner=True)
        patience = time.monotonic() + self._job.grace
        while self._status is None and time.monotonic() < patience:
            select.select([self._woken], [], [], TICK)
            self._reap()
        return ending

    def _excess(self) -> Ending | None:
        """Return the limit that was exceeded; None if all is well."""
        processes = self._inner()
        if len(processes) > self._job.processes:
            return Ending.PROCESSES
        if memory(processes, self._job.memory) > self._job.memory:
            return Ending.MEMORY
        return Ending.DISK if self._growth.is_too_much(processes) else None

    def _inner(self) -> list[int]:
        """Return the processes of the program, without those of the sandbox around them."""
        found, keepers = list(descendants(os.getpid())), [self._program]
        for _ in range(self._job.keepers):
            found = [process for process in found if process not in keepers]
            keepers = [child for process in keepers for child in children(process)]
        return found

    # -- the end ------------------------------------------------------------------------------------------------

    def _leave_group(self) -> bool:
        """Remove the control group, if there is one. Returns whether there was no more memory in it."""
        if self._group is None:
            return False
        was_full = self._group.was_full
        self._group.remove()
        return was_full

    def _reap(self) -> bool:
        """Take note of whatever has ended, the program or what it left behind; returns whether no child is left."""
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if process == 0:
                return False
            if process == self._program:
                self._status = status

    def _end_all(self) -> None:
        """End everything that is left, and wait until it has."""
        while True:
            # All are stopped before any is ended, so that none can go on making others meanwhile.
            self._signal(signal.SIGSTOP)
            self._signal(signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._program, signal.SIGKILL)
            if self._reap():
                return
            select.select([self._woken], [], [], TICK / 5)
            with contextlib.suppress(BlockingIOError):
                os.read(self._woken, 4096)

    def _signal(self, number: signal.Signals, *, inner: bool = False) -> None:
        """Send a signal to everything that the program started and to itself, which comes last.

        Args:
            number: The signal.
            inner: Whether to leave out the sandbox's own processes, which would take all others with them at once.
        """
        found = self._inner() if inner else list(descendants(os.getpid()))
        if not _IS_LINUX:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._program, number)
        for process in reversed(found):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)


def _read_job() -> tuple[bytes, bytes]:
    """Return the first line of standard input, and what has been read after it."""
    data = b""
    while b"\n" not in data:
        piece = os.read(sys.stdin.fileno(), 65536)
        if not piece or len(data) > _LONGEST_JOB:
            raise SystemExit(1)  # the bridge has gone before it said what to do
        data += piece
    line, _, rest = data.partition(b"\n")
    return line, rest


# -- in the new process --------------------------------------------------------------------------------------------


def _become(job: ProgramJob, stdin: int, saying: int, user: int, group: int) -> NoReturn:
    """Confine this process, which has just been forked, and make it the program."""
    step = "to begin"
    try:
        if job.layers and job.own_users:
            namespaces.name_users(user, group)
        os.setsid()
        if _IS_LINUX:
            _end_with_supervisor(saying)
        os.dup2(stdin, 0)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        argv = list(job.argv)
        step = "with limits"
        _limit(job)
        step = "in namespaces of its own"
        if job.layers:
            _settle(job)
        step = "in its folder"
        if job.wrapper:
            argv = [*job.wrapper, *_filter_option(job), "--", *argv]
        else:
            os.chdir(job.folder)
        if job.read is not None:
            step = "under Landlock"
            restrict(job.read, job.write, network=job.network)
        if job.layers or job.read is not None:
            _give_up_privileges()
        if job.filtered and not job.wrapper:
            step = "under seccomp"
            install_filter(filter_program(network=job.network, truncate=job.truncate))
        step = f"as {argv[0]}"
        os.execve(argv[0], argv, job.environment)  # noqa: S606 - starting programs is what this is for
    except BaseException as error:  # noqa: BLE001 - whatever it is, this process must not go on as the supervisor
        why = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        with contextlib.suppress(OSError):
            os.write(saying, f"{step}: {why}".encode())
    os._exit(_NEVER_FOUND)


def _end_with_supervisor(saying: int) -> None:
    """Have the system end this process when the supervisor ends, or end it now if that was before it could be told.

    Args:
        saying: A pipe that only the supervisor reads.
    """
    _control(_PARENT_DEATH, signal.SIGKILL)
    reader = select.poll()
    reader.register(saying, 0)
    if reader.poll(0):
        os._exit(_NEVER_FOUND)


def _settle(job: ProgramJob) -> None:
    """Make the namespaces that this process is in a place for the program, and return in the process that becomes it.

    This one stays the first of them, and ends when the program does.
    """
    layers = [ViewLayer(LayerKind(kind), source, place) for kind, source, place in job.layers]
    namespaces.lay(layers, Path(job.report).parent / "root")
    program = os.fork()
    if program:
        namespaces.attend(program)
    os.setsid()


def _filter_option(job: ProgramJob) -> list[str]:
    """Return the filter in a pipe, for bubblewrap to read when it has done what the filter will not let it do."""
    if not job.filtered:
        return []
    source, sink = os.pipe()
    os.write(sink, filter_program(network=job.network))
    os.close(sink)
    fcntl.fcntl(source, fcntl.F_SETFD, 0)
    return ["--seccomp", str(source)]


def _limit(job: ProgramJob) -> None:
    """Set the system's own limits. They hold for single processes; the supervisor adds them up."""
    _set_limit(resource.RLIMIT_CORE, 0)
    _set_limit(resource.RLIMIT_FSIZE, job.file_size)
    _set_limit(resource.RLIMIT_NOFILE, _DESCRIPTORS)
    if _IS_LINUX:
        # Memory that can be written: what is only reserved, as some languages do by the terabyte, is free.
        _set_limit(resource.RLIMIT_DATA, job.memory)
    _set_limit(resource.RLIMIT_NPROC, tasks_of_user() + job.processes * _THREADS)


def _give_up_privileges() -> None:
    """Have the program start without capabilities, where we are root: some see through the walls between processes."""
    for capability in range(_CAPABILITIES):
        _control(_DROP_FROM_BOUNDS, capability)
    _control(_AMBIENT, _CLEAR_ALL)


def _set_limit(what: int, value: int) -> None:
    _soft, hard = resource.getrlimit(what)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(what, (value, value))


def _control(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)

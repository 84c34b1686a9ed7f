"""The supervisor on Windows: a job object, which ends with its last handle and takes all its processes with it.

The supervisor puts itself into the job before it starts the program, so there is no moment at which the program is
outside. It holds the only handle: however the supervisor ends, nothing is left. Windows has no sandbox that a program
of the user's could set up for another one, so what the program may reach is not limited.
"""

import ctypes
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Final

from bridge.sandbox.job import Ending, ProgramJob, Report
from bridge.sandbox.processes import Growth

_TICK: Final = 0.1
# winnt.h
_EXTENDED_LIMITS: Final = 9
_ACTIVE_PROCESSES, _JOB_MEMORY, _KILL_ON_CLOSE = 0x8, 0x200, 0x2000


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("per_process_time", ctypes.c_int64),
        ("per_job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("basic", _BasicLimits),
        ("io", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


def main() -> None:
    """Take one job from standard input, do it, write the report, and end with everything in the job."""
    job = ProgramJob.from_json(sys.stdin.buffer.readline())
    _enter_job(job)
    _run(job).write(Path(job.report))
    os._exit(0)  # the handle of the job closes, and so ends whatever is left


def _enter_job(job: ProgramJob) -> None:
    """Put this process, and so all that it starts, into a job with limits. Raises OSError."""
    if sys.platform == "win32":
        kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateJobObjectW.restype = ctypes.c_void_p
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        kernel.SetInformationJobObject.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32]
        kernel.AssignProcessToJobObject.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        handle = kernel.CreateJobObjectW(None, None)
        limits = _ExtendedLimits()
        limits.basic.flags = _ACTIVE_PROCESSES | _JOB_MEMORY | _KILL_ON_CLOSE
        limits.basic.processes = job.processes + 1
        limits.job_memory = job.memory
        size = ctypes.sizeof(limits)
        if not handle or not kernel.SetInformationJobObject(handle, _EXTENDED_LIMITS, ctypes.byref(limits), size):
            raise ctypes.WinError(ctypes.get_last_error())
        if not kernel.AssignProcessToJobObject(handle, kernel.GetCurrentProcess()):
            raise ctypes.WinError(ctypes.get_last_error())
    else:
        raise OSError("job objects are of Windows")


def _run(job: ProgramJob) -> Report:
    growth = Growth(job.grown, job.disk)
    try:
        stdin, flags = subprocess.PIPE if job.talks else subprocess.DEVNULL, getattr(subprocess, "CREATE_NO_WINDOW", 0)
        process = subprocess.Popen(  # noqa: S603 - starting programs is what this is for
            list(job.argv), stdin=stdin, cwd=job.folder, env=job.environment, creationflags=flags
        )
    except OSError as error:
        return Report(ending=Ending.NOT_STARTED, message=f"as {job.argv[0]}: {error.strerror}")
    gone = threading.Event()
    threading.Thread(target=_relay, args=(process, gone), daemon=True).start()
    spent = 0.0
    while True:
        try:
            return Report(ending=Ending.EXITED, code=process.wait(_TICK))
        except subprocess.TimeoutExpired:
            spent += _TICK
        if gone.is_set():
            return Report(ending=Ending.STOPPED)
        if job.seconds is not None and spent >= job.seconds:
            return Report(ending=Ending.TIMED_OUT)
        if growth.is_too_much():
            return Report(ending=Ending.DISK)


def _relay(process: "subprocess.Popen[bytes]", gone: threading.Event) -> None:
    """Pass on what is for the program until the life line ends."""
    while data := os.read(0, 65536):
        if process.stdin is not None:
            try:
                process.stdin.write(data)
                process.stdin.flush()
            except OSError:
                continue  # it reads no more
    if process.stdin is not None:
        process.stdin.close()
    gone.set()

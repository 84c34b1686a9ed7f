"""The sandbox of this machine: which one works, what it cannot do, and programs started in it."""

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, Literal

from bridge.sandbox import bubblewrap, landlock, seatbelt, seccomp
from bridge.sandbox.job import Ending, Job, Report
from bridge.sandbox.profile import Profile
from bridge.sandbox.system import devices
from bridge.sandbox.telling import TELL_ERROR

_PACKAGE_PARENT: Final = str(Path(__file__).parents[2])
_MODULE: Final = "windows_job" if sys.platform == "win32" else "supervisor"
# Isolated mode takes nothing from the environment or the working folder, so the package's place is passed.
_PROGRAM: Final = f"{TELL_ERROR}sys.path.insert(0, sys.argv[1]); from bridge.sandbox.{_MODULE} import main; main()"
_CHUNK: Final = 65536
_NEEDED: Final = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What an interpreter may need to start; nothing that could hold a secret."""


class SandboxKind(StrEnum):
    """What confines programs."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    SEATBELT = "sandbox-exec"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What confines programs here.

    Attributes:
        kind: What does it.
        lacks: A sentence for each thing that a program can do all the same.
        begin: How a program is started in it, where that is found out by trying.
        filtered: Whether system calls are kept from programs.
    """

    kind: SandboxKind
    lacks: tuple[str, ...] = ()
    begin: tuple[str, ...] = ()
    filtered: bool = False

    @property
    def confines(self) -> bool:
        """Whether programs are confined at all."""
        return self.kind is not SandboxKind.NONE

    @property
    def moves(self) -> bool:
        """Whether a program can see something elsewhere than where it is (`Profile.shown_at`)."""
        return self.kind is SandboxKind.BUBBLEWRAP

    @property
    def sentence(self) -> str:
        """What holds here, for people."""
        if not self.confines:
            return "No sandbox works here: what a program can reach is not limited"
        return f"Programs run in a sandbox ({self.kind.value})"


NO_SANDBOX: Final = Sandbox(
    SandboxKind.NONE,
    ("A program can read and change everything that you can, and use the network",),
)


@cache
def probe() -> Sandbox:
    """The best sandbox that works on this machine. What can only be found out by trying is tried, once. Blocks."""
    for kind in (SandboxKind.BUBBLEWRAP, SandboxKind.LANDLOCK, SandboxKind.SEATBELT):
        if (found := probe_one(kind)) is not None:
            return found
    return NO_SANDBOX


@cache
def probe_one(kind: SandboxKind) -> Sandbox | None:
    """One kind of sandbox, where it works. Blocks."""
    filtered = seccomp.is_supported()
    match kind:
        case SandboxKind.BUBBLEWRAP:
            begin = bubblewrap.starts()
            return None if begin is None else Sandbox(kind, _bubblewrap_lacks(filtered), begin, filtered)
        case SandboxKind.LANDLOCK:
            version = landlock.abi()
            return Sandbox(kind, _landlock_lacks(version, filtered), filtered=filtered) if version > 0 else None
        case SandboxKind.SEATBELT:
            lacks = ("A program that leaves its session can outlive the command",)
            return Sandbox(kind, lacks) if seatbelt.is_there() else None
        case SandboxKind.NONE:
            return NO_SANDBOX


def _bubblewrap_lacks(filtered: bool) -> tuple[str, ...]:
    return () if filtered else ("Calls of the kernel that few programs need are not kept from it",)


def _landlock_lacks(version: int, filtered: bool) -> tuple[str, ...]:
    found = ["A program sees the names and arguments of the programs that you run"]
    if version < landlock.SIGNALS_ABI:
        found.append("A program can end other programs of yours, and so outlive the bridge")
    if not filtered:
        found.append("A program can use the network, and sockets of other programs such as Docker's")
        if version < landlock.TRUNCATE_ABI:
            found.append("A program can empty files of yours, although it cannot read them")
    return tuple(found)


class Running:
    """A program that has been started. Made by `start`.

    Attributes:
        stdout: What it writes to its output.
        stderr: What it writes to its errors.
    """

    def __init__(self, process: asyncio.subprocess.Process, report: Path, *, talks: bool) -> None:
        self._process = process
        self._report = report
        self._talks = talks
        self._over: Ending | None = None
        if process.stdout is None or process.stderr is None or process.stdin is None:
            raise TypeError("the supervisor has three pipes")
        self.stdout = process.stdout
        self.stderr = process.stderr
        self._stdin = process.stdin

    @property
    def supervisor(self) -> int:
        """The id of the process that watches it."""
        return self._process.pid

    async def write(self, data: bytes) -> None:
        """Send it something to read, where it talks. Raises OSError when it reads no more."""
        if not self._talks:
            raise TypeError("this program reads nothing")
        self._stdin.write(data)
        await self._stdin.drain()

    def end(self, reason: Ending = Ending.STOPPED) -> None:
        """End it, with all that it has started. One that talks hears the end of its input first."""
        self._over = self._over or reason
        self._stdin.close()

    async def output(self, limit: int | None) -> AsyncIterator[tuple[Literal["stdout", "stderr"], bytes]]:
        """What it says, in pieces, until it and all that it started have ended.

        Args:
            limit: Bytes after which it is ended, since it says too much; None: never.
        """
        pieces: asyncio.Queue[tuple[Literal["stdout", "stderr"], bytes]] = asyncio.Queue(maxsize=4)

        async def read(name: Literal["stdout", "stderr"], stream: asyncio.StreamReader) -> None:
            while data := await stream.read(_CHUNK):
                await pieces.put((name, data))
            await pieces.put((name, b""))

        readers = [asyncio.create_task(read("stdout", self.stdout)), asyncio.create_task(read("stderr", self.stderr))]
        said, still_open = 0, len(readers)
        try:
            while still_open:
                name, data = await pieces.get()
                if not data:
                    still_open -= 1
                    continue
                room = len(data) if limit is None else max(limit - said, 0)
                said += len(data)
                if data[:room]:
                    yield name, data[:room]
                if limit is not None and said > limit:
                    self.end(Ending.OUTPUT)
        finally:
            for reader in readers:
                reader.cancel()

    async def ended(self) -> Report:
        """How it ended, once it and all that it started have ended."""
        await self._process.wait()
        self._stdin.close()
        report = await asyncio.to_thread(self._read_report)
        return report if self._over is None else Report(ending=self._over)

    def _read_report(self) -> Report:
        try:
            return Report.from_json(self._report.read_bytes())
        except (OSError, ValueError, KeyError, TypeError):
            return Report(ending=Ending.NOT_STARTED, message="because the process that watches it ended")
        finally:
            shutil.rmtree(self._report.parent, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Ready:
    """A supervisor that waits for its job. Made by `get_ready`; it ends at the latest when this process does.

    Attributes:
        process: The supervisor.
        place: Where its report will be.
    """

    process: asyncio.subprocess.Process
    place: Path

    async def discard(self) -> None:
        """It is not needed after all."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        await self.process.wait()
        await asyncio.to_thread(shutil.rmtree, self.place, ignore_errors=True)


async def get_ready() -> Ready:
    """Start a supervisor, for a program that is soon to be started: most of the time that a start takes is this.

    Raises:
        OSError: The system has no more processes or descriptors.
    """
    place = Path(mkdtemp(prefix="vault-bridge-program-"))
    try:
        process = await asyncio.create_subprocess_exec(
            *[sys.executable, "-I", "-S", "-c", _PROGRAM, _PACKAGE_PARENT],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=place.anchor,
            env={name: os.environ[name] for name in _NEEDED if name in os.environ},
            start_new_session=True,
            limit=_CHUNK,
        )
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return Ready(process, place)


async def start(
    sandbox: Sandbox,
    profile: Profile,
    argv: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    talks: bool = False,
    ready: Ready | None = None,
) -> Running:
    """Start a program. It ends at the latest when this process does.

    Args:
        sandbox: What confines it.
        profile: What it may reach, as `Profile.guarded` returns it.
        argv: Its absolute path, and its arguments.
        folder: Where it starts.
        environment: All of its environment.
        talks: Whether it is to be written to.
        ready: A supervisor that waits for it, where there is one.

    Raises:
        OSError: The system has no more processes or descriptors.
        ValueError: The profile cannot be carried out.
    """
    job = _job(sandbox, profile, folder)
    held = ready or await get_ready()
    report = held.place / "report"
    job = replace(job, argv=tuple(argv), environment=dict(environment), report=str(report), talks=talks)
    running = Running(held.process, report, talks=talks)
    running._stdin.write(job.to_json())  # noqa: SLF001 - the first line is the job
    with contextlib.suppress(ConnectionError):
        await running._stdin.drain()  # noqa: SLF001 - the same
    return running


def _job(sandbox: Sandbox, profile: Profile, folder: Path) -> Job:
    """What a profile comes to in a sandbox, without the program."""
    limits = profile.limits
    wrapper: Sequence[str] = ()
    read: tuple[str, ...] | None = None
    write: tuple[str, ...] = ()
    match sandbox.kind:
        case SandboxKind.BUBBLEWRAP:
            wrapper = bubblewrap.wrapper(sandbox.begin, profile, folder)
        case SandboxKind.SEATBELT:
            wrapper = seatbelt.wrapper(profile)
        case SandboxKind.LANDLOCK:
            read = tuple(map(str, profile.readable()))
            write = (*map(str, profile.writable()), *devices())
        case SandboxKind.NONE:
            pass
    return Job(
        argv=(),
        folder=str(folder),
        environment={},
        report="",
        wrapper=tuple(wrapper),
        read=read,
        write=write,
        network=profile.network,
        filtered=sandbox.filtered and sandbox.confines,
        truncate=not (read is not None and landlock.abi() < landlock.TRUNCATE_ABI),
        grown=tuple(map(str, profile.write)),
        seconds=limits.seconds,
        grace=limits.grace,
        memory=limits.memory,
        processes=limits.processes,
        file_size=limits.file_size,
        disk=limits.disk,
    )

"""The sandbox of this machine: which one works, what it cannot do, and the way in which programs are started in it."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, Literal, NamedTuple

from bridge.errors import PermissionDenied
from bridge.sandbox import namespaces
from bridge.sandbox.job import TELL_ERROR, Ending, ProgramJob, Report, remove_tree
from bridge.sandbox.kernel_rules import TRUNCATE_ABI, has_filter, landlock_abi
from bridge.sandbox.profile import (
    BUBBLEWRAP_KEEPERS,
    LayerKind,
    Profile,
    bubblewrap_beginnings,
    bubblewrap_command,
    devices,
    has_seatbelt,
    layers,
    seatbelt_command,
    shown,
)

_PACKAGE_PARENT: Final = str(Path(__file__).parents[2])
_MODULE: Final = "windows_job" if sys.platform == "win32" else "supervisor"
# Isolated mode takes nothing from the environment or the working folder, so the package's place is passed.
_PROGRAM: Final = f"{TELL_ERROR}sys.path.insert(0, sys.argv[1]); from bridge.sandbox.{_MODULE} import main; main()"
_CHUNK: Final = 65536
REPORT: Final = "report"
"""The file of a supervisor's place in which it says how the program ended."""
_SHARED: Final = "shared"
_NEEDED: Final = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that an interpreter may need to start; none that could hold a secret."""


class SandboxKind(StrEnum):
    """The kinds of sandbox, the best first."""

    NAMESPACES = "namespaces"
    BUBBLEWRAP = "bubblewrap"
    SEATBELT = "sandbox-exec"
    LANDLOCK = "landlock"
    """Keeps much from programs, but lets them change the permissions of files and see what there is: not enough to
    count as a sandbox. It is used all the same, if there is nothing better and programs may run without one."""
    NONE = "none"


class Sandbox(NamedTuple):
    """A sandbox for programs on this machine.

    Attributes:
        kind: Its kind.
        lacks: A sentence for each thing that a program can do nevertheless.
        begin: The command that starts a program in it, if there is one.
        own_users: Whether its namespaces have users of their own.
        filtered: Whether system calls are filtered.
    """

    kind: SandboxKind
    lacks: tuple[str, ...] = ()
    begin: tuple[str, ...] = ()
    own_users: bool = True
    filtered: bool = False

    @property
    def confines(self) -> bool:
        """Return whether programs are confined, so that what is said of a sandbox holds."""
        return self.moves or self.kind is SandboxKind.SEATBELT

    @property
    def moves(self) -> bool:
        """Return whether a program has its own file system, and can see files elsewhere (`Profile.shown_at`)."""
        return self.kind in {SandboxKind.BUBBLEWRAP, SandboxKind.NAMESPACES}

    @property
    def sentence(self) -> str:
        """Return a sentence on the protection here, for people."""
        if not self.confines:
            return "No sandbox works here: what a program can reach is not limited"
        return f"Programs run in a sandbox ({self.kind.value})"


NO_SANDBOX: Final = Sandbox(
    SandboxKind.NONE, ("A program can read and change everything that you can, and use the network",)
)


class RunningProgram:
    """A program that has been started. Made by `start`.

    Attributes:
        stdout: What it writes to its output.
        stderr: What it writes to its errors.
        on_end: Called in a thread when it and all that it started have ended.
    """

    def __init__(self, process: asyncio.subprocess.Process, report: Path, *, talks: bool) -> None:
        self.on_end: Callable[[], None] = lambda: None
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
        """Return the id of the process that watches it."""
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
        """Yield its output, in pieces, until it and all that it started have ended.

        Args:
            limit: Bytes of output after which it is ended; None for no limit.
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
        """Return how it ended, once it and all that it started have ended."""
        await self._process.wait()
        self._stdin.close()
        report = await asyncio.to_thread(self._read_report)
        await asyncio.to_thread(self.on_end)
        return report if self._over is None else Report(ending=self._over)

    def _read_report(self) -> Report:
        try:
            return Report.from_json(self._report.read_bytes())
        except (OSError, ValueError, KeyError, TypeError):
            return Report(ending=Ending.NOT_STARTED, message="because the process that watches it ended")
        finally:
            remove_tree(self._report.parent)


class WaitingSupervisor(NamedTuple):
    """A supervisor that waits for its job. Made by `get_ready`; it ends at the latest when this process does.

    Attributes:
        process: The supervisor.
        place: Where its report will be.
    """

    process: asyncio.subprocess.Process
    place: Path

    async def discard(self) -> None:
        """Discard it: it is not needed after all."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        await self.process.wait()
        await asyncio.to_thread(remove_tree, self.place)


async def get_ready() -> WaitingSupervisor:
    """Start a supervisor, for a program that is soon to be started: most of the time that a start takes is this.

    Raises:
        OSError: The system has no more processes or descriptors.
    """
    place = make_place()
    try:
        process = await asyncio.create_subprocess_exec(
            *supervisor_command(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=place.anchor,
            env=supervisor_environment(),
            start_new_session=True,
            limit=_CHUNK,
        )
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    return WaitingSupervisor(process, place)


async def start(
    sandbox: Sandbox,
    profile: Profile,
    argv: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    talks: bool = False,
    ready: WaitingSupervisor | None = None,
) -> RunningProgram:
    """Start a program. It ends at the latest when this process does.

    Args:
        sandbox: Its sandbox.
        profile: Its access rights, as `Profile.guarded` returns it.
        argv: Its absolute path, and its arguments.
        folder: Its working directory.
        environment: All of its environment.
        talks: Whether it is to be written to.
        ready: A supervisor that waits for it, if there is one.

    Raises:
        OSError: The system has no more processes or descriptors.
        ValueError: The profile cannot be carried out.
    """
    held = ready or await get_ready()
    try:
        job = make_job(sandbox, profile, folder, held.place)
    except BaseException:
        await held.discard()
        raise
    job = replace(job, argv=tuple(argv), environment=dict(environment), talks=talks)
    running = RunningProgram(held.process, Path(job.report), talks=talks)
    running._stdin.write(job.to_json())  # noqa: SLF001 - the first line is the job
    with contextlib.suppress(ConnectionError):
        await running._stdin.drain()  # noqa: SLF001 - the same
    return running


def make_place() -> Path:
    """Make a folder for what a supervisor needs: its report, and a folder of what programs share by name. Blocks."""
    place = Path(mkdtemp(prefix="vault-bridge-program-"))
    (place / _SHARED).mkdir(mode=0o700)
    return place


def supervisor_command() -> list[str]:
    """Return the command that starts a supervisor."""
    return [sys.executable, "-I", "-S", "-c", _PROGRAM, _PACKAGE_PARENT]


def supervisor_environment() -> dict[str, str]:
    """Return all of a supervisor's environment."""
    return {name: os.environ[name] for name in _NEEDED if name in os.environ}


def make_job(sandbox: Sandbox, profile: Profile, folder: Path, place: Path) -> ProgramJob:
    """Return what a profile comes to in a sandbox, without the program.

    Args:
        sandbox: The program's sandbox.
        profile: Its access rights, as `Profile.guarded` returns it.
        folder: Its working directory.
        place: What `make_place` made.
    """
    limits, shared = asdict(profile.limits), place / _SHARED
    del limits["output"]  # which is counted where it is read
    job = ProgramJob(
        argv=(),
        folder=str(folder),
        environment={},
        report=str(place / REPORT),
        network=profile.network,
        filtered=sandbox.filtered and sandbox.kind is not SandboxKind.NONE,
        grown=(*map(str, profile.write), str(shared)),
        **limits,
    )
    match sandbox.kind:
        case SandboxKind.BUBBLEWRAP:
            seen = layers(profile, shared)
            command = bubblewrap_command(sandbox.begin, seen, shown(profile, folder), network=profile.network)
            return replace(job, wrapper=tuple(command), keepers=BUBBLEWRAP_KEEPERS)
        case SandboxKind.NAMESPACES:
            seen = layers(profile, shared)
            return replace(
                job,
                folder=str(shown(profile, folder)),
                layers=tuple((str(layer.kind), layer.source, layer.place) for layer in seen),
                own_users=sandbox.own_users,
                keepers=namespaces.KEEPERS,
                read=("/",) if landlock_abi() > 0 else None,
                write=(*devices(), *(layer.place for layer in seen if layer.kind is LayerKind.WRITE)),
            )
        case SandboxKind.SEATBELT:
            return replace(job, wrapper=tuple(seatbelt_command(profile)))
        case SandboxKind.LANDLOCK:
            return replace(
                job,
                read=tuple(map(str, profile.readable())),
                write=(*map(str, profile.writable()), *devices()),
                truncate=landlock_abi() >= TRUNCATE_ABI,
            )
        case SandboxKind.NONE:
            return job


_SECONDS: Final = 10.0
"""Time limit for a trial."""
_UNFILTERED: Final = ("Calls of the kernel that few programs need are not kept from it",)


@cache
def probe() -> Sandbox:
    """Return the best sandbox that works on this machine, which is found out by trying, once. Blocks."""
    return next((found for kind in SandboxKind if (found := probe_one(kind)) is not None), NO_SANDBOX)


@cache
def probe_one(kind: SandboxKind) -> Sandbox | None:
    """Return one kind of sandbox, where it works. Blocks."""
    return next(filter(_holds, _candidates(kind)), None)


def remedy() -> str:
    """Return what a person can do where no sandbox works; nothing if that is the system's affair."""
    if not sys.platform.startswith("linux"):
        return ""
    if shutil.which("bwrap") is None:
        return "Install bubblewrap (on Debian and Ubuntu: `sudo apt install bubblewrap`)"
    return "Let bubblewrap, which is installed, make namespaces: this system, or the container, forbids it"


def _candidates(kind: SandboxKind) -> Iterator[Sandbox]:
    """Yield the ways in which one kind of sandbox may work here, the best first."""
    filtered = has_filter()
    match kind:
        case SandboxKind.BUBBLEWRAP:
            for begin in bubblewrap_beginnings():
                yield Sandbox(kind, () if filtered else _UNFILTERED, begin, filtered=filtered)
        case SandboxKind.NAMESPACES:
            if filtered:
                yield from (Sandbox(kind, own_users=own_users, filtered=True) for own_users in (True, False))
        case SandboxKind.LANDLOCK:
            if landlock_abi() > 0:
                yield Sandbox(kind, NO_SANDBOX.lacks, filtered=filtered)
        case SandboxKind.SEATBELT:
            if has_seatbelt():
                yield Sandbox(kind, ("A program that leaves its session can outlive the command",))
        case SandboxKind.NONE:
            yield NO_SANDBOX


def _holds(sandbox: Sandbox) -> bool:
    """Return whether a program starts in a sandbox, and cannot read there what it was not given. Blocks."""
    if not sandbox.confines:
        return True
    place = make_place()
    secret = place / "secret"
    secret.write_text("read\n", encoding="ascii")
    try:
        job = make_job(sandbox, Profile().guarded([]), Path("/"), place)
        job = replace(job, argv=("/bin/sh", "-c", '! read -r line < "$0"', str(secret)))
        told, telling = os.pipe()
        try:
            os.write(telling, job.to_json())
            # The pipe stays open, since the supervisor ends everything when it does not.
            command, shown_to = supervisor_command(), supervisor_environment()
            subprocess.run(  # noqa: S603 - our own
                command, stdin=told, cwd="/", env=shown_to, timeout=_SECONDS, capture_output=True, check=False
            )
        finally:
            os.close(telling)
            os.close(told)
        report = Report.from_json((place / REPORT).read_bytes())
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return report.ending is Ending.EXITED and report.code == 0


class Programs:
    """A starter of programs. None is given what belongs to the bridge, and none runs without a required sandbox.

    Args:
        hidden: What no program may reach, whatever it is given: the bridge's own folders, keys and credentials.
        scratch: A folder in there of which programs may be given parts.
        required: Whether programs run only in a sandbox.
        find: Finds out which sandbox works here. Blocks at the first time.
        on_end: Called in a thread after each program.
    """

    def __init__(
        self,
        hidden: Sequence[Path],
        scratch: Path,
        required: Callable[[], bool],
        find: Callable[[], Sandbox] = probe,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self.scratch = scratch
        self._hidden = (*hidden, scratch)
        self._required = required
        self._find = find
        self._on_end = on_end

    @property
    def sandbox(self) -> Sandbox:
        """Return the sandbox for programs here. Blocks the first time."""
        return self._find()

    def refuse_unconfined(self) -> None:
        """Refuse where no sandbox works and one is required.

        Raises:
            PermissionDenied: `no_sandbox`.
        """
        if self._required() and not self.sandbox.confines:
            raise PermissionDenied(
                "No sandbox works on this computer, and programs may not run without one. `vault-bridge doctor` says "
                "what is missing; the user can change that with `vault-bridge settings set requireSandbox=never`",
                code="no_sandbox",
            )

    async def start(
        self,
        profile: Profile,
        argv: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        talks: bool = False,
        ready: WaitingSupervisor | None = None,
    ) -> RunningProgram:
        """Start a program; the arguments are those of `start`.

        Raises:
            PermissionDenied: No sandbox works, and one is required.
            ValueError: It would be given what belongs to the bridge.
            OSError: The system has no more processes.
        """
        sandbox = await asyncio.to_thread(self._find)  # the first time, by starting some programs
        self.refuse_unconfined()
        guarded = profile.guarded(self._hidden, self.scratch)
        running = await start(sandbox, guarded, argv, folder=folder, environment=environment, talks=talks, ready=ready)
        running.on_end = self._on_end
        return running

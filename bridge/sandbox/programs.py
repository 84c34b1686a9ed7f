"""The one way in which the bridge starts programs for agents, and the search for a sandbox that works here."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from bridge.errors import PermissionDenied
from bridge.sandbox.commands import bubblewrap_beginnings, has_seatbelt
from bridge.sandbox.job import Ending, Report
from bridge.sandbox.kernel_rules import has_filter, landlock_abi
from bridge.sandbox.profile import Profile
from bridge.sandbox.sandbox import (
    NO_SANDBOX,
    REPORT,
    Ready,
    Running,
    Sandbox,
    SandboxKind,
    make_job,
    make_place,
    start,
    supervisor_command,
    supervisor_environment,
)

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
            subprocess.run(  # noqa: S603 - our own
                supervisor_command(),
                stdin=told,
                cwd="/",
                env=supervisor_environment(),
                timeout=_SECONDS,
                capture_output=True,
                check=False,
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
        ready: Ready | None = None,
    ) -> Running:
        """Start a program; the arguments are those of `bridge.sandbox.sandbox.start`.

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

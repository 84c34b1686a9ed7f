"""Probing for a sandbox that works on this machine, by starting a program in it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from bridge.sandbox import bubblewrap, landlock, seatbelt, seccomp
from bridge.sandbox.job import Ending, Report
from bridge.sandbox.profile import Profile
from bridge.sandbox.sandbox import (
    NO_SANDBOX,
    REPORT,
    Sandbox,
    SandboxKind,
    make_job,
    make_place,
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
    filtered = seccomp.is_supported()
    match kind:
        case SandboxKind.BUBBLEWRAP:
            for begin in bubblewrap.beginnings():
                yield Sandbox(kind, () if filtered else _UNFILTERED, begin, filtered=filtered)
        case SandboxKind.NAMESPACES:
            if filtered:
                yield from (Sandbox(kind, own_users=own_users, filtered=True) for own_users in (True, False))
        case SandboxKind.LANDLOCK:
            if landlock.abi() > 0:
                yield Sandbox(kind, NO_SANDBOX.lacks, filtered=filtered)
        case SandboxKind.SEATBELT:
            if seatbelt.is_there():
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

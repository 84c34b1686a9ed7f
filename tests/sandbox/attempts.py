"""What programs try in a sandbox, each by itself: `python attempts.py KIND FOLDER [reach|network|stay|take]`.

The names of the attempts that succeeded are printed. It runs as a program of its own, so that it can be started as
another user.
"""

import asyncio
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from pathlib import Path

from bridge.sandbox.job import Ending, Report
from bridge.sandbox.profile import MEGABYTE, Profile, ProgramLimits, environment
from bridge.sandbox.sandbox import Sandbox, SandboxKind, probe_one, start
from tests.sandbox.rows import INNER, OUTLIVING, REACHING, TAKING

PYTHON = ["/usr/bin/python3", "-I", "-S", "-c"]
WITHOUT = {row.shows: row.attempts[row.shows] for row in REACHING}
"""Those that are made without a sandbox: they do no harm there."""
BEGIN = """
import ctypes, fcntl, json, os, resource, socket, sys, time
libc, librt = (ctypes.CDLL(name, use_errno=True) for name in (None, "librt.so.1"))
def checked(result):
    if result < 0: raise OSError(ctypes.get_errno(), "")
def absent(number):
    if libc.syscall(number, None, 0) < 0 and ctypes.get_errno() == 38: raise OSError(38, "")
def clone(flags):
    process = libc.syscall(56, flags, 0, 0, 0, 0)
    if process == 0: os._exit(0)
    checked(process)
given = os.getcwd()
globals().update(json.loads(sys.argv[1]))
done = []
for name, attempt in attempts.items():
    try: exec(attempt)
    except (OSError, AssertionError, AttributeError): continue
    done.append(name)
print(json.dumps(done))
"""


async def reached(sandbox: Sandbox, folder: Path, *, network: bool = False) -> list[str]:
    """Return the attempts to reach something that succeed."""
    home = folder / "home"
    home.mkdir()
    secret = home / "host.json"
    secret.write_text("the token", encoding="ascii")
    os.environ["A_KEY"] = "a secret"
    attempts = {name: attempt for row in REACHING for name, attempt in row.attempts.items()} | INNER
    listening = {"ours": str(home / "socket"), "abstract": f"vault-bridge-{os.getpid()}"}
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as by_path,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as by_name,
        subprocess.Popen(["/bin/sleep", "1000"], env={"TOKEN": "x"}) as other,  # noqa: ASYNC220 - nobody waits for it
    ):
        by_path.bind(listening["ours"])
        by_name.bind(f"\0{listening['abstract']}")
        tried = WITHOUT if sandbox.kind is SandboxKind.NONE else attempts
        facts = {"secret": str(secret), "other": other.pid, "attempts": tried, "shm": 0x5EC2E7} | listening
        report, said = await ran(
            sandbox, folder, [BEGIN, json.dumps(facts)], ProgramLimits(seconds=60), network=network
        )
        other.kill()
    if report.ending is not Ending.EXITED or report.code != 0:
        raise RuntimeError(f"{report}: {said['stderr'].decode()}")
    found: list[str] = json.loads(said["stdout"])
    return found


async def stayed(sandbox: Sandbox, folder: Path) -> list[str]:
    """Return the attempts to outlive the time that there is which succeed; what stays is ended."""
    found = []
    for name, script in OUTLIVING.attempts.items():
        mark = secrets.token_hex(8)
        await ran(sandbox, folder, [script, mark], ProgramLimits(seconds=1.5, grace=0.2))
        left = living(mark)
        if left:
            found.append(name)
        for process in left:
            os.kill(process, signal.SIGKILL)
    return found


async def took(sandbox: Sandbox, folder: Path) -> list[str]:
    """Return the attempts to take more than there may be after which a program was not ended for that."""
    limits = ProgramLimits(memory=200 * MEGABYTE, disk=200 * MEGABYTE, processes=30, seconds=120)
    found = []
    for number, (name, script) in enumerate(TAKING.attempts.items()):
        place = folder / str(number)
        place.mkdir()
        report, _said = await ran(sandbox, place, [script], limits)
        if report.ending.value != name.partition(":")[0]:
            found.append(f"{name} ({report})")
    return found


async def ran(
    sandbox: Sandbox, folder: Path, script: list[str], limits: ProgramLimits, *, network: bool = False
) -> tuple[Report, dict[str, bytes]]:
    """How a script of Python ended, and what it said."""
    given = folder / "given"
    given.mkdir(exist_ok=True)
    running = await start(
        sandbox,
        Profile(write=(given,), limits=limits, network=network).guarded([]),
        [*PYTHON, *script],
        folder=given,
        environment=environment(home=given, temporary=given),
    )
    said = {"stdout": b"", "stderr": b""}
    async for name, data in running.output(1 << 20):
        said[name] += data
    return await running.ended(), said


def living(mark: str) -> list[int]:
    """The processes whose command line holds a mark."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if mark.encode() in line and int(process.name) != os.getpid():
            found.append(int(process.name))
    return found


async def succeeded(kind: SandboxKind, folder: Path, what: str) -> list[str] | None:
    """Return the names of the attempts that succeed in one sandbox; None where it does not work here."""
    sandbox = probe_one(kind)
    if sandbox is None:
        return None
    match what:
        case "stay":
            return await stayed(sandbox, folder)
        case "take":
            return await took(sandbox, folder)
    return await reached(sandbox, folder, network=what == "network")


if __name__ == "__main__":
    print(json.dumps(asyncio.run(succeeded(SandboxKind(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))))  # noqa: T201 - its answer

"""Programs in each sandbox that works here."""

import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bridge.sandbox.job import Report
from bridge.sandbox.profile import Profile, ProgramLimits, environment
from bridge.sandbox.sandbox import Sandbox, SandboxKind, probe_one, start


@dataclass(frozen=True)
class Ran:
    """How a program ended, and what it said."""

    report: Report
    stdout: str
    stderr: str


Run = Callable[..., Awaitable[Ran]]


@pytest.fixture(params=[kind for kind in SandboxKind if kind is not SandboxKind.NONE], ids=str)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each kind of sandbox."""
    found = probe_one(request.param)
    if found is None:
        pytest.skip(f"{request.param} does not work here")
    return found


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """The folder that programs may write in."""
    folder = tmp_path.resolve() / "given"
    folder.mkdir()
    return folder


@pytest.fixture
def run(sandbox: Sandbox, given: Path) -> Run:
    """Runs a shell's script, or a program, in the sandbox."""

    async def run(script: str | list[str], profile: Profile | None = None, **limits: object) -> Ran:
        chosen = profile or Profile(write=(given,), limits=ProgramLimits(**limits))  # type: ignore[arg-type]
        argv = ["/bin/sh", "-c", script] if isinstance(script, str) else script
        running = await start(
            sandbox,
            chosen.guarded([]),
            argv,
            folder=given,
            environment=environment(home=given, temporary=given),
        )
        said = {"stdout": b"", "stderr": b""}
        async for name, data in running.output(chosen.limits.output):
            said[name] += data
        report = await running.ended()
        return Ran(report, *(data.decode(errors="replace") for data in said.values()))

    return run


def python(script: str) -> tuple[list[str], tuple[Path, ...]]:
    """A command that runs a script, and what it must be able to read for that."""
    program = os.path.realpath(sys.executable)
    return [program, "-I", "-S", "-c", script], (Path(sys.base_prefix), Path(program))


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

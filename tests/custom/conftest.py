"""Code of tools, run as the bridge runs it."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.custom import CustomResult
from bridge.custom.process import Processes
from bridge.sandbox.sandbox import Programs, Sandbox, SandboxKind, probe_one

Run = Callable[..., Awaitable[CustomResult]]
PATIENT = 60_000
"""Milliseconds for code that ends by itself, on a machine that is busy."""


@pytest.fixture(params=[kind for kind in SandboxKind if kind is not SandboxKind.NONE], ids=str)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each kind of sandbox."""
    found = probe_one(request.param)
    if found is None or not found.confines:
        pytest.skip(f"{request.param} does not confine programs here")
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where everything of the person's lies: a vault, the bridge's state, and a file beside them."""
    for folder in ("Vault", "state/scratch", "configuration"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "Vault" / "Ideas.md").write_text("an idea\n", encoding="utf-8")
    (tmp_path / "state" / "host.json").write_text("the token\n", encoding="utf-8")
    (tmp_path / "configuration" / "tools.json").write_text("[]\n", encoding="utf-8")
    (tmp_path / "diary.txt").write_text("dear diary\n", encoding="utf-8")
    return tmp_path.resolve()


@pytest.fixture
def processes(home: Path, sandbox: Sandbox) -> Processes:
    hidden = [home / "state", home / "configuration"]
    programs = Programs(hidden, home / "state" / "scratch", required=lambda: True, find=lambda: sandbox)
    return Processes(programs, home / "Vault")


@pytest.fixture
def run(processes: Processes) -> Run:
    """Runs code once; its calls are answered with what they asked."""

    async def answer(message: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"success": True, "result": [message["name"], message["arguments"]]}

    async def run(
        where: str, code: str, parameters: dict[str, Any] | None = None, milliseconds: int = PATIENT
    ) -> CustomResult:
        return await processes.run(where, code, parameters or {}, milliseconds, answer)

    return run

"""Writing: a durable edit of one note against the least that makes a file durable; a diff against `git diff`."""

import math
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from bridge.app import Bridge
from bridge.contract.identity import Capability
from bridge.identity.caller import Caller, Client
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.settings.model import MAX_RATE
from bridge.toolkit.tool import CallContext
from bridge.tools.core.apply_patch import ApplyPatchTool
from bridge.vault.diff import unified_diff
from scripts.lib.bench_measure import alternate, compare
from scripts.lib.bench_processes import PLAYGROUND
from scripts.lib.consenting import YesHost

WRITES = 20
NOTE_LINES = 200
DIFF_LINES = 10_000
DISTINCT = 100
CALLER = Caller(Client("bench", "bench", frozenset({Capability.CALL})), "agent-bench")


def note(edit: int) -> bytes:
    """A note of 12 KB; its line 100 says which edit it is."""
    lines = [f"Line {number}: some sixty characters of ordinary text, as in a note." for number in range(NOTE_LINES)]
    lines[99] = f"Line 99: edit {edit}"
    return "\n".join([*lines, ""]).encode()


def durable(folder: Path, data: bytes) -> None:
    """The least: a temporary file, synced, renamed over the note, and the folder synced."""
    temporary, target = folder / ".bare.tmp", folder / "Bare.md"
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(target)
    if os.name != "nt":
        held = os.open(folder, os.O_RDONLY)
        os.fsync(held)
        os.close(held)


def bare_write(folder: Path) -> Callable[[], Awaitable[float]]:
    """Measures the bare write, as the mean of some."""

    async def measure() -> float:
        began = time.perf_counter()
        for edit in range(WRITES):
            durable(folder, note(edit))
        return (time.perf_counter() - began) / WRITES

    return measure


def patch(bridge: Bridge) -> Callable[[], Awaitable[float]]:
    """Measures `apply_patch` of one hunk: plan, question, yes, both checks, backup, journal, write, log."""
    edits = iter(range(1_000_000))

    async def measure() -> float:
        began = time.perf_counter()
        for _ in range(WRITES):
            edit = {"startLine": 100, "endLine": 100, "newContent": f"Line 99: edit {next(edits)} of many"}
            arguments = {"path": "Note.md", "patches": [edit]}
            result = (await bridge.services.calls.call(CALLER, "apply_patch", arguments)).to_wire()
            if not result["success"]:
                raise RuntimeError(result["error"])
        return (time.perf_counter() - began) / WRITES

    return measure


def plan_and_apply(bridge: Bridge) -> Callable[[], Awaitable[float]]:
    """Measures the same edit without a call around it: plan with diff, check, backup, journal, write, recount."""
    edits = iter(range(1_000_000))
    tool = bridge.services.registry.get("apply_patch", CALLER)
    ledger = bridge.services.ledger
    if not isinstance(tool, ApplyPatchTool) or not isinstance(ledger, Ledger):
        raise TypeError("not the real services")
    context = CallContext(CALLER, bridge.settings.current, math.inf)

    async def measure() -> float:
        began = time.perf_counter()
        for _ in range(WRITES):
            number = next(edits)
            edit = {"startLine": 100, "endLine": 100, "newContent": f"Line 99: edit {number} once more"}
            params = tool.spec.parameters.parse({"path": "Note.md", "patches": [edit]})
            plan = tool.prepare(params, context)
            ledger.check(plan)
            ledger.apply(plan, Cause(f"bench-{number}", "apply_patch", CALLER.name, CALLER.session_id))
        return (time.perf_counter() - began) / WRITES

    return measure


def diffs(folder: Path) -> dict[str, Callable[[], Awaitable[float]]]:
    """Measures the diff of repetitive texts, ours and git's."""
    old = "".join(f"- [ ] item {number * 7 % DISTINCT}\n" for number in range(DIFF_LINES)).encode()
    new = "".join(f"- [ ] item {number * 11 % DISTINCT}\n" for number in range(DIFF_LINES)).encode()
    (folder / "old.md").write_bytes(old)
    (folder / "new.md").write_bytes(new)
    command = ["git", "diff", "--no-index", "--no-color", "old.md", "new.md"]

    async def ours() -> float:
        began = time.perf_counter()
        unified_diff(old, new, old_path="a.md", new_path="a.md", limit=10_000_000)
        return time.perf_counter() - began

    async def git() -> float:
        began = time.perf_counter()
        subprocess.run(command, cwd=folder, capture_output=True, check=False)  # noqa: ASYNC221 - nothing else runs
        return time.perf_counter() - began

    return {"our unified diff": ours, "git diff --no-index (a process)": git}


async def run() -> None:
    """Measure and print."""
    PLAYGROUND.mkdir(exist_ok=True)  # on the project's own disk: a temporary folder may be memory
    with tempfile.TemporaryDirectory(prefix="bench-", dir=PLAYGROUND) as place:
        folder = Path(place)
        (folder / "Note.md").write_bytes(note(0))
        async with Bridge(folder) as bridge:
            settings: dict[str, Any] = {"enabledTools": ["apply_patch"], "globalRateLimit": MAX_RATE}
            bridge.settings.update(settings | {"rateLimits": {"apply_patch": MAX_RATE}})
            bridge.services.broker.attach(YesHost(bridge.services.broker))
            samples = await alternate(
                {
                    "apply_patch: plan, check, apply": plan_and_apply(bridge),
                    "bare tmp+fsync+rename+dir fsync": bare_write(folder),
                }
            )
            print(compare("a durable edit of a 12 KB note (mean of 20)", samples, goal=3, row="edit"))
            samples = await alternate(
                {
                    "apply_patch, whole pipeline": patch(bridge),
                    "bare tmp+fsync+rename+dir fsync": bare_write(folder),
                }
            )
        print(compare("the same with limit, question, answer and two records in the log", samples))
        if shutil.which("git"):
            print(compare(f"diff of {DIFF_LINES:,} repetitive lines", await alternate(diffs(folder)), goal=3))
        else:
            print("  git is not installed: its diff cannot be compared with")

"""The audit log: a query in a log of a million lines beside a bare scan of the file; what a record costs."""

import os
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import orjson

from bridge.audit.log import AuditLog
from bridge.audit.service import AuditService
from bridge.audit.verify import LogChain
from bridge.clock import SystemClock, stamp
from bridge.settings.model import Settings
from bridge.vault.folder import Folder
from bridge.vault.root import VaultRoot
from scripts.lib.bench_measure import alternate, compare
from scripts.lib.bench_processes import PLAYGROUND

LINES = 1_000_000
APPENDS = 500
WANTED = 100
RARE = 100
"""Every so many lines one is of the tool that is looked for."""
BLOCK = 1 << 20
BARE = "JSON, open, write, close"
HUGE = 1 << 40
"""No rotation: the log of a million lines is one file."""

RECORD = {
    "kind": "execution",
    "tool": "grep",
    "executionId": "grep-1f0c9a2b",
    "client": "Claude Code",
    "role": "agent",
    "userId": "agent-0123456789ab",
    "parameters": {"pattern": "TODO", "filePattern": "Projects/**/*.md"},
    "success": True,
    "result": {"matches": {"items": 12}},
    "reason": "Collect what is left to do in the projects, before the meeting on Monday",
    "duration": 4.125,
}
NAMES = 10_000
"""Files whose names an anonymous log knows."""


def fill(file: Path) -> None:
    """A log of a million lines, chained, as the bridge writes them."""
    chain = LogChain(bytes(32))
    head, now = chain.genesis, stamp(SystemClock().now())
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as log:
        for number in range(1, LINES + 1):
            tool = "apply_patch" if number % RARE == 0 else "grep"
            line, head = chain.link(head, number, {"timestamp": now} | RECORD | {"tool": tool})
            log.write(line + b"\n")


def querying(log: AuditLog, **filters: Any) -> Callable[[], Awaitable[float]]:
    """Measures a query of the last hundred."""

    async def measure() -> float:
        began = time.perf_counter()
        log.query(limit=WANTED, **filters)
        return time.perf_counter() - began

    return measure


def scanning(file: Path) -> Callable[[], Awaitable[float]]:
    """Measures the least that a search of the whole file costs: to read it, and to count its lines."""

    async def measure() -> float:
        began = time.perf_counter()
        with file.open("rb") as log:
            while block := log.read(BLOCK):
                block.count(b"\n")
        return time.perf_counter() - began

    return measure


def appending(log: AuditLog) -> Callable[[], Awaitable[float]]:
    """Measures a record: redacted, chained, written."""

    async def measure() -> float:
        began = time.perf_counter()
        for _ in range(APPENDS):
            log.append(RECORD)
        return (time.perf_counter() - began) / APPENDS

    return measure


def anonymous(state: Folder) -> AuditLog:
    """A log that hides the names of many notes, some of which its records say."""
    paths = tuple(f"Projects/{number % 100}/Meeting of week {number}.md" for number in range(NAMES))
    settings = Settings(anonymize_log=True)
    return AuditLog(state, clock=SystemClock(), settings=lambda: settings, max_size=HUGE, paths=lambda: paths)


def bare_append(file: Path) -> Callable[[], Awaitable[float]]:
    """Measures the least that adds a line: JSON, open, write, close."""

    async def measure() -> float:
        began = time.perf_counter()
        for _ in range(APPENDS):
            fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.write(fd, orjson.dumps(RECORD) + b"\n")
            os.close(fd)
        return (time.perf_counter() - began) / APPENDS

    return measure


def linking() -> Callable[[], Awaitable[float]]:
    """Measures the chain alone."""
    chain = LogChain(bytes(32))

    async def measure() -> float:
        began, head = time.perf_counter(), chain.genesis
        for number in range(1, APPENDS + 1):
            _, head = chain.link(head, number, RECORD)
        return (time.perf_counter() - began) / APPENDS

    return measure


def peak(work: Callable[[], object]) -> int:
    """The most memory that Python held while something was done, in bytes."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


async def run() -> None:
    """Measure and print."""
    PLAYGROUND.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="bench-", dir=PLAYGROUND) as place,
        VaultRoot(Path(place)) as root,
        root.state() as state,
    ):
        file = Path(place) / ".vault-bridge" / "logs" / "tools.log"
        fill(file)
        log = AuditLog(state, clock=SystemClock(), settings=Settings, max_size=HUGE)
        log.query(limit=1)  # finds the end of the chain, once
        scan = scanning(file)
        size = f"{LINES:,} lines, {file.stat().st_size / 1e6:.0f} MB"
        by_tool = {"the last 100 by tool": querying(log, tool="apply_patch"), "a bare scan": scan}
        print(compare(f"a query of {size}", await alternate(by_tool)))
        nothing = {"a tool that never ran: the whole log": querying(log, tool="nothing"), "a bare scan": scan}
        print(compare(f"a query that finds nothing in {size}", await alternate(nothing)))
        print(f"  memory of that query: {peak(lambda: log.query(tool='nothing')) / 1e6:.1f} MB at most")
        with tempfile.TemporaryDirectory(prefix="bench-", dir=PLAYGROUND) as other:
            bare = bare_append(Path(other) / "bare.log")
            print(compare("a record", await alternate({"append": appending(log), BARE: bare})))
            with VaultRoot(Path(other)) as vault, vault.state() as logs:
                nameless = appending(anonymous(logs))
                title = f"an anonymous record, of a vault of {NAMES:,} files"
                print(compare(title, await alternate({"append": nameless, BARE: bare})))
            print(compare("its chain", await alternate({"link": linking(), BARE: bare})))
        began = time.perf_counter()
        AuditService(log, state).verify()
        print(f"  verify: {time.perf_counter() - began:.1f} s for {size}")

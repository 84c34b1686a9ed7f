"""Undoing what another program did to 500 notes, beside a plan of our own for as many."""

import hashlib
import itertools
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bridge.app import Bridge
from bridge.contract.consent import Operation
from bridge.journal.journal import Cause
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder
from bridge.vault.root import VaultRoot
from scripts.lib.bench_measure import alternate, compare
from scripts.lib.bench_processes import new_place

FILES = 500
LINES = 60
_numbers = itertools.count()


def text(number: int) -> bytes:
    """A note of ordinary length, another one for each number."""
    lines = [f"Line {line}: some sixty characters of ordinary text, as in a note." for line in range(LINES)]
    return "\n".join([f"# Note {number}", *lines, ""]).encode()


def names(kind: str) -> list[str]:
    """The notes of one side."""
    return [f"{kind} {number}.md" for number in range(FILES)]


def apply(bridge: Bridge, plan: ChangePlan) -> None:
    """Carry a plan out, as the pipeline does once it is allowed."""
    bridge.services.ledger.apply(plan, Cause(f"bench-{next(_numbers)}", "bench", "bench", "s-1"))


def undoing(bridge: Bridge, folder: Path) -> Callable[[], Awaitable[float]]:
    """Measures undoing what another program did, planned and written; that it was done and recorded is not measured."""

    async def measure() -> float:
        before = {name: hashlib.sha256((folder / name).read_bytes()).digest() for name in names("theirs")}
        for name in names("theirs"):
            (folder / name).write_bytes(text(next(_numbers)))
        bridge.index.refresh()
        entry = bridge.services.recorder.entries()[0]
        began = time.perf_counter()
        apply(bridge, bridge.services.parts.restoring.get().undo_plan(entry.id))
        took = time.perf_counter() - began
        if any(hashlib.sha256((folder / name).read_bytes()).digest() != digest for name, digest in before.items()):
            raise RuntimeError("The undo was not byte for byte")
        return took

    return measure


def planning(bridge: Bridge, folder: Path) -> Callable[[], Awaitable[float]]:
    """Measures any plan of as many files, planned and written."""

    async def measure() -> float:
        new = {name: text(next(_numbers)) for name in names("ours")}
        began = time.perf_counter()
        root = VaultRoot(folder)
        builder = PlanBuilder(root)
        for name, data in new.items():
            builder.modify(parse_path(name), (folder / name).read_bytes(), data)
        apply(bridge, builder.build(Operation.UPDATE, "Bench"))
        took = time.perf_counter() - began
        root.close()
        return took

    return measure


async def run() -> None:
    """Measure and print."""
    with new_place() as place:  # the versions lie there: on the same disk
        folder = place / "vault"
        folder.mkdir()
        for name in names("theirs") + names("ours"):
            (folder / name).write_bytes(text(next(_numbers)))
        await _measure(folder)


async def _measure(folder: Path) -> None:
    async with Bridge(folder) as bridge:
        bridge.index.refresh()
        sides = {"undo of another program's": undoing(bridge, folder), "a plan of our own": planning(bridge, folder)}
        print(compare(f"undo in {FILES} files", await alternate(sides), goal=1.5, row="undo_outside"))

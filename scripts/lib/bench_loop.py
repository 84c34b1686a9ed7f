"""The event loop: how long any tool holds it, on a large vault and on a large file."""

import asyncio
from pathlib import Path
from typing import Any

import orjson

from scripts.lib.bench_measure import REPEATS, Spread
from scripts.lib.bench_processes import Raw, Server, connected, generated_vault, serving, started
from scripts.lib.consenting import consenting_host

NOTES = 10_000
BIG = "Big.md"
BIG_LINES = 1_600_000
LIMIT = 0.020
PAUSE = 0.05
"""Seconds between two calls, so that what one leaves behind is not counted for the next."""

Call = tuple[str, dict[str, Any]]


def calls(turn: int) -> dict[str, Call]:
    """Return the calls to make, by what they are about. `turn` makes each patch another one."""
    edit = {"startLine": 5, "endLine": 5, "newContent": f"Turn {turn}"}
    late = {"startLine": BIG_LINES - 5, "endLine": BIG_LINES - 5, "newContent": f"Turn {turn}"}
    return {
        "find, glob": ("find", {"pattern": "**/*.md", "maxResults": 10_000}),
        "find, fuzzy": ("find", {"pattern": "tion ing 42", "maxResults": 50}),
        "grep, rare": ("grep", {"pattern": "kwyjibo"}),
        "grep, 2,000 hits": ("grep", {"pattern": "ment", "maxMatches": 2000}),
        "grep, look-around": ("grep", {"pattern": r"(?<=TODO: )\w+"}),
        "read, a note": ("read", {"path": "Bench.md"}),
        "read, first MB of 100 MB": ("read", {"path": BIG}),
        "read, last lines of 100 MB": ("read", {"path": BIG, "startLine": BIG_LINES - 9, "endLine": BIG_LINES}),
        "apply_patch, a note": ("apply_patch", {"path": "Bench.md", "patches": [edit]}),
        "apply_patch, 100 MB": ("apply_patch", {"path": BIG, "patches": [late]}),
    }


async def run() -> None:
    """Measure and print."""
    vault = generated_vault(NOTES)
    _add_files(vault)
    try:
        async with (
            serving(vault) as server,
            connected(vault) as agent,
            consenting_host(vault),
            started("scripts.lib.bench_ticker") as bare,
        ):
            await bare.line()
            await _measure(server, bare, agent)
    finally:
        (vault / BIG).unlink()


async def _measure(server: Server, bare: Server, agent: Raw) -> None:
    """Every call in turn, several times; beside it, how late a loop woke that does nothing."""
    held: dict[str, list[float]] = {}
    machine: dict[str, list[float]] = {}
    outcomes: dict[str, str] = {}
    for turn in range(REPEATS + 1):
        for title, (tool, arguments) in calls(turn).items():
            await asyncio.sleep(PAUSE)
            await asyncio.gather(server.take(), bare.take())
            answer = orjson.loads(await agent.call(tool, **arguments))
            late, late_anyway = await asyncio.gather(server.take(), bare.take())
            if turn:
                held.setdefault(title, []).append(late)
                machine.setdefault(title, []).append(late_anyway)
            result = answer.get("result", {})
            outcomes[title] = "" if result.get("success") else f"({result.get('errorType') or answer.get('error')})"
    print(f"  longest time held in a call, {REPEATS} calls each; goal: never over 20 ms")
    print(f"    {'':<28} {'our loop':<28} {'a loop that does nothing':<28} ours over 20 ms")
    for title, samples in held.items():
        over = sum(sample > LIMIT for sample in samples)
        ours, anyway = Spread.of(samples), Spread.of(machine[title])
        print(f"    {title:<28} {ours!s:<28} {anyway!s:<28} {over or 'never'} {outcomes[title]}".rstrip())


def _add_files(vault: Path) -> None:
    """A small note, and a file of 100 MB."""
    (vault / "Bench.md").write_text("# Bench\n" + "A line.\n" * 200, encoding="utf-8")
    line = b"Sixty-four bytes of text in a line that is as long as this is.\n\n"
    with (vault / BIG).open("wb") as file:
        for _ in range(BIG_LINES // 2 // 1000):
            file.write(line * 1000 * 2)

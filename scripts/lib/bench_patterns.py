"""Hostile patterns: what a catastrophic pattern costs its caller, and what it costs everybody else."""

import asyncio
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import orjson

from scripts.lib.bench_measure import REPEATS, Spread, percentile
from scripts.lib.bench_processes import PLAYGROUND, Raw, connected, serving, started

FLOOR = 0.025
"""Seconds that are quick enough whatever rg needs."""
SLOW = 1.0
"""Seconds beyond which a pattern is not measured nine times."""
FEW = 3
IDLE = 0.3
"""Seconds of quiet between two rounds."""

PATTERNS = (
    *(r"(a+)+$", r"(a*)*$", r"(a|aa)+$", r"(a|a?)+$", r"(.*a){20}$", r"(a?){30}a{30}", r"(x+x+)+y", r"(.*)*b"),
    *(r"^(([a-z])+.)+[A-Z]([a-z])+$", r"([a-zA-Z]+)*$", r"(a+){1,50}b", r"^(\w+\s?)*$", r"(\d+)*x"),
    *(r"(?:a|b|ab)*c$", r".*.*.*=.*", r"(((a+)+)+)+$"),
    *(r"(a+)+(?=b)", r"(?<=a)(a+)+b", r"(a+)\1+b", r"(?!x)(a|aa)+$"),
)
"""Twenty; the last four need look-around or back-references."""


def adversarial(folder: Path) -> None:
    """Notes whose lines nearly match each of the patterns."""
    lines = ["a" * 28 + "!", "a" * 3000 + "!", "x" * 3000, "1" * 3000, "ab" * 1500 + "!", "word " * 600 + "!"]
    for number in range(20):
        (folder / f"Note {number}.md").write_text("\n".join([f"# Note {number}", *lines, ""]), encoding="utf-8")


async def run() -> None:
    """Measure and print."""
    PLAYGROUND.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=PLAYGROUND) as place:
        vault = Path(place)
        adversarial(vault)
        async with serving(vault), connected(vault) as agent:
            await _patterns(agent, vault)
            await _others(agent, vault)


async def _others(agent: Raw, vault: Path) -> None:
    """Measure what somebody else notices of the same patterns."""
    async with started("scripts.lib.bench_pinger", str(vault)) as pinger:
        await pinger.line()
        idle: list[float] = []
        busy: list[float] = []
        for turn in range(REPEATS + 1):
            await asyncio.sleep(IDLE)
            quiet = await pinger.take()
            for pattern in PATTERNS:
                await _grep(agent, pattern)
            loud = await pinger.take()
            if turn:
                idle += quiet
                busy += loud
    print("  ping on a second socket, from a process of its own")
    for name, samples in (("during the patterns", busy), ("idle", idle)):
        print(f"    {name:<34} p50 {percentile(samples, 50) * 1e6:.0f} us, p99 {percentile(samples, 99) * 1e6:.0f} us")
    print(f"    {'ratio of p99':<34} {percentile(busy, 99) / percentile(idle, 99):.2f}   goal: at most 3")


async def _patterns(agent: Raw, vault: Path) -> None:
    """Every pattern in turn: ours, and rg's where it is installed."""
    rg = shutil.which("rg")
    print(f"  {'pattern':<34} {'ours':<28} {'rg' if rg else 'rg is not installed':<28} ratio")
    worst = 0.0
    for pattern in PATTERNS:
        ours: list[float] = []
        theirs: list[float] = []
        outcome = ""
        for turn in range(REPEATS + 1):
            if len(ours) >= FEW and ours[0] > SLOW:
                break
            seconds, outcome = await _grep(agent, pattern)
            theirs_took = await asyncio.to_thread(_rg, rg, vault, pattern) if rg else FLOOR
            if turn:
                ours.append(seconds)
                theirs.append(theirs_took)
        mine, reference = Spread.of(ours), Spread.of(theirs)
        ratio = mine.median / max(FLOOR, 3 * reference.median)
        worst = max(worst, ratio)
        print(f"    {pattern:<32} {mine!s:<28} {reference!s:<28} {ratio:.2f} {outcome}")
    print(f"    {'worst, over 25 ms or 3 times rg':<34} {worst:.2f}   goal: at most 1")


async def _grep(agent: Raw, pattern: str) -> tuple[float, str]:
    began = time.perf_counter()
    answer: dict[str, Any] = orjson.loads(await agent.call("grep", pattern=pattern, contextLines=0))["result"]
    seconds = time.perf_counter() - began
    return seconds, "" if answer["success"] else f"({answer['errorType']})"


def _rg(rg: str, vault: Path, pattern: str) -> float:
    began = time.perf_counter()
    command = [rg, "--json", "-m100", "--", pattern, "."]
    subprocess.run(command, cwd=vault, capture_output=True, check=False)
    return time.perf_counter() - began

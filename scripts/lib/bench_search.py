"""Searching: grep and find beside ripgrep, fd, wcmatch and fzf, on large vaults of real notes where there are any."""

import asyncio
import math
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

from bridge.index.texts.patterns import hyperscan
from scripts.lib import bench_measure, bench_names
from scripts.lib.bench_measure import Spread, note
from scripts.lib.bench_processes import PLAYGROUND, Raw, connected, serving, started
from scripts.lib.bench_vaults import bench_vault

NOTES = tuple(int(size) for size in os.environ.get("VAULT_BRIDGE_BENCH_NOTES", "10000").split(","))
"""The sizes to measure at: 100000 takes minutes to make the first time."""

PATTERNS = {
    "rare literal": "kwyjibo",
    "literal": "alchemist",
    "common literal": "history",
    "alternation": "TODO|FIXME",
    "literal, any case": "(?i)napoleon",
    "alternation, any case": "(?i)todo|fixme",
    "word ending": r"\b[a-z]+ization\b",
    "wikilinks": r"\[\[[^\]]+\]\]",
    "dates": r"\d{4}-\d{2}-\d{2}",
}
"""Nine patterns of nine kinds."""
PATIENCE = 600
"""Seconds that a first build may take."""
STATUS = '{"jsonrpc":"2.0","id":1,"method":"vault.status","params":{}}'
RG = ("--no-ignore", "--no-messages")
TITLES = {"loaded": "texts there again", "searched": "first grep", "swept": "bare sweep (size, time of each file)"}


async def run() -> None:
    """Measure and print."""
    for notes in NOTES:
        vault = bench_vault(notes)
        print(f"  {notes:,} notes")
        for engine in engines():
            await _over_the_socket(vault, engine)
        bench_names.globs(vault, times)
        bench_names.fuzzy(vault)
        await _texts(vault)


def engines() -> list[str]:
    """Return the engines that can lead searches here."""
    return ["hyperscan", "re2"] if hyperscan is not None else ["re2"]


async def _over_the_socket(vault: Path, engine: str) -> None:
    """100 hits with two lines of context, through the whole stack, beside `rg --json -C2` run as a subprocess."""
    rg = shutil.which("rg")
    shutil.rmtree(vault / ".vault-bridge", ignore_errors=True)
    async with serving(vault, engine=engine), connected(vault) as agent:
        await _until_ready(agent)
        print(f"    grep over the WebSocket, {engine}: 100 hits, 2 lines of context" + ("" if rg else "; no rg here"))
        factors, medians = [], []
        for kind, pattern in PATTERNS.items():
            ours: list[float] = []
            theirs: list[float] = []
            for turn in range(max(bench_measure.REPEATS, 1) + 1):
                mine = await _call(agent, pattern)
                if rg:
                    command = [rg, *RG, "--json", "-C2", "--", pattern, "."]
                    other = await asyncio.to_thread(_timed, command, vault)
                if turn:
                    ours.append(mine)
                    theirs.append(other if rg else mine)
            factors.append(_row(kind, ours, theirs))
            medians.append(statistics.median(ours))
        mean = statistics.geometric_mean(medians)
        if rg:
            note("grep" if engine == "hyperscan" else "grep.re2", mean, mean * statistics.geometric_mean(factors))
        _summary(factors, "8, none below 3" if engine == "hyperscan" else "3, none below 1")


async def _until_ready(agent: Raw) -> None:
    """Wait for the first build."""
    for _ in range(PATIENCE):
        if not orjson.loads(await agent.ask(STATUS))["result"]["indexing"]:
            return
        await asyncio.sleep(1)


async def _call(agent: Raw, pattern: str) -> float:
    began = time.perf_counter()
    answer = await agent.call("grep", pattern=pattern, contextLines=2, maxMatches=100)
    seconds = time.perf_counter() - began
    if not orjson.loads(answer)["result"]["success"]:
        raise RuntimeError(answer[:500])
    return seconds


async def _texts(vault: Path) -> None:
    """Memory, and how soon a restarted process finds something, beside a bare look at every file's state."""
    place = PLAYGROUND / "bench-texts"
    shutil.rmtree(place, ignore_errors=True)
    runs = []
    for _turn in range(max(bench_measure.REPEATS, 1) + 1):
        async with started("scripts.lib.bench_texts", str(vault), str(place)) as process:
            runs.append(orjson.loads(await process.line()))
    first, again = runs[0], runs[1:]
    print(f"    texts in memory: {first['text'] / 1e6:.0f} MB; read and put in {first['built']:.2f} s")
    grown = statistics.median(run["grown"] for run in again)
    print(f"      memory after a first build {first['grown'] / first['text']:.2f} of the text, goal at most 1.1")
    print(f"      after a restart and a search of all {grown / first['text']:.2f} of the text, mapped from the disk")
    for name in ("loaded", "searched", "swept"):
        print(f"      {TITLES[name]:<38} {Spread.of([run[name] for run in again])}")
    ratio = statistics.median((run["loaded"] + run["searched"]) / run["swept"] for run in again)
    print(f"      {'restart to first grep, over the sweep':<38} {ratio:.2f}   goal: at most 2")


def times(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[list[float], list[float]]:
    """Seconds of both sides, in turn."""
    samples: tuple[list[float], list[float]] = ([], [])
    for turn in range(max(bench_measure.REPEATS, 1) + 1):
        for side, measured in zip(samples, (ours, theirs), strict=True):
            began = time.perf_counter()
            measured()
            if turn:
                side.append(time.perf_counter() - began)
    return samples


def _row(title: str, ours: Sequence[float], theirs: Sequence[float]) -> float:
    """A line of a table; how many times faster ours is."""
    factor = statistics.median(theirs) / statistics.median(ours)
    each = [other / mine for mine, other in zip(ours, theirs, strict=True)]
    sides = f"{Spread.of(ours)!s:<32} rg {Spread.of(theirs)!s:<32}"
    print(f"      {title:<34} {sides} x{factor:.1f} ({min(each):.1f} to {max(each):.1f})")
    return factor


def _summary(factors: Sequence[float], goal: str) -> None:
    mean = math.exp(statistics.fmean(map(math.log, factors)))
    summary = f"{mean:.1f} in the geometric mean, {min(factors):.1f} at least"
    print(f"      {'times faster than rg':<34} {summary}   goal: {goal}")


def _timed(command: Sequence[str], folder: Path) -> float:
    began = time.perf_counter()
    output_of(command, folder)
    return time.perf_counter() - began


def output_of(command: Sequence[str], folder: Path) -> bytes:
    """Return the output of a program."""
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout

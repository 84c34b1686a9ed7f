"""Memory, disk and time by the size of a vault: indexed, with vectors, and after two hundred questions.

To read ten thousand notes by the better model takes an hour of a processor. What its vectors take, and how long a
question waits for them, does not depend on what they say: here they are made by chance, for the same passages.
"""

import asyncio
import contextlib
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import psutil

from bridge.index.vectors.embedder import BETTER, unit
from bridge.index.vectors.vector_store import EmbeddedNote, StoreKey, VectorStore, folder_of, kept_store
from bridge.records.folder import cache_folder
from scripts.lib.bench_measure import percentile
from scripts.lib.bench_processes import Raw, Server, connected, new_place, request, serving
from scripts.lib.bench_search import NOTES
from scripts.lib.bench_start import COMMAND, HELLO
from scripts.lib.bench_vaults import bench_vault
from scripts.lib.environment import ROOT, variables
from scripts.lib.golden import read_questions

SMALL = 173
"""Notes of a small vault."""
QUESTIONS = 200
SETTLED_SECONDS = 25.0
"""After so many seconds without work what was let go of has gone back to the system."""
LOOK_SECONDS = 0.25
DIMENSIONS = 384
"""Numbers of a vector of the better model."""
CLIENT = "Bench"
PORTION = 5_000
"""Notes whose vectors are made at a time."""


async def run() -> None:
    """Measure and print."""
    for notes in (SMALL, *NOTES):
        vault = await asyncio.to_thread(bench_vault, notes)
        print(f"  {notes:,} notes", flush=True)
        with new_place():
            await measure(vault)


async def measure(vault: Path) -> None:
    """Measure and print what one vault takes."""
    questions = [each.text for name in ("tuning", "held_back") for each in read_questions(name)][:QUESTIONS]
    shutil.rmtree(vault / ".vault-bridge", ignore_errors=True)
    began = time.perf_counter()
    async with serving(vault) as server, connected(vault) as agent:
        await until(agent, lambda status: not status["indexing"])
        _say("first index", time.perf_counter() - began)
        await _tell(server, vault, "indexed")
        await _ask(agent, questions, "by words")
        await _tell(server, vault, f"after {QUESTIONS} questions by words")
        await _tell_mcp(vault)
    async with serving(vault, by_meaning=True) as server, connected(vault) as agent:
        began = time.perf_counter()
        await until(agent, is_quick_done)
        _say("passages by the quick model", time.perf_counter() - began)
        await _ask(agent, questions, "by words and meaning, while the better model reads")
        await _tell(server, vault, "while the better model reads", settle=False)
    await asyncio.to_thread(make_better, vault)
    async with serving(vault, by_meaning=True) as server, connected(vault) as agent:
        await until(agent, lambda status: status["semantic"]["state"] == "ready")
        await _tell(server, vault, "restarted, with vectors of both models")
        await _ask(agent, questions, "by words and meaning")
        await _tell(server, vault, f"after {QUESTIONS} questions by meaning")


def is_quick_done(status: dict[str, Any]) -> bool:
    """Return whether the quick model has read all notes: that is half of what there is to do."""
    found = status["semantic"]
    return bool(found["total"]) and found["done"] * 2 >= found["total"]


async def until(agent: Raw, done: Callable[[dict[str, Any]], bool]) -> None:
    """Wait until the status says that something is done."""
    while True:
        status = orjson.loads(await agent.ask(request("vault.status")))["result"]
        if done(status):
            return
        await asyncio.sleep(LOOK_SECONDS)


async def _ask(agent: Raw, questions: Sequence[str], how: str) -> None:
    """Ask, and print how long that took."""
    taken = []
    for question in questions:
        began = time.perf_counter()
        answer = orjson.loads(await agent.call("search_notes", query=question))
        taken.append(time.perf_counter() - began)
        if not answer["result"]["success"]:
            raise RuntimeError(str(answer)[:500])
    shown = ", ".join(f"p{percent} {percentile(taken, percent) * 1e3:.3g} ms" for percent in (50, 95))
    print(f"    {'questions ' + how:<64} {shown}, at most {max(taken) * 1e3:.3g} ms", flush=True)


def _say(what: str, seconds: float) -> None:
    print(f"    {what:<64} {seconds:.1f} s", flush=True)


async def _tell(server: Server, vault: Path, when: str, *, settle: bool = True) -> None:
    """Print the memory of the bridge and of its workers, and what it keeps on the disk."""
    if settle:
        await asyncio.sleep(SETTLED_SECONDS)
    process = psutil.Process(server.pid)
    own = process.memory_full_info()
    workers = [child.memory_info().rss for child in process.children(recursive=True)]
    folder = cache_folder(vault)
    kept = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder is not None else 0
    spent = process.cpu_times()
    shown = f"{own.rss / 1e6:.0f} MB ({own.uss / 1e6:.0f} its own), workers {sum(workers) / 1e6:.0f} MB"
    print(f"    {'memory ' + when:<64} {shown}, disk {kept / 1e6:.0f} MB", flush=True)
    print(f"    {'  processor time of the bridge until then':<64} {spent.user + spent.system:.0f} s", flush=True)


async def _tell_mcp(vault: Path) -> None:
    """Print the memory of the process that an MCP client starts."""
    await asyncio.to_thread(
        subprocess.run,
        [*COMMAND, "clients", "add", CLIENT, "--save", "--vault", str(vault)],
        cwd=ROOT,
        env=variables(),
        check=False,
        capture_output=True,
    )
    process = await asyncio.create_subprocess_exec(
        *(*COMMAND, "mcp", "--vault", str(vault), "--client", CLIENT),
        cwd=ROOT,
        env=variables(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=1 << 26,
    )
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("The process was started without pipes")
    try:
        for message in (HELLO, {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}):
            process.stdin.write(orjson.dumps(message) + b"\n")
            if not await process.stdout.readline():
                raise RuntimeError("the MCP server did not answer")
        taken = psutil.Process(process.pid).memory_full_info()
        print(
            f"    {'memory of an mcp process':<64} {taken.rss / 1e6:.0f} MB ({taken.uss / 1e6:.0f} its own)", flush=True
        )
    finally:
        process.terminate()
        await process.wait()


def make_better(vault: Path) -> None:
    """Keep vectors of the better model, made by chance, for the passages that the quick one has read."""
    folder = cache_folder(vault)
    found = kept_store(folder / "vectors", str(vault.resolve())) if folder is not None else None
    if folder is None or found is None:
        raise RuntimeError("the quick model has kept nothing")
    with contextlib.closing(sqlite3.connect(found[0] / "passages.sqlite")) as kept:
        notes = {number: (path, (size, mtime)) for number, path, size, mtime in kept.execute("SELECT * FROM notes")}
        spans: dict[int, list[tuple[int, int]]] = {number: [] for number in notes}
        for number, start, end in kept.execute("SELECT note, start, stop FROM passages ORDER BY note, start"):
            spans[number].append((start, end))
    key = StoreKey(found[1].vault, BETTER.name, DIMENSIONS)
    chance = np.random.default_rng(0)
    shutil.rmtree(folder / "better", ignore_errors=True)
    store = VectorStore(folder_of(folder / "better", key), key)
    numbers = list(notes)
    for at in range(0, len(numbers), PORTION):
        made = []
        for number in numbers[at : at + PORTION]:
            vectors = unit(chance.standard_normal((len(spans[number]), DIMENSIONS), np.float32))
            made.append(EmbeddedNote(*notes[number], spans[number], vectors))
        store.put(made)
    store.close()

"""The index: its first build, a restart, how soon it knows of a change, and what a question costs, each beside a floor.

The floors are the least that could do: full-text alone for a build, one look at every file for a restart, the watcher
alone for a change, a dictionary for a link.
"""

import asyncio
import os
import random
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from watchfiles import watch

from bridge.clock import SystemClock
from bridge.index.index_thread import DEBOUNCE_MS, STEP_MS, Watcher
from bridge.index.vault_index import VaultIndex
from bridge.notes.names import split_link
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from scripts.lib.bench_measure import REPEATS, alternate, compare, percentile
from scripts.lib.bench_processes import PLAYGROUND
from scripts.lib.bench_vaults import bench_vault

NOTES = 10_000
LINKS = 10_000
MOST_LINKED = 50
WRITES = 30
PATIENCE = 120.0


async def run() -> None:
    """Measure and print."""
    vault = bench_vault(NOTES)
    PLAYGROUND.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="index-", dir=PLAYGROUND) as place:
        kept = Path(place) / "kept"
        await _build(vault, Path(place))
        with _indexed(vault, kept):
            pass
        await _restart(vault, kept)
        with _indexed(vault, kept) as index:
            await _resolve(index)
            _questions(index)
        await _freshness(vault, kept)


async def _build(vault: Path, place: Path) -> None:
    """A first build, and the full-text index of the same texts alone."""
    texts = await asyncio.to_thread(_texts, vault)

    async def ours() -> float:
        shutil.rmtree(place / "first", ignore_errors=True)
        began = time.perf_counter()
        with _indexed(vault, place / "first"):
            return time.perf_counter() - began

    async def floor() -> float:
        (place / "floor.db").unlink(missing_ok=True)
        began = time.perf_counter()
        connection = sqlite3.connect(place / "floor.db")
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        connection.executemany("INSERT INTO words VALUES (?)", ((text,) for text in texts))
        connection.commit()
        connection.close()
        return time.perf_counter() - began

    size = sum(map(len, texts)) / 1e6
    sides: dict[str, Callable[[], Awaitable[float]]] = {"ours, from the disk": ours, "FTS5, from memory": floor}
    print(compare(f"first index of {len(texts)} notes, {size:.0f} MB", await alternate(sides), goal=4, row="build"))


def _texts(vault: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in vault.rglob("*.md")]


async def _restart(vault: Path, kept: Path) -> None:
    """From what is kept to answers that are true of the disk."""

    async def ours() -> float:
        began = time.perf_counter()
        with _indexed(vault, kept):
            return time.perf_counter() - began

    async def floor() -> float:
        began = time.perf_counter()
        _look_at_all(str(vault))
        return time.perf_counter() - began

    sides: dict[str, Callable[[], Awaitable[float]]] = {"ours, loaded and compared": ours, "one look at each": floor}
    print(compare("restart", await alternate(sides), goal=2, row="restart"))


def _look_at_all(folder: str) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                _look_at_all(entry.path)
            else:
                entry.stat(follow_symlinks=False)


async def _resolve(index: VaultIndex) -> None:
    """Compare resolving links with looking as many words up in a dictionary."""
    chance = random.Random(1)  # noqa: S311 -- a seeded choice, not a secret
    notes = [file.path for file in index.files() if file.path.endswith(".md")]
    links = [
        (split_link(link.link)[0], link.source)
        for path in chance.sample(notes, min(len(notes), LINKS))
        for link in index.links_from(path)
    ][:LINKS]
    if not links:
        return
    known = {Path(path).stem.lower(): path for path in notes}
    names = index.names

    async def ours() -> float:
        began = time.perf_counter()
        for link, source in links:
            names.resolve(link, source)
        return time.perf_counter() - began

    async def floor() -> float:
        began = time.perf_counter()
        for link, _source in links:
            known.get(link.lower())
        return time.perf_counter() - began

    sides: dict[str, Callable[[], Awaitable[float]]] = {"ours": ours, "a dictionary": floor}
    print(compare(f"where {len(links)} links lead", await alternate(sides), goal=10))


def _questions(index: VaultIndex) -> None:
    """Measure questions whose answers the peers do not have at hand; `bench peers` has the ratios."""
    count: dict[str, int] = {}
    for facts in index.notes():
        for link in index.links_from(facts.path):
            target = index.names.resolve(split_link(link.link)[0], link.source)
            if target:
                count[target] = count.get(target, 0) + 1
    most = sorted(count, key=lambda path: -count[path])[:MOST_LINKED]
    _tell(f"backlinks of the {len(most)} most linked", [partial(index.backlinks, path) for path in most])
    _tell("all tags", [index.tags] * REPEATS)


def _tell(name: str, asks: Sequence[Callable[[], object]]) -> None:
    """Print the time that some questions take."""
    taken = []
    for ask in asks:
        began = time.perf_counter()
        ask()
        taken.append(time.perf_counter() - began)
    print(f"  {name}: p50 {percentile(taken, 50) * 1e3:.2f} ms, p95 {percentile(taken, 95) * 1e3:.2f} ms")


async def _freshness(vault: Path, kept: Path) -> None:
    """From another program's write to the index's knowing of it, and to the bare watcher's."""
    note = vault / "Fresh.md"
    note.write_text("start\n", encoding="utf-8")
    heard, stop = threading.Event(), threading.Event()

    def bare() -> None:
        for batch in watch(vault, debounce=DEBOUNCE_MS, step=STEP_MS, stop_event=stop, watch_filter=None):
            if any(path.endswith("Fresh.md") for _change, path in batch):
                heard.set()

    known = threading.Event()
    listening = threading.Thread(target=bare, daemon=True)
    root = VaultRoot(vault)
    index = VaultIndex(VaultFiles(root), SystemClock(), folder=kept, on_change=lambda _path, _change: known.set())
    watcher = Watcher(root.path, index.changed)
    try:
        listening.start()
        index.start()
        watcher.start()
        await asyncio.to_thread(_until_ready, index)
        note.write_text("warm\n", encoding="utf-8")
        await asyncio.to_thread(known.wait, PATIENCE)
        await asyncio.to_thread(heard.wait, PATIENCE)
        samples: dict[str, list[float]] = {"ours, known and answered": [], "the watcher alone": []}
        for number in range(WRITES):
            await asyncio.sleep(0.1)  # until what the last write set off is over
            known.clear()
            heard.clear()
            began = time.perf_counter()
            note.write_text(f"written {number}\n", encoding="utf-8")
            await asyncio.to_thread(heard.wait, PATIENCE)
            samples["the watcher alone"].append(time.perf_counter() - began)
            await asyncio.to_thread(known.wait, PATIENCE)
            samples["ours, known and answered"].append(time.perf_counter() - began)
        print(compare(f"another program's write, {WRITES} times", samples, goal=5, row="change"))
    finally:
        stop.set()
        await asyncio.to_thread(watcher.stop)
        await asyncio.to_thread(index.close)
        root.close()
        note.unlink()


@contextmanager
def _indexed(vault: Path, folder: Path) -> Iterator[VaultIndex]:
    """An index that is ready; the time until then is the caller's to measure."""
    root = VaultRoot(vault)
    index = VaultIndex(VaultFiles(root), SystemClock(), folder=folder)
    try:
        index.start()
        _until_ready(index)
        yield index
    finally:
        index.close()
        root.close()


def _until_ready(index: VaultIndex) -> None:
    end = time.monotonic() + PATIENCE
    while not index.ready:
        if time.monotonic() > end:
            raise RuntimeError("The index was not ready in time")
        time.sleep(0.001)

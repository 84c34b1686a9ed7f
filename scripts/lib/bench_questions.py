"""Questions: how often the note that answers is among the first, beside plain BM25, and how long it takes.

The questions are those of tests/index/search/golden, but of the real vaults' first ones only the half that nothing was
tuned by. bm25s is no dependency: `PYTHONPATH=somewhere/with/bm25s .venv/bin/python -m scripts.lib.bench questions`.
"""

import asyncio
import importlib
import importlib.util
import re
import shutil
import sqlite3
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from bridge.clock import SystemClock
from bridge.index.search.note_search import NoteQuery, NoteSearch
from bridge.index.search.passages import cut
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import StoredWords, phrase
from bridge.index.vault_index import VaultIndex
from bridge.index.vectors.embedder import BETTER, QUICK, installed, packaged_model
from bridge.index.vectors.vectors import Vectors
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from scripts.lib import bench_measure
from scripts.lib.bench_measure import note, percentile
from scripts.lib.bench_memory import is_quick_done, make_better, until
from scripts.lib.bench_processes import PLAYGROUND, Raw, connected, new_place, serving, started
from scripts.lib.bench_vaults import bench_vault, question_vault, written_vault
from scripts.lib.golden import Question, ask, read_questions

NOTES = 10_000
QUESTIONS = 120
"""Of both halves, of which it is only asked how long they take."""
IDLE_SECONDS = 20.0

Find = Callable[[str], Sequence[str]]
_WORD = re.compile(r"[^\W_]+")


async def run() -> None:
    """Measure and print."""
    await asyncio.to_thread(_quality)
    await _latency()


def _quality() -> None:
    for vault, names in (question_vault(), written_vault("small_vault", "own_words"), written_vault("east_asian")):
        _quality_of(vault, names)


def _quality_of(vault: Path, names: Sequence[str]) -> None:
    notes = _notes(vault)
    with _ours(vault) as ours, _ours(vault, by_meaning=packaged_model() is not None) as both:
        sides: dict[str, Find] = {
            "search_notes": ours,
            "search_notes, by words and meaning": both,
            "BM25 over notes, any of the words": _fts5(notes, " OR "),
            "FTS5 as it comes, all of the words": _fts5(notes, " "),
        }
        if packaged_model() is None:
            del sides["search_notes, by words and meaning"]
            print("    the extra `semantic` is not installed: nothing is found by meaning")
        if importlib.util.find_spec("bm25s") is None:
            print("    bm25s is not installed: nothing to compare with but FTS5")
        else:
            sides["BM25 over passages (bm25s)"] = _bm25s(notes)
        for name in names:
            questions = read_questions(name)
            print(f"  {len(questions)} questions ({name}) of {len(notes)} notes")
            for title, find in sides.items():
                _ask_all(title, find, questions)


def _ask_all(title: str, find: Find, questions: Sequence[Question]) -> None:
    """Print how well one side answers questions, and those of each kind."""
    print(f"    {title:<36} {ask(find, questions)}")
    for kind in dict.fromkeys(question.kind for question in questions):
        of_kind = [question for question in questions if question.kind == kind]
        print(f"      {kind:<34} {ask(find, of_kind)}")


async def _latency() -> None:
    """A question through the whole stack, ten notes with excerpts, beside FTS5 with the texts in it.

    First by words alone, then by meaning too. While the notes are embedded, somebody else pings the bridge. The better
    model would take an hour, so its vectors are made by chance after a while, as in the section `memory`.
    """
    vault = bench_vault(NOTES)
    questions = [*read_questions("tuning"), *read_questions("held_back")][:QUESTIONS]
    bare = _fts5(await asyncio.to_thread(_notes, vault), " OR ", snippets=True)
    shutil.rmtree(vault / ".vault-bridge", ignore_errors=True)
    with new_place():
        async with serving(vault) as _bridge, connected(vault) as agent:
            await until(agent, lambda status: not status["indexing"])
            # Some seconds after the build the full-text index is merged; until then each word takes longer.
            (idle,) = await _pings(vault, [asyncio.sleep(IDLE_SECONDS)])
            await _questions(agent, questions, bare, by_meaning=False)
        if packaged_model() is None:
            return
        async with serving(vault, by_meaning=True) as _bridge, connected(vault) as agent:
            began = time.perf_counter()
            quick, better = await _pings(vault, [until(agent, is_quick_done), asyncio.sleep(IDLE_SECONDS)])
            print(f"    all passages by the quick model in {time.perf_counter() - began - IDLE_SECONDS:.0f} s")
            for model, waited in (("quick", quick), ("better", better)):
                ratio = f"{waited / idle:.1f} times that of {idle * 1e3:.2g} ms"
                print(f"      a ping's p99 while the {model} model reads {ratio}   goal: at most 3")
        await asyncio.to_thread(make_better, vault)
        async with serving(vault, by_meaning=True) as _bridge, connected(vault) as agent:
            await until(agent, lambda status: status["semantic"]["state"] == "ready")
            await _questions(agent, questions, bare, by_meaning=True)


async def _pings(vault: Path, works: Sequence[Awaitable[object]]) -> list[float]:
    """Return how long 99 of 100 pings wait at most during each of some works, one after the other."""
    waited = []
    async with started("scripts.lib.bench_pinger", str(vault)) as pinger:
        await pinger.line()
        for work in works:
            await work
            waited.append(percentile(await pinger.take(), 99))
    return waited


async def _questions(agent: Raw, questions: Sequence[Question], bare: Find, *, by_meaning: bool) -> None:
    ours: list[list[float]] = []
    theirs: list[list[float]] = []
    for turn in range(max(bench_measure.REPEATS, 1) + 1):
        mine = [await _asked(agent, question) for question in questions]
        other = await asyncio.to_thread(_timed, bare, questions)
        if turn:
            ours.append(mine)
            theirs.append(other)
    how, goal = ("words and meaning", "p50 at most 50 ms, p95 120") if by_meaning else ("words", "at most 2")
    print(f"    {len(questions)} questions over the WebSocket by {how}, {NOTES:,} notes; beside FTS5, any of the words")
    for percent in (50, 95):
        own, its = ([percentile(seconds, percent) for seconds in side] for side in (ours, theirs))
        ratio = statistics.median(own) / statistics.median(its)
        figures = f"{statistics.median(own) * 1e3:.3g} ms, FTS5 {statistics.median(its) * 1e3:.3g} ms"
        print(f"      p{percent:<4} {figures}   ratio {ratio:.2f}   goal: {goal}")
        if percent == 50 and not by_meaning:  # noqa: PLR2004 - the median
            note("question", statistics.median(own), statistics.median(its))


async def _asked(agent: Raw, question: Question) -> float:
    began = time.perf_counter()
    answer = await agent.call("search_notes", query=question.text)
    seconds = time.perf_counter() - began
    if not orjson.loads(answer)["result"]["success"]:
        raise RuntimeError(answer[:500])
    return seconds


def _timed(find: Find, questions: Sequence[Question]) -> list[float]:
    seconds: list[float] = []
    for question in questions:
        began = time.perf_counter()
        find(question.text)
        seconds.append(time.perf_counter() - began)
    return seconds


def _notes(vault: Path) -> list[tuple[str, str, str]]:
    """Path, name and text of every note."""
    paths = sorted(path for path in vault.rglob("*.md") if "/." not in path.as_posix())
    return [(path.relative_to(vault).as_posix(), path.stem, path.read_text(encoding="utf-8")) for path in paths]


@contextmanager
def _ours(vault: Path, *, by_meaning: bool = False) -> Iterator[Find]:
    """Yield the search of the tool search_notes.

    Args:
        vault: The notes.
        by_meaning: Whether they are embedded before, with the packaged models. That takes many minutes, so the vectors
            are kept for the next run.
    """
    clock = SystemClock()
    with VaultRoot(vault) as root:
        files = VaultFiles(root)
        index = VaultIndex(files, clock)
        index.refresh()
        vectors = Vectors(
            index,
            files,
            lambda: None,
            clock,
            folder=PLAYGROUND / f"vectors-{vault.name}",
            mode=lambda: "on",
            model=lambda: installed(QUICK, clock),
            better_mode=lambda: "on",
            better_model=lambda: installed(BETTER, clock),
            delay=0,
        )
        if by_meaning:
            vectors.start()
            while vectors.status().state not in {"ready", "failed"}:
                time.sleep(0.1)
        texts = SearchTexts(index.texts, files, clock)
        search = NoteSearch(index, StoredWords(index.search), texts, lambda: vectors if by_meaning else None)

        def find(question: str) -> Sequence[str]:
            found = search.search(NoteQuery(question, clock.monotonic() + 60))
            return [result.path for result in found.results]

        yield find
        search.close()
        vectors.close()
        index.close()


def _fts5(notes: Sequence[tuple[str, str, str]], joint: str, *, snippets: bool = False) -> Find:
    """SQLite's full-text search with the texts in it."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute("CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, name, text)")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO notes VALUES(?, ?, ?)", notes)
    connection.execute("COMMIT")
    shown = "snippet(notes, 2, '', '', '...', 30)" if snippets else "''"

    def find(question: str) -> Sequence[str]:
        words = joint.join(phrase(word) for word in dict.fromkeys(_WORD.findall(question.lower())))
        rows = connection.execute(
            f"SELECT path, {shown} FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 10",  # noqa: S608 - constants
            (words,),
        )
        return [path for path, _snippet in rows]

    return find


def _bm25s(notes: Sequence[tuple[str, str, str]]) -> Find:
    """bm25s as it comes, with its English stop words, over our passages with their notes' names; best for each note."""
    bm25s: Any = importlib.import_module("bm25s")
    passages = [(path, f"{name}\n{text[low:high]}") for path, name, text in notes for low, high in cut(text)]
    retriever = bm25s.BM25()
    tokens = bm25s.tokenize([text for _path, text in passages], stopwords="en", show_progress=False)
    retriever.index(tokens, show_progress=False)

    def find(question: str) -> Sequence[str]:
        asked = bm25s.tokenize([question], stopwords="en", show_progress=False)
        documents, _scores = retriever.retrieve(asked, k=min(100, len(passages)), show_progress=False)
        return list(dict.fromkeys(passages[number][0] for number in documents[0]))

    return find

"""Ranked search: ten notes with excerpts, beside bare FTS5 and, where it is installed, tantivy.

Two hundred seeded queries of one to three words, as they stand in the notes: half of them side by side, so that the
words everywhere are asked for as often as they are written. Every side is asked all of them, in turn, nine times.
tantivy is no dependency: `PYTHONPATH=somewhere/with/tantivy .venv/bin/python -m scripts.lib.bench ranked`.
"""

import asyncio
import importlib
import importlib.util
import random
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bridge.clock import SystemClock
from bridge.index.search.note_search import NoteQuery, NoteSearch
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import StoredWords, phrase
from bridge.index.vault_index import VaultIndex
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from scripts.lib.bench_measure import REPEATS, note, percentile
from scripts.lib.bench_vaults import bench_vault

NOTES = 10_000
REAL_NOTES = 1_000
"""Notes of which none is another one's replica: which of a dozen near twins comes first says nothing."""
QUERIES = 200
TOP = 3
GOAL = 60

Query = tuple[str, ...]
Note = tuple[str, str, str]
"""Path, name and text."""
Side = Callable[[Query], Sequence[str]]

_WORD = re.compile(r"\b[a-z]{3,}\b")


async def run() -> None:
    """Measure and print."""
    await asyncio.to_thread(_measure)


def _measure() -> None:
    vault = bench_vault(NOTES)
    notes = _notes(vault)
    queries = make_queries([text for _path, _name, text in notes])
    print(f"  {len(queries)} queries of {len(notes)} notes, {sum(len(note[2]) for note in notes) / 1e6:.0f} MB")
    with _ours(vault) as ours:
        sides: dict[str, Side] = {"ours, ten with excerpts": ours, "bare FTS5, ten with snippets": _bare(notes)}
        if importlib.util.find_spec("tantivy") is None:
            print("    tantivy is not installed: nothing to compare with but FTS5")
        else:
            sides |= {
                "tantivy, ten with snippets": _tantivy(notes, snippets=True),
                "tantivy, ten paths": _tantivy(notes, snippets=False),
            }
        _tell(_taken(sides, queries))
    if importlib.util.find_spec("tantivy") is not None:
        _agree()


def make_queries(texts: Sequence[str]) -> list[Query]:
    """The same queries of the same notes every time."""
    chance = random.Random(9)  # noqa: S311 -- a seeded choice, not a secret
    queries: list[Query] = []
    while len(queries) < QUERIES:
        words = _WORD.findall(chance.choice(texts))
        count = chance.randint(1, 3)
        if len(words) >= count:
            first = chance.randrange(len(words) - count + 1)
            together = chance.choice((True, False))
            queries.append(tuple(words[first : first + count] if together else chance.choices(words, k=count)))
    return queries


def _taken(sides: dict[str, Side], queries: Sequence[Query]) -> dict[str, list[list[float]]]:
    """Seconds of each query, for each repeat, by side."""
    taken: dict[str, list[list[float]]] = {name: [] for name in sides}
    for turn in range(REPEATS + 1):
        for name, side in sides.items():
            seconds: list[float] = []
            for query in queries:
                began = time.perf_counter()
                side(query)
                seconds.append(time.perf_counter() - began)
            if turn:
                taken[name].append(seconds)
    return taken


def _tell(taken: dict[str, list[list[float]]]) -> None:
    ours, fts5 = list(taken.values())[:2]
    note("ranked", _median(ours, 50), _median(fts5, 50))
    for name, repeats in taken.items():
        summary = [f"p{percent} {_median(repeats, percent) * 1e3:.3g} ms" for percent in (50, 95)]
        print(f"    {name:<34} {', '.join(summary)}")
    for name, repeats in list(taken.items())[1:]:
        for percent in (50, 95):
            ratios = [percentile(a, percent) / percentile(b, percent) for a, b in zip(ours, repeats, strict=True)]
            ratio = _median(ours, percent) / _median(repeats, percent)
            goal = f"   goal: at most {GOAL}" if percent == 95 and name.startswith("tantivy") else ""  # noqa: PLR2004
            title = f"ratio of p{percent} to {name.partition(',')[0]}, {name.rpartition(' ')[2]}"
            print(f"    {title:<34} {ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f}){goal}")


def _median(repeats: Sequence[Sequence[float]], percent: float) -> float:
    return percentile([percentile(seconds, percent) for seconds in repeats], 50)


def _agree() -> None:
    """In how many queries the first three are the same, where both find as many that hold all words.

    A query of which every word is in most of the notes is left out: FTS5 gives such words no weight.
    """
    vault = bench_vault(REAL_NOTES)
    notes = _notes(vault)
    theirs = _tantivy(notes, snippets=False, fields=("text",))
    with _ours(vault) as ours, _core(vault) as (core, count):
        asked = make_queries([text for _path, _name, text in notes])
        queries = [query for query in asked if min(map(count, query)) * 2 <= len(notes)]
        lifted = "search_notes, with beginnings of words, names and places lifted"
        for name, side, goal in (("BM25 of the same words", core, "   goal: at least 80%"), (lifted, ours, "")):
            pairs = [(set(side(query)[:TOP]), set(theirs(query)[:TOP])) for query in queries]
            full = [(mine, others) for mine, others in pairs if len(mine) == len(others) == TOP]
            same = sum(mine == others for mine, others in full)
            near = sum(len(mine & others) for mine, others in full)
            summary = (
                f"{same} of {len(full)}, {same / max(len(full), 1):.0%} ({near / max(TOP * len(full), 1):.0%} of notes)"
            )
            print(f"    first three as tantivy's, {name}: {summary}{goal}")


def _notes(vault: Path) -> list[Note]:
    paths = sorted(path for path in vault.rglob("*.md") if "/." not in path.as_posix())
    return [(path.relative_to(vault).as_posix(), path.stem, path.read_text(encoding="utf-8")) for path in paths]


@contextmanager
def _indexed(vault: Path) -> Iterator[tuple[VaultIndex, VaultFiles]]:
    with VaultRoot(vault) as root:
        files = VaultFiles(root)
        index = VaultIndex(files, SystemClock())
        index.refresh()
        yield index, files
        index.close()


@contextmanager
def _ours(vault: Path) -> Iterator[Side]:
    """Yield the search of the tool search_notes."""
    clock = SystemClock()
    with _indexed(vault) as (index, files):
        search = NoteSearch(index, StoredWords(index.search), SearchTexts(index.texts, files, clock))

        def side(query: Query) -> Sequence[str]:
            found = search.search(NoteQuery(" ".join(query), clock.monotonic() + 30))
            return [result.path for result in found.results]

        yield side
        search.close()


@contextmanager
def _core(vault: Path) -> Iterator[tuple[Side, Callable[[str], int]]]:
    """The words as they are, in texts; and in how many notes a word is."""
    with _indexed(vault) as (index, _files):
        words = StoredWords(index.search)

        def side(query: Query) -> Sequence[str]:
            rows = words.ranked(" AND ".join(phrase(word, columns="text") for word in query), TOP, lambda: False)
            return [path for path, _score in rows]

        yield side, lambda word: words.count(phrase(word), lambda: False)


def _bare(notes: Sequence[Note]) -> Side:
    """FTS5 with the texts in it."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute("CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, name, text)")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO notes VALUES(?, ?, ?)", notes)
    connection.execute("COMMIT")

    def side(query: Query) -> Sequence[str]:
        rows = connection.execute(
            "SELECT path, snippet(notes, 2, '', '', '...', 30) FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 10",
            (" AND ".join(map(phrase, query)),),
        )
        return [path for path, _snippet in rows]

    return side


def _tantivy(notes: Sequence[Note], *, snippets: bool, fields: Sequence[str] = ("name", "text")) -> Side:
    """The same for tantivy."""
    tantivy: Any = importlib.import_module("tantivy")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("path", stored=True, tokenizer_name="raw")
    builder.add_text_field("name")
    builder.add_text_field("text", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer(200_000_000, 1)
    for path, name, text in notes:
        writer.add_document(tantivy.Document(path=[path], name=[name], text=[text]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def side(query: Query) -> Sequence[str]:
        asked = index.parse_query(" ".join(query), list(fields), conjunction_by_default=True)
        hits = searcher.search(asked, 10).hits
        documents = [searcher.doc(address) for _score, address in hits]
        if snippets:
            generator = tantivy.SnippetGenerator.create(searcher, asked, index.schema, "text")
            for document in documents:
                generator.snippet_from_doc(document).fragment()
        return [str(document.get_first("path")) for document in documents]

    return side

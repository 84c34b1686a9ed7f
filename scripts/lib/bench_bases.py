"""Bases: a view over many notes that the index knows, beside a plain loop of Python over the same rows.

It is work of the processor alone, so that is what is measured.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bridge.bases.base_file import read_base
from bridge.bases.dates import Date
from bridge.bases.views import ViewTable, evaluate, view_of
from bridge.index.base_rows import BaseVaults, IndexedVault
from bridge.index.knowledge import IndexedFile, IndexStatus, NoteFacts, StoredLink, TagCount
from bridge.notes.names import Names
from scripts.lib import bench_measure
from scripts.lib.bench_measure import alternate, compare

SIZES = (1_000, 10_000, 100_000)
GOAL = 0.05
"""Seconds that a view of ten thousand notes may take, once they have been looked at."""
SHOWN = 50

BASE = """
filters: {and: ['categories.contains(link("Books"))', '!file.name.contains("Template")']}
formulas:
  total: price * quantity
  label: status + " " + formula.total.toFixed(2)
views:
  - order: [file.name, formula.total, formula.label]
    sort: [{property: formula.total, direction: DESC}]
"""


class GeneratedKnowledge:
    """As many notes as are wanted, a fourth of which the base shows.

    Args:
        count: How many.
    """

    version = 1

    def __init__(self, count: int) -> None:
        paths = [f"Folder {number % 50}/Note {number}.md" for number in range(count - 1)]
        self._files = [IndexedFile(path, 1000, 10**18, 10**18) for path in ["Books.md", *paths]]
        self.names = Names(file.path for file in self._files)
        self._notes = [
            NoteFacts(file.path, _properties(number), (), ("#book",), (), ()) for number, file in enumerate(self._files)
        ]

    def status(self) -> IndexStatus:
        """Everything is known."""
        return IndexStatus(len(self._files), len(self._files), len(self._files), indexing=False, last_sweep=None)

    def files(self) -> Sequence[IndexedFile]:
        """Every file."""
        return self._files

    def folders(self) -> Sequence[str]:
        """No folder is asked for."""
        return []

    def file(self, path: str) -> IndexedFile | None:
        """No single file is asked for."""
        del path
        return None

    def note(self, path: str) -> NoteFacts | None:
        """No single note is asked for."""
        del path
        return None

    def notes(self) -> Iterable[NoteFacts]:
        """Every note."""
        return self._notes

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """There are no links."""
        del path
        return []

    def all_links(self) -> Iterable[StoredLink]:
        """There are no links."""
        return []

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """There are no links."""
        del keys
        return []

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """There are no links."""
        del path
        return []

    def with_alias(self, alias: str) -> Sequence[str]:
        """There are no aliases."""
        del alias
        return []

    def tags(self) -> Sequence[TagCount]:
        """No tags are asked for."""
        return []

    def tagged(self, tag: str) -> Sequence[str]:
        """No tags are asked for."""
        del tag
        return []

    def refresh(self) -> None:
        """Nothing changes."""


async def run() -> None:
    """Measure and print."""
    for size in SIZES:
        known = GeneratedKnowledge(size)
        vaults = BaseVaults(known)
        began = time.process_time()
        found = len(_shown(vaults.get()).rows)
        first = time.process_time() - began
        plain = [dict(_properties(number), name=file.path) for number, file in enumerate(known.files())]

        async def ours(vaults: BaseVaults = vaults) -> float:
            start = time.process_time()
            _shown(vaults.get())
            return time.process_time() - start

        async def reference(plain: list[dict[str, Any]] = plain) -> float:
            start = time.process_time()
            _looped(plain)
            return time.process_time() - start

        samples = await alternate({"a view of the base": ours, "a loop of Python": reference}, repeats=_repeats())
        print(compare(f"{size:,} notes, {found:,} rows; the first time {first * 1e3:.0f} ms", samples))
        if size == SIZES[1]:
            least = min(samples["a view of the base"]) * 1e3
            print(f"    {'at the least':<34} {least:.1f} ms   goal: {GOAL * 1e3:.0f} ms")


def _repeats() -> int:
    return bench_measure.REPEATS


def _properties(number: int) -> Mapping[str, Any]:
    book = "[[Books]]" if number % 4 == 0 else "[[Movies]]"
    return {"categories": [book], "price": number % 97 + 0.5, "quantity": number % 7, "status": "done", "year": 2000}


def _shown(vault: IndexedVault) -> ViewTable:
    """The rows of the view, and what stands in the first of them."""
    base = read_base(BASE)
    table = evaluate(base, view_of(base, None), vault, Date(1_780_000_000_000, vault.zone))
    table.cells(0, SHOWN)
    return table


def _looped(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same, as one would write it by hand for these rows alone."""
    kept = []
    for row in rows:
        if "[[Books]]" in row["categories"] and "Template" not in row["name"]:
            row = dict(row)  # noqa: PLW2901 (what is added belongs to the row that is shown)
            row["total"] = row["price"] * row["quantity"]
            row["label"] = f"{row['status']} {row['total']:.2f}"
            kept.append(row)
    kept.sort(key=lambda row: row["total"], reverse=True)
    return kept

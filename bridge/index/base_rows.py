"""The vault as bases see it, from the index, and what a change to a base does: no file is opened for either.

What was worked out for one query is kept for the next one until the index knows something else, or other files may be
seen: rows, the values of their properties, and where links lead.

The effects of a change (whether the base can be read, its errors, the rows of its views) are shown for every tool, and
worked out from what an agent may see, because the agent reads them too.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from bridge.bases.base_file import Base, View, read_base
from bridge.bases.dates import Date, Zone
from bridge.bases.failures import BaseError, StepBudget
from bridge.bases.rows import Row
from bridge.bases.views import check, evaluate, view_of
from bridge.clock import Clock
from bridge.index.knowledge import IndexedFile, Knowledge, StoredLink

_FEW: Final = 50
"""So many files are asked about one by one; for more, all links are read at once."""
_MS: Final = 1_000_000
NAMED: Final = 3
"""Mistakes, views and rows that are named; the others are only counted."""
_STEPS: Final = 4_000_000
"""Steps that a view is given; it takes less than a second."""


class IndexedVault:
    """The files that may be seen, as rows.

    Args:
        knowledge: What is known of them.
        files: The files.

    Attributes:
        zone: The time zone of its dates.
    """

    def __init__(self, knowledge: Knowledge, files: Sequence[IndexedFile], zone: Zone) -> None:
        self._knowledge = knowledge
        self._names = knowledge.names
        self.zone = zone
        facts = {note.path: note for note in knowledge.notes()}
        self._rows: dict[str, Row] = {}
        for file in sorted(files):
            note = facts.get(file.path)
            properties, tags = ({}, ()) if note is None else (note.properties, note.tags)
            times = file.created_ns // _MS, file.mtime_ns // _MS
            self._rows[file.path] = Row(file.path, file.size, times, properties, tags, self)
        self._ordered = list(self._rows.values())
        self._asked = 0
        self._links: Mapping[str, Sequence[StoredLink]] | None = None
        self._sources: Mapping[str, Sequence[str]] | None = None

    def rows(self) -> Sequence[Row]:
        """Return every file that may be seen, by path."""
        return self._ordered

    def row(self, path: str) -> Row | None:
        """Return one file; None if there is none that may be seen."""
        return self._rows.get(path)

    def resolve(self, linkpath: str, source: str) -> str | None:
        """Return the target of a link; None if the target may not be seen."""
        target = self._names.resolve(linkpath, source)
        return target if target in self._rows else None

    def links(self, path: str) -> Iterable[tuple[str, str, bool]]:
        """Return the links of a file, in order."""
        self._asked += 1
        if self._links is None and self._asked > _FEW:
            links: dict[str, list[StoredLink]] = defaultdict(list)
            for link in self._knowledge.all_links():
                links[link.source].append(link)
            self._links = links
        known = self._knowledge.links_from(path) if self._links is None else self._links.get(path, ())
        return [(link.link, link.display, link.embed) for link in known]

    def backlinks(self, path: str) -> Iterable[str]:
        """Return the files that link to a file, each once."""
        if self._sources is None:
            sources: dict[str, list[str]] = defaultdict(list)
            for row in self._ordered:
                for target in row.targets:
                    if target != row.path:
                        sources[target].append(row.path)
            self._sources = sources
        return self._sources.get(path, ())


class BaseVaults:
    """The vault of the last query, which is that of the next one where nothing has changed. Any thread may ask.

    Args:
        knowledge: The knowledge about the vault, as far as it may be seen.

    Attributes:
        zone: The zone in which dates are seen.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self.zone = Zone()
        self._lock = threading.Lock()
        self._kept: tuple[int, Sequence[IndexedFile], IndexedVault] | None = None

    def get(self) -> IndexedVault:
        """Return the vault as it is now."""
        with self._lock:
            version, files = self._knowledge.version, self._knowledge.files()
            kept = self._kept
            if kept is None or kept[0] != version or (kept[1] is not files and kept[1] != files):
                kept = self._kept = version, files, IndexedVault(self._knowledge, files, self.zone)
            return kept[2]


class BaseWarnings:
    """A check of what changes do to bases.

    Args:
        knowledge: The knowledge about the vault, as far as agents may see it.
        clock: The time.
    """

    def __init__(self, knowledge: Knowledge, clock: Clock) -> None:
        self._vaults = BaseVaults(knowledge)
        self._clock = clock

    def of(self, path: str, text: str, *, rows: bool = True) -> Iterator[str]:
        """Yield a sentence for each mistake, and for each view how many rows it would have.

        Args:
            path: The base, or the note that it is in.
            text: The base as it will be.
            rows: Whether to describe the rows.
        """
        try:
            base = read_base(text)
        except BaseError as error:
            yield f"The base in {path!r} will show nothing: {error}"
            return
        wrong = check(base)
        for mistake in wrong[:NAMED]:
            yield f"The base in {path!r} has a mistake: {mistake}"
        if len(wrong) > NAMED:
            yield f"The base in {path!r} has {len(wrong) - NAMED} more mistakes"
        views = base.views or (view_of(base, None),)
        for view in views[: NAMED if rows else 0]:
            yield from self._rows(path, base, view)

    def _rows(self, path: str, base: Base, view: View) -> Iterator[str]:
        vault = self._vaults.get()
        this = vault.row(path) or Row(path, 0, (0, 0), {}, (), vault)
        now = Date(round(self._clock.now().timestamp() * 1000), vault.zone)
        name = f"The view {view.name!r} of {path!r}" if view.name else f"The base in {path!r}"
        try:
            table = evaluate(base, view, vault, now, this=this, budget=StepBudget(_STEPS))
        except BaseError as error:
            if error.where.startswith(("views", "filters")) and error.expression:
                return  # it is among the mistakes
            yield f"{name} cannot be shown: {error}"
            return
        rows = table.rows
        named = ", ".join(row.name for row in rows[:NAMED])
        more = f" and {len(rows) - NAMED:,} more" if len(rows) > NAMED else ""
        count = f"{len(rows):,} row" if len(rows) == 1 else f"{len(rows):,} rows"
        yield f"{name} would show {count}{f': {named}{more}' if rows else ''}"
        for problem in table.problems[:1]:
            yield f"{name} is not complete: {problem}"

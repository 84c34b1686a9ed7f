"""The vault as bases see it, from the index: no file is opened for it.

What was worked out for one query is kept for the next one until the index knows something else, or other files may be
seen: rows, the values of their properties, and where links lead.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bridge.bases.dates import Zone
from bridge.bases.rows import Row, WrittenLink
from bridge.index.knowledge import IndexedFile, Knowledge, StoredLink

_FEW: Final = 50
"""So many files are asked about one by one; for more, all links are read at once."""
_MS: Final = 1_000_000


class IndexedVault:
    """The files that may be seen, as rows.

    Args:
        knowledge: What is known of them.
        files: The files.
        zone: The zone in which dates are seen.
    """

    def __init__(self, knowledge: Knowledge, files: Sequence[IndexedFile], zone: Zone) -> None:
        self._knowledge = knowledge
        self._names = knowledge.names
        self._zone = zone
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

    @property
    def zone(self) -> Zone:
        """Return the time zone of its dates."""
        return self._zone

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

    def links(self, path: str) -> Iterable[WrittenLink]:
        """Return the links of a file, in order."""
        self._asked += 1
        if self._links is None and self._asked > _FEW:
            links: dict[str, list[StoredLink]] = defaultdict(list)
            for link in self._knowledge.all_links():
                links[link.source].append(link)
            self._links = links
        known = self._knowledge.links_from(path) if self._links is None else self._links.get(path, ())
        return [WrittenLink(link.link, link.display, link.embed) for link in known]

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
        zone: The zone in which dates are seen.
    """

    def __init__(self, knowledge: Knowledge, zone: Zone | None = None) -> None:
        self._knowledge = knowledge
        self._zone = zone or Zone()
        self._lock = threading.Lock()
        self._kept: tuple[int, Sequence[IndexedFile], IndexedVault] | None = None

    @property
    def zone(self) -> Zone:
        """Return the time zone of dates."""
        return self._zone

    def get(self) -> IndexedVault:
        """Return the vault as it is now."""
        with self._lock:
            version, files = self._knowledge.version, self._knowledge.files()
            kept = self._kept
            if kept is None or kept[0] != version or (kept[1] is not files and kept[1] != files):
                kept = self._kept = version, files, IndexedVault(self._knowledge, files, self._zone)
            return kept[2]

"""A vault with an index on it, and what the index should answer, worked out by reading every file."""

import os
import sqlite3
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bridge.clock import Clock, SystemClock
from bridge.index.store.database import PLACE_BITS
from bridge.index.vault_index import VaultIndex
from bridge.notes.canvas import parse_canvas
from bridge.notes.frontmatter import aliases, all_tags
from bridge.notes.markdown import parse_note
from bridge.notes.names import Names, split_link
from bridge.vault.files import VaultFiles
from bridge.vault.paths import fold
from bridge.vault.root import VaultRoot
from bridge.vault.text import is_text


@dataclass
class World:
    """A vault and its index, which does not follow the disk by itself: call `refresh`, or report changes to it.

    Attributes:
        folder: The vault.
        cache: Where the index is kept.
        index: The index.
        reported: The changes it reported.
    """

    folder: Path
    cache: Path | None
    clock: Clock = field(default_factory=SystemClock)
    reported: list[tuple[str, str]] = field(default_factory=list)
    progress: list[tuple[int, int]] = field(default_factory=list)
    index: VaultIndex = field(init=False)

    def __post_init__(self) -> None:
        self.root = VaultRoot(self.folder)
        self.open()

    def open(self) -> None:
        """Start as a process starts."""
        self.index = VaultIndex(
            VaultFiles(self.root),
            self.clock,
            folder=self.cache,
            on_change=lambda path, change: self.reported.append((path, change)),
            on_progress=lambda done, total: self.progress.append((done, total)),
        )

    def reopen(self) -> None:
        """Stop and start again."""
        self.index.close()
        self.open()

    def close(self) -> None:
        self.index.close()
        self.root.close()

    def write(self, path: str, content: str | bytes = "") -> Path:
        """Put a file into the vault, as another program would."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
        return place

    def report(self, *paths: str) -> None:
        """Report changes to the index, and let it look."""
        self.index._indexer.note(paths)
        self.index._indexer.take_noted()

    @property
    def wrong(self) -> list[str]:
        """The questions whose answers are not those of the disk."""
        expected, answers = read_everything(self.folder), answer_everything(self.index)
        return [
            f"{question}: {answers.get(question)!r} is not {answer!r}"
            for question, answer in expected.items()
            if answers.get(question) != answer
        ] + [f"{question}: nothing is like this" for question in answers.keys() - expected.keys()]


def answer_everything(index: VaultIndex) -> dict[str, Any]:
    """All that an index answers."""
    answers: dict[str, Any] = {
        "files": [(file.path, file.size, file.mtime_ns) for file in index.files()],
        "folders": list(index.folders()),
        "tags": sorted(index.tags()),
        "status": (index.status().notes, index.status().files, index.status().indexed, index.status().indexing),
    }
    for file in index.files():
        path = file.path
        answers[f"links {path}"] = [(link.link, link.original, link.start, link.key) for link in index.links_from(path)]
        answers[f"backlinks {path}"] = sorted((link.source, link.start) for link in index.backlinks(path))
        text = index.texts.text(path)
        answers[f"text {path}"] = None if text is None else bytes(text)
    for note in index.notes():
        path = note.path
        assert index.note(path) == note
        answers[f"note {path}"] = (note.properties, note.aliases, note.tags, note.headings, note.block_ids)
        answers |= {f"alias {fold(alias)}": list(index.with_alias(alias)) for alias in note.aliases}
        answers |= {f"tagged {fold(tag)}": list(index.tagged(tag)) for tag in note.tags}
    found = index.search(lambda connection: connection.execute(_DOCUMENTS).fetchall())
    answers["full text"] = sorted(path for (path,) in found)
    answers["texts"] = sorted(index.texts.stamps())
    answers["orphans"] = [index.search(partial(_orphans, table)) for table in _TABLES]
    return answers


_TABLES = ("links", "tags", "aliases")


def _orphans(table: str, connection: sqlite3.Connection) -> int:
    """How many rows are of no document any more."""
    rows = f"SELECT count(*) FROM {table} WHERE id >> {PLACE_BITS} NOT IN (SELECT document FROM documents)"  # noqa: S608 - constants
    return int(connection.execute(rows).fetchone()[0])


_DOCUMENTS = "SELECT path FROM documents JOIN fulltext_docsize ON id = document WHERE facts IS NOT NULL"


def read_everything(folder: Path) -> dict[str, Any]:
    """The same, from the files themselves."""
    files, folders = _walk(folder)
    names = Names(path for path, _data, _state in files)
    answers: dict[str, Any] = {
        "files": [(path, state.st_size, state.st_mtime_ns) for path, _data, state in files],
        "folders": folders,
    }
    links: list[tuple[str, Any]] = []
    tags: dict[str, list[tuple[str, str]]] = {}
    called: dict[str, set[str]] = {}
    notes = 0
    for path, data, _state in files:
        text = data.decode("utf-8", "surrogateescape")
        answers[f"text {path}"] = (
            None if not is_text(data) else data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
        )
        own: tuple[Any, ...] = ()
        if path.lower().endswith(".md"):
            notes += 1
            note = parse_note(text)
            own, properties = note.all_links, note.frontmatter or {}
            ids = tuple(block.id for block in note.blocks)
            names_, tags_ = tuple(aliases(properties)), tuple(all_tags(note))
            answers[f"note {path}"] = (properties, names_, tags_, note.headings, ids)
            for tag in tags_:
                tags.setdefault(fold(tag), []).append((path, tag))
            for alias in names_:
                called.setdefault(fold(alias), set()).add(path)
        elif path.lower().endswith(".canvas"):
            own = tuple(parse_canvas(text))
        answers[f"links {path}"] = [(link.link, link.original, link.start, link.key) for link in own]
        links += [(path, link) for link in own]
    leading: dict[str | None, list[tuple[str, int]]] = {}
    for source, link in links:
        target = names.resolve(split_link(link.link)[0], source)
        if target != source:
            leading.setdefault(target, []).append((source, link.start))
    answers |= {f"backlinks {path}": sorted(leading.get(path, [])) for path, _data, _state in files}
    answers["tags"] = sorted(
        (min(uses, key=lambda use: use[0])[1], len(uses), len({path for path, _tag in uses})) for uses in tags.values()
    )
    for folded in tags:
        nested = {path for other, uses in tags.items() if f"{other}/".startswith(f"{folded}/") for path, _tag in uses}
        answers[f"tagged {folded}"] = sorted(nested)
    answers |= {f"alias {folded}": sorted(paths) for folded, paths in called.items()}
    answers["status"] = (notes, len(files), notes, False)
    answers["full text"] = sorted(path for path, _data, _state in files if path.lower().endswith(".md"))
    answers["texts"] = sorted(path for path, _data, _state in files)
    answers["orphans"] = [0, 0, 0]
    return answers


def _walk(top: Path) -> tuple[list[tuple[str, bytes, os.stat_result]], list[str]]:
    """Every file and folder in the order of a walk."""
    files: list[tuple[str, bytes, os.stat_result]] = []
    folders: list[str] = []

    def walk(folder: Path, before: str) -> None:
        entries = sorted((entry for entry in os.scandir(folder) if not entry.name.startswith(".")), key=_name)
        plain = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
        files.extend((before + entry.name, Path(entry.path).read_bytes(), entry.stat()) for entry in plain)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(before + entry.name)
                walk(Path(entry.path), f"{before}{entry.name}/")

    walk(top, "")
    return files, folders


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name

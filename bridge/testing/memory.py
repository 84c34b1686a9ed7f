"""A storage for tools that is no folder: files in a dictionary, and what they say worked out when it is asked."""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import lru_cache
from typing import BinaryIO

from bridge.errors import Ambiguous, Conflict, NotFound
from bridge.index.knowledge import IndexedFile, IndexStatus, NoteFacts, StoredLink, TagCount
from bridge.index.tree import ParsedFile, is_parsed, parse_file
from bridge.notes.additions import judge
from bridge.notes.names import Names, link_key
from bridge.toolkit.permitted import Denials, refuse_by_rule
from bridge.vault.app_settings import AppSettings, IgnoreRules, NoteSettings, make_rules, note_settings
from bridge.vault.disk import folder_given, not_found
from bridge.vault.files import FileStat, Obstacle, Refuse, Subtree
from bridge.vault.paths import VaultPath, check_new_name, fold, known_path, protected
from bridge.vault.plan import PlanBuilder
from bridge.vault.root import EVERYTHING, record_look
from bridge.vault.text import is_note

FIRST_MOMENT = int(datetime(2025, 6, 15, 12, tzinfo=UTC).timestamp()) * 1_000_000_000
"""The moment when a vault's first files were made, in nanoseconds since 1970; each later change is a second later."""

_APP_SETTINGS = ".obsidian/app.json"


class MemoryTree:
    """Files and folders by path. They change only all at once, as a plan is applied.

    Args:
        files: Bytes or text by path; the folders above them are made.

    Attributes:
        files: Bytes by path.
        folders: The paths of the folders, without the vault itself.
        times: When each file changed last, in nanoseconds since 1970.
    """

    def __init__(self, files: Mapping[str, bytes | str]) -> None:
        self.files: dict[str, bytes] = {}
        self.folders: set[str] = set()
        self.times: dict[str, int] = {}
        self._now = FIRST_MOMENT
        for path, text in files.items():
            self.put(path, text.encode() if isinstance(text, str) else text)

    def put(self, path: str, data: bytes, modified: float | None = None) -> None:
        """Write a file, as another program does; folders that are missing are made.

        Args:
            path: The file's path.
            data: Its bytes.
            modified: When it changed, in seconds since 1970; a second after the last change when None.
        """
        self.replace(self.files | {path: data}, self.folders | set(map(str, known_path(path).parents)))
        if modified is not None:
            self.times[path] = int(modified * 1_000_000_000)

    def replace(self, files: dict[str, bytes], folders: set[str]) -> None:
        """Hold exactly these files and folders from now on."""
        old, self.files, self.folders = self.files, files, folders
        self.times = {path: self.times[path] if old.get(path) == files[path] else self._now for path in files}
        self._now += 1_000_000_000 if old else 0

    def find(self, path: VaultPath) -> VaultPath:
        """Return what a path means: spelled like this, else the only thing that differs in case or Unicode form.

        Raises:
            NotFound: Nothing is there.
            Ambiguous: Several things fit.
            PermissionDenied: It is or lies in a dot-folder.
        """
        if any(part.startswith(".") for part in path.parts[:-1]):
            raise protected(path)
        if not path.parts:
            return path
        there, key = self.files.keys() | self.folders, fold(str(path))
        found = [str(path)] if str(path) in there else sorted(other for other in there if fold(other) == key)
        if not found:
            raise not_found(path)
        if len(found) > 1:
            raise Ambiguous(f"Path {str(path)!r} is ambiguous; use one of the candidates", candidates=found)
        if found[0] in self.folders and path.name.startswith("."):
            raise protected(path)
        return known_path(found[0])

    def inside(self, folder: VaultPath) -> list[VaultPath]:
        """Return everything directly in a folder, by name."""
        paths = map(known_path, self.files.keys() | self.folders)
        return sorted((path for path in paths if path.parts[:-1] == folder.parts), key=lambda path: path.name)

    def all_folders(self, top: VaultPath) -> Iterator[VaultPath]:
        """Yield a folder and those in it, each before what is in it, by name; no dot-folders."""
        yield top
        for path in self.inside(top):
            if str(path) in self.folders and not path.name.startswith("."):
                yield from self.all_folders(path)

    def folder(self, path: VaultPath, /) -> BinaryIO:
        """Return something to close, when there is such a folder, as `PlanBuilder` looks for one; else NotFound."""
        if path.parts and str(path) not in self.folders:
            raise not_found(path)
        return io.BytesIO()


class MemoryKnowledge:
    """The content of a tree's notes, without those that may not be seen.

    Args:
        tree: The files.
        sees: Whether a path may be seen.
    """

    def __init__(self, tree: MemoryTree, sees: Callable[[str], bool]) -> None:
        self._files = tree
        self._sees = sees

    @property
    def names(self) -> Names:
        """Return every file by its names, closed ones too."""
        return Names(self._paths())

    @property
    def version(self) -> int:
        """Return another number whenever a file is another."""
        return hash(frozenset((path, hash(data)) for path, data in self._tree.files.items()))

    def status(self) -> IndexStatus:
        """Return a status in which everything is known."""
        paths = self._paths()
        notes = sum(map(is_note, paths))
        return IndexStatus(notes, len(paths), notes, indexing=False, last_sweep=datetime.now(UTC))

    def files(self) -> Sequence[IndexedFile]:
        """Return every file but hidden ones."""
        return [file for path in self._paths() if (file := self.file(path)) is not None]

    def folders(self) -> Sequence[str]:
        """Return every folder but the vault itself."""
        return [path for path in map(str, self._tree.all_folders(VaultPath.root())) if path and self._sees(path)]

    def file(self, path: str) -> IndexedFile | None:
        """Return one file, by its exact path."""
        if path not in self._tree.files or not self._sees(path):
            return None
        time = self._tree.times[path]
        return IndexedFile(path, len(self._tree.files[path]), time, FIRST_MOMENT, time)

    def note(self, path: str) -> NoteFacts | None:
        """Return the facts of one note."""
        document = self._document(path) if self._sees(path) else None
        return document.facts if document else None

    def notes(self) -> Iterable[NoteFacts]:
        """Return the facts of every note."""
        return [facts for path in sorted(self._paths()) if (facts := self.note(path)) is not None]

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """Return the links in a note or canvas."""
        return [link for link in self._links(path) if link.counts]

    def all_links(self) -> Iterable[StoredLink]:
        """Return every link that counts, by source and place."""
        return [link for path in sorted(self._paths()) if self._sees(path) for link in self.links_from(path)]

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """Return every link whose path ends in one of these names."""
        wanted = set(keys)
        links = (link for path in sorted(self._paths()) for link in self._links(path))
        return [link for link in links if link_key(link.linkpath) in wanted]

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """Return every link that leads to a file, but for its own."""
        if not self._sees(path):
            return []
        names = self.names
        return [
            link
            for link in self.links_named([link_key(path)])
            if link.counts and link.source != path and names.resolve(link.linkpath, link.source) == path
        ]

    def with_alias(self, alias: str) -> Sequence[str]:
        """Return the notes that call themselves so."""
        return [facts.path for facts in self.notes() if fold(alias) in map(fold, facts.aliases)]

    def tags(self) -> Sequence[TagCount]:
        """Return every tag, the most used first, then by name."""
        holders: dict[str, list[str]] = {}
        spelled: dict[str, str] = {}
        for facts in self.notes():
            for tag in facts.tags:
                holders.setdefault(fold(tag), []).append(facts.path)
                spelled.setdefault(fold(tag), tag)
        counts = [TagCount(spelled[key], len(paths), len(set(paths))) for key, paths in holders.items()]
        return sorted(counts, key=lambda count: (-count.uses, fold(count.tag)))

    def tagged(self, tag: str) -> Sequence[str]:
        """Return the notes with a tag or one nested in it."""
        wanted = fold("#" + tag.removeprefix("#")) + "/"
        return [each.path for each in self.notes() if any((fold(own) + "/").startswith(wanted) for own in each.tags)]

    def refresh(self) -> None:
        """Do nothing: there is nothing to compare with."""

    @property
    def _tree(self) -> MemoryTree:
        """Return the files for every answer: whoever asks for a name has looked in the whole vault."""
        record_look(EVERYTHING)
        return self._files

    def _paths(self) -> list[str]:
        """Return every file that is neither hidden nor in a dot-folder."""
        return [path for path in self._tree.files if not any(part.startswith(".") for part in path.split("/"))]

    def _links(self, path: str) -> list[StoredLink]:
        document = self._document(path) if self._sees(path) else None
        return [
            StoredLink(
                path, each.link, each.original, each.display, each.start, each.embed, each.markdown, each.key, each.kind
            )
            for each in (document.links if document else ())
        ]

    def _document(self, path: str) -> ParsedFile | None:
        data = self._tree.files.get(path)
        return None if data is None or not is_parsed(path, len(data)) else _read(path, data)


class MemoryStorage:
    """The storage of files in memory. It has neither links nor a place on the disk.

    Args:
        files: Bytes or text by path, or a tree that is shared. Obsidian's settings may be in `.obsidian/app.json`.
        closed: The rules that close files; closed ones are refused and not listed.

    Attributes:
        tree: What is there.
        knowledge: What the notes say that may be seen.
        closed: As given.
        everything: The same with closed files.
        top: Nowhere.
    """

    top = None

    def __init__(self, files: Mapping[str, bytes | str] | MemoryTree, closed: Denials | None = None) -> None:
        self.tree = files if isinstance(files, MemoryTree) else MemoryTree(files)
        self.closed: Denials = closed or (lambda: None)
        self.knowledge = MemoryKnowledge(self.tree, self._sees)
        self.everything: MemoryStorage = self if closed is None else MemoryStorage(self.tree)

    @property
    def app_settings(self) -> AppSettings:
        """Return the settings in `.obsidian/app.json`."""
        return AppSettings.model_validate_json(self.tree.files.get(_APP_SETTINGS, b"{}"))

    @property
    def note_settings(self) -> NoteSettings:
        """Return the settings of `.obsidian` for daily notes and templates."""
        files = self.tree.files
        return note_settings(lambda name: json.loads(files.get(f".obsidian/{name}", b"null")))

    def stat(self, path: VaultPath) -> FileStat:
        """Return the size and times of a file."""
        return self.read(path)[1]

    def state(self, path: VaultPath) -> FileStat:
        """Return the times of a file or folder."""
        found = self.resolve(path)
        time = self.tree.times.get(str(found), FIRST_MOMENT)
        return FileStat(found, len(self.tree.files.get(str(found), b"")), time, 0o644, FIRST_MOMENT, time)

    def is_folder(self, path: VaultPath) -> bool:
        """Return whether a folder is there."""
        found = self.resolve(path)
        return not found.parts or str(found) in self.tree.folders

    def resolve(self, path: VaultPath) -> VaultPath:
        """Return a path as it is spelled."""
        self._refuse(path)
        record_look(path)
        found = self.tree.find(path)
        self._refuse(found)
        return found

    def read(self, path: VaultPath, *, limit: int | None = None) -> tuple[bytes, FileStat]:
        """Return a file's bytes and its state."""
        found = self.resolve(path)
        if str(found) not in self.tree.files:
            raise folder_given(path)
        return self.tree.files[str(found)][:limit], self.state(found)

    def open(self, path: VaultPath) -> AbstractContextManager[BinaryIO]:
        """Open a file to be streamed."""
        return io.BytesIO(self.read(path)[0])

    def names(self, folder: VaultPath) -> Sequence[str]:
        """Return the names in a folder."""
        return [path.name for path in self.tree.inside(self.resolve(folder)) if self._sees(str(path))]

    def walk(
        self, start: VaultPath | None = None, *, include_hidden: bool = False
    ) -> Iterator[tuple[VaultPath, Sequence[FileStat]]]:
        """Yield every folder and its files."""
        for folder in self.tree.all_folders(self.resolve(start or VaultPath.root())):
            if not folder.parts or self._sees(str(folder)):
                files = [path for path in self.tree.inside(folder) if str(path) in self.tree.files]
                shown = [path for path in files if include_hidden or not path.name.startswith(".")]
                yield folder, [self.state(path) for path in shown if self._sees(str(path))]

    def ignored(self, patterns: Sequence[str]) -> IgnoreRules | None:
        """Return the rules for what searches pass over."""
        return make_rules(self.app_settings.user_ignore_filters, tuple(patterns)) or None

    def resolve_new(self, path: VaultPath, *, moving: VaultPath | None = None) -> VaultPath:
        """Return where something new will lie."""
        if any(part.startswith(".") for part in path.parts[:-1]):
            raise protected(path)
        record_look(path)
        if not path.parts:
            raise Conflict("The vault itself exists already; give a name in it", code="exists")
        base, missing = VaultPath.root(), path.parts
        while len(missing) > 1 and (folder := self._folder(base.child(missing[0]))) is not None:
            base, missing = folder, missing[1:]
        taken = [other for other in self.tree.inside(base) if fold(other.name) == fold(missing[0])]
        if any(other != moving for other in taken):
            what = "exists already" if len(missing) == 1 else "is no folder that anything can lie in"
            raise Conflict(f"{str(taken[0])!r} {what}; choose another name", code="exists")
        kept = moving is not None and fold(moving.name) == fold(path.name)
        for name in missing[:-1] if kept else missing:
            self.check_new_name(name)
        return VaultPath(base.parts + missing)

    def check_new_name(self, name: str) -> None:
        """Refuse a name that is not given to anything new."""
        check_new_name(name)

    def is_link(self, path: VaultPath) -> bool:
        """Return False: there are no links."""
        del path
        return False

    def subtree(
        self, top: VaultPath, check: Callable[[VaultPath], None], refuse: Refuse | None = None, most: int | None = None
    ) -> Subtree:
        """Return a folder with everything in it."""
        del most
        folders, files = [], []
        for folder in self.tree.all_folders(top):
            folders.append(folder)
            for path in self.tree.inside(folder):
                check(path)
                if str(path) in self.tree.files:
                    files.append(path)
                elif path.name.startswith("."):
                    raise refuse(path, Obstacle.DOT_FOLDER) if refuse else protected(path)
        return Subtree(tuple(folders), tuple(files))

    def plan(self) -> PlanBuilder:
        """Return an empty plan."""
        return PlanBuilder(self.tree, judge)

    def _folder(self, path: VaultPath) -> VaultPath | None:
        try:
            found = self.tree.find(path)
        except NotFound:
            return None
        return found if str(found) in self.tree.folders else None

    def _sees(self, path: str) -> bool:
        denial = self.closed()
        return denial is None or denial(path) is None

    def _refuse(self, path: VaultPath) -> None:
        if (denial := self.closed()) is not None and path.parts:
            refuse_by_rule(path, denial)


_read = lru_cache(maxsize=256)(parse_file)

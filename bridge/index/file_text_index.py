"""Follows the index: reads the files of a kind one after the other, and makes their words findable."""

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import is_
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from bridge.clock import Clock
from bridge.errors import ExecutionFailed, ToolFailure
from bridge.index.file_texts import FileTextStore, KnownText, digest_of
from bridge.index.knowledge import ClosedRules, IndexedFile
from bridge.index.store.database import remove_file
from bridge.index.vault_index import VaultIndex
from bridge.pdf.document import EXTENSION, FileText
from bridge.pdf.reader import LARGEST as LARGEST_PDF
from bridge.pictures.reader import LARGEST as LARGEST_PICTURE
from bridge.pictures.scaling import EXTENSIONS
from bridge.vault.files import FileStat, VaultFiles
from bridge.vault.paths import known_path
from bridge.workers.pool import FILES_AT_ONCE

logger = logging.getLogger(__name__)

START_SECONDS: Final = 5.0
"""Seconds after the start in which nothing is read, because a person's first questions come first."""
LOOK_SECONDS: Final = 60.0
"""Seconds between checks for changes that nobody reported."""
SOON_SECONDS: Final = 2.0
"""Seconds between checks whether the index is complete."""
FAILED_SECONDS: Final = 600.0
"""Seconds to wait after the process could not start or the disk failed."""
_IN_MEMORY: Final = 8
"""The number of texts that are kept in memory, those asked for last."""


class FileKind(NamedTuple):
    """A kind of files of which texts are read.

    Attributes:
        name: What they are called, as the beginning of a sentence.
        extensions: How their names end, in lower case.
        largest: Bytes of one that is read.
        kept: The name of the file in which their texts are kept.
        named: Whether one without words is found by the words of its name.
    """

    name: str
    extensions: tuple[str, ...]
    largest: int
    kept: str
    named: bool

    def has(self, path: str) -> bool:
        """Return whether a file is of this kind, by its name."""
        return path.lower().endswith(self.extensions)


PDF_FILES: Final = FileKind("PDF files", (EXTENSION,), LARGEST_PDF, "pdf.sqlite", named=True)
PICTURES: Final = FileKind("Pictures", EXTENSIONS, LARGEST_PICTURE, "pictures.sqlite", named=False)


class TextReader(Protocol):
    """A reader of files of one kind. Any thread may ask it."""

    def read(self, data: bytes, deadline: float | None = None) -> FileText:
        """Return the text of a file, as far as it can be read. Blocks.

        Args:
            data: The file's bytes.
            deadline: `Clock.monotonic()` value.

        Raises:
            ExecutionFailed: Nothing can be read now, so nothing is known of the file.
        """

    def close(self) -> None:
        """End. What is being read fails."""


class FileTextIndex:
    """The texts of one vault's files of a kind. Every method may be called from any thread. It is a `FileTexts`.

    Files that are closed for reading are not opened.

    Args:
        kind: The kind.
        index: What is known of the vault.
        files: All of the vault's files.
        closed: The rules that close files for reading.
        clock: The time.
        reader: Reads files.
        folder: Where texts are kept, for this vault and this user alone; None keeps them in memory.
        wanted: Returns whether files should be read.
        delay: Seconds after its start in which it does nothing; None for the usual time.
    """

    def __init__(
        self,
        kind: FileKind,
        index: VaultIndex,
        files: VaultFiles,
        closed: ClosedRules,
        *,
        clock: Clock,
        reader: TextReader,
        folder: Path | None,
        wanted: Callable[[], bool],
        delay: float | None = None,
    ) -> None:
        self._kind = kind
        self._index = index
        self._vault = files
        self._closed = closed
        self._clock = clock
        self._reader = reader
        self._place = None if folder is None else folder / kind.kept
        self._wanted = wanted
        self._delay = START_SECONDS if delay is None else delay
        self._opening = threading.Lock()
        self._loading = threading.BoundedSemaphore(FILES_AT_ONCE)
        self._kept: FileTextStore | None = None
        self._followed: tuple[object, object] | None = None
        self._wordless: set[str] = set()
        """Files that have no words to be found by."""
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=kind.name, daemon=True)
        self._joined = lru_cache(_IN_MEMORY)(self._joined_text)

    def start(self) -> None:
        """Begin, in a thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop. Blocks. Closing twice does nothing."""
        self._stop.set()
        self._wake.set()
        self._reader.close()
        if self._thread.is_alive():
            self._thread.join()
        self._let_go()

    def changed(self, paths: Iterable[str] | None = None) -> None:
        """Look again soon, where it concerns files of this kind. Returns at once.

        Args:
            paths: What has changed; None: rules or settings may have.
        """
        if paths is None or any(map(self.reads, paths)):
            self._wake.set()

    # -- asking -------------------------------------------------------------------------------------------------

    def reads(self, path: str) -> bool:
        """Return whether a file is of this kind, by its name."""
        return self._kind.has(path)

    def known(self) -> Mapping[str, KnownText]:
        """Return the files whose text is known, by path, as they were when they were read."""
        return dict(self._store.files) if self._is_used else {}

    def text(self, path: str) -> str | None:
        """Return the text of all pages of a file that is as it was when it was read."""
        file = self._index.file(path)
        known = self._store.known(path, file.size, file.mtime_ns) if self._is_used and file is not None else None
        return None if known is None else self._joined(known.digest)

    def read(self, file: FileStat, load: Callable[[], bytes], deadline: float) -> FileText:
        """Return the pages of a file, which are read now if they are not known yet. Blocks.

        Args:
            file: The file as it is now.
            load: Returns its bytes; called where they are needed, for few files at a time.
            deadline: `Clock.monotonic()` value.

        Raises:
            ExecutionFailed: The process that reads cannot start.
        """
        known = self._store.known(str(file.path), file.size, file.mtime_ns) if self._is_used else None
        found = self._store.text(known.digest) if known is not None else None
        if found is not None:
            return found
        if not self._loading.acquire(timeout=max(deadline - self._clock.monotonic(), 0)):
            return FileText(why=f"{self._kind.name} of others were read until the time was over")
        try:
            data = load()
            found = self._store.text(digest_of(data))
            return found if found is not None else self._reader.read(data, deadline)
        finally:
            self._loading.release()

    @property
    def _is_used(self) -> bool:
        return self._wanted() and not self._stop.is_set()

    @property
    def _store(self) -> FileTextStore:
        with self._opening:
            if self._kept is None:
                self._kept = FileTextStore(self._place)
            return self._kept

    def _joined_text(self, digest: bytes) -> str | None:
        return found.text if (found := self._store.text(digest)) is not None else None

    # -- the thread ---------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._stop.wait(self._delay)
        while not self._stop.is_set():
            self._wake.clear()
            try:
                wait = self.follow()
            except (ExecutionFailed, OSError, sqlite3.Error) as error:
                if self._stop.is_set():
                    return
                reason = error.message if isinstance(error, ExecutionFailed) else "the texts cannot be kept on the disk"
                logger.warning("%s cannot be read now: %s (%s)", self._kind.name, reason, error)
                wait = FAILED_SECONDS
            except Exception:
                if self._stop.is_set():
                    return
                logger.exception("%s cannot be read now; it is tried again", self._kind.name)
                wait = FAILED_SECONDS
            self._wake.wait(wait)

    def follow(self) -> float:
        """Bring the texts up to date. Returns after how many seconds to look again."""
        if not self._wanted():
            self._forget()
            return LOOK_SECONDS
        if self._index.status().indexing:
            return SOON_SECONDS
        followed = self._index.seen_files(), self._closed()
        found = self._index.with_text(*self._kind.extensions)
        files = self._open_files()
        self._wordless.intersection_update(file.path for file in files)
        found |= self._wordless
        if self._followed is not None and all(map(is_, self._followed, followed)) and len(found) == len(files):
            return LOOK_SECONDS
        self._followed = None
        store = self._store
        store.keep_only([file.path for file in files])
        self._drop(found.difference(file.path for file in files))
        missing = [each for each in files if each.path not in found or store.known(*each[:3]) is None]
        missing.sort(key=lambda file: -file.mtime_ns)
        for file in missing:
            if self._stop.is_set():
                return 0.0
            self._take_in(store, file)
            if self._wake.is_set():  # what has just changed comes first, and what nobody wants is not read
                return 0.0
        store.tidy()
        self._followed = followed
        return LOOK_SECONDS

    def _take_in(self, store: FileTextStore, file: IndexedFile) -> None:
        """Read a file, unless its text is known, and make its words findable. A closed one is not opened."""
        closed = self._closed()
        if closed is not None and closed(file.path) is not None:
            return
        known = store.known(file.path, file.size, file.mtime_ns)
        text: FileText | None = None
        if known is None:
            try:
                data, state = self._vault.read(known_path(file.path), limit=self._kind.largest + 1)
            except ToolFailure:
                return  # it has gone, or cannot be read; the next look sees it again
            if (state.size, state.mtime_ns) != (file.size, file.mtime_ns):
                return
            known = KnownText(file.size, file.mtime_ns, digest_of(data))
            text = store.text(known.digest)
            if text is None:
                text = self._reader.read(data)
                store.put_text(known.digest, text)
            store.put_file(file.path, known)
        text = text if text is not None else store.text(known.digest)
        words = text.text if text is not None else ""
        if self._kind.named or words.strip():
            self._index.put_text(file, words)
            self._wordless.discard(file.path)
        else:
            self._index.put_text(file, None)
            self._wordless.add(file.path)

    def _open_files(self) -> list[IndexedFile]:
        """Return the files of this kind that agents may read, as they were seen last."""
        closed = self._closed()
        return [
            file
            for file in self._index.seen_files()
            if self.reads(file.path) and (closed is None or closed(file.path) is None)
        ]

    def _drop(self, paths: Iterable[str]) -> None:
        """Have files found by their names alone."""
        for path in paths:
            file = self._index.file(path)
            if file is not None:
                self._index.put_text(file, None)

    def _let_go(self) -> None:
        with self._opening:
            store, self._kept = self._kept, None
        if store is not None:
            store.close()

    def _forget(self) -> None:
        """Remove all texts: the person does not want them."""
        self._followed = None
        self._wordless.clear()
        self._drop(self._index.with_text(*self._kind.extensions))
        self._let_go()
        self._joined.cache_clear()
        if self._place is not None:
            remove_file(self._place)

"""Files that are read to be recorded: hashed and compressed before anything is locked, attachments within bounds."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from bridge.errors import ToolFailure
from bridge.vault.files import VaultFiles
from bridge.vault.paths import known_path
from bridge.vault.plan import is_hidden
from bridge.versions.configuration import read_configuration
from bridge.versions.database import Content, Database, content_of
from bridge.versions.states import Seen

BATCH_FILES = 256
BATCH_BYTES = 1 << 20
ATTACHMENT_BYTES = 64 << 20
"""Limit on the bytes of attachments that are read after one scan of the whole vault."""

ATTACHMENT_SHARE = 0.8
"""The share of the budget beyond which no attachment is kept, so that there is room for texts."""


class ListedFile(Protocol):
    """A file as the index knows it."""

    @property
    def path(self) -> str:
        """Return its vault path."""
        ...

    @property
    def size(self) -> int:
        """Return its size in bytes."""
        ...

    @property
    def mtime_ns(self) -> int:
        """Return when the file was modified, in nanoseconds."""
        ...

    @property
    def changed_ns(self) -> int:
        """Return when its entry on the disk was changed, in nanoseconds."""
        ...


class Ready(NamedTuple):
    """A file that was read, hashed and compressed."""

    seen: Seen
    digest: bytes | None
    content: Content | None
    file_id: str | None


class Prepared:
    """Files that were read, ready to be recorded without doing more than that."""

    def __init__(self, ready: Mapping[str, Ready]) -> None:
        self._ready = ready

    def of(self, paths: Iterable[str]) -> list[Ready]:
        """Return those of them with some paths."""
        return [self._ready[path] for path in paths if path in self._ready]

    @property
    def paths(self) -> set[str]:
        """Return the paths of the files that were read."""
        return set(self._ready)


def made_ready(seen: Seen, database: Database | None, file_id: str | None) -> Ready:
    """Return a file that was read, ready to be stored in a database unless it is there already."""
    if seen.data is None or database is None:
        return Ready(seen, None, None, file_id)
    digest = hashlib.sha256(seen.data).digest()
    content = None if digest in database.held else content_of(seen.data, digest)
    return Ready(seen, digest, content, file_id)


def read_whole(files: VaultFiles, path: str, database: Database | None) -> Seen | None:
    """Return a file with all its bytes, or without any if they are too many; None if it cannot be read."""
    if database is None:
        return None
    try:
        limit = database.largest * 4 + 1
        reading = read_configuration(files.root, path, limit) if is_hidden(path) else None
        data, state = reading or files.read(known_path(path), limit=limit)
    except (ToolFailure, OSError):
        return None
    whole = len(data) == state.size
    return Seen(path, state.size, state.mtime_ns, state.changed_ns, data if whole else None)


def portions(those: Iterable[Seen | None]) -> Iterator[list[Seen]]:
    """Yield files that were read, in portions that are recorded at once."""
    batch: list[Seen] = []
    size = 0
    for seen in those:
        if seen is None:
            continue
        batch.append(seen)
        size += len(seen.data or b"")
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def affordable(files: Sequence[ListedFile], database: Database) -> list[str]:
    """Return files whose bytes are not kept yet but can be, as many as are read at a time."""
    room = int(database.limit * ATTACHMENT_SHARE) - database.used
    wanted, size = [], 0
    for file in files:
        if file.size <= database.largest and size + file.size <= min(room, ATTACHMENT_BYTES):
            wanted.append(file.path)
            size += file.size
    return wanted

"""Files that are read to be recorded: hashed and compressed before anything is locked, attachments within bounds.

Of Obsidian's configuration, the settings, snippets, themes, and the plugins' code and data are recorded. What says
where windows are, and what plugins keep beside their data, is left out: it changes all day and is worth nothing a day
later. Rules are those of docs/obsidian.md.

Before anything counts as gone, the vault must still be the one that was recorded, and the file really gone from it.
"""

import contextlib
import hashlib
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bridge.errors import ToolFailure
from bridge.vault.files import FileStat, VaultFiles, file_stat
from bridge.vault.folder import Folder
from bridge.vault.paths import VaultPath, known_path, unsafe_name
from bridge.vault.plan import is_hidden
from bridge.vault.root import VaultRoot
from bridge.versions.database import Content, Database, content_of
from bridge.versions.states import ListedFile, SeenFile

_PLACE = ".obsidian"
_MARK = "app.json"
_LAYOUTS = "workspace"


def configuration_files(root: VaultRoot) -> list[SeenFile]:
    """Return the configuration files. Links are not followed, and what cannot be listed is left out.

    Args:
        root: The vault.
    """
    with contextlib.suppress(OSError), root.folder(VaultPath.root()) as top, _place(top) as place:
        return list(_walk(place))
    return []


def read_configuration(root: VaultRoot, path: str, limit: int) -> tuple[bytes, FileStat]:
    """Return one of them, up to a limit, and its state then. Raises OSError if it cannot be read.

    Args:
        root: The vault.
        path: The file, as it was listed.
        limit: The most bytes.
    """
    *way, name = path.split("/")
    with contextlib.ExitStack() as held:
        folder = held.enter_context(root.folder(VaultPath.root()))
        for part in way:
            folder = held.enter_context(folder.child(part))
        data, state = folder.read_with_state(name, limit=limit)
        return data, file_stat(folder.path.child(name), state)


def _place(top: Folder) -> Folder:
    """Return the configuration folder: `.obsidian`, or another dot-folder with an `app.json` (rule 3)."""
    for name in [_PLACE, *sorted(name for name in top.names() if name.startswith("."))]:
        with contextlib.suppress(OSError), contextlib.ExitStack() as held:
            folder = held.enter_context(top.child(name))
            if name == _PLACE or folder.exists(_MARK):
                held.pop_all()
                return folder
    raise FileNotFoundError(_PLACE)


def _walk(place: Folder) -> Iterator[SeenFile]:
    yield from _files(place, _is_settings)
    with _inside(place, "snippets") as snippets:
        yield from _files(snippets, lambda name: name.endswith(".css"))
    for kind, wanted in _CODE.items():
        with _inside(place, kind) as every:
            for name in [] if every is None else sorted(every.names()):
                with _inside(every, name) as one:
                    yield from _files(one, wanted.__contains__)


def _files(folder: Folder | None, is_wanted: Callable[[str], bool]) -> Iterator[SeenFile]:
    if folder is None:
        return
    for entry in folder.entries():
        name = entry.name
        wanted = is_wanted(name) and not name.startswith(".") and unsafe_name(name) is None
        if wanted and entry.is_file(follow_symlinks=False):
            with contextlib.suppress(OSError):
                place = folder.path.child(name)
                state = file_stat(place, folder.stat(name))
                yield SeenFile(str(place), state.size, state.mtime_ns, state.changed_ns, None)


@contextlib.contextmanager
def _inside(folder: Folder | None, name: str) -> Iterator[Folder | None]:
    """Provide a folder in a folder; None if there is none to enter."""
    opened = None
    if folder is not None:
        with contextlib.suppress(OSError):
            opened = folder.child(name)
    with opened or contextlib.nullcontext():
        yield opened


def _is_settings(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(_LAYOUTS)


_CODE = {
    "plugins": frozenset({"main.js", "manifest.json", "styles.css", "data.json"}),
    "themes": frozenset({"theme.css", "manifest.json"}),
}


BATCH_FILES = 256
BATCH_BYTES = 1 << 20
ATTACHMENT_BYTES = 64 << 20
"""Limit on the bytes of attachments that are read after one scan of the whole vault."""

ATTACHMENT_SHARE = 0.8
"""The share of the budget beyond which no attachment is kept, so that there is room for texts."""


class ReadFile(NamedTuple):
    """A file that was read, hashed and compressed."""

    seen: SeenFile
    digest: bytes | None
    content: Content | None
    file_id: str | None


Prepared = Mapping[str, ReadFile]
"""Files that were read, by path, ready to be recorded without doing more than that."""


def made_ready(seen: SeenFile, database: Database | None, file_id: str | None) -> ReadFile:
    """Return a file that was read, ready to be stored in a database unless it is there already."""
    if seen.data is None or database is None:
        return ReadFile(seen, None, None, file_id)
    digest = hashlib.sha256(seen.data).digest()
    content = None if digest in database.held else content_of(seen.data, digest)
    return ReadFile(seen, digest, content, file_id)


def read_whole(files: VaultFiles, path: str, database: Database | None) -> SeenFile | None:
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
    return SeenFile(path, state.size, state.mtime_ns, state.changed_ns, data if whole else None)


def portions(those: Iterable[SeenFile | None]) -> Iterator[list[SeenFile]]:
    """Yield files that were read, in portions that are recorded at once."""
    batch: list[SeenFile] = []
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


_SAMPLE = 200
"""Files that are looked for when the vault's folder is another than it was."""


def identity(root: VaultRoot) -> str:
    """Return what tells this folder from another at the same path. Raises OSError if there is none."""
    state = root.path.stat()
    return f"{state.st_dev}:{state.st_ino}"


def is_another(root: VaultRoot, before: str | None, now: str, known: Iterable[str]) -> bool:
    """Return whether another vault lies here now: another folder that lacks most of the expected files.

    Args:
        root: The vault.
        before: What the folder's identity was; None if it was never read.
        now: What it is.
        known: The files that should be there.
    """
    paths = sorted(known)
    if before is None or before == now or not paths:
        return False
    sample = paths[:: max(1, len(paths) // _SAMPLE)]
    there = sum(not is_gone(root, path) for path in sample)
    return there * 2 < len(sample)


def file_id(root: VaultRoot, seen: SeenFile) -> str | None:
    """Return the system's id for a file, which survives renaming; None if the file has changed since it was read."""
    try:
        state = (root.path / seen.path).lstat()
    except OSError:
        return None
    same = (state.st_size, state.st_mtime_ns) == (seen.size, seen.mtime_ns)
    return f"{state.st_dev:x}:{state.st_ino:x}" if same and state.st_ino else None


def is_gone(root: VaultRoot, path: str) -> bool:
    """Return whether a file is certainly gone: an unreadable file is not, nor one that a cloud has moved out.

    If a folder or a link has its name now, the file is gone.
    """
    place = root.path / path
    try:
        return not stat.S_ISREG(place.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return not place.with_name(f".{place.name}.icloud").exists()
    except OSError:
        return False

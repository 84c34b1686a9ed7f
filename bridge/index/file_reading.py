"""One file as the disk has it: its state, its bytes, and what they say.

Rules are those of docs/obsidian.md.
"""

import errno
import hashlib
import os
import stat
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, NamedTuple

from bridge.errors import ToolFailure
from bridge.index.knowledge import IndexedFile, NoteFacts
from bridge.index.texts.arena import LARGEST as LARGEST_TEXT
from bridge.index.texts.arena import Stamp
from bridge.index.tree import indexed
from bridge.notes.canvas import parse_canvas
from bridge.notes.frontmatter import aliases, all_tags
from bridge.notes.markdown import mentions_base, parse_note
from bridge.notes.note import Link, TooMuchWork, Work
from bridge.vault.files import FileStat, file_stat
from bridge.vault.folder import Folder
from bridge.vault.paths import known_path, unsafe_name
from bridge.vault.root import VaultRoot
from bridge.vault.text import HEAD, is_note, is_text

LARGEST_NOTE = 64 << 20
"""Notes with more bytes are known by their names only."""

RACY_SECONDS = 2.0
"""A file that changed so shortly before it was read may have changed again since, with the same time."""

_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ESTALE}


class NotAFile(Enum):
    """The possible states of a path without a file."""

    FOLDER = "folder"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """The content of a note or canvas.

    Attributes:
        facts: The facts of a note; None for a canvas.
        links: Its links, in order.
        text: Its text, for the full-text search; empty for a canvas, and for a note that is not text.
    """

    facts: NoteFacts | None
    links: tuple[Link, ...]
    text: str = field(repr=False)


class FileReading(NamedTuple):
    """One file, read.

    Attributes:
        file: As it was when it was read.
        document: What it says; None when it is no note or canvas, cannot be read, or is too much to be understood.
        data: Its bytes, as far as they are wanted for searching; None when they could not be read.
        digest: Of its bytes; shows whether they are still the same.
        settled: Whether its bytes are surely still those.
        same: Whether its bytes are those that were read before; then there is no document.
    """

    file: IndexedFile
    document: ParsedFile | None
    data: bytes | None
    digest: bytes
    settled: bool
    same: bool = False

    def born(self, created_ns: int) -> "FileReading":
        """Return the same, with the creation time of a file that is older than the disk knows."""
        return self._replace(file=self.file._replace(created_ns=created_ns))

    @property
    def stamp(self) -> Stamp:
        """Return the stamp by which the texts identify it."""
        return Stamp(self.file.size, self.file.mtime_ns)


def is_visible(path: str) -> bool:
    """Return whether the index may know a path: neither hidden nor in a dot-folder, and nameable (rule 2)."""
    return all(part and not part.startswith(".") and unsafe_name(part) is None for part in path.split("/"))


def open_folder(root: VaultRoot, path: str) -> Folder | None:
    """Return a folder, held open; None when there is none or it cannot be entered. Links are not followed."""
    try:
        return root.folder(known_path(path), follow=False)
    except (ToolFailure, OSError):
        return None


def look(folder: Folder, name: str) -> FileStat | NotAFile:
    """Return the current state of a name in a folder. The index ignores links, pipes and devices."""
    try:
        state = folder.stat(name)
    except (OSError, ValueError):
        return NotAFile.NOTHING
    if stat.S_ISDIR(state.st_mode):
        return NotAFile.FOLDER
    return file_stat(folder.path.child(name), state) if stat.S_ISREG(state.st_mode) else NotAFile.NOTHING


def read(
    folder: Folder, path: str, *, now_ns: int, known: bytes | None = None
) -> FileReading | Literal[NotAFile.NOTHING]:
    """Read a file once, for everything that the index makes of it.

    Args:
        folder: What it lies in.
        path: Its vault path.
        now_ns: The time, in nanoseconds since 1970.
        known: The digest of what is known of it.

    Returns:
        What it says; a file that is there but cannot be read says nothing, and is not settled.
    """
    name = path.rpartition("/")[2]
    try:
        data, state, whole = _wanted(folder, name, path)
    except OSError as error:
        if error.errno in _GONE:
            return NotAFile.NOTHING
        found = look(folder, name)
        if isinstance(found, NotAFile):
            return NotAFile.NOTHING
        return FileReading(indexed(path, found), None, None, b"", settled=False)
    file = indexed(path, file_stat(folder.path.child(name), state))
    digest = hashlib.blake2b(data, digest_size=16).digest()
    same = digest == known
    readable = not same and is_parsed(path, file.size)
    settled = whole and abs(now_ns - file.mtime_ns) > RACY_SECONDS * 1e9
    return FileReading(file, parse_file(path, data) if readable else None, data, digest, settled, same)


def _wanted(folder: Folder, name: str, path: str) -> tuple[bytes, os.stat_result, bool]:
    """Return the bytes that are wanted of a file: all of a note and of any text that is not too large, else the first.

    The last of the three is whether they are all that is wanted, and not of a file that grew while it was read.
    """
    largest = LARGEST_NOTE if is_parsed(path, 0) else LARGEST_TEXT
    if not is_parsed(path, 0):
        head, state = folder.read_with_state(name, limit=HEAD)
        if state.st_size <= HEAD or state.st_size > largest or not is_text(head):
            return head, state, len(head) == min(state.st_size, HEAD)
    data, state = folder.read_with_state(name, limit=largest + 1)
    if len(data) > largest:
        return data[:HEAD], state, state.st_size > largest
    return data, state, len(data) == state.st_size


def is_canvas(path: str) -> bool:
    """Return whether a file is a canvas, which has links too (rule 58)."""
    return path[-7:].lower() == ".canvas"


def is_parsed(path: str, size: int) -> bool:
    """Return whether a file is one that `parse_file` reads."""
    return size <= LARGEST_NOTE and (is_note(path) or is_canvas(path))


def parse_file(path: str, data: bytes) -> ParsedFile | None:
    """Return the content of a note or canvas; None if it is too complex. Invalid UTF-8 becomes surrogates.

    Args:
        path: Its path.
        data: Its bytes.
    """
    text = data.decode("utf-8", "surrogateescape")
    work = Work.of_one_note()
    try:
        if is_canvas(path):
            return ParsedFile(None, tuple(parse_canvas(text, work)), "")
        note = parse_note(text, outline=False, work=work)
    except TooMuchWork:
        return None
    facts = NoteFacts(
        path=path,
        properties=note.frontmatter or {},
        aliases=tuple(aliases(note.frontmatter or {})),
        tags=tuple(all_tags(note)),
        headings=note.headings,
        block_ids=tuple(block.id for block in note.blocks),
        has_base=mentions_base(text),
    )
    return ParsedFile(facts, note.all_links, text if is_text(data) else "")

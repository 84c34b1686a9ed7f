"""Files that are to be deleted, one after the other: the hash of each, and what a person is shown of it.

Large files are read in pieces, and the diffs together have an end, so that a folder of any size can be shown.
"""

import hashlib

from bridge.contract.consent import FilePreview
from bridge.tools.storage import Storage
from bridge.vault.change_facts import binary_kind, lost_note
from bridge.vault.diff import binary_line
from bridge.vault.paths import VaultPath
from bridge.vault.plan import Change, ChangeKind, preview
from bridge.vault.text import describe_binary, is_text

LARGEST = 1 << 20
"""Bytes of a file whose text is shown."""
MOST_TEXT = 1_000_000
"""Characters of all diffs together."""
_CHUNK = 1 << 20


class DeletionPreview:
    """Files that are to be deleted.

    Args:
        storage: The vault.
        listed: How many are shown one by one.
        share: Among how many of these the characters of all diffs are shared.

    Attributes:
        hashes: Each file with the sha256 of its bytes, in hex.
        previews: What is shown, of the first so many.
        size: Bytes of all of them.
        unlisted_lines: Lines of text in those that are not shown.
    """

    def __init__(self, storage: Storage, *, listed: int, share: int = 1) -> None:
        self.hashes: list[tuple[VaultPath, str]] = []
        self.previews: list[FilePreview] = []
        self.size = 0
        self.unlisted_lines = 0
        self._storage = storage
        self._listed = listed
        self._room = MOST_TEXT // share

    def add(self, path: VaultPath) -> None:
        """Take one file in.

        Args:
            path: The file, as spelled on disk, links resolved.

        Raises:
            ToolFailure: It cannot be read.
        """
        with self._storage.open(path) as file:
            first = file.read(LARGEST + 1)
            digest, lines, length = hashlib.sha256(first), first.count(b"\n"), len(first)
            last = first
            while length > LARGEST and (piece := file.read(_CHUNK)):
                digest.update(piece)
                lines += piece.count(b"\n")
                length += len(piece)
                last = piece
        lines += not last.endswith(b"\n") and length > 0
        self.hashes.append((path, digest.hexdigest()))
        self.size += length
        if not is_text(first):
            lines = 0
        if len(self.previews) >= self._listed:
            self.unlisted_lines += lines
            return
        self.previews.append(self._shown(path, first, length, lines))

    def _shown(self, path: VaultPath, first: bytes, length: int, lines: int) -> FilePreview:
        name = str(path)
        if not is_text(first):
            kind = binary_kind(name, first, length)
            return FilePreview(
                path=name,
                change="delete",
                diff=binary_line(f"{name} ({describe_binary(first, name)[0]}, {length} bytes)", "/dev/null"),
                note=lost_note(kind, deleted=True),
            )
        if length <= min(LARGEST, self._room):
            shown = preview(Change(ChangeKind.DELETE, name), first, None)
            self._room -= len(shown.diff)
            return shown
        return FilePreview(path=name, change="delete", removed=lines, truncated=True)

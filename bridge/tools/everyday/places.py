"""The place of something in a note: its line, and the text of the line."""

from bridge.errors import ToolFailure
from bridge.index.knowledge import StoredLink
from bridge.tools.formatting import shortened
from bridge.tools.storage import Storage
from bridge.vault.paths import parse_path
from bridge.vault.text import is_note

MOST_BYTES = 4 << 20
"""Bytes of one file in which lines are looked for."""


class Places:
    """The lines in files, each of which is read once.

    Args:
        storage: The vault, as the caller may see it.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._texts: dict[str, str] = {}

    def text(self, path: str) -> str:
        """Return the text of a file; nothing where it cannot be read any more."""
        if path not in self._texts:
            try:
                data, _stat = self._storage.read(parse_path(path), limit=MOST_BYTES)
            except ToolFailure:
                data = b""
            self._texts[path] = data.decode("utf-8", "surrogateescape")
        return self._texts[path]

    def line_of(self, link: StoredLink) -> tuple[int, str] | None:
        """Return the line of a link, from 1, and what it says; None in a canvas, and where the link is gone."""
        if not is_note(link.source):
            return None
        text, start = self.text(link.source), link.start
        if text[start : start + len(link.original)] != link.original:
            start = text.find(link.original)
        return None if start < 0 else (line_number(text, start), line_text(text, start))


def line_number(text: str, at: int) -> int:
    """Return the line that a place is in, from 1."""
    return text.count("\n", 0, at) + 1


def line_text(text: str, at: int) -> str:
    """Return the text of the line that a place is in, without white space around it; cut where it is long."""
    end = text.find("\n", at)
    line = text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else None].strip()
    return shortened(line.encode("utf-8", "replace").decode(), 200)

"""Passages of notes as tools answer with them: ten in two kilobytes of text, each with its place."""

from collections.abc import Iterator, Sequence
from typing import Any

from bridge.index.search.note_search import FoundNote, FoundPassage

ROOM = 1900
"""Bytes of text that all passages may take together; what is said below them comes on top."""
_LEAST = 60
_LINE = 8
"""Bytes of a passage that are neither its place nor its text: its number, its indent, its line breaks."""


def snippets(passages: Sequence[FoundPassage]) -> list[str]:
    """Return what is shown of each of some passages, so that they fit together."""
    room = max(ROOM // max(len(passages), 1), _LEAST)
    return [_cut(passage.text, room - len(_place(passage).encode()) - _LINE) for passage in passages]


def numbered(passages: Sequence[FoundPassage], shown: Sequence[str]) -> Iterator[str]:
    """Yield the lines of some passages, each with its number and place.

    Args:
        passages: The best first.
        shown: The part shown of each.
    """
    for number, (passage, snippet) in enumerate(zip(passages, shown, strict=True), 1):
        yield f"{number}. {_place(passage)}"
        yield f"   {snippet}"


def found_note(note: FoundNote) -> dict[str, Any]:
    """Return a note that was found as data."""
    entry: dict[str, Any] = {"path": note.path, "excerpt": note.excerpt}
    if note.is_drawn:
        entry["recognised"] = True
    return entry if note.page is None else entry | {"page": note.page}


def words_only(why: str) -> str:
    """Return the line that says that meaning was not compared, although it should have been.

    Args:
        why: The end of a sentence.
    """
    return f"[Found by words alone: {why}.]"


def _place(passage: FoundPassage) -> str:
    """Return the note, the lines and the heading of a passage."""
    return passage.place + (f" ({passage.heading})" if passage.heading else "")


def _cut(text: str, room: int) -> str:
    """Return a text as one line in so many bytes at most, but a few words of it at least."""
    data = " ".join(text.split()).encode()
    room = max(room - 3, _LEAST)
    return data.decode() if len(data) <= room else f"{data[:room].decode(errors='ignore')}..."

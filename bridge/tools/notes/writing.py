"""What the note tools that write have in common: the note they write to, its text, and what they tell afterwards."""

from typing import Any

from bridge.errors import InvalidParameters
from bridge.toolkit.tool import Applied, Output
from bridge.tools.edited import edited
from bridge.tools.notes.storage import NoteStorage, StoredNote
from bridge.vault.file_types import is_binary
from bridge.vault.text import CHUNK


def whole_note(storage: NoteStorage, name: str) -> tuple[StoredNote, bytes]:
    """The one note that a write is for, and its bytes.

    Args:
        storage: The notes.
        name: The note, as the caller named it.

    Raises:
        InvalidParameters: The name is no reference, or means a part of a note, or the note is not text.
        NotFound: No note fits.
        Ambiguous: Several fit; a write never guesses.
    """
    note = storage.resolve(name, certain=True)
    if note.reference.part:
        raise InvalidParameters(
            f"{name!r} names a part of {note.location!r}, and this tool is for whole notes; "
            "leave out the part, or change its lines with apply_patch"
        )
    data = storage.read(note)
    if is_binary(data[:CHUNK]):
        raise InvalidParameters(f"{note.location!r} is not text, although its name says so; it is left as it is")
    return note, data


def decoded(data: bytes) -> str:
    """A note's text, in which bytes that are not UTF-8 survive."""
    return data.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes of such a text."""
    return text.encode("utf-8", "surrogateescape")


def written(applied: Applied, text: str, **facts: Any) -> Output:
    """What is told of a note that was changed.

    Args:
        applied: What the ledger did.
        text: One sentence.
        facts: Further data.
    """
    return Output(edited(applied) | facts, f"{text} ({applied.execution_id})")

"""What the note tools that write have in common: the note they write to, its text, the plan, and the answer."""

from collections.abc import Sequence
from typing import Any

from bridge.contract.consent import Operation
from bridge.errors import InvalidParameters
from bridge.index.references import ResolvedNote
from bridge.toolkit.tool import Applied, Output
from bridge.tools.files.formatting import edit_facts
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.storage import PlanningStorage
from bridge.vault.file_types import is_binary
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan
from bridge.vault.text import CHUNK


def whole_note(notes: NoteLookup, name: str) -> tuple[ResolvedNote, bytes]:
    """The one note that a write is for, and its bytes.

    Args:
        notes: Finds it.
        name: The note, as the caller named it.

    Raises:
        InvalidParameters: The name is no reference, or means a part of a note, or the note is not text.
        NotFound: No note fits.
        Ambiguous: Several fit; a write never guesses.
    """
    note = notes.resolve(name, certain=True)
    if note.reference.part:
        raise InvalidParameters(
            f"{name!r} names a part of {note.path!r}, and this tool is for whole notes; "
            "leave out the part, or change its lines with apply_patch"
        )
    data = notes.read(note)
    if is_binary(data[:CHUNK]):
        raise InvalidParameters(f"{note.path!r} is not text, although its name says so; it is left as it is")
    return note, data


def plan_update(
    storage: PlanningStorage, path: str, change: tuple[bytes, bytes], summary: str, warnings: Sequence[str] = ()
) -> ChangePlan:
    """The plan by which a note gets another text.

    Args:
        storage: The vault.
        path: Where the note is.
        change: Its bytes as they were read, and the bytes it gets, which differ. The ledger refuses the plan when the
            note holds others by then.
        summary: One sentence for the person.
        warnings: What the diff does not show.
    """
    builder = storage.plan()
    builder.modify(parse_path(path), *change)
    return builder.build(Operation.UPDATE, summary, warnings)


def decoded(data: bytes) -> str:
    """A note's text, in which bytes that are not UTF-8 survive."""
    return data.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes of such a text."""
    return text.encode("utf-8", "surrogateescape")


def written(applied: Applied, text: str, **facts: Any) -> Output:
    """The answer when a note was changed.

    Args:
        applied: What the ledger did.
        text: One sentence.
        facts: Further data.
    """
    return Output(edit_facts(applied) | facts, f"{text} ({applied.execution_id})")

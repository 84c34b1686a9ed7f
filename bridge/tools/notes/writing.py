"""The common parts of the note tools that write: the note they write to, its text, the plan, and the answer."""

from collections.abc import Sequence
from typing import Any

from bridge.errors import InvalidParameters
from bridge.toolkit.tool import Applied, Output, P, WriteTool
from bridge.tools.formatting import edit_facts
from bridge.tools.notes.lookup import NoteLookup
from bridge.tools.storage import PlanningStorage
from bridge.vault.paths import parse_path
from bridge.vault.plan import ChangePlan
from bridge.vault.text import is_text


class NoteWriteTool(WriteTool[P]):
    """A tool that changes one note.

    Args:
        storage: The vault.
    """

    def __init__(self, storage: PlanningStorage) -> None:
        self._storage = storage
        self._notes = NoteLookup(storage)

    def _note(self, name: str) -> tuple[str, bytes]:
        """Return the path of the one note that a write is for, and its bytes.

        Args:
            name: The note, as the caller named it.

        Raises:
            InvalidParameters: The name is no reference, or means a part of a note, or the note is not text.
            NotFound: No note fits.
            Ambiguous: Several fit; a write never guesses.
        """
        note = self._notes.resolve(name, certain=True)
        if note.reference.part:
            raise InvalidParameters(
                f"{name!r} names a part of {note.path!r}, and this tool is for whole notes; "
                "leave out the part, or change its lines with apply_patch"
            )
        data = self._notes.read(note)
        if not is_text(data):
            raise InvalidParameters(f"{note.path!r} is not text, although its name says so; it is left as it is")
        return note.path, data

    def _plan(
        self,
        path: str,
        old: bytes,
        new: bytes,
        summary: str,
        warnings: Sequence[str] = (),
        *,
        replaces: bool = False,
    ) -> ChangePlan:
        """Return the plan by which a note gets another text, which differs.

        Args:
            path: The note.
            old: Its bytes as they were read; the ledger refuses the plan when they are others by then.
            new: The bytes it gets.
            summary: One sentence for the person.
            warnings: Warnings of what the diff does not show.
            replaces: Whether the caller gave the whole text.
        """
        builder = self._storage.plan()
        builder.modify(parse_path(path), old, new, replaces=replaces)
        return builder.build(self.spec.operation, summary, warnings)


def decoded(data: bytes) -> str:
    """Return a note's text, in which bytes that are not UTF-8 survive."""
    return data.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes of such a text."""
    return text.encode("utf-8", "surrogateescape")


def written(applied: Applied, text: str, **facts: Any) -> Output:
    """Return the answer when a note was changed.

    Args:
        applied: The ledger's result.
        text: One sentence.
        facts: Further data.
    """
    return Output(edit_facts(applied) | facts, f"{text} ({applied.execution_id})")

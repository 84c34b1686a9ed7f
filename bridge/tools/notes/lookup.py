"""Notes by the names that people and links give them, and what the tools that read or write notes have in common.

Links are resolved as Obsidian resolves them (rules 31 to 43 of docs/obsidian.md).
"""

import contextlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from bridge.clock import stamp
from bridge.errors import InvalidParameters, NotFound, ToolFailure
from bridge.index.knowledge import NoteCandidate, NoteFacts, NoteResolver, ResolvedNote
from bridge.index.tree import parse_file
from bridge.notes.note import TooMuchWork
from bridge.notes.parts import NoteReference, parse_reference
from bridge.toolkit.tool import CallContext, Output, P, ReadEffect, ReadTool, in_vault
from bridge.tools.formatting import diff_facts
from bridge.tools.kinds import VaultWriteTool
from bridge.tools.storage import PlanningStorage, Storage
from bridge.vault.paths import parse_path
from bridge.vault.plan import Applied
from bridge.vault.text import NOTE_EXTENSION, is_note, is_text, note_name

MOST_BYTES = 64 * 1024 * 1024
"""A note longer than this is read in parts, by `read`."""


class NoteLookup(NoteResolver):
    """The look-up of notes, and of what one note says and links to.

    Args:
        storage: The vault.

    Attributes:
        storage: As given.
        knowledge: The index of all its notes.
    """

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage.knowledge)
        self.storage = storage
        self.knowledge = storage.knowledge

    def resolve(self, reference: str | NoteReference, *, certain: bool = False) -> ResolvedNote:
        """Return the one note that a reference means; a note that the index has not seen yet is found by its path.

        Args:
            reference: A name, wikilink or path, perhaps with `#heading`, `#^block` or `|alias`.
            certain: Whether the answer is for a write: then there is none while other notes may still turn up.

        Raises:
            InvalidParameters: It is not a reference (`invalid_format`).
            NotFound: No note fits.
            Ambiguous: Several fit; its data name them.
        """
        wanted = parse_reference(reference) if isinstance(reference, str) else reference
        try:
            return super().resolve(wanted, certain=certain)
        except NotFound:
            note = self._not_indexed(wanted)
            if note is None:
                raise
            return note

    def find_matches(self, reference: str | NoteReference) -> Sequence[NoteCandidate]:
        """Return every note that a reference might mean, the likeliest first; empty when there is none."""
        try:
            return super().find_matches(reference)
        except NotFound:
            return []

    def short_name(self, path: str) -> str:
        """Return the name of a note if it means no other note; else its path."""
        if is_note(path):
            name = note_name(path)
            with contextlib.suppress(ToolFailure):
                if super().resolve(name).path == path:
                    return name
        return path

    def read(self, note: ResolvedNote) -> bytes:
        """Return the note's bytes, as they are now.

        Raises:
            InvalidParameters: It is longer than `MOST_BYTES`.
        """
        data, stat = self.storage.read(parse_path(note.path), limit=MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise InvalidParameters(
                f"{note.path!r} has {stat.size} bytes, which is too much for one answer; read lines of it with read"
            )
        return data

    def facts(self, note: ResolvedNote) -> NoteFacts:
        """Return the index's facts of a note, else those in the note itself."""
        known = self.knowledge.note(note.path)
        if known is None:
            parsed = parse_file(note.path, self.read(note))
            if parsed is None:
                raise TooMuchWork
            known = parsed.facts
        return known or NoteFacts(note.path, {}, (), (), (), ())

    def links(self, note: ResolvedNote) -> tuple[list[str], list[str]]:
        """Return where its links lead (rules 31 to 43). A link to a closed file leads nowhere.

        Returns:
            The paths of other files, in the order of the links, and the text of links that lead nowhere; each once.
        """
        found: dict[str, None] = {}
        unresolved: dict[str, None] = {}
        for link in self.knowledge.links_from(note.path):
            target = self.knowledge.names.resolve(link.linkpath, note.path)
            if target is None or self.knowledge.file(target) is None:
                unresolved[link.linkpath] = None
            elif target != note.path:
                found[target] = None
        return list(found), list(unresolved)

    def backlinks(self, note: ResolvedNote) -> Sequence[str]:
        """Return the paths of the notes and canvases that link to it, in order, each once."""
        return list(dict.fromkeys(link.source for link in self.knowledge.backlinks(note.path)))

    def _not_indexed(self, wanted: NoteReference) -> ResolvedNote | None:
        """Return a note that is there although the index does not know it yet, by its path."""
        spelling = wanted.path if is_note(wanted.path) else wanted.path + NOTE_EXTENSION
        try:
            stat = self.storage.stat(parse_path(spelling))
        except ToolFailure:
            return None
        created = datetime.fromtimestamp(stat.created_ns / 1e9, UTC)
        path = str(stat.path)
        return ResolvedNote(note_name(path), path, created, stat.modified, stat.size, "path", wanted)


def note_wire(note: ResolvedNote) -> dict[str, Any]:
    """Return a note for programs."""
    return {
        "name": note.name,
        "path": note.path,
        "size_bytes": note.size,
        "created": stamp(note.created),
        "modified": stamp(note.modified),
    }


class NoteReadTool(ReadTool[P]):
    """A tool that reads notes.

    Args:
        notes: Finds them.

    Attributes:
        asks: The first words of the question, of a tool that is for one note; its parameter is called `name`.
    """

    asks: ClassVar = "Read"

    def __init__(self, notes: NoteLookup) -> None:
        self._notes = notes

    def prepare(self, params: Any, _context: CallContext) -> ReadEffect:
        """Check the reference. Whether there is such a note is said only after consent."""
        return self._effect(params.name, self.asks)

    def _effect(self, name: str, what: str) -> ReadEffect:
        """Return what a call that reads one note will look at. Whether there is such a note is said only after consent.

        Args:
            name: The note, as the caller named it.
            what: The question's first words, such as `Read`.

        Raises:
            InvalidParameters: The name is not a reference.
        """
        shown = parse_reference(name).text
        with contextlib.suppress(ToolFailure):
            shown = self._notes.resolve(name).path
        return ReadEffect(in_vault(shown), f"{what} {shown}")


class NoteWriteTool(VaultWriteTool[P]):
    """A tool that changes one note.

    Args:
        storage: The vault.
    """

    def __init__(self, storage: PlanningStorage) -> None:
        super().__init__(storage)
        self._notes = NoteLookup(storage)

    def _note(self, name: str) -> tuple[str, bytes]:
        """Return the path of the one note that a write is for, and its bytes.

        Args:
            name: The note, as the caller named it.

        Raises:
            InvalidParameters: The name is not a reference, means a part of a note, or the note is not text.
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
    return Output(diff_facts(applied.plan.previews[0]) | facts, f"{text} ({applied.execution_id})")

"""Which changes of the vault a caller may see, and which of them were to one file or note."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from bridge.errors import Ambiguous, InvalidParameters, NotFound
from bridge.index.knowledge import Knowledge
from bridge.index.references import NoteResolver
from bridge.journal.record import HistoryEntry
from bridge.notes.names import Names
from bridge.notes.reference import parse_reference
from bridge.vault.file_types import NOTE_EXTENSION
from bridge.vault.name_folding import fold

_NAMED = 10


def visible(entries: Sequence[HistoryEntry], denial: Callable[[str], object | None] | None) -> Sequence[HistoryEntry]:
    """The changes without the files that the user has closed; those to such files alone are left out.

    Args:
        entries: Changes.
        denial: What tells which rule closes a path; None when nothing is closed.
    """
    if denial is None:
        return entries
    seen = [replace(entry, files=tuple(path for path in entry.files if denial(path) is None)) for entry in entries]
    return [entry for entry in seen if entry.files]


def touching(text: str, entries: Sequence[HistoryEntry], knowledge: Knowledge) -> Sequence[HistoryEntry]:
    """The changes to a file, a note or what lies in a folder; also to one that is not there any more.

    Args:
        text: A path, or a note's name or wikilink. What there is comes before what there was.
        entries: The changes that the caller may see.
        knowledge: The files that the caller may see.

    Raises:
        NotFound: Nothing is or was called so.
        Ambiguous: Several notes are, or were.
        InvalidParameters: It is no reference, or names a part of a note.
    """
    wanted = _meant(text, {path for entry in entries for path in entry.files}, knowledge)
    return [entry for entry in entries if not wanted.isdisjoint(entry.files)]


def _meant(text: str, past: Collection[str], knowledge: Knowledge) -> set[str]:
    """The paths that are meant."""
    literal = "/".join(part for part in text.strip().split("/") if part not in {"", "."})
    if knowledge.file(literal) is not None:
        return {literal}
    try:
        note = NoteResolver(knowledge).resolve(text)
    except NotFound as error:
        missing = error
    else:
        if note.reference.part:
            raise InvalidParameters(f"{text!r} names a part of {note.path!r}; the history is of whole notes")
        return {note.path}
    there = [
        path for path in knowledge.names.candidates(literal) if knowledge.file(path) and fold(path) == fold(literal)
    ]
    if there:
        return set(there)
    keys = {fold(literal), fold(literal + NOTE_EXTENSION)}
    exact = {path for path in past if fold(path) in keys}
    within = {path for path in past if fold(path).startswith(fold(literal) + "/")}
    if exact or within:
        return exact or within
    named = Names(past).candidates(parse_reference(text).path)
    if len(named) > 1:
        raise Ambiguous(
            f"Ambiguous note reference '{text}': {len(named)} matches in the history. Use one of the paths: "
            f"{', '.join(map(repr, named[:_NAMED]))}{', ...' if named[_NAMED:] else ''}",
            candidates=named,
        )
    if not named and not any(fold(folder) == fold(literal) for folder in knowledge.folders()):
        raise missing
    return set(named)

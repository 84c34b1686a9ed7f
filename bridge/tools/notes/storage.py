"""Where notes are kept, as the note tools see it (seed C, "Storage Abstraction").

Seed C's two traits are one protocol here: `resolve`, `find_matches` and `is_available` are its `NoteResolver`, the
rest is what a backend must know for its `KnowledgeRepository`. What follows from that (relations, searches, the text
of a note with one tag more) is worked out once, above it. A write is only planned: the ledger makes it.

Notes are spoken of in two ways. A `storage_id` is the storage's own and handed back to it as it is. A `location` is
what people see, what consent is given for, and what, written as a reference, means exactly this note.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NewType, Protocol

from bridge.clock import stamp
from bridge.index.knowledge import NoteFacts, TagCount
from bridge.notes.reference import Reference
from bridge.vault.plan import ChangePlan

StorageId = NewType("StorageId", str)


@dataclass(frozen=True, slots=True)
class StoredNote:
    """A note that was found (seed C's `ResolvedNote`).

    Attributes:
        name: Its name, without folders and extension.
        storage_id: What the storage calls it.
        location: What it is called elsewhere, so that no other note is meant.
        via: How it was found: by `path`, `name` or `alias`.
        reference: What was asked for: the part of the note, if a part was named.
        size_bytes: How long it is.
        created: When it was made, where that is known.
        modified: When it changed last, where that is known.
    """

    name: str
    storage_id: StorageId
    location: str
    via: str
    reference: Reference
    size_bytes: int
    created: datetime | None = None
    modified: datetime | None = None

    def to_wire(self) -> dict[str, Any]:
        """The note for programs."""
        return {
            "name": self.name,
            "path": self.location,
            "size_bytes": self.size_bytes,
            "created": self.created and stamp(self.created),
            "modified": self.modified and stamp(self.modified),
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note that a reference might mean (seed C's `NoteCandidate`).

    Attributes:
        name: Its name.
        path_context: What tells it from others of that name, such as `projects/work/`.
        location: What it is called, so that no other note is meant.
        last_modified: When it changed last.
    """

    name: str
    path_context: str
    location: str
    last_modified: datetime | None

    def to_wire(self) -> dict[str, Any]:
        """The candidate for programs."""
        return {
            "name": self.name,
            "path_context": self.path_context,
            "path": self.location,
            "modified": self.last_modified and stamp(self.last_modified),
        }


@dataclass(frozen=True, slots=True)
class Links:
    """Where a note's links lead.

    Attributes:
        found: The locations they lead to, in the order of the links, each once.
        unresolved: What is written in the links that lead nowhere, each once.
    """

    found: tuple[str, ...]
    unresolved: tuple[str, ...]


class NoteStorage(Protocol):
    """Notes, by name. What the user has closed does not exist in it."""

    def resolve(self, reference: str, *, certain: bool = False) -> StoredNote:
        """The one note that a reference means.

        Args:
            reference: A name, wikilink or location, perhaps with `#heading`, `#^block` or `|alias`.
            certain: Whether the answer is for a write: then nothing is answered while other notes may still turn up.

        Raises:
            InvalidParameters: It is no reference (`invalid_format`).
            NotFound: No note fits.
            Ambiguous: Several fit; the candidates are told.
        """
        ...

    def find_matches(self, reference: str) -> Sequence[Candidate]:
        """Every note that a reference might mean, the likeliest first; empty when there is none."""
        ...

    def is_available(self, name: str, folder: str | None) -> bool:
        """Whether no note has a name, in a folder or (None) anywhere."""
        ...

    def read(self, note: StoredNote) -> bytes:
        """The note's text, as UTF-8."""
        ...

    def plan_update(
        self, note: StoredNote, old: bytes, new: bytes, summary: str, warnings: Sequence[str] = ()
    ) -> ChangePlan:
        """The plan by which a note gets another text.

        Args:
            note: The note.
            old: Its text, as `read` told it; the plan comes to nothing when it is another one by then.
            new: The text it gets, which differs.
            summary: One sentence for the person.
            warnings: What the diff does not show.
        """
        ...

    def facts(self, note: StoredNote) -> NoteFacts:
        """What a note says about itself."""
        ...

    def links(self, note: StoredNote) -> Links:
        """Where its links lead."""
        ...

    def backlinks(self, note: StoredNote) -> Sequence[str]:
        """The locations of what links to it, in order, each once."""
        ...

    def notes(self) -> Iterable[NoteFacts]:
        """What every note says about itself; `path` is its location."""
        ...

    def count(self) -> int:
        """How many notes there are."""
        ...

    def tags(self) -> Sequence[TagCount]:
        """Every tag, and how often it is used."""
        ...

    def tagged(self, tag: str) -> Sequence[str]:
        """The locations of the notes with a tag or one nested in it, in order."""
        ...

    def short_name(self, location: str) -> str:
        """The name of a note where that means no other; else its location."""
        ...

    def excluded(self, patterns: Sequence[str]) -> Callable[[str], bool] | None:
        """What tells whether the user keeps a location out of searches; None when nothing is kept out.

        Args:
            patterns: The globs of the setting `ignorePatterns`.
        """
        ...

"""The notes of a vault: found by the index, read from the files, changed by plans for the ledger."""

import contextlib
from collections.abc import Callable, Iterable, Sequence

from bridge.contract.consent import Operation
from bridge.errors import InvalidParameters, NotFound, ToolFailure
from bridge.index.knowledge import Knowledge, NoteFacts, TagCount
from bridge.index.references import NoteResolver
from bridge.notes.frontmatter import aliases, all_tags
from bridge.notes.markdown import parse_note
from bridge.notes.names import split_link
from bridge.notes.reference import Reference, parse_reference
from bridge.tools.notes.storage import Candidate, Links, StorageId, StoredNote
from bridge.vault.app_settings import read_app_settings
from bridge.vault.file_types import NOTE_EXTENSION, is_note, note_name
from bridge.vault.files import FileStat, VaultFiles
from bridge.vault.ignore import ignore_rules
from bridge.vault.paths import VaultPath, parse_path
from bridge.vault.plan import ChangePlan, PlanBuilder

MOST_BYTES = 64 * 1024 * 1024
"""A note longer than this is read in parts, by `read`."""


class VaultStorage:
    """A vault as a storage of notes. A storage id is the note's path, and so is its location.

    Args:
        files: The vault's files, without those that the user has closed.
        knowledge: What is known of them.
    """

    def __init__(self, files: VaultFiles, knowledge: Knowledge) -> None:
        self._files = files
        self._knowledge = knowledge
        self._resolver = NoteResolver(knowledge)

    def resolve(self, reference: str, *, certain: bool = False) -> StoredNote:
        """The one note that a reference means; one that the index has not seen yet is found by its path."""
        wanted = parse_reference(reference)
        try:
            found = self._resolver.resolve(wanted, certain=certain)
        except NotFound:
            stat = self._on_disk(wanted)
            if stat is None:
                raise
            return _new_note(stat, wanted)
        return StoredNote(
            name=found.name,
            storage_id=StorageId(found.path),
            location=found.path,
            via=found.via,
            reference=found.reference,
            size_bytes=found.size,
            created=found.created,
            modified=found.modified,
        )

    def find_matches(self, reference: str) -> Sequence[Candidate]:
        """Every note that a reference might mean, the likeliest first."""
        try:
            found = self._resolver.find_matches(reference)
        except NotFound:
            return []
        return [Candidate(each.name, each.path_context, each.path, each.modified) for each in found]

    def is_available(self, name: str, folder: str | None) -> bool:
        """Whether no note has a name."""
        return self._resolver.is_available(name, folder)

    def read(self, note: StoredNote) -> bytes:
        """The note's bytes, as they are on the disk now."""
        data, stat = self._files.read(_path(note), limit=MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise InvalidParameters(
                f"{note.location!r} has {stat.size} bytes, which is too much for one answer; read lines of it with read"
            )
        return data

    def plan_update(
        self, note: StoredNote, old: bytes, new: bytes, summary: str, warnings: Sequence[str] = ()
    ) -> ChangePlan:
        """The plan by which a note gets other bytes."""
        builder = PlanBuilder(self._files.root)
        builder.modify(_path(note), old, new)
        return builder.build(Operation.UPDATE, summary, warnings)

    def facts(self, note: StoredNote) -> NoteFacts:
        """What the index knows of a note, else what the note itself says."""
        known = self._knowledge.note(note.location)
        if known is not None:
            return known
        parsed = parse_note(self.read(note).decode("utf-8", "surrogateescape"))
        return NoteFacts(
            path=note.location,
            properties=parsed.frontmatter or {},
            aliases=aliases(parsed.frontmatter),
            tags=all_tags(parsed),
            headings=parsed.headings,
            block_ids=tuple(block.id for block in parsed.blocks),
        )

    def links(self, note: StoredNote) -> Links:
        """Where its links lead (rules 31 to 43). A link to what the user closed leads nowhere."""
        found: dict[str, None] = {}
        unresolved: dict[str, None] = {}
        for link in self._knowledge.links_from(note.location):
            linkpath, _ = split_link(link.link)
            target = self._knowledge.names.resolve(linkpath, note.location)
            if target is None or self._knowledge.file(target) is None:
                unresolved[linkpath] = None
            elif target != note.location:
                found[target] = None
        return Links(tuple(found), tuple(unresolved))

    def backlinks(self, note: StoredNote) -> Sequence[str]:
        """The notes and canvases that link to it."""
        return list(dict.fromkeys(link.source for link in self._knowledge.backlinks(note.location)))

    def notes(self) -> Iterable[NoteFacts]:
        """What every note says about itself."""
        return self._knowledge.notes()

    def count(self) -> int:
        """How many notes there are."""
        return self._knowledge.status().notes

    def tags(self) -> Sequence[TagCount]:
        """Every tag of the vault."""
        return self._knowledge.tags()

    def tagged(self, tag: str) -> Sequence[str]:
        """The notes with a tag or one nested in it."""
        return self._knowledge.tagged(tag)

    def short_name(self, location: str) -> str:
        """The name of a note where that means no other; else its path."""
        if is_note(location):
            name = note_name(location)
            with contextlib.suppress(ToolFailure):
                if self._resolver.resolve(name).path == location:
                    return name
        return location

    def excluded(self, patterns: Sequence[str]) -> Callable[[str], bool] | None:
        """What the user excluded in Obsidian (rule 80) and in `ignorePatterns`."""
        if not patterns and not read_app_settings(self._files.root).user_ignore_filters:
            return None
        ignored = ignore_rules(self._files, patterns)
        return lambda location: ignored(parse_path(location))

    def _on_disk(self, wanted: Reference) -> FileStat | None:
        """A note that is there although the index does not know it yet, by its path."""
        spelling = wanted.path if is_note(wanted.path) else wanted.path + NOTE_EXTENSION
        with contextlib.suppress(ToolFailure):
            return self._files.stat(parse_path(spelling))
        return None


def _path(note: StoredNote) -> VaultPath:
    return parse_path(note.storage_id)


def _new_note(stat: FileStat, wanted: Reference) -> StoredNote:
    path = str(stat.path)
    return StoredNote(
        name=note_name(path),
        storage_id=StorageId(path),
        location=path,
        via="path",
        reference=wanted,
        size_bytes=stat.size,
        modified=stat.modified,
    )

"""Notes that are in no file: another storage for the note tools, with ids that are no paths."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bridge.contract.consent import Operation
from bridge.errors import ToolFailure
from bridge.index.knowledge import NoteFacts, TagCount
from bridge.index.references import NoteCandidate, ambiguous_note, note_not_found
from bridge.notes.frontmatter import aliases, all_tags
from bridge.notes.markdown import parse_note
from bridge.notes.names import Names, split_link
from bridge.notes.note import ParsedNote
from bridge.notes.reference import parse_reference
from bridge.tools.notes.storage import Candidate, Links, StorageId, StoredNote
from bridge.vault.file_types import note_name
from bridge.vault.name_folding import fold
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash, preview

MOMENT = datetime(2025, 6, 15, 12, tzinfo=UTC)


@dataclass
class Row:
    """A note, by number, as a database has it."""

    number: str
    location: str
    data: bytes

    @property
    def parsed(self) -> ParsedNote:
        return parse_note(self.data.decode("utf-8", "surrogateescape"))

    @property
    def facts(self) -> NoteFacts:
        note = self.parsed
        blocks = tuple(block.id for block in note.blocks)
        known = note.frontmatter or {}
        return NoteFacts(self.location, known, aliases(known), all_tags(note), note.headings, blocks)

    @property
    def candidate(self) -> NoteCandidate:
        folder = self.location.rpartition("/")[0]
        return NoteCandidate(note_name(self.location), f"{folder}/" if folder else "", self.location, MOMENT)


class MemoryStorage:
    """A storage of notes, in a table.

    Args:
        notes: Text by location.
    """

    def __init__(self, notes: dict[str, bytes]) -> None:
        self._rows = [Row(f"row-{number}", location, notes[location]) for number, location in enumerate(sorted(notes))]

    def resolve(self, reference: str, *, certain: bool = False) -> StoredNote:
        """The only note at the location, else of the name, else of the alias."""
        del certain
        wanted = parse_reference(reference)
        for via, fits in _ways(wanted.path):
            found = [row for row in self._rows if fits(row)]
            if len(found) > 1:
                raise ambiguous_note(wanted.path, [row.candidate for row in found])
            for row in found:
                name, length = note_name(row.location), len(row.data)
                return StoredNote(
                    name, StorageId(row.number), row.location, via, wanted, length, created=MOMENT, modified=MOMENT
                )
        raise note_not_found(wanted.path)

    def find_matches(self, reference: str) -> Sequence[Candidate]:
        """All that fit."""
        ways = _ways(parse_reference(reference).path)
        found = {row.location: row.candidate for _, fits in ways for row in self._rows if fits(row)}
        return [Candidate(each.name, each.path_context, each.path, each.modified) for each in found.values()]

    def is_available(self, name: str, folder: str | None) -> bool:
        """Whether no note is called so."""
        wanted = fold(name.removesuffix(".md"))
        return not any(
            fold(note_name(row.location)) == wanted
            and (folder is None or fold(row.location.rpartition("/")[0]) == fold(folder.strip("/")))
            for row in self._rows
        )

    def read(self, note: StoredNote) -> bytes:
        """The text."""
        return self._row(note).data

    def plan_update(
        self, note: StoredNote, old: bytes, new: bytes, summary: str, warnings: Sequence[str] = ()
    ) -> ChangePlan:
        """A plan of one change."""
        after = content_hash(new)
        change = Change(ChangeKind.MODIFY, note.location, before=content_hash(old), after=after)
        shown = preview(change, old, new)
        return ChangePlan(Operation.UPDATE, summary, (change,), {after: new}, (shown,), tuple(warnings))

    def apply(self, plan: ChangePlan) -> None:
        """What a ledger does."""
        for change in plan.changes:
            for row in self._rows:
                if row.location == change.path:
                    assert content_hash(row.data) == change.before
                    row.data = plan.blobs[change.after or ""]

    def facts(self, note: StoredNote) -> NoteFacts:
        """Of one."""
        return self._row(note).facts

    def links(self, note: StoredNote) -> Links:
        """Resolved by Obsidian's rules."""
        return self._links(self._row(note))

    def backlinks(self, note: StoredNote) -> Sequence[str]:
        """By looking at all of them."""
        return [
            row.location
            for row in self._rows
            if row.location != note.location and note.location in self._links(row).found
        ]

    def notes(self) -> Iterable[NoteFacts]:
        """Of all."""
        return [row.facts for row in self._rows]

    def count(self) -> int:
        """Rows."""
        return len(self._rows)

    def tags(self) -> Sequence[TagCount]:
        """By counting."""
        used: dict[str, list[str]] = {}
        spelled: dict[str, str] = {}
        for facts in self.notes():
            for tag in facts.tags:
                used.setdefault(fold(tag), []).append(facts.path)
                spelled.setdefault(fold(tag), tag)
        return [TagCount(spelled[key], len(paths), len(set(paths))) for key, paths in used.items()]

    def tagged(self, tag: str) -> Sequence[str]:
        """By looking."""
        wanted = fold("#" + tag.removeprefix("#")) + "/"
        return [each.path for each in self.notes() if any((fold(own) + "/").startswith(wanted) for own in each.tags)]

    def short_name(self, location: str) -> str:
        """The name when it is the only one."""
        name = note_name(location)
        try:
            return name if self.resolve(name).location == location else location
        except ToolFailure:
            return location

    def excluded(self, patterns: Sequence[str]) -> Callable[[str], bool] | None:
        """By the beginning of the location."""
        return (lambda location: location.startswith(tuple(patterns))) if patterns else None

    def _links(self, row: Row) -> Links:
        names = Names(other.location for other in self._rows)
        targets = {path: names.resolve(path, row.location) for path in _linkpaths(row)}
        found = dict.fromkeys(target for target in targets.values() if target and target != row.location)
        return Links(tuple(found), tuple(path for path, target in targets.items() if target is None))

    def _row(self, note: StoredNote) -> Row:
        return next(row for row in self._rows if row.number == note.storage_id)


def _linkpaths(row: Row) -> Iterator[str]:
    return (split_link(link.link)[0] for link in row.parsed.all_links)


def _ways(path: str) -> Sequence[tuple[str, Callable[[Row], bool]]]:
    """How a row may fit, the best way first."""
    wanted = fold(path if path.lower().endswith(".md") else path + ".md")
    return [
        ("path", lambda row: fold(row.location) == wanted),
        ("name", lambda row: ("/" + fold(row.location)).endswith("/" + wanted)),
        ("alias", lambda row: fold(path) in map(fold, row.facts.aliases)),
    ]

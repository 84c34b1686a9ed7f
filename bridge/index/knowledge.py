"""The knowledge about all notes: the questions that tools ask the index, and the notes that callers' references mean.

Every path is vault-relative, as spelled on disk. Answers reflect the index at that moment: it follows the
bridge's own writes before their calls return, and other programs within milliseconds. While the first build is under
way an answer holds what is there so far, and `status().indexing` says so.

A reference is a name, a wikilink or a path. An exact vault path comes first, then the only one that differs in case or
Unicode form alone. Otherwise it is the only note whose path ends so (rule 36), or else the only note with that alias.
If several fit, none is chosen: rules 37 to 39, by which Obsidian chooses among them, need a note that the link is in.

Rules are those of docs/obsidian.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, Protocol

from bridge.clock import stamp
from bridge.errors import Ambiguous, InvalidParameters, NotFound, ToolFailure
from bridge.index.texts.globs import looks_like_glob
from bridge.notes.names import Names
from bridge.notes.note import COUNTED, Heading, LinkKind, linkpath_of, subpath_of
from bridge.notes.parts import NoteReference, parse_reference
from bridge.vault.files import FileStat
from bridge.vault.paths import VaultPath, fold, parse_path
from bridge.vault.text import NOTE_EXTENSION, is_note, note_name

Permitted = Callable[[str], bool]
"""Returns whether a path may be seen."""
ClosedRules = Callable[[], Callable[[str], object | None] | None]
"""The rules as they are now: what says which of them closes a path, None for an open one; None without rules."""
MOST_CANDIDATES = 50
"""Candidates that a failure lists; `match_count` counts them all."""
_NAMED = 5
Via = Literal["path", "name", "alias"]


class IndexedFile(NamedTuple):
    """One file that is neither hidden nor in a dot-folder (rule 2).

    Attributes:
        path: Its path.
        size: Bytes.
        mtime_ns: Time when its bytes last changed.
        created_ns: When it was made: what the disk knows, else when it was first seen at the latest.
        changed_ns: When anything of it changed last, its name and permissions too; 0 if the disk does not know.
    """

    path: str
    size: int
    mtime_ns: int
    created_ns: int
    changed_ns: int = 0


class NoteFacts(NamedTuple):
    """The facts that the index holds about one note.

    Attributes:
        path: Its path.
        properties: Its frontmatter; empty when it has none, or it is broken.
        aliases: Other names it gives itself.
        tags: Its tags with `#`, frontmatter first, duplicates kept (rule 57).
        headings: Its headings.
        block_ids: Its block ids, as spelled.
        has_base: Whether it contains a base, as a code block.
    """

    path: str
    properties: Mapping[str, Any]
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    headings: tuple[Heading, ...]
    block_ids: tuple[str, ...]
    has_base: bool = False


class StoredLink(NamedTuple):
    """One link of a note or canvas, as it is written there.

    Attributes:
        source: The file it is in.
        link: Path and subpath, decoded.
        original: What is written.
        display: The text that is shown.
        start: Where in the source's text, in characters.
        embed: Whether it is an embed.
        markdown: Whether it is written `[text](destination)`.
        key: The property it is the value of; empty in the body.
        kind: The kind of link.
    """

    source: str
    link: str
    original: str
    display: str
    start: int
    embed: bool
    markdown: bool
    key: str
    kind: LinkKind = "link"

    @property
    def linkpath(self) -> str:
        """Return the path to resolve, without the subpath."""
        return linkpath_of(self.kind, self.original, self.link)

    @property
    def subpath(self) -> str:
        """Return the part of the file that it names, with `#`; empty if it names the whole file."""
        return subpath_of(self.kind, self.original, self.link)

    @property
    def counts(self) -> bool:
        """Return whether Obsidian counts it among the links of its file."""
        return self.kind in COUNTED


class TagCount(NamedTuple):
    """One tag, in the casing seen first (rule 63).

    Attributes:
        tag: With `#`.
        uses: Number of uses, in all notes together, itself and not its nested tags.
        notes: In how many notes.
    """

    tag: str
    uses: int
    notes: int


class IndexStatus(NamedTuple):
    """The progress of the index.

    Attributes:
        notes: Markdown files.
        files: All files but hidden ones, notes included.
        indexed: Notes whose content is known.
        indexing: Whether a build or a sweep that found changes is under way.
        last_sweep: Time of the last comparison with the whole disk; None before the first one.
    """

    notes: int
    files: int
    indexed: int
    indexing: bool
    last_sweep: datetime | None


class Knowledge(Protocol):
    """The questions that tools may ask. `VaultIndex` answers all; `PermittedKnowledge` hides what the user closed."""

    @property
    def names(self) -> Names:
        """Return every file by its names, closed ones too: a link's target does not depend on who asks."""

    @property
    def version(self) -> int:
        """Return a number that changes whenever answers may change, except through permissions."""

    def status(self) -> IndexStatus:
        """Return the progress of the index."""

    def files(self) -> Sequence[IndexedFile]:
        """Return every file, hidden ones left out, in the order of a walk; a snapshot that never changes."""

    def folders(self) -> Sequence[str]:
        """Return every folder but the vault itself, empty ones too, in the order of a walk."""

    def file(self, path: str) -> IndexedFile | None:
        """Return one file.

        Args:
            path: Its exact path.

        Returns:
            None when it is not known.
        """

    def note(self, path: str) -> NoteFacts | None:
        """Return what is known about one note.

        Args:
            path: Its exact path.

        Returns:
            The facts; None if it is not a note or not known yet.
        """

    def notes(self) -> Iterable[NoteFacts]:
        """Return what is known about every note, one after the other."""

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """Return the links, embeds and property links in a note or canvas, in order.

        Args:
            path: Its exact path.
        """

    def all_links(self) -> Iterable[StoredLink]:
        """Return every link that counts, of every note and canvas, by source and place."""

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """Return every link in the vault whose path ends in one of some names, wherever it leads, not counted ones too.

        Args:
            keys: The names, as `names.link_key` makes them.

        Returns:
            The links, by source and place.
        """

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """Return every link in the vault that leads to a file, except from that file itself.

        Args:
            path: The file's exact path.

        Returns:
            The links, by source and place.
        """

    def with_alias(self, alias: str) -> Sequence[str]:
        """Return the notes with this alias.

        Args:
            alias: The name; case and Unicode form do not matter.

        Returns:
            Their paths, in order.
        """

    def tags(self) -> Sequence[TagCount]:
        """Return every tag of the vault, the most used first, then by name."""

    def tagged(self, tag: str) -> Sequence[str]:
        """Return the notes with a tag or one nested in it (rule 63).

        Args:
            tag: With or without `#`.

        Returns:
            Their paths, in order.
        """

    def refresh(self) -> None:
        """Compare the whole disk and take in what differs. Blocks; afterwards answers are true of the disk."""


class ResolvedNote(NamedTuple):
    """The one note that a reference means.

    Attributes:
        name: Its name, without folders and extension.
        path: Its path.
        created: Time of creation.
        modified: Time when its bytes last changed.
        size: Bytes.
        via: Whether it was found by its path, its name or an alias.
        reference: What was asked for: the part of the note, if a part was named.
    """

    name: str
    path: str
    created: datetime
    modified: datetime
    size: int
    via: Via
    reference: NoteReference


class NoteCandidate(NamedTuple):
    """A note that a reference might mean.

    Attributes:
        name: Its name, without folders and extension.
        path_context: The folder it is in, with a final `/`; empty at the vault's top.
        path: Its path.
        modified: Time when its bytes last changed.
    """

    name: str
    path_context: str
    path: str
    modified: datetime

    def to_wire(self) -> dict[str, Any]:
        """Return the candidate for programs."""
        return self._asdict() | {"modified": stamp(self.modified)}


class HasFiles(Protocol):
    """A source of files by their paths."""

    def stat(self, path: VaultPath, /) -> FileStat:
        """Return the state of a file. Raises NotFound if there is none."""


class NoteResolver:
    """A finder of notes by what callers call them. What the knowledge does not have is not found.

    Args:
        knowledge: The knowledge about the vault's files.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def resolve(self, reference: str | NoteReference, *, certain: bool = False) -> ResolvedNote:
        """Return the one note that a reference means.

        Args:
            reference: A name, wikilink or path, perhaps with `#heading`, `#^block` or `|alias`.
            certain: Whether the answer is for a write: then it is not given by a name while the index does not know
                yet whether other notes have it too, but when it does, which may take a while.

        Raises:
            InvalidParameters: It is no reference (`invalid_format`).
            NotFound: No note fits.
            Ambiguous: Several fit; the candidates are listed.
        """
        asked = parse_reference(reference) if isinstance(reference, str) else reference
        paths, via, wanted = self._best(asked)
        if certain and not (paths and via == "path") and self._knowledge.status().indexing:
            self._knowledge.refresh()
            paths, via, wanted = self._best(asked)
        files = self._files(paths)
        if not files:
            raise note_not_found(wanted.path)
        if len(files) > 1:
            raise ambiguous_note(wanted.path, [_candidate(file) for file in files])
        file = files[0]
        created, modified = _moment(file.created_ns), _moment(file.mtime_ns)
        return ResolvedNote(note_name(file.path), file.path, created, modified, file.size, via, wanted)

    def find_matches(self, reference: str | NoteReference) -> Sequence[NoteCandidate]:
        """Return every note that a reference might mean, the likeliest first: by path, by name, by alias.

        Raises:
            InvalidParameters: It is no reference (`invalid_format`).
            NotFound: No note fits.
        """
        wanted = parse_reference(reference) if isinstance(reference, str) else reference
        names = [reading.path for reading in _readings(wanted)]
        found = [
            path
            for find in (self._exact, self._named, self._knowledge.with_alias)
            for name in names
            for path in find(name)
        ]
        files = self._files(found)
        if not files:
            raise note_not_found(wanted.path)
        return [_candidate(file) for file in files]

    def outright(self, text: str) -> Sequence[str]:
        """Return the paths of the notes that a search names as a link would: by path, name or alias; none for a glob.

        Args:
            text: What is searched for.
        """
        if looks_like_glob(text) and not is_link(text):
            return ()
        try:
            return [match.path for match in self.find_matches(text)]
        except (NotFound, InvalidParameters):
            return ()

    def is_available(self, name: str, folder: str | None = None) -> bool:
        """Return whether no note has a name yet.

        Args:
            name: The name, with or without `.md`.
            folder: The folder of the new note; None for the whole vault.

        Raises:
            InvalidParameters: It is not a valid name of a note (`invalid_format`).
        """
        wanted = parse_reference(name)
        name = _readings(wanted)[0].path
        if folder is None:
            return not self._files([*self._exact(name), *self._named(name)])
        place = "/".join(part for part in [*folder.split("/"), name] if part)
        return not self._files(self._exact(place))

    # -- choosing -----------------------------------------------------------------------------------------------

    def _best(self, wanted: NoteReference) -> tuple[Sequence[str], Via, NoteReference]:
        """Return the paths that fit best, how they were found, and what was asked for as it was understood."""
        readings = _readings(wanted)
        if exact := self._exact(readings[0].path):
            return exact, "path", readings[0]
        for find in (self._by_name, self._by_alias):
            found = [(path, via, reading) for reading in readings for path, via in find(reading)]
            if found:
                _, via, reading = found[0]
                return [path for path, _, _ in found], via, reading
        return (), "name", wanted

    def _by_name(self, wanted: NoteReference) -> Sequence[tuple[str, Via]]:
        """Return the notes at a path, else those whose path ends so."""
        exact = self._exact(wanted.path)
        if exact or wanted.rooted:
            return [(path, "path") for path in exact]
        return [(path, "name") for path in self._named(wanted.path)]

    def _by_alias(self, wanted: NoteReference) -> Sequence[tuple[str, Via]]:
        """Return the notes with this alias."""
        return [] if wanted.rooted else [(path, "alias") for path in self._knowledge.with_alias(wanted.path)]

    def _exact(self, path: str) -> Sequence[str]:
        """Return the note at a path, spelled like this; else those whose path differs in case or Unicode form only."""
        spellings = [path, path + NOTE_EXTENSION] if is_note(path) else [path + NOTE_EXTENSION]
        for spelling in spellings:
            if self._knowledge.file(spelling) is not None:
                return [spelling]
        keys = {fold(spelling) for spelling in spellings}
        return [other for other in self._named(path) if fold(other) in keys]

    def _named(self, path: str) -> Sequence[str]:
        """Return the notes whose path ends so (rules 35 and 36)."""
        return [
            other
            for other in self._knowledge.names.candidates(path)
            if is_note(other) and self._knowledge.file(other) is not None
        ]

    def _files(self, paths: Iterable[str]) -> list[IndexedFile]:
        """Return the known files at some paths, each once."""
        return [file for path in dict.fromkeys(paths) if (file := self._knowledge.file(path)) is not None]


def locate(files: HasFiles, resolver: NoteResolver, text: str, *, certain: bool = False) -> VaultPath:
    """Return the file that a caller means by a path or by a note's name; an existing path always wins.

    Args:
        files: The vault's files.
        resolver: Finds notes by name.
        text: What the caller wrote: a path, or whatever `NoteResolver.resolve` takes, for a whole note.
        certain: Whether the file is to be written; see `NoteResolver.resolve`.

    Returns:
        The file's path, as spelled on disk.

    Raises:
        NotFound: It is neither a path nor a note's name.
        Ambiguous: Several files or notes fit.
        InvalidParameters: It is no file, no path and no reference, or names a part of a note.
        PermissionDenied: It leads outside the vault, into a dot-folder, or to what the user closed.
    """
    missing: NotFound | InvalidParameters | None = None
    if not is_link(text):
        try:
            path = parse_path(text)
        except InvalidParameters as error:
            missing = error
        else:
            try:
                return files.stat(path).path
            except NotFound as error:
                missing = error
    try:
        return whole_note(resolver, text, certain=certain)
    except (NotFound, InvalidParameters) as error:
        raise (error if missing is None or error.data.get("part") else missing) from None


def whole_note(resolver: NoteResolver, text: str, *, certain: bool = False) -> VaultPath:
    """Return the note that a reference means, which must not mean a part of it.

    Args:
        resolver: Finds notes by name.
        text: What the caller wrote.
        certain: Whether the note is to be written; see `NoteResolver.resolve`.

    Raises:
        NotFound: No note fits.
        Ambiguous: Several fit.
        InvalidParameters: It is no reference, or names a part of a note.
    """
    note = resolver.resolve(text, certain=certain)
    if note.reference.part:
        raise InvalidParameters(
            f"{text!r} names a part of {note.path!r}; give the note alone, or read the part with read_note",
            data={"path": note.path, "part": note.reference.part},
        )
    return parse_path(note.path)


def asked_for(files: HasFiles, resolver: NoteResolver, text: str) -> str:
    """Return the name of a file in a question about reading it: its path, or else what the caller wrote.

    Whether there is such a file is disclosed only after consent: a missing or ambiguous file is no failure yet.

    Args:
        files: The vault's files.
        resolver: Finds notes by name.
        text: What the caller wrote.

    Raises:
        InvalidParameters: It is neither a path nor a reference.
        PermissionDenied: It leads outside the vault or into a dot-folder.
    """
    try:
        return str(locate(files, resolver, text))
    except ToolFailure:
        return parse_reference(text).text if is_link(text) else str(parse_path(text))


def note_not_found(name: str) -> NotFound:
    """Return the failure for when nothing has this name."""
    return NotFound(
        f"Note not found: {name}. Use find to see what there is",
        data={"error_type": "not_found", "note_name": name},
        wanted=name,
    )


def ambiguous_note(name: str, candidates: Sequence[NoteCandidate]) -> Ambiguous:
    """Return the failure for when several notes have this name."""
    named = ", ".join(repr(candidate.path) for candidate in candidates[:_NAMED])
    more = f" and {len(candidates) - _NAMED} more, which find lists" if len(candidates) > _NAMED else ""
    return Ambiguous(
        f"Ambiguous note reference '{name}': {len(candidates)} matches. Use one of the paths: {named}{more}",
        candidates=[candidate.to_wire() for candidate in candidates[:MOST_CANDIDATES]],
        data={"note_name": name, "match_count": len(candidates)},
    )


def is_link(text: str) -> bool:
    """Return whether a caller wrote a wikilink, which is not a path."""
    return text.strip().startswith(("[[", "![["))


def _readings(wanted: NoteReference) -> list[NoteReference]:
    """Return the possible readings of a reference: a name may contain `#` or `|` itself, unless it is in brackets."""
    if wanted.bracketed or not ("#" in wanted.text or "|" in wanted.text):
        return [wanted]
    path = "/".join(part for part in wanted.text.split("/") if part not in {"", "."})
    return [wanted._replace(path=path, headings=(), block=None, alias=None), wanted]


def _candidate(file: IndexedFile) -> NoteCandidate:
    folder = file.path.rpartition("/")[0]
    return NoteCandidate(note_name(file.path), f"{folder}/" if folder else "", file.path, _moment(file.mtime_ns))


def _moment(nanoseconds: int) -> datetime:
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)

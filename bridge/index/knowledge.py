"""The knowledge about all notes: the questions that tools ask the index, and the shapes of the answers.

Every path is vault-relative, as spelled on disk. Answers reflect the index at that moment: it follows the
bridge's own writes before their calls return, and other programs within milliseconds. While the first build is under
way an answer holds what is there so far, and `status().indexing` says so.

Rules are those of docs/obsidian.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from bridge.notes.names import Names
from bridge.notes.note import COUNTED, Heading, LinkKind, linkpath_of, subpath_of


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
        ...

    @property
    def version(self) -> int:
        """Return a number that changes whenever answers may change, except through permissions."""
        ...

    def status(self) -> IndexStatus:
        """Return the progress of the index."""
        ...

    def files(self) -> Sequence[IndexedFile]:
        """Return every file, hidden ones left out, in the order of a walk; a snapshot that never changes."""
        ...

    def folders(self) -> Sequence[str]:
        """Return every folder but the vault itself, empty ones too, in the order of a walk."""
        ...

    def file(self, path: str) -> IndexedFile | None:
        """Return one file.

        Args:
            path: Its exact path.

        Returns:
            None when it is not known.
        """
        ...

    def note(self, path: str) -> NoteFacts | None:
        """Return what is known about one note.

        Args:
            path: Its exact path.

        Returns:
            The facts; None if it is not a note or not known yet.
        """
        ...

    def notes(self) -> Iterable[NoteFacts]:
        """Return what is known about every note, one after the other."""
        ...

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """Return the links, embeds and property links in a note or canvas, in order.

        Args:
            path: Its exact path.
        """
        ...

    def all_links(self) -> Iterable[StoredLink]:
        """Return every link that counts, of every note and canvas, by source and place."""
        ...

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """Return every link in the vault whose path ends in one of some names, wherever it leads, not counted ones too.

        Args:
            keys: The names, as `names.link_key` makes them.

        Returns:
            The links, by source and place.
        """
        ...

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """Return every link in the vault that leads to a file, except from that file itself.

        Args:
            path: The file's exact path.

        Returns:
            The links, by source and place.
        """
        ...

    def with_alias(self, alias: str) -> Sequence[str]:
        """Return the notes with this alias.

        Args:
            alias: The name; case and Unicode form do not matter.

        Returns:
            Their paths, in order.
        """
        ...

    def tags(self) -> Sequence[TagCount]:
        """Return every tag of the vault, the most used first, then by name."""
        ...

    def tagged(self, tag: str) -> Sequence[str]:
        """Return the notes with a tag or one nested in it (rule 63).

        Args:
            tag: With or without `#`.

        Returns:
            Their paths, in order.
        """
        ...

    def refresh(self) -> None:
        """Compare the whole disk and take in what differs. Blocks; afterwards answers are true of the disk."""
        ...


Permitted = Callable[[str], bool]
"""Returns whether a path may be seen."""

ClosedRules = Callable[[], Callable[[str], object | None] | None]
"""The rules as they are now: what says which of them closes a path, None for an open one; None without rules."""

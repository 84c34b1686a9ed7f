"""What is known of all notes: the questions that tools ask the index, and the shapes of the answers.

Every path is vault-relative, as spelled on disk. Answers are of the index as it is at that moment: it follows the
bridge's own writes before their calls return, and other programs within milliseconds. While the first build is under
way an answer holds what is there so far, and `status().indexing` says so.

Rules are those of docs/obsidian.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from bridge.notes.names import Names
from bridge.notes.note import COUNTED, Heading, LinkKind, linkpath_of, subpath_of


class IndexedFile(NamedTuple):
    """One file that is neither hidden nor in a dot-folder (rule 2).

    Attributes:
        path: Where it is.
        size: Bytes.
        mtime_ns: When its bytes changed last.
        created_ns: When it was made: what the disk knows, else when it was first seen at the latest.
        changed_ns: When anything of it changed last, its name and permissions too; 0 where the disk does not know.
    """

    path: str
    size: int
    mtime_ns: int
    created_ns: int
    changed_ns: int = 0


@dataclass(frozen=True, slots=True)
class NoteFacts:
    """What the index holds of one note.

    Attributes:
        path: Where it is.
        properties: Its frontmatter; empty when it has none, or it is broken.
        aliases: Other names it gives itself.
        tags: Its tags with `#`, frontmatter first, duplicates kept (rule 57).
        headings: Its headings.
        block_ids: Its block ids, as spelled.
        has_base: Whether a base is written in it, as a code block.
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
        kind: How it is written.
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
        """What it is resolved by: its path, without the subpath."""
        return linkpath_of(self.kind, self.original, self.link)

    @property
    def subpath(self) -> str:
        """What part of the file it names, with `#`; empty when it names all of it."""
        return subpath_of(self.kind, self.original, self.link)

    @property
    def counts(self) -> bool:
        """Whether Obsidian counts it among the links of its file."""
        return self.kind in COUNTED


class TagCount(NamedTuple):
    """One tag, in the casing seen first (rule 63).

    Attributes:
        tag: With `#`.
        uses: How often it is used, in all notes together, itself and not its nested tags.
        notes: In how many notes.
    """

    tag: str
    uses: int
    notes: int


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How much is known.

    Attributes:
        notes: Markdown files.
        files: All files but hidden ones, notes included.
        indexed: Notes whose content is known.
        indexing: Whether a build or a sweep that found changes is under way.
        last_sweep: When the disk was last compared wholly; None before the first time.
    """

    notes: int
    files: int
    indexed: int
    indexing: bool
    last_sweep: datetime | None


class Knowledge(Protocol):
    """What tools may ask. `VaultIndex` answers it; `PermittedKnowledge` answers it without what the user closed."""

    @property
    def names(self) -> Names:
        """Every file by its names, closed ones too: a link's target does not depend on who asks."""
        ...

    @property
    def version(self) -> int:
        """Another number whenever answers may be others, but for what may be seen of them."""
        ...

    def status(self) -> IndexStatus:
        """How much is known."""
        ...

    def files(self) -> Sequence[IndexedFile]:
        """Every file, hidden ones left out, in the order of a walk; a snapshot that never changes."""
        ...

    def folders(self) -> Sequence[str]:
        """Every folder but the vault itself, empty ones too, in the order of a walk."""
        ...

    def file(self, path: str) -> IndexedFile | None:
        """One file.

        Args:
            path: Its exact path.

        Returns:
            None when it is not known.
        """
        ...

    def note(self, path: str) -> NoteFacts | None:
        """What is known of one note.

        Args:
            path: Its exact path.

        Returns:
            None when it is no note or not known yet.
        """
        ...

    def notes(self) -> Iterable[NoteFacts]:
        """What is known of every note, one after the other."""
        ...

    def links_from(self, path: str) -> Sequence[StoredLink]:
        """The links, embeds and property links in a note or canvas, in order.

        Args:
            path: Its exact path.
        """
        ...

    def all_links(self) -> Iterable[StoredLink]:
        """Every link that counts, of every note and canvas, by source and place."""
        ...

    def links_named(self, keys: Iterable[str]) -> Sequence[StoredLink]:
        """Every link in the vault whose path ends in one of some names, wherever it leads, not counted ones too.

        Args:
            keys: The names, as `names.link_key` makes them.

        Returns:
            The links, by source and place.
        """
        ...

    def backlinks(self, path: str) -> Sequence[StoredLink]:
        """Every link in the vault that leads to a file, but for its own.

        Args:
            path: The file's exact path.

        Returns:
            The links, by source and place.
        """
        ...

    def with_alias(self, alias: str) -> Sequence[str]:
        """The notes that call themselves so.

        Args:
            alias: The name; case and Unicode form do not matter.

        Returns:
            Their paths, in order.
        """
        ...

    def tags(self) -> Sequence[TagCount]:
        """Every tag of the vault, the most used first, then by name."""
        ...

    def tagged(self, tag: str) -> Sequence[str]:
        """The notes with a tag or one nested in it (rule 63).

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
"""Whether a path may be seen."""

ClosedRules = Callable[[], Callable[[str], object | None] | None]
"""The rules as they are now: what says which of them closes a path, None for an open one; None without rules."""

"""The report of a host on Obsidian's own index, and how the bridge's differs from it (`index.compare`)."""

from typing import Annotated, Literal

from pydantic import Field

from bridge.contract.base import Params, Wire

MOST_FILES = 2_000
"""Files of one `index.compare`."""
MOST_DIFFERENCES = 5_000
"""Differences of one answer; the others are counted."""


class ObsidianFacts(Params):
    """The content of Obsidian's `metadataCache` for one note.

    Attributes:
        resolved: The number of links to each file (`resolvedLinks`).
        unresolved: The number of links to each path at which no file is (`unresolvedLinks`).
        tags: Its tags (`getAllTags`); None when Obsidian has not read the note yet.
        mtime: When it was modified, in milliseconds since 1970, as Obsidian knows it.
        size: Its bytes, as Obsidian knows them.
    """

    resolved: dict[str, Annotated[int, Field(ge=0)]]
    unresolved: dict[str, Annotated[int, Field(ge=0)]]
    tags: list[str] | None
    mtime: Annotated[float, Field(ge=0)]
    size: Annotated[int, Field(ge=0)]


class CompareParams(Params):
    """Obsidian's facts on some notes, the unsaved ones among them and, once, the paths of all notes it knows."""

    files: Annotated[dict[str, ObsidianFacts], Field(max_length=MOST_FILES)]
    unsaved: list[str] = Field(default_factory=list)
    notes: list[str] | None = None


DifferenceKind = Literal["link", "unresolved", "tag", "tag_order", "note"]


class IndexDifference(Wire):
    """One thing about which Obsidian and the bridge differ.

    Attributes:
        path: The note.
        kind: `link`: links to a file; `unresolved`: links to where no file is; `tag`: uses of a tag; `tag_order`: the
            same tags in another order; `note`: the note itself, which only one of them knows.
        target: The file, the link's path or the tag; for `tag_order` and `note` empty.
        obsidian: Obsidian's count.
        bridge: The bridge's count.
    """

    path: str
    kind: DifferenceKind
    target: str = ""
    obsidian: int
    bridge: int


class UncomparedNote(Wire):
    """A note that cannot be compared now, and so says nothing about either index.

    Attributes:
        path: The note.
        reason: `unsaved`: an editor holds text that is not on disk; `changed`: one of them has not read the note as it
            is now; `unread`: one of them has not read it at all yet.
    """

    path: str
    reason: Literal["unsaved", "changed", "unread"]


class IndexComparison(Wire):
    """The result of comparing some notes.

    Attributes:
        compared: The number of notes compared.
        links: The number of links that the bridge counted in them.
        tags: The number of tags.
        differences: The differences, by note.
        more: The number of differences beyond those listed.
        uncompared: The notes that were left out.
    """

    compared: int
    links: int
    tags: int
    differences: tuple[IndexDifference, ...]
    more: int
    uncompared: tuple[UncomparedNote, ...]

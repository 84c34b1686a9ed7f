"""The content of one note as Obsidian sees it, as plain values; and the limit on the work of reading it.

The limit counts steps, not seconds, so it is the same on every machine.

Positions are `start` (inclusive) and `end` (exclusive), in characters (Python's, code points) of the note's text as it
was decoded, a byte order mark and line endings included. Obsidian counts differently: in lines, columns and UTF-16
offsets (rule 12 of docs/obsidian.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from bridge.errors import ExecutionFailed
from bridge.notes.names import split_link

LinkKind = Literal["link", "node", "definition", "anchor"]
"""A wikilink or Markdown link; the file of a canvas' node, which is a whole vault path (rule 94); the address in a
definition, `[label]: address`; the one in `<a href="address">`. Obsidian counts only the first two (rule 44)."""

COUNTED: Final[frozenset[LinkKind]] = frozenset({"link", "node"})


class Link(NamedTuple):
    """One link or embed.

    Attributes:
        start: Its beginning; for a link in a property, within the whole note too.
        end: Its end.
        original: Exactly what is written there.
        link: Where to: path and subpath (`Note#Heading`), decoded as Obsidian stores it (rules 14 to 24).
        display: The text that is shown (rule 19).
        embed: Whether it is an embed (`!`).
        markdown: Whether it names a destination, as `[text](destination)` does; else it is `[[link]]`.
        key: The property that it is the value of (`up`, `list.0`); empty in the body.
        kind: The kind of link.
    """

    start: int
    end: int
    original: str
    link: str
    display: str
    embed: bool = False
    markdown: bool = False
    key: str = ""
    kind: LinkKind = "link"

    @property
    def linkpath(self) -> str:
        """Return the path to resolve, without the subpath."""
        return linkpath_of(self.kind, self.original, self.link)

    @property
    def counts(self) -> bool:
        """Return whether Obsidian counts it among the links of its file."""
        return self.kind in COUNTED

    @property
    def subpath(self) -> str:
        """Return the part of the file that it names, with `#`; empty if it names the whole file."""
        return subpath_of(self.kind, self.original, self.link)


def linkpath_of(kind: LinkKind, original: str, link: str) -> str:
    """Return the path that a link is resolved by. In the path of a canvas node `#` is an ordinary character.

    Args:
        kind: The kind of link.
        original: The link as written.
        link: Path and subpath.
    """
    return "/" + original if kind == "node" else split_link(link)[0]


def subpath_of(kind: LinkKind, original: str, link: str) -> str:
    """Return the part of a file that a link names, with `#`; the arguments are those of `linkpath_of`."""
    return link[len(original) :] if kind == "node" else split_link(link)[1]


class Tag(NamedTuple):
    """One tag of the body, `#` included."""

    start: int
    end: int
    tag: str


class Heading(NamedTuple):
    """One heading: its text is raw, with the marks inside it (rule 65)."""

    start: int
    end: int
    level: int
    heading: str


class BlockId(NamedTuple):
    """One block id, spelled as written, with the place of what it names (rules 67 to 69)."""

    start: int
    end: int
    id: str


class Section(NamedTuple):
    """One section of the note (rule 70)."""

    start: int
    end: int
    type: str
    id: str | None = None


class ListItem(NamedTuple):
    """One list item (rule 71).

    Attributes:
        start: The beginning of its mark.
        end: Where its own text ends.
        parent: The line of its parent, or `-(first line of the list)`, -1 in the first line.
        task: The character in its `[ ]`; None when it is no task.
        id: Its block id.
    """

    start: int
    end: int
    parent: int
    task: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """All that one note says about itself.

    Attributes:
        frontmatter: Its properties; None when it has none, or they are broken (rules 46 to 49).
        frontmatter_links: Links in properties, in order (rule 51).
        links: Links of the body, in order.
        embeds: Embeds of the body, in order.
        tags: Tags of the body, in order.
        headings: Headings, in order.
        blocks: Block ids, in order.
        sections: Sections, in order.
        list_items: List items, in order.
        code: Where each line of each code block between fences begins and ends, the fences too, without what the
            lists and quotes that it is in put before it.
    """

    frontmatter: Mapping[str, Any] | None = None
    frontmatter_links: tuple[Link, ...] = ()
    links: tuple[Link, ...] = ()
    embeds: tuple[Link, ...] = ()
    tags: tuple[Tag, ...] = ()
    headings: tuple[Heading, ...] = ()
    blocks: tuple[BlockId, ...] = ()
    addresses: tuple[Link, ...] = ()
    sections: tuple[Section, ...] = field(default=(), repr=False)
    list_items: tuple[ListItem, ...] = field(default=(), repr=False)
    code: tuple[tuple[tuple[int, int], ...], ...] = field(default=(), repr=False)

    @property
    def all_links(self) -> tuple[Link, ...]:
        """Return all links and embeds, even those that Obsidian does not count; properties first, then by place."""
        body = sorted((*self.links, *self.embeds, *self.addresses), key=lambda link: link.start)
        return (*self.frontmatter_links, *body)


MOST_STEPS: Final = 600_000
"""Steps of the notes that an index or a warning reads; so many take about a second."""

STEPS_OF_A_FIND: Final = 3
"""Steps for each link, tag, heading and block besides finding it: it is kept, too."""

LETTERS_OF_A_STEP: Final = 4096
"""Characters that are looked through in the time of one step."""

_UNBOUNDED: Final = 1 << 62


class TooMuchWork(ExecutionFailed):
    """A note is more work than it may be: it is nested too deeply, or holds too much."""

    def __init__(self) -> None:
        super().__init__(
            "The note is nested too deeply, or holds too many links, tags and list items, to be understood; "
            "read it by its lines and edit it as text, or split it"
        )


class Work:
    """The steps of reading one note: a line looked at once in each container around it, a mark within a line, a find.

    Args:
        most: Maximum number; without it, as many as there are.
    """

    __slots__ = ("_left",)

    def __init__(self, most: int = _UNBOUNDED) -> None:
        self._left = most

    @classmethod
    def of_one_note(cls) -> "Work":
        """Return the amount of work that one note of a vault may be."""
        return cls(MOST_STEPS)

    def spend(self, steps: int) -> None:
        """Count more steps.

        Raises:
            TooMuchWork: There were too many.
        """
        self._left -= steps
        if self._left < 0:
            raise TooMuchWork

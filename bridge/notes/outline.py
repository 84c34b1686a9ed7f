"""The parts of a note that links can name, as numbers: so a part can be followed when its name or its note changes.

Rules 66, 69, 95 and 96 of docs/obsidian.md.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from bridge.notes.note import BlockId, Heading, ParsedNote
from bridge.notes.parts import strip_heading
from bridge.vault.paths import fold

Part = int | str
"""A heading, by its number from 0; or a block, by its id, folded."""

_NOT_IN_LINKS = re.compile(r"[#|^:\\\[\]\s]+|%%")


def heading_in_link(heading: str) -> str:
    """Return a heading as a link to it is written: without what would end or change the link (rule 95).

    Args:
        heading: Its raw text.
    """
    return " ".join(_NOT_IN_LINKS.sub(" ", heading).split())


@dataclass(frozen=True)
class Outline:
    """The headings and blocks of one note.

    Attributes:
        headings: The headings, in order.
        blocks: The ids of its blocks, folded.
    """

    headings: tuple[Heading, ...]
    blocks: frozenset[str] = frozenset()

    @classmethod
    def of(cls, note: ParsedNote) -> "Outline":
        """Return the outline of a parsed note."""
        return cls(note.headings, block_keys(note.blocks))

    def find(self, subpath: str) -> Part | None:
        """Return the part that a link names, the first if several fit; None if there is none, or none is named.

        Args:
            subpath: What follows the path in the link, with `#`.
        """
        names = [name.strip() for name in subpath.split("#") if name.strip()]
        if not names:
            return None
        if names[-1].startswith("^"):
            key = fold(names[-1][1:])
            return key if key in self.blocks else None
        chain = self.chain(names)
        return chain[-1] if chain else None

    def chain(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return the headings that `#A#B` names, each below the one before; empty when there are none.

        Args:
            names: What the link says, outermost first.
        """
        return self._chain([strip_heading(name) for name in names], 0, len(self.headings)) if names else ()

    def subpath(self, part: Part, like: Sequence[int] = ()) -> str | None:
        """Return the subpath of a part, so that a link leads there and to no other part of the same name.

        Args:
            part: The part.
            like: The headings that the link named before, outermost first, which it names again if it can.

        Returns:
            The subpath with `#`; None when no link can name it.
        """
        if isinstance(part, str):
            return f"#^{part}" if part in self.blocks else None
        for chain in self._ways(part, like):
            written = "".join(f"#{heading_in_link(self.headings[number].heading)}" for number in chain)
            if self.find(written) == part:
                return written
        return None

    def section_end(self, number: int) -> int:
        """Return the number of the next heading that is not below one; the number of all headings if there is none."""
        return self._ends[number]

    def _ways(self, part: int, like: Sequence[int]) -> Iterator[Sequence[int]]:
        """Yield the ways to a heading: as before, by itself, then with ever more of the headings that it is below."""
        if like:
            yield like
        way = [part]
        yield way
        for above in range(part - 1, -1, -1):
            if self.headings[above].level < self.headings[way[0]].level:
                way = [above, *way]
                yield way

    def _chain(self, keys: Sequence[str], first: int, stop: int) -> tuple[int, ...]:
        for number in range(first, stop):
            if self._keys[number] != keys[0]:
                continue
            if len(keys) == 1:
                return (number,)
            below = self._chain(keys[1:], number + 1, self._ends[number])
            if below:
                return (number, *below)
        return ()

    @cached_property
    def _keys(self) -> Sequence[str]:
        return [strip_heading(heading.heading) for heading in self.headings]

    @cached_property
    def _ends(self) -> Sequence[int]:
        ends, open_ = [len(self.headings)] * len(self.headings), list[int]()
        for number, heading in enumerate(self.headings):
            while open_ and self.headings[open_[-1]].level >= heading.level:
                ends[open_.pop()] = number
            open_.append(number)
        return ends


def block_keys(blocks: Iterable[BlockId]) -> frozenset[str]:
    """Return the ids of blocks, as they are compared (rule 69)."""
    return frozenset(fold(block.id) for block in blocks)

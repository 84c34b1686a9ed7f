"""One note while it is read: its lines, what was found so far, and the questions that every kind of block asks."""

import re
from abc import ABC, abstractmethod
from typing import NamedTuple

from bridge.notes import lines
from bridge.notes.html import html_block
from bridge.notes.inline import Found, scan_inline
from bridge.notes.note import Block, Heading, ListItem, Section

MAX_DEPTH = 32
"""Containers within containers that are told apart; what is nested deeper is read as text."""

_BLOCK_ID = re.compile(r"(?:\A|[ \t\n])\^([A-Za-z0-9-]++)[ \t\r]*+\Z")
_ID_REACH = 256
_NAMED_FROM_BELOW = frozenset({"list", "blockquote", "callout", "table", "code", "math", "html"})


class Container(NamedTuple):
    """What the lines that are read are in.

    Attributes:
        stop: One past its last line.
        depth: How many containers that makes.
        parent: The line of the innermost list item; -1 outside lists.
    """

    stop: int
    depth: int = 0
    parent: int = -1


class ParserState(ABC):
    """One note while it is read.

    `starts[n]` is where the content of line `n` begins in the container that is being read: entering a quote or a list
    item moves it behind the mark. A container is left for good before the next is entered, so nothing is moved back.

    Args:
        text: The note.
        starts: Where each line begins.
        ends: Where each line ends, before its line ending.
    """

    def __init__(self, text: str, starts: list[int], ends: list[int]) -> None:
        self.text = text
        self.starts = starts
        self.ends = ends
        self.found = Found()
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.sections: list[Section] = []
        self.list_items: list[ListItem] = []

    @abstractmethod
    def read(self, line: int, container: Container) -> int:
        """Read the lines of a container as blocks.

        Args:
            line: The first line.
            container: What they are in.

        Returns:
            Where the text before the first list among them ends; -1 when there is no list, or it comes first.
        """

    def scan(self, line: int, following: int) -> None:
        """Look for links and tags in whole lines."""
        scan_inline(self.text, self.starts[line], self.ends[following - 1], self.found)

    def mark(self, line: int) -> lines.Mark:
        """What a line begins, however far it is indented."""
        return lines.line_mark(self.text, self.starts[line], self.ends[line])

    def section(self, kind: str, line: int, following: int, container: Container) -> None:
        """Note a section, when it is in no container."""
        if not container.depth:
            self.sections.append(Section(self.starts[line], self.ends[following - 1], kind))

    def interrupts(self, line: int, container: Container) -> bool:
        """Whether a line ends the paragraph before it without a blank line."""
        kind, start, end = self.mark(line)
        if kind == lines.NUMBER:
            return self.text[start : end - 1] == "1"
        if kind == lines.HTML:
            block = html_block(self.text, start, self.ends[line])
            return block is not None and block[1]
        if kind == lines.MATH:
            return self.opens_math(line, start, container)
        return kind not in {lines.TEXT, lines.FOOTNOTE}

    def opens_math(self, line: int, mark: int, container: Container) -> bool:
        """Whether `$$` begins a block: a line follows, and no tab precedes."""
        return line + 1 < container.stop and self.text.find("\t", self.starts[line], mark) < 0

    def underlined(self, line: int, container: Container) -> int:
        """The level of the heading that a line is because of the line below it; 0 when it is none (rule 65)."""
        if line + 1 >= container.stop:
            return 0
        start, end = self.starts[line + 1], self.ends[line + 1]
        if start >= end or self.text[start] not in "=-" or self.text[start:end].strip(self.text[start]):
            return 0
        return 1 if self.text[start] == "=" else 2

    def block_id(self, start: int, end: int) -> str | None:
        """The block id that a run of text ends with (rule 67)."""
        reach = max(start, end - _ID_REACH)
        mark = self.text.rfind("^", reach, end)
        if mark < 0:
            return None
        match = _BLOCK_ID.search(self.text[max(reach, mark - 1) : end])
        return match[1] if match else None

    def name_last_section(self, name: str, start: int = -1) -> None:
        """Give the last section a block id.

        Args:
            name: The id.
            start: Where a paragraph begins that is nothing but the id: it names the structured block above it, or
                else itself (rules 67 and 68).
        """
        last = self.sections[-1]
        if start >= 0 and len(self.sections) > 1 and self.sections[-2].type in _NAMED_FROM_BELOW:
            last = self.sections[-2]
            self.sections[-2] = last._replace(id=name)
        else:
            self.sections[-1] = last._replace(id=name)
        self.blocks.append(Block(last.start, last.end, name))

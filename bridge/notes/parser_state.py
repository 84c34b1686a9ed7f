"""One note while it is read: its lines and what each begins, what was found so far, and what every kind of block asks.

The rules are those of docs/obsidian.md.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from bridge.notes.inline import InlineItems, scan_inline
from bridge.notes.literal_spans import html_block
from bridge.notes.note import BlockId, Heading, ListItem, Section
from bridge.notes.work import LETTERS_OF_A_STEP, STEPS_OF_A_FIND, Work

TEXT, HEADING, QUOTE, RULE, BULLET, NUMBER, FENCE, MATH, HTML, COMMENT, FOOTNOTE, INDENTED, BLANK = range(13)
"""The kinds of line. Those from `HEADING` to `FOOTNOTE` are numbers of groups in the pattern below."""

TAB = 4
"""Columns to which a tab is filled up; indentation from which text is code."""

_WHITE = re.compile(r"[ \t]*+")
_BEGIN = re.compile(
    r"[ \t]*+(?:"
    r"(\#{1,6}+(?=[ \t]|\Z))"
    r"|(>)"
    r"|((?:\* *+\* *+\*[* ]*+|- *+- *+-[- ]*+|_ *+_ *+_[_ ]*+)\Z)"
    r"|([*+-](?=[ \t]|\Z))"
    r"|([0-9]++[.)](?=[ \t]|\Z))"
    r"|(`{3,}+(?=[^`]*+\Z)|~{3,}+)"
    r"|(\${2,}+(?=[^$]*+\Z))"
    r"|(<)"
    r"|(%%)"
    r"|(\[\^[^\]\s]++\]:))"
)


class LineMark(NamedTuple):
    """The beginning of a line: the kind of block, and the position of the characters that mark it."""

    kind: int
    start: int
    end: int


def line_mark(text: str, start: int, end: int) -> LineMark:
    """Return the mark at the beginning of a line, however far it is indented; `TEXT` if there is none.

    Args:
        text: The note.
        start: The beginning of the line.
        end: The end of the line.
    """
    match = _BEGIN.match(text, start, end)
    if match is None or match.lastindex is None:
        return LineMark(TEXT, start, start)
    return LineMark(match.lastindex, *match.span(match.lastindex))


def leading_columns(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the columns of leading white space, and where it ends; a tab reaches to the next multiple of four.

    Args:
        text: The note.
        start: The beginning of the line.
        end: The end of the line.
    """
    if start >= end or text[start] not in " \t":
        return 0, start
    white = _WHITE.match(text, start, end)
    after = white.end() if white else start
    return columns_of(text, start, after), after


def columns_of(text: str, start: int, end: int) -> int:
    """Return how many columns some white space takes."""
    tabs = text.count("\t", start, end)
    if tabs in {0, end - start}:
        return TAB * tabs or end - start
    return len(text[start:end].expandtabs(TAB))


MAX_DEPTH = 32
"""Maximum depth of containers; what is nested deeper is read as text."""

_BLOCK_ID = re.compile(r"(?:\A|[ \t\n])\^([A-Za-z0-9-]++)[ \t\r]*+\Z")
_ID_REACH = 256
_LISTS = frozenset({BULLET, NUMBER})
_NAMED_FROM_BELOW = frozenset({"list", "blockquote", "callout", "table", "code", "math", "html"})


class Container(NamedTuple):
    """The container of the lines that are read.

    Attributes:
        stop: One past its last line.
        depth: Its depth of nesting.
        parent: The line of the innermost list item; -1 outside lists.
    """

    stop: int
    depth: int = 0
    parent: int = -1


class ParserState:
    """One note while it is read.

    `starts[n]` is where the content of line `n` begins in the container that is being read: entering a quote or a list
    item moves it behind the mark. A container is left for good before the next is entered, so nothing is moved back.

    Args:
        text: The note.
        starts: Where each line begins.
        ends: Where each line ends, before its line ending.
        readers: What reads the block that each kind of line begins.
        work: Counts what reading it takes.
    """

    def __init__(
        self, text: str, starts: list[int], ends: list[int], readers: Mapping[int, "BlockReader"], work: Work
    ) -> None:
        self.text = text
        self.starts = starts
        self.ends = ends
        self._readers = readers
        self.work = work
        self.inline = InlineItems(work)
        self.headings: list[Heading] = []
        self.blocks: list[BlockId] = []
        self.sections: list[Section] = []
        self.list_items: list[ListItem] = []
        self.code: list[range] = []

    def read(self, line: int, container: Container) -> int:
        """Read the lines of a container as blocks.

        Args:
            line: The first line.
            container: What they are in.

        Returns:
            Where the text before the first list among them ends; -1 when there is no list, or it comes first.
        """
        text, starts, ends = self.text, self.starts, self.ends
        own, listed = -1, False
        while line < container.stop:
            start, end = starts[line], ends[line]
            if start >= end:
                line += 1
                continue
            mark = LineMark(TEXT, start, start) if text[start].isalpha() else self._first_mark(start, end)
            if mark.kind == BLANK:
                line += 1
                continue
            listed = listed or mark.kind in _LISTS
            first = line
            line = self._readers[mark.kind](self, line, mark, container)
            self.work.spend(line - first + STEPS_OF_A_FIND)
            if not listed:
                own = ends[line - 1]
        return own if listed else -1

    def spend_lines(self, line: int, following: int) -> None:
        """Count lines that were examined once more, with all their characters."""
        letters = self.ends[following - 1] - self.starts[line]
        self.work.spend(following - line + letters // LETTERS_OF_A_STEP)

    def lines(self, which: range) -> tuple[tuple[int, int], ...]:
        """Return where the content of some lines begins and ends."""
        return tuple((self.starts[line], self.ends[line]) for line in which)

    def _first_mark(self, start: int, end: int) -> LineMark:
        """Return the mark of a line if no paragraph is open: indentation counts."""
        text = self.text
        if text[start] in " \t":
            if leading_columns(text, start, end)[1] >= end:
                return LineMark(BLANK, start, start)
            if text.startswith(("    ", "\t"), start, end):
                return LineMark(INDENTED, start, start)
        return line_mark(text, start, end)

    def scan(self, line: int, following: int) -> None:
        """Look for links and tags in whole lines."""
        scan_inline(self.text, self.starts[line], self.ends[following - 1], self.inline)

    def mark(self, line: int) -> LineMark:
        """Return the mark of a line, however far it is indented."""
        return line_mark(self.text, self.starts[line], self.ends[line])

    def section(self, kind: str, line: int, following: int, container: Container) -> None:
        """Note a section, when it is in no container."""
        if not container.depth:
            self.sections.append(Section(self.starts[line], self.ends[following - 1], kind))

    def interrupts(self, line: int, container: Container) -> bool:
        """Return whether a line ends the paragraph before it without a blank line."""
        kind, start, end = self.mark(line)
        if kind == NUMBER:
            return self.text[start : end - 1] == "1"
        if kind == HTML:
            block = html_block(self.text, start, self.ends[line])
            return block is not None and block[1]
        if kind == MATH:
            return self.opens_math(line, start, container)
        return kind not in {TEXT, FOOTNOTE}

    def opens_math(self, line: int, mark: int, container: Container) -> bool:
        """Return whether `$$` begins a block: a line follows, and no tab precedes."""
        return line + 1 < container.stop and self.text.find("\t", self.starts[line], mark) < 0

    def underlined(self, line: int, container: Container) -> int:
        """Return the level of the heading that the next line makes of a line; 0 if it makes none (rule 65)."""
        if line + 1 >= container.stop:
            return 0
        start, end = self.starts[line + 1], self.ends[line + 1]
        if start >= end or self.text[start] not in "=-" or self.text[start:end].strip(self.text[start]):
            return 0
        return 1 if self.text[start] == "=" else 2

    def block_id(self, start: int, end: int) -> str | None:
        """Return the block id that a run of text ends with (rule 67)."""
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
        self.blocks.append(BlockId(last.start, last.end, name))


BlockReader = Callable[[ParserState, int, LineMark, Container], int]
"""Reads one block: takes its first line, what that begins with and what it is in; returns the line after the block."""

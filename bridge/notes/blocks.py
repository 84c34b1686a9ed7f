"""Blocks of a note: the state of reading one, the marks that begin lines, and the blocks that hold no others.

The rules are those of docs/obsidian.md.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from bridge.notes.inline import InlineItems, html_block, scan_anchors, scan_inline
from bridge.notes.note import LETTERS_OF_A_STEP, STEPS_OF_A_FIND, BlockId, Heading, Link, ListItem, Section, Work
from bridge.notes.syntax import DEFINITION, SPACE, decode_destination, is_external

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
    after = white.end() if (white := _WHITE.match(text, start, end)) else start
    tabs = text.count("\t", start, after)
    mixed = tabs not in {0, after - start}
    return (len(text[start:after].expandtabs(TAB)) if mixed else TAB * tabs or after - start), after


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
        self.text, self.starts, self.ends = text, starts, ends
        self._readers, self.work = readers, work
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

    def section(self, kind: str, line: int, following: int, container: Container) -> int:
        """Note a section, when it is in no container; return the line after it."""
        if not container.depth:
            self.sections.append(Section(self.starts[line], self.ends[following - 1], kind))
        return following

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
        above = start >= 0 and len(self.sections) > 1 and self.sections[-2].type in _NAMED_FROM_BELOW
        named = self.sections[-1 - above]
        self.sections[-1 - above] = named._replace(id=name)
        self.blocks.append(BlockId(named.start, named.end, name))


BlockReader = Callable[[ParserState, int, LineMark, Container], int]
"""Reads one block: takes its first line, what that begins with and what it is in; returns the line after the block."""


_DELIMITERS = re.compile(r"[ \t]*+\|?+[ \t]*+:?+-++:?+[ \t]*+(?>\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+\Z")
_MAX_LABEL = 1024
_OPAQUE_HTML = re.compile(r"<(?:[!?]|(?:script|pre|style)\b)", re.IGNORECASE)
_FENCE_END = re.compile(r" {0,3}+(`{3,}+|~{3,}+)[ \t]*+\Z")
_TITLE_START = re.compile(r"[ \t]*+#{1,6}+[ \t]*+")
_TITLE_MARKS = re.compile(r"(?:\A|[ \t]++)#++\Z")


def _read_paragraph(state: ParserState, line: int, _mark: LineMark, container: Container) -> int:
    """Read a paragraph, or what only its second line distinguishes from one: an underlined heading, a table."""
    text, starts, ends = state.text, state.starts, state.ends
    following = line + 1
    if following < container.stop:
        below = text[starts[following] : starts[following] + 1]
        if below and below in "=-|: \t":
            if level := state.underlined(line, container):
                return read_underlined(state, line, level, container)
            if (after := _table_end(state, line, container)) > line:
                return state.section("table", line, after, container)
    if _read_definition(state, starts[line], ends[line]):
        return state.section("definition", line, following, container)
    following = _paragraph_end(state, following, container)
    start, end = starts[line], ends[following - 1]
    scan_inline(text, start, end, state.inline)
    if not container.depth:
        state.section("paragraph", line, following, container)
        if (name := state.block_id(start, end)) is not None:
            state.name_last_section(name, start if text[start:end].strip() == f"^{name}" else -1)
    return following


def _read_definition(state: ParserState, start: int, end: int) -> bool:
    """Return whether a line defines a reference (`[label]: address`); note its address if it is in the vault."""
    text = state.text
    if text[start] not in "[ \t" or text.find("]:", start, min(end, start + _MAX_LABEL)) < 0:
        return False
    found = DEFINITION.match(text, start, end)
    if found is None:
        return False
    destination = found[2] or found[3] or ""
    target = "" if is_external(destination) else decode_destination(destination)
    if target and not target.startswith("#"):
        begin = found.start(1) - 1
        original = text[begin:end].rstrip(" \t")
        link = Link(begin, begin + len(original), original, target, found[1], markdown=True, kind="definition")
        state.inline.addresses.append(link)
    return True


def _paragraph_end(state: ParserState, following: int, container: Container) -> int:
    text, starts, ends = state.text, state.starts, state.ends
    while following < container.stop:
        start, end = starts[following], ends[following]
        if start >= end:
            break
        first = text[start]
        if not first.isalpha():
            columns, after = leading_columns(text, start, end) if first in " \t" else (0, start)
            if after >= end or (columns < TAB and state.interrupts(following, container)):
                break
        following += 1
    return following


def read_underlined(state: ParserState, line: int, level: int, container: Container) -> int:
    """Read a heading whose next line underlines it (rule 65)."""
    start, end = state.starts[line], state.ends[line]
    state.scan(line, line + 1)
    if not container.depth:
        heading = state.text[start:end].strip(SPACE)
        state.headings.append(Heading(start, state.ends[line + 1], level, heading))
    return state.section("heading", line, line + 2, container)


def _read_heading(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read a heading that begins with `#` (rule 65)."""
    start, end = state.starts[line], state.ends[line]
    begin = title.end() if (title := _TITLE_START.match(state.text, start, end)) else start
    scan_inline(state.text, begin, end, state.inline)
    if not container.depth:
        heading = state.text[begin:end].rstrip(SPACE)
        if heading.endswith("#") and (marks := _TITLE_MARKS.search(heading)):
            heading = heading[: marks.start()]
        state.headings.append(Heading(start, end, mark.end - mark.start, heading.strip(SPACE)))
    return state.section("heading", line, line + 1, container)


def _read_rule(state: ParserState, line: int, _mark: LineMark, container: Container) -> int:
    """Read a line across the page."""
    return state.section("thematicBreak", line, line + 1, container)


def _read_fenced_code(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read code between fences, or to the end of its container."""
    fence = state.text[mark.start : mark.end]
    following = line + 1
    while following < container.stop:
        closing = _FENCE_END.match(state.text, state.starts[following], state.ends[following])
        following += 1
        if closing is not None and closing[1].startswith(fence):
            break
    state.code.append(range(line, following))
    return state.section("code", line, following, container)


def _read_indented_code(state: ParserState, line: int, _mark: LineMark, container: Container) -> int:
    """Read code that is indented by four columns."""
    following = last = line + 1
    while following < container.stop:
        start, end = state.starts[following], state.ends[following]
        if state.text.startswith(("    ", "\t"), start, end):
            last = following + 1
        elif leading_columns(state.text, start, end)[1] < end:
            break
        following += 1
    return state.section("code", line, last, container)


def _read_math(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read mathematics between `$$`, or to the end of its container (rule 26)."""
    if not state.opens_math(line, mark.start, container):
        return _read_paragraph(state, line, mark, container)
    following = line + 1
    while following < container.stop:
        body = state.text[state.starts[following] : state.ends[following]].rstrip(" ")
        following += 1
        if body.endswith("$"):
            content = body.rstrip("$")
            if len(body) - len(content) >= mark.end - mark.start and "$" not in content:
                break
    return state.section("math", line, following, container)


def _read_comment(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read a comment between `%%`: its links and tags count, its structure does not (rule 27)."""
    text, starts, ends = state.text, state.starts, state.ends
    closing = text.find("%%", mark.end, ends[line])
    if closing >= 0 and text[closing + 2 : ends[line]].strip(" \t"):
        return _read_paragraph(state, line, mark, container)
    following = line + 1
    while closing < 0 and following < container.stop:
        closing = text.find("%%", starts[following], ends[following])
        following += 1
    scan_inline(text, mark.end, ends[following - 1], state.inline)
    return state.section("comment", line, following, container)


def _read_html(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read a block of HTML, in which nothing is parsed (rule 26)."""
    text, starts, ends = state.text, state.starts, state.ends
    if level := state.underlined(line, container):
        return read_underlined(state, line, level, container)
    block = html_block(text, mark.start, ends[line])
    if block is None:
        return _read_paragraph(state, line, mark, container)
    closing, _ = block
    following = line + 1
    if not closing.search(text[mark.start : ends[line]]):
        while following < container.stop:
            body = text[starts[following] : ends[following]]
            if closing.search(body):
                following += bool(body)  # a blank line ends a block without being part of it
                break
            following += 1
    if not _OPAQUE_HTML.match(text, mark.start):
        scan_anchors(text, mark.start, ends[following - 1], state.inline)
    return state.section("html", line, following, container)


def _table_end(state: ParserState, line: int, container: Container) -> int:
    """Read the table that begins here; return the line after it, or the same line if there is none."""
    text, starts, ends = state.text, state.starts, state.ends
    below = line + 1
    if text.find("|", starts[line], ends[line]) < 0 or text.find("|", starts[below], ends[below]) < 0:
        return line
    if not _DELIMITERS.match(text, starts[below], ends[below]):
        return line
    following = line
    while following < container.stop and text.find("|", starts[following], ends[following]) >= 0:
        state.scan(following, following + 1)
        following += 1
    return following


LEAF_READERS: Final[Mapping[int, BlockReader]] = {
    TEXT: _read_paragraph,
    HEADING: _read_heading,
    RULE: _read_rule,
    INDENTED: _read_indented_code,
} | {FENCE: _read_fenced_code, MATH: _read_math, HTML: _read_html, COMMENT: _read_comment}
"""The readers of blocks that hold no others."""

"""Blocks that hold no other blocks. Each reader takes the block's first line and returns the line after it."""

import re

from bridge.notes import lines
from bridge.notes.html import html_block
from bridge.notes.inline import scan_inline
from bridge.notes.lines import Mark, leading_columns
from bridge.notes.note import Heading
from bridge.notes.parser_state import Container, ParserState

_DELIMITERS = re.compile(r"[ \t]*+\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+\Z")
_DEFINITION = re.compile(
    r"[ \t]*+\[(?!\^)(?:[^\]\\\n]|\\.)++\]:[ \t]*+(?:<[^>\[\]\n]*+>|[^\s\[\]]++)"
    r"(?:[ \t]++(?:\"[^\"]*+\"|'[^']*+'|\([^)]*+\)))?+[ \t]*+\Z"
)
_MAX_LABEL = 1024
_FENCE_END = re.compile(r" {0,3}+(`{3,}+|~{3,}+)[ \t]*+\Z")
_TITLE_START = re.compile(r"[ \t]*+#{1,6}+[ \t]*+")
_TITLE_MARKS = re.compile(r"(?:\A|[ \t]++)#++\Z")


def read_paragraph(structure: ParserState, line: int, container: Container) -> int:
    """A paragraph, or what only its second line tells from one: a heading that is underlined, a table."""
    text, starts, ends = structure.text, structure.starts, structure.ends
    following = line + 1
    if following < container.stop:
        below = text[starts[following] : starts[following] + 1]
        if below and below in "=-|: \t":
            if level := structure.underlined(line, container):
                return read_underlined(structure, line, level, container)
            if (after := _table_end(structure, line, container)) > line:
                structure.section("table", line, after, container)
                return after
    if _is_definition(text, starts[line], ends[line]):
        structure.section("definition", line, following, container)
        return following
    following = _paragraph_end(structure, following, container)
    start, end = starts[line], ends[following - 1]
    scan_inline(text, start, end, structure.found)
    if not container.depth:
        structure.section("paragraph", line, following, container)
        name = structure.block_id(start, end)
        if name is not None:
            structure.name_last_section(name, start if text[start:end].strip() == f"^{name}" else -1)
    return following


def _is_definition(text: str, start: int, end: int) -> bool:
    """Whether a line says where a reference leads (`[label]: address`)."""
    if text[start] not in "[ \t" or text.find("]:", start, min(end, start + _MAX_LABEL)) < 0:
        return False
    return _DEFINITION.match(text, start, end) is not None


def _paragraph_end(structure: ParserState, following: int, container: Container) -> int:
    text, starts, ends = structure.text, structure.starts, structure.ends
    while following < container.stop:
        start, end = starts[following], ends[following]
        if start >= end:
            break
        first = text[start]
        if not first.isalpha():
            columns, after = leading_columns(text, start, end) if first in " \t" else (0, start)
            if after >= end or (columns < lines.TAB and structure.interrupts(following, container)):
                break
        following += 1
    return following


def read_underlined(structure: ParserState, line: int, level: int, container: Container) -> int:
    """A heading whose next line underlines it (rule 65)."""
    start, end = structure.starts[line], structure.ends[line]
    structure.scan(line, line + 1)
    if not container.depth:
        heading = structure.text[start:end].strip(" \t")
        structure.headings.append(Heading(start, structure.ends[line + 1], level, heading))
        structure.section("heading", line, line + 2, container)
    return line + 2


def read_heading(structure: ParserState, line: int, mark: Mark, container: Container) -> int:
    """A heading that begins with `#` (rule 65)."""
    start, end = structure.starts[line], structure.ends[line]
    title = _TITLE_START.match(structure.text, start, end)
    begin = title.end() if title else start
    scan_inline(structure.text, begin, end, structure.found)
    if not container.depth:
        heading = structure.text[begin:end].rstrip(" \t")
        if heading.endswith("#") and (marks := _TITLE_MARKS.search(heading)):
            heading = heading[: marks.start()]
        structure.headings.append(Heading(start, end, mark.end - mark.start, heading))
        structure.section("heading", line, line + 1, container)
    return line + 1


def read_rule(structure: ParserState, line: int, _mark: Mark, container: Container) -> int:
    """A line across the page."""
    structure.section("thematicBreak", line, line + 1, container)
    return line + 1


def read_fenced_code(structure: ParserState, line: int, mark: Mark, container: Container) -> int:
    """Code between fences, or to the end of its container."""
    fence = structure.text[mark.start : mark.end]
    following = line + 1
    while following < container.stop:
        closing = _FENCE_END.match(structure.text, structure.starts[following], structure.ends[following])
        following += 1
        if closing is not None and closing[1].startswith(fence):
            break
    structure.section("code", line, following, container)
    return following


def read_indented_code(structure: ParserState, line: int, _mark: Mark, container: Container) -> int:
    """Code that is indented by four columns."""
    following = last = line + 1
    while following < container.stop:
        start, end = structure.starts[following], structure.ends[following]
        if structure.text.startswith(("    ", "\t"), start, end):
            last = following + 1
        elif leading_columns(structure.text, start, end)[1] < end:
            break
        following += 1
    structure.section("code", line, last, container)
    return last


def read_math(structure: ParserState, line: int, mark: Mark, container: Container) -> int:
    """Mathematics between `$$`, or to the end of its container (rule 26)."""
    if not structure.opens_math(line, mark.start, container):
        return read_paragraph(structure, line, container)
    following = line + 1
    while following < container.stop:
        body = structure.text[structure.starts[following] : structure.ends[following]].rstrip(" ")
        following += 1
        if body.endswith("$"):
            content = body.rstrip("$")
            if len(body) - len(content) >= mark.end - mark.start and "$" not in content:
                break
    structure.section("math", line, following, container)
    return following


def read_comment(structure: ParserState, line: int, mark: Mark, container: Container) -> int:
    """A comment between `%%`: its links and tags count, its structure does not (rule 27)."""
    text, starts, ends = structure.text, structure.starts, structure.ends
    closing = text.find("%%", mark.end, ends[line])
    if closing >= 0 and text[closing + 2 : ends[line]].strip(" \t"):
        return read_paragraph(structure, line, container)
    following = line + 1
    while closing < 0 and following < container.stop:
        closing = text.find("%%", starts[following], ends[following])
        following += 1
    scan_inline(text, mark.end, ends[following - 1], structure.found)
    structure.section("comment", line, following, container)
    return following


def read_html(structure: ParserState, line: int, mark: Mark, container: Container) -> int:
    """A block of HTML, in which nothing is parsed (rule 26)."""
    text, starts, ends = structure.text, structure.starts, structure.ends
    if level := structure.underlined(line, container):
        return read_underlined(structure, line, level, container)
    block = html_block(text, mark.start, ends[line])
    if block is None:
        return read_paragraph(structure, line, container)
    closing, _ = block
    following = line + 1
    if not closing.search(text[mark.start : ends[line]]):
        while following < container.stop:
            body = text[starts[following] : ends[following]]
            if closing.search(body):
                following += bool(body)  # a blank line ends a block without being part of it
                break
            following += 1
    structure.section("html", line, following, container)
    return following


def _table_end(structure: ParserState, line: int, container: Container) -> int:
    """The line after the table that begins here, its rows read; the same line when none does."""
    text, starts, ends = structure.text, structure.starts, structure.ends
    below = line + 1
    if text.find("|", starts[line], ends[line]) < 0 or text.find("|", starts[below], ends[below]) < 0:
        return line
    if not _DELIMITERS.match(text, starts[below], ends[below]):
        return line
    following = line
    while following < container.stop and text.find("|", starts[following], ends[following]) >= 0:
        structure.scan(following, following + 1)
        following += 1
    return following

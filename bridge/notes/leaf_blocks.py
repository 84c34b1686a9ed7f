"""Blocks that hold no other blocks. The rules are those of docs/obsidian.md."""

import re

from bridge.notes.inline import scan_anchors, scan_inline
from bridge.notes.literal_spans import html_block
from bridge.notes.note import Heading, Link
from bridge.notes.parser_state import TAB, Container, LineMark, ParserState, leading_columns
from bridge.notes.syntax import DEFINITION, SPACE, decode_destination, is_external

_DELIMITERS = re.compile(r"[ \t]*+\|?+[ \t]*+:?+-++:?+[ \t]*+(?>\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+\Z")
_MAX_LABEL = 1024
_OPAQUE_HTML = re.compile(r"<(?:[!?]|(?:script|pre|style)\b)", re.IGNORECASE)
_FENCE_END = re.compile(r" {0,3}+(`{3,}+|~{3,}+)[ \t]*+\Z")
_TITLE_START = re.compile(r"[ \t]*+#{1,6}+[ \t]*+")
_TITLE_MARKS = re.compile(r"(?:\A|[ \t]++)#++\Z")


def read_paragraph(state: ParserState, line: int, _mark: LineMark, container: Container) -> int:
    """Read a paragraph, or what only its second line distinguishes from one: an underlined heading, a table."""
    text, starts, ends = state.text, state.starts, state.ends
    following = line + 1
    if following < container.stop:
        below = text[starts[following] : starts[following] + 1]
        if below and below in "=-|: \t":
            if level := state.underlined(line, container):
                return read_underlined(state, line, level, container)
            if (after := _table_end(state, line, container)) > line:
                state.section("table", line, after, container)
                return after
    if _read_definition(state, starts[line], ends[line]):
        state.section("definition", line, following, container)
        return following
    following = _paragraph_end(state, following, container)
    start, end = starts[line], ends[following - 1]
    scan_inline(text, start, end, state.inline)
    if not container.depth:
        state.section("paragraph", line, following, container)
        name = state.block_id(start, end)
        if name is not None:
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
        state.section("heading", line, line + 2, container)
    return line + 2


def read_heading(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read a heading that begins with `#` (rule 65)."""
    start, end = state.starts[line], state.ends[line]
    title = _TITLE_START.match(state.text, start, end)
    begin = title.end() if title else start
    scan_inline(state.text, begin, end, state.inline)
    if not container.depth:
        heading = state.text[begin:end].rstrip(SPACE)
        if heading.endswith("#") and (marks := _TITLE_MARKS.search(heading)):
            heading = heading[: marks.start()]
        state.headings.append(Heading(start, end, mark.end - mark.start, heading.strip(SPACE)))
        state.section("heading", line, line + 1, container)
    return line + 1


def read_rule(state: ParserState, line: int, _mark: LineMark, container: Container) -> int:
    """Read a line across the page."""
    state.section("thematicBreak", line, line + 1, container)
    return line + 1


def read_fenced_code(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read code between fences, or to the end of its container."""
    fence = state.text[mark.start : mark.end]
    following = line + 1
    while following < container.stop:
        closing = _FENCE_END.match(state.text, state.starts[following], state.ends[following])
        following += 1
        if closing is not None and closing[1].startswith(fence):
            break
    state.code.append(range(line, following))
    state.section("code", line, following, container)
    return following


def read_indented_code(state: ParserState, line: int, _mark: LineMark, container: Container) -> int:
    """Read code that is indented by four columns."""
    following = last = line + 1
    while following < container.stop:
        start, end = state.starts[following], state.ends[following]
        if state.text.startswith(("    ", "\t"), start, end):
            last = following + 1
        elif leading_columns(state.text, start, end)[1] < end:
            break
        following += 1
    state.section("code", line, last, container)
    return last


def read_math(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read mathematics between `$$`, or to the end of its container (rule 26)."""
    if not state.opens_math(line, mark.start, container):
        return read_paragraph(state, line, mark, container)
    following = line + 1
    while following < container.stop:
        body = state.text[state.starts[following] : state.ends[following]].rstrip(" ")
        following += 1
        if body.endswith("$"):
            content = body.rstrip("$")
            if len(body) - len(content) >= mark.end - mark.start and "$" not in content:
                break
    state.section("math", line, following, container)
    return following


def read_comment(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read a comment between `%%`: its links and tags count, its structure does not (rule 27)."""
    text, starts, ends = state.text, state.starts, state.ends
    closing = text.find("%%", mark.end, ends[line])
    if closing >= 0 and text[closing + 2 : ends[line]].strip(" \t"):
        return read_paragraph(state, line, mark, container)
    following = line + 1
    while closing < 0 and following < container.stop:
        closing = text.find("%%", starts[following], ends[following])
        following += 1
    scan_inline(text, mark.end, ends[following - 1], state.inline)
    state.section("comment", line, following, container)
    return following


def read_html(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read a block of HTML, in which nothing is parsed (rule 26)."""
    text, starts, ends = state.text, state.starts, state.ends
    if level := state.underlined(line, container):
        return read_underlined(state, line, level, container)
    block = html_block(text, mark.start, ends[line])
    if block is None:
        return read_paragraph(state, line, mark, container)
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
    state.section("html", line, following, container)
    return following


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

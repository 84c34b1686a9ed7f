"""Quotes, callouts and footnotes: containers whose lines lose a mark or an indentation."""

import re

from bridge.notes import lines
from bridge.notes.leaf_blocks import read_underlined
from bridge.notes.lines import Mark, leading_columns
from bridge.notes.note import Section
from bridge.notes.parser_state import MAX_DEPTH, Container, ParserState

_CALLOUT = re.compile(r"[ \t]*+\[![^\]\n]++\]")


def read_quote(structure: ParserState, line: int, mark: Mark, container: Container) -> int:
    """A quote, or a callout, which is a quote that begins with `[!type]` (rule 70); returns the line after it."""
    text, starts, ends = structure.text, structure.starts, structure.ends
    following, moved = line, list[tuple[int, int]]()
    while following < container.stop:
        start, end = starts[following], ends[following]
        _, after = leading_columns(text, start, end)
        if after >= end:
            break
        if text[after] == ">":
            moved.append((following, after + 2 if text.startswith(" ", after + 1, end) else after + 1))
        elif _ends_quote(structure, following, container):
            break
        following += 1
    start, end = starts[line], ends[following - 1]
    callout = _CALLOUT.match(text, mark.end, ends[line]) is not None
    if not container.depth:
        structure.sections.append(Section(start, end, "callout" if callout else "blockquote"))
        if (name := structure.block_id(start, end)) is not None:
            structure.name_last_section(name)
    _read_inside(structure, line, following, moved, container)
    return following


def _ends_quote(structure: ParserState, line: int, container: Container) -> bool:
    """Whether a line without a mark, which else goes on with the quote's last paragraph, begins something new."""
    if structure.text.startswith(("    ", "\t"), structure.starts[line]):
        return True
    return structure.interrupts(line, container) or structure.underlined(line, container) > 0


def read_footnote(structure: ParserState, line: int, mark: Mark, container: Container) -> int:
    """The text of a footnote: `[^1]: text` and the indented lines below; returns the line after it."""
    if level := structure.underlined(line, container):
        return read_underlined(structure, line, level, container)
    starts, ends = structure.starts, structure.ends
    following = stop = line + 1
    moved = [(line, mark.end)]
    while following < container.stop:
        columns, after = leading_columns(structure.text, starts[following], ends[following])
        if after < ends[following]:
            if columns < lines.TAB and (stop < following or _ends_footnote(structure, following, container)):
                break
            moved.append((following, after if columns <= lines.TAB else starts[following] + lines.TAB))
            stop = following + 1
        following += 1
    structure.section("footnoteDefinition", line, stop, container)
    _read_inside(structure, line, stop, moved, container)
    return stop


def _ends_footnote(structure: ParserState, line: int, container: Container) -> bool:
    if structure.interrupts(line, container) or structure.underlined(line, container):
        return True
    return structure.mark(line).kind == lines.FOOTNOTE


def _read_inside(
    structure: ParserState, line: int, stop: int, moved: list[tuple[int, int]], container: Container
) -> None:
    for each, begin in moved:
        structure.starts[each] = begin
    if container.depth < MAX_DEPTH:
        structure.read(line, Container(stop, container.depth + 1, container.parent))
    else:
        structure.scan(line, stop)

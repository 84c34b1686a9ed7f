"""Blocks that hold other blocks: lists (rule 71 of docs/obsidian.md), quotes, callouts and footnotes.

Which lines belong to a list item, and how much of their indentation it takes; which mark the lines of a quote lose.
"""

import re
from dataclasses import dataclass

from bridge.notes.leaf_blocks import read_underlined
from bridge.notes.note import BlockId, ListItem, Section
from bridge.notes.parser_state import (
    FENCE,
    FOOTNOTE,
    HEADING,
    MAX_DEPTH,
    RULE,
    TAB,
    Container,
    LineMark,
    ParserState,
    leading_columns,
)
from bridge.notes.work import STEPS_OF_A_FIND

_MARK = re.compile(r"([*+-]|([0-9]++)[.)])(?=[ \t]|\Z)")
_NEAR_MARK = re.compile(r"[*+-]|[0-9]++[.)]")
_GAP = re.compile(r" {1,4}+(?! )| |\t|")
_TASK = re.compile(r"\[([^\n])\][ \t]")
_INTERRUPTS = frozenset({HEADING, FENCE, RULE})


@dataclass(slots=True)
class _Item:
    """Lines of one item: the first, one past the last, and whether a blank line parts it from the next item."""

    first: int
    stop: int
    indent: int
    trailed: bool = False


def read_list(state: ParserState, line: int, _mark: LineMark, container: Container) -> int:
    """Read the list that begins in a line; return the line after it."""
    items = _items(state, line, container.stop)
    following = items[-1].stop
    state.spend_lines(line, following)
    state.section("list", line, following, container)
    if container.depth >= MAX_DEPTH:
        state.scan(line, following)
        return following
    parent = container.parent if container.parent >= 0 else -line or -1
    for item in items:
        _read_item(state, item, container.depth, parent)
    return following


def _items(state: ParserState, line: int, stop: int) -> list[_Item]:
    """Share out the lines among the items, until one does not belong to the list."""
    text, starts, ends = state.text, state.starts, state.ends
    items: list[_Item] = []
    marker = ""
    blank = False
    pending = False  # blank lines that belong to nobody yet
    for current in range(line, stop):
        columns, after = leading_columns(text, starts[current], ends[current])
        after_blank, blank = blank, after >= ends[current]
        if items and columns >= items[-1].indent:
            items[-1].stop, pending = current + 1, False
            continue
        mark = None if blank else _MARK.match(text, after, ends[current])
        if mark is not None:
            if not items:
                marker = mark[1][-1]
            elif mark[1][-1] != marker or state.mark(current).kind == RULE:
                break
            state.work.spend(STEPS_OF_A_FIND)
            if pending:
                items[-1].trailed = True
            items.append(_Item(current, current + 1, _content_column(text, columns, mark, ends[current])))
            pending = False
        elif _claimed(text, columns, after, ends[current], items[-1].indent):
            items[-1].stop, pending = current + 1, False
        elif blank:
            pending = True
        elif after_blank or state.mark(current).kind in _INTERRUPTS:
            break
        else:
            items[-1].stop, pending = current + 1, False
    return items


def _claimed(text: str, columns: int, after: int, end: int, indent: int) -> bool:
    """Return whether a line is indented enough for the item before it; what looks like a mark counts too."""
    near = _NEAR_MARK.match(text, after, end)
    if near is not None:
        columns += len(near[0])
    return columns >= indent or columns > TAB


def _content_column(text: str, columns: int, mark: re.Match[str], end: int) -> int:
    """Return the column from which a later line belongs to an item, whatever it begins with."""
    columns += len(mark[1])
    gap = _GAP.match(text, mark.end(1), end)
    if gap is not None and gap[0] == "\t":
        return columns + TAB - columns % TAB
    return columns + (len(gap[0]) if gap else 0)


def _read_item(state: ParserState, item: _Item, depth: int, parent: int) -> None:
    text, starts, ends = state.text, state.starts, state.ends
    start = starts[item.first]
    end = starts[item.stop] if item.trailed else ends[item.stop - 1]
    content = _enter(state, item)
    task = _TASK.match(text, content, ends[item.first])
    if task is not None:
        content = task.end()
    starts[item.first] = content
    place = len(state.list_items)
    state.list_items.append(ListItem(start, end, parent, task[1] if task else None))
    own = state.read(item.first, Container(item.stop, depth + 1, item.first))
    if own >= 0:
        end = own
    name = state.block_id(content, end)
    if name is not None:
        state.blocks.append(BlockId(start, end, name))
    if own >= 0 or name is not None:
        state.list_items[place] = state.list_items[place]._replace(end=end, id=name)


def _enter(state: ParserState, item: _Item) -> int:
    """Move the lines of an item behind its mark and indentation; returns where its first line's content begins.

    All its lines lose the same: what the line with the least has, and at most the width of the mark. When one line
    has none, none loses any.
    """
    text, starts, ends = state.text, state.starts, state.ends
    first = starts[item.first]
    _, after = leading_columns(text, first, ends[item.first])
    mark = _MARK.match(text, after, ends[item.first])
    gap = _GAP.match(text, mark.end(1), ends[item.first]) if mark else None
    content = gap.end() if gap else after
    if mark is None or item.stop == item.first + 1:
        return content
    state.spend_lines(item.first, item.stop)
    width = _width(text[first : mark.end(1)], text[mark.end(1) : content], mark)
    for line in range(item.first + 1, item.stop):
        columns, after = leading_columns(text, starts[line], ends[line])
        if after < ends[line] and columns < width:
            if not columns:
                return content
            width = columns
    for line in range(item.first + 1, item.stop):
        starts[line] = _without_columns(text, starts[line], ends[line], width)
    return content


def _width(before: str, gap: str, mark: re.Match[str]) -> int:
    """Return the columns that an item's mark takes. Numbers below ten get one more when that makes the width even."""
    padded = mark[1][-1] == "." and len(mark[2].lstrip("0")) <= 1
    indent = before[: -len(mark[1])]
    columns, _ = leading_columns(indent, 0, len(indent))
    columns += len(mark[1]) + (padded and len(before + gap) % 2 == 1)
    for space in gap:
        columns += 1 if space == " " else TAB - columns % TAB
    return columns


def _without_columns(text: str, start: int, end: int, width: int) -> int:
    if text.find("\t", start, start + width) < 0:
        return leading_columns(text, start, min(end, start + width))[1]
    columns = 0
    while columns < width and start < end and text[start] in " \t":
        columns += 1 if text[start] == " " else TAB - columns % TAB
        start += 1
    return start


_CALLOUT = re.compile(r"[ \t]*+\[![^\]\n]++\]")


def read_quote(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read a quote, or a callout, which is a quote that begins with `[!type]` (rule 70); return the line after it."""
    text, starts, ends = state.text, state.starts, state.ends
    following, moved = line, list[tuple[int, int]]()
    while following < container.stop:
        start, end = starts[following], ends[following]
        _, after = leading_columns(text, start, end)
        if after >= end:
            break
        if text[after] == ">":
            moved.append((following, after + 2 if text.startswith(" ", after + 1, end) else after + 1))
        elif _ends_quote(state, following, container):
            break
        following += 1
    state.spend_lines(line, following)
    start, end = starts[line], ends[following - 1]
    callout = _CALLOUT.match(text, mark.end, ends[line]) is not None
    if not container.depth:
        state.sections.append(Section(start, end, "callout" if callout else "blockquote"))
        if (name := state.block_id(start, end)) is not None:
            state.name_last_section(name)
    _read_inside(state, line, following, moved, container)
    return following


def _ends_quote(state: ParserState, line: int, container: Container) -> bool:
    """Return whether an unmarked line begins something new, instead of continuing the quote's last paragraph."""
    if state.text.startswith(("    ", "\t"), state.starts[line]):
        return True
    return state.interrupts(line, container) or state.underlined(line, container) > 0


def read_footnote(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read the text of a footnote: `[^1]: text` and the indented lines below; return the line after it."""
    if level := state.underlined(line, container):
        return read_underlined(state, line, level, container)
    starts, ends = state.starts, state.ends
    following = stop = line + 1
    moved = [(line, mark.end)]
    while following < container.stop:
        columns, after = leading_columns(state.text, starts[following], ends[following])
        if after < ends[following]:
            if columns < TAB and (stop < following or _ends_footnote(state, following, container)):
                break
            moved.append((following, after if columns <= TAB else starts[following] + TAB))
            stop = following + 1
        following += 1
    state.section("footnoteDefinition", line, stop, container)
    _read_inside(state, line, stop, moved, container)
    return stop


def _ends_footnote(state: ParserState, line: int, container: Container) -> bool:
    if state.interrupts(line, container) or state.underlined(line, container):
        return True
    return state.mark(line).kind == FOOTNOTE


def _read_inside(state: ParserState, line: int, stop: int, moved: list[tuple[int, int]], container: Container) -> None:
    for each, begin in moved:
        state.starts[each] = begin
    if container.depth < MAX_DEPTH:
        state.read(line, Container(stop, container.depth + 1, container.parent))
    else:
        state.scan(line, stop)

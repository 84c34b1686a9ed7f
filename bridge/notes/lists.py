"""Lists and their items (rule 71): which lines belong to which item, and how much of their indentation it takes."""

import re
from dataclasses import dataclass

from bridge.notes import lines
from bridge.notes.lines import TAB, Mark, leading_columns
from bridge.notes.note import Block, ListItem
from bridge.notes.parser_state import MAX_DEPTH, Container, ParserState

_MARK = re.compile(r"([*+-]|([0-9]++)[.)])(?=[ \t]|\Z)")
_NEAR_MARK = re.compile(r"[*+-]|[0-9]++[.)]")
_GAP = re.compile(r" {1,4}+(?! )| |\t|")
_TASK = re.compile(r"\[([^\n])\][ \t]")
_INTERRUPTS = frozenset({lines.HEADING, lines.FENCE, lines.RULE})


@dataclass(slots=True)
class _Item:
    """Lines of one item: the first, one past the last, and whether a blank line parts it from the next item."""

    first: int
    stop: int
    indent: int
    trailed: bool = False


def read_list(structure: ParserState, line: int, _mark: Mark, container: Container) -> int:
    """The list that begins in a line; returns the line after it."""
    items = _items(structure, line, container.stop)
    following = items[-1].stop
    structure.section("list", line, following, container)
    if container.depth >= MAX_DEPTH:
        structure.scan(line, following)
        return following
    parent = container.parent if container.parent >= 0 else -line or -1
    for item in items:
        _read_item(structure, item, container.depth, parent)
    return following


def _items(structure: ParserState, line: int, stop: int) -> list[_Item]:
    """Share out the lines among the items, until one does not belong to the list."""
    text, starts, ends = structure.text, structure.starts, structure.ends
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
            elif mark[1][-1] != marker or structure.mark(current).kind == lines.RULE:
                break
            if pending:
                items[-1].trailed = True
            items.append(_Item(current, current + 1, _content_column(text, columns, mark, ends[current])))
            pending = False
        elif _claimed(text, columns, after, ends[current], items[-1].indent):
            items[-1].stop, pending = current + 1, False
        elif blank:
            pending = True
        elif after_blank or structure.mark(current).kind in _INTERRUPTS:
            break
        else:
            items[-1].stop, pending = current + 1, False
    return items


def _claimed(text: str, columns: int, after: int, end: int, indent: int) -> bool:
    """Whether a line is indented enough for the item before it; what looks like a mark counts as indentation."""
    near = _NEAR_MARK.match(text, after, end)
    if near is not None:
        columns += len(near[0])
    return columns >= indent or columns > TAB


def _content_column(text: str, columns: int, mark: re.Match[str], end: int) -> int:
    """The column from which a later line belongs to an item, whatever it begins with."""
    columns += len(mark[1])
    gap = _GAP.match(text, mark.end(1), end)
    if gap is not None and gap[0] == "\t":
        return columns + TAB - columns % TAB
    return columns + (len(gap[0]) if gap else 0)


def _read_item(structure: ParserState, item: _Item, depth: int, parent: int) -> None:
    text, starts, ends = structure.text, structure.starts, structure.ends
    start = starts[item.first]
    end = starts[item.stop] if item.trailed else ends[item.stop - 1]
    content = _enter(structure, item)
    task = _TASK.match(text, content, ends[item.first])
    if task is not None:
        content = task.end()
    starts[item.first] = content
    place = len(structure.list_items)
    structure.list_items.append(ListItem(start, end, parent, task[1] if task else None))
    own = structure.read(item.first, Container(item.stop, depth + 1, item.first))
    if own >= 0:
        end = own
    name = structure.block_id(content, end)
    if name is not None:
        structure.blocks.append(Block(start, end, name))
    if own >= 0 or name is not None:
        structure.list_items[place] = structure.list_items[place]._replace(end=end, id=name)


def _enter(structure: ParserState, item: _Item) -> int:
    """Move the lines of an item behind its mark and indentation; returns where its first line's content begins.

    All its lines lose the same: what the line with the least has, and at most the width of the mark. When one line
    has none, none loses any.
    """
    text, starts, ends = structure.text, structure.starts, structure.ends
    first = starts[item.first]
    _, after = leading_columns(text, first, ends[item.first])
    mark = _MARK.match(text, after, ends[item.first])
    gap = _GAP.match(text, mark.end(1), ends[item.first]) if mark else None
    content = gap.end() if gap else after
    if mark is None or item.stop == item.first + 1:
        return content
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
    """The columns that an item's mark takes. Numbers below ten get one more when that makes the width even."""
    padded = mark[1][-1] == "." and len(mark[2].lstrip("0")) <= 1
    indent = before[: -len(mark[1])]
    columns, _ = leading_columns(indent, 0, len(indent))
    columns += len(mark[1]) + (padded and len(before + gap) % 2 == 1)
    for space in gap:
        columns += 1 if space == " " else TAB - columns % TAB
    return columns


def _without_columns(text: str, start: int, end: int, width: int) -> int:
    columns = 0
    while columns < width and start < end and text[start] in " \t":
        columns += 1 if text[start] == " " else TAB - columns % TAB
        start += 1
    return start

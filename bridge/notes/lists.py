"""Lists and their items (rule 71): which lines belong to which item, and how much of their indentation it takes."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.notes import lines
from bridge.notes.inline import scan_inline
from bridge.notes.note import Block, ListItem, Section

if TYPE_CHECKING:
    from bridge.notes.blocks import Structure

_TAB = 4
_MARK = re.compile(r"([*+-]|(\d++)[.)])(?=[ \t]|\Z)")
_GAP = re.compile(r" {1,4}+(?! )| |\t|")
_TASK = re.compile(r"\[([^\n])\][ \t]")
_INTERRUPTS = frozenset({lines.HEADING, lines.FENCE, lines.MATH, lines.RULE})


def leading_columns(text: str, start: int, end: int) -> tuple[int, int]:
    """How many columns of white space lead a line, and where they end; a tab reaches to the next multiple of four."""
    columns = 0
    while start < end:
        mark = text[start]
        if mark == " ":
            columns += 1
        elif mark == "\t":
            columns += _TAB - columns % _TAB
        else:
            break
        start += 1
    return columns, start


@dataclass(slots=True)
class _Item:
    """Lines of one item: the first, one past the last, and whether a blank line parts it from the next item."""

    first: int
    stop: int
    indent: int
    trailed: bool = False


def read_list(structure: "Structure", line: int, stop: int, depth: int, parent: int) -> int:
    """Read the list that begins in a line.

    Args:
        structure: Where the note is read.
        line: The first line.
        stop: One past the last line of the container.
        depth: How many containers the list is in.
        parent: The line of the item it is in; -1 outside lists.

    Returns:
        One past its last line.
    """
    items = _items(structure, line, stop)
    following = items[-1].stop
    start, end = structure.starts[line], structure.ends[following - 1]
    if not depth and structure.outline:
        structure.sections.append(Section(start, end, "list"))
    if depth >= structure.max_depth:
        scan_inline(structure.text, start, end, structure.found)
        return following
    if parent < 0:
        parent = -line or -1
    for item in items:
        _read_item(structure, item, depth, parent)
    return following


def _items(structure: "Structure", line: int, stop: int) -> list[_Item]:
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
            elif mark[1][-1] != marker or _is_rule(structure, current):
                break
            if pending:
                items[-1].trailed = True
            items.append(_Item(current, current + 1, _content_column(text, columns, mark, ends[current])))
            pending = False
        elif columns > _TAB:
            items[-1].stop, pending = current + 1, False
        elif blank:
            pending = True
        elif after_blank or _interrupts(structure, current):
            break
        else:
            items[-1].stop, pending = current + 1, False
    return items


def _content_column(text: str, columns: int, mark: re.Match[str], end: int) -> int:
    """The column from which a later line belongs to an item, whatever it begins with."""
    columns += len(mark[1])
    gap = _GAP.match(text, mark.end(1), end)
    if gap is not None and gap[0] == "\t":
        return columns + _TAB - columns % _TAB
    return columns + (len(gap[0]) if gap else 0)


def _is_rule(structure: "Structure", line: int) -> bool:
    match = lines.BEGIN.match(structure.text, structure.starts[line], structure.ends[line])
    return match is not None and match.lastindex == lines.RULE


def _interrupts(structure: "Structure", line: int) -> bool:
    match = lines.BEGIN.match(structure.text, structure.starts[line], structure.ends[line])
    return match is not None and match.lastindex in _INTERRUPTS


def _read_item(structure: "Structure", item: _Item, depth: int, parent: int) -> None:
    text, starts, ends = structure.text, structure.starts, structure.ends
    start = starts[item.first]
    end = starts[item.stop] if item.trailed else ends[item.stop - 1]
    content = _enter(structure, item)
    task = _TASK.match(text, content, ends[item.first])
    if task is not None:
        content = task.end()
    starts[item.first] = content
    place = len(structure.list_items)
    if structure.outline:
        structure.list_items.append(ListItem(start, end, parent, task[1] if task else None))
    own = structure.read(item.first, item.stop, depth + 1, item.first)
    if own >= 0:
        end = own
    name = structure.block_id(content, end)
    if name is not None:
        structure.blocks.append(Block(start, end, name))
    if structure.outline and (own >= 0 or name is not None):
        structure.list_items[place] = structure.list_items[place]._replace(end=end, id=name)


def _enter(structure: "Structure", item: _Item) -> int:
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
    padded = mark[2] is not None and mark[1][-1] == "." and len(mark[2]) < 10 and int(mark[2]) < 10
    indent = before[: -len(mark[1])]
    columns, _ = leading_columns(indent, 0, len(indent))
    columns += len(mark[1]) + (padded and len(before + gap) % 2 == 1)
    for space in gap:
        columns += 1 if space == " " else _TAB - columns % _TAB
    return columns


def _without_columns(text: str, start: int, end: int, width: int) -> int:
    columns = 0
    while columns < width and start < end and text[start] in " \t":
        columns += 1 if text[start] == " " else _TAB - columns % _TAB
        start += 1
    return start

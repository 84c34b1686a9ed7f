"""One note, parsed as Obsidian parses it (rules 12 to 30 and 46 to 71 of docs/obsidian.md), and the bases in it.

Blocks that hold other blocks are read here: lists (rule 71), quotes, callouts and footnotes. That means: which lines
belong to a list item, and how much of their indentation it takes; which mark the lines of a quote lose.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from bridge.notes import blocks
from bridge.notes.blocks import TAB, Container, LineMark, ParserState, leading_columns
from bridge.notes.frontmatter import find_frontmatter, read_properties
from bridge.notes.note import STEPS_OF_A_FIND, BlockId, Link, ListItem, ParsedNote, Section, TooMuchWork, Work
from bridge.notes.yaml_places import property_links


def parse_note(text: str, *, outline: bool = True, work: Work | None = None) -> ParsedNote:
    """Return everything that one note says about itself.

    Args:
        text: The file's bytes decoded as UTF-8 with `surrogateescape`, with its byte order mark and line endings.
        outline: Whether sections, list items and code are wanted; they are left empty otherwise.
        work: How much work it may be; without it, as much as it is, and then nothing is ever raised.

    Raises:
        TooMuchWork: It is more work than that.
    """
    work = work or Work()
    block = find_frontmatter(text)
    properties = None
    links: tuple[Link, ...] = ()
    if block is not None:
        properties = read_properties(text[block.yaml_start : block.yaml_end])
        links = property_links(text, block, properties)
    line_starts, line_ends = _lines(text)
    first = 0
    if block is not None:
        first = text.count("\n", 0, block.end) + 1
    elif text.startswith("\ufeff"):
        line_starts[0] = 1
    state = ParserState(text, line_starts, line_ends, _READERS, work)
    if block is not None:
        state.sections.append(Section(block.start, block.end, "yaml"))
    state.read(first, Container(len(line_starts)))
    inline = state.inline
    return ParsedNote(
        frontmatter=properties,
        frontmatter_links=links,
        links=tuple(inline.links),
        embeds=tuple(inline.embeds),
        tags=tuple(inline.tags),
        addresses=tuple(inline.addresses),
        headings=tuple(state.headings),
        blocks=tuple(sorted(state.blocks)),
        sections=tuple(state.sections) if outline else (),
        list_items=tuple(state.list_items) if outline else (),
        code=tuple(map(state.lines, state.code)) if outline else (),
    )


def _lines(text: str) -> tuple[list[int], list[int]]:
    """Return where each line begins, and where it ends before its line ending."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    ends = [start - 1 for start in starts[1:]]
    if "\r" in text:
        ends = [end - (end > start and text[end - 1] == "\r") for start, end in zip(starts, ends, strict=False)]
    return starts, [*ends, len(text)]


MOST_BASES: Final = 100
"""Bases of one note that are looked at; a person could not use more, and each takes a millisecond to read."""

_OPENING: Final = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*base[ \t]*\Z", re.IGNORECASE)
_MENTION: Final = re.compile(
    # What may stand before a block: marks of quotes and lists, the box of a task, the name of a footnote.
    r"^(?>[ \t>*+-]|[0-9]++[.)]|\[[^\]\n]++\]:?)*+(?:```|~~~)[`~]*[ \t]*base[ \t]*\r?$",
    re.MULTILINE | re.IGNORECASE,
)


class Block(NamedTuple):
    """One base in a note.

    Attributes:
        start: Where the code block begins.
        end: Its end.
        lines: Where each line of its YAML begins and ends, without what a list or quote puts before it.
        text: The YAML.
    """

    start: int
    end: int
    lines: tuple[tuple[int, int], ...]
    text: str

    def written(self, note: str, text: str) -> str:
        """Return the note with other YAML in the block; nothing else changes.

        Args:
            note: The note that it is in; what follows the block may have changed.
            text: The YAML, with as many lines.
        """
        pieces, at = list[str](), 0
        for (start, end), line in zip(self.lines, text.split("\n")[:-1], strict=True):
            pieces += note[at:start], line
            at = end
        return "".join([*pieces, note[at:]])


def mentions_base(note: str) -> bool:
    """Return whether a note may hold a base: a line opens a code block of that language."""
    return "base" in note and _MENTION.search(note) is not None


def base_blocks(note: str) -> Iterator[Block]:
    """Find the bases of a note, in order; none in a note that is too much to be understood.

    Args:
        note: The note's text.
    """
    if not mentions_base(note):
        return
    try:
        code = parse_note(note, work=Work.of_one_note()).code
    except TooMuchWork:
        return
    for (start, end), *lines in code:
        opening = _OPENING.match(note[start:end])
        if opening is None:
            continue
        last = lines[-1][1] if lines else end
        if lines and note[slice(*lines[-1])].strip().startswith(opening[1]):
            lines.pop()
        yield Block(start, last, tuple(lines), "".join(f"{note[slice(*line)]}\n" for line in lines))


_MARK = re.compile(r"([*+-]|([0-9]++)[.)])(?=[ \t]|\Z)")
_NEAR_MARK = re.compile(r"[*+-]|[0-9]++[.)]")
_GAP = re.compile(r" {1,4}+(?! )| |\t|")
_TASK = re.compile(r"\[([^\n])\][ \t]")
_INTERRUPTS = frozenset({blocks.HEADING, blocks.FENCE, blocks.RULE})


@dataclass(slots=True)
class _Item:
    """Lines of one item: the first, one past the last, and whether a blank line parts it from the next item."""

    first: int
    stop: int
    indent: int
    trailed: bool = False


def _read_list(state: ParserState, line: int, _mark: LineMark, container: Container) -> int:
    """Read the list that begins in a line; return the line after it."""
    items = _items(state, line, container.stop)
    following = items[-1].stop
    state.spend_lines(line, following)
    state.section("list", line, following, container)
    if container.depth >= blocks.MAX_DEPTH:
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
            elif mark[1][-1] != marker or state.mark(current).kind == blocks.RULE:
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
    if (near := _NEAR_MARK.match(text, after, end)) is not None:
        columns += len(near[0])
    return columns >= indent or columns > TAB


def _content_column(text: str, columns: int, mark: re.Match[str], end: int) -> int:
    """Return the column from which a later line belongs to an item, whatever it begins with."""
    columns += len(mark[1])
    gap = found[0] if (found := _GAP.match(text, mark.end(1), end)) else ""
    return columns + (TAB - columns % TAB if gap == "\t" else len(gap))


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
    if (name := state.block_id(content, end)) is not None:
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


def _read_quote(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
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
        elif state.text.startswith(("    ", "\t"), start) or _begins_other(state, following, container):
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


def _begins_other(state: ParserState, line: int, container: Container) -> bool:
    """Return whether an unmarked line begins something new, instead of continuing a paragraph before it."""
    return state.interrupts(line, container) or state.underlined(line, container) > 0


def _read_footnote(state: ParserState, line: int, mark: LineMark, container: Container) -> int:
    """Read the text of a footnote: `[^1]: text` and the indented lines below; return the line after it."""
    if level := state.underlined(line, container):
        return blocks.read_underlined(state, line, level, container)
    starts, ends = state.starts, state.ends
    following = stop = line + 1
    moved = [(line, mark.end)]
    while following < container.stop:
        columns, after = leading_columns(state.text, starts[following], ends[following])
        if after < ends[following]:
            begins = stop < following or state.mark(following).kind == blocks.FOOTNOTE
            if columns < TAB and (begins or _begins_other(state, following, container)):
                break
            moved.append((following, after if columns <= TAB else starts[following] + TAB))
            stop = following + 1
        following += 1
    state.section("footnoteDefinition", line, stop, container)
    _read_inside(state, line, stop, moved, container)
    return stop


def _read_inside(state: ParserState, line: int, stop: int, moved: list[tuple[int, int]], container: Container) -> None:
    for each, begin in moved:
        state.starts[each] = begin
    if container.depth < blocks.MAX_DEPTH:
        state.read(line, Container(stop, container.depth + 1, container.parent))
    else:
        state.scan(line, stop)


_READERS = {
    **blocks.LEAF_READERS,
    blocks.QUOTE: _read_quote,
    blocks.BULLET: _read_list,
    blocks.NUMBER: _read_list,
    blocks.FOOTNOTE: _read_footnote,
}

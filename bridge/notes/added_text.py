"""Whether the text of a note only gained lines, and all that was there is still read as it was.

The rules that are named are those of docs/obsidian.md.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from bridge.notes.frontmatter import find_frontmatter
from bridge.notes.markdown import parse_note
from bridge.notes.note import ParsedNote, Section
from bridge.notes.parts import strip_heading
from bridge.vault.compare import changed_blocks
from bridge.vault.name_folding import fold

_HIDES = re.compile(r"%%|<[A-Za-z!?/]")
"""Comments and HTML: what they do reaches beyond their line, and people may not see it."""
_DEFINES = re.compile(r"(?<!\])\]:")
"""What says where `[text]` leads makes a link of every such text."""
_FOOTNOTE = re.compile(r"\[\^([^\]\s]++)\]:")
_NAMES_FOOTNOTE = re.compile(r"\[\^([^\]\s]++)\]")
_ITEM = re.compile(r"[ \t]*+(?:[-*+]|[0-9]{1,9}+[.)])[ \t]++\S")
_OPAQUE = re.compile(r"`{3}|~{3}|\${2}")
_GROWS = frozenset({"paragraph", "list", "table"})
_PAIRED = "`$*_~="
_MOST_MARKS = 1_000


def adds_text(before: str, after: str) -> bool | None:
    """Whether a note's text, behind its properties, gained lines.

    Args:
        before: The whole note now.
        after: The whole note afterwards.

    Returns:
        False when the text is the same; None when anything else happened to it than lines being added.
    """
    old, new = _Text(before), _Text(after)
    if old.body == new.body:
        return False
    places = _places(old.body, new.body)
    if places is None:
        return None
    return True if _Comparison(old, new, places).is_same() else None


class _Text:
    """A note, its lines and what they say."""

    def __init__(self, text: str) -> None:
        self.text = text
        block = find_frontmatter(text)
        start = 1 if text.startswith("\ufeff") else 0
        self.start = start if block is None else text.find("\n", block.end) + 1 or len(text)
        self.body = text[self.start :]

    @cached_property
    def note(self) -> ParsedNote:
        """What it says."""
        return parse_note(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line of the body begins, in the whole text."""
        return [self.start, *(self.start + found.end() for found in re.finditer("\n", self.body))]

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the body, without their endings."""
        return [line.removesuffix("\r") for line in self.body.split("\n")]

    def line(self, at: int) -> int:
        """The number of the line of the body that a place is in, from 0; -1 for one in the properties."""
        return bisect_right(self.starts, at) - 1

    def column(self, at: int) -> int:
        """How far into its line a place of the body is."""
        return at - self.starts[self.line(at)]

    @cached_property
    def sections(self) -> list[Section]:
        """The sections of the body."""
        return [section for section in self.note.sections if section.start >= self.start]


def _places(old: str, new: str) -> list[int] | None:
    """The line in the new text of each line of the old one, both from 0; None when a line was changed or lost."""
    ends = [""] if not old or old.endswith("\n") else ["", "\n", "\r\n"]
    written = new.encode()
    for end in ends:
        blocks = list(changed_blocks((old + end).encode(), written))
        if not any(block.removed for block in blocks):
            places, shift = list[int](), 0
            for block in blocks:
                places += range(len(places) + shift, block.old_line - 1 + shift)
                shift += block.added
            count = old.count("\n") + (not old.endswith("\n") and bool(old))
            return [*places, *range(len(places) + shift, count + shift)]
    return None


@dataclass(frozen=True)
class _Comparison:
    """Two texts of one note, of which the second has every line of the first.

    Attributes:
        old: The one.
        new: The other.
        places: The line in the second of each line of the first.
    """

    old: _Text
    new: _Text
    places: list[int]

    def is_same(self) -> bool:
        """Whether everything in the first is in the second, and means what it meant."""
        return (
            not any(map(self._reaches, self.added))
            and self._keeps_sections()
            and self._keeps_items()
            and self._keeps_headings()
            and self._keeps_blocks()
            and self._keeps_inline()
        )

    @cached_property
    def added(self) -> list[int]:
        """The numbers of the lines that were added."""
        kept = set(self.places)
        return [number for number in range(len(self.new.lines)) if number not in kept]

    def _reaches(self, number: int) -> bool:
        """Whether a line does something to text elsewhere."""
        line = self.new.lines[number]
        if _HIDES.search(line) is not None:
            return True
        if not self._footnotes.intersection(map(fold, _FOOTNOTE.findall(line))):
            line = _FOOTNOTE.sub("", line)
        return _DEFINES.search(line) is not None

    @cached_property
    def _footnotes(self) -> set[str]:
        """The footnotes that the first text names."""
        return set(map(fold, _NAMES_FOOTNOTE.findall(self.old.body)))

    def _place(self, at: int) -> int:
        """The line in the second text of a place in the first; -1 where there is none."""
        line = self.old.line(at)
        return self.places[line] if 0 <= line < len(self.places) else -1

    # -- blocks -------------------------------------------------------------------------------------------------------

    def _keeps_sections(self) -> bool:
        new = {self.new.line(section.start): section for section in self.new.sections}
        for section in self.old.sections:
            other = new.get(self._place(section.start))
            if other is None or (other.type, other.id) != (section.type, section.id):
                return False
            if self._text(self.old, section) != self._text(self.new, other) and not self._grew(section, other):
                return False
        return True

    @staticmethod
    def _text(text: _Text, section: Section) -> str:
        return text.text[section.start : section.end].rstrip()

    def _grew(self, section: Section, other: Section) -> bool:
        """Whether a section only got lines of its own that leave the others as they are."""
        if section.type not in _GROWS:
            return False
        first, last = self._place(section.start), self._place(max(section.end - 1, section.start))
        end = self.new.line(max(other.end - 1, other.start))
        if section.type == "list":
            return self._list_grew(first, end)
        old = self._text(self.old, section)
        if not self._text(self.new, other).startswith(old) or last - first != old.count("\n"):
            return False
        return section.type == "table" or is_closed(old, "\n".join(self.new.lines[last + 1 : end + 1]))

    def _list_grew(self, first: int, end: int) -> bool:
        """Whether what was put into a list, or behind it, is whole items."""
        kept, lines, within = set(self.places), self.new.lines, False
        for number in range(first, end + 1):
            line = lines[number]
            if number in kept:
                if within and line.strip() and _ITEM.match(line) is None:
                    return False
                within = within and not line.strip()
            elif line.strip():
                if _OPAQUE.search(line) or (not within and _ITEM.match(line) is None):
                    return False
                within = True
        return True

    def _keeps_items(self) -> bool:
        """Whether every item of a list is there, below the same one (rule 71)."""
        # Items give the lines of their parents in the whole note.
        head, head_then = (text.text.count("\n", 0, text.start) for text in (self.old, self.new))
        new = {(self.new.line(item.start), self.new.column(item.start)): item for item in self.new.note.list_items}
        for item in self.old.note.list_items:
            other = new.get((self._place(item.start), self.old.column(item.start)))
            if other is None or (other.task, other.id) != (item.task, item.id):
                return False
            texts = (text.text[each.start : each.end].rstrip() for text, each in ((self.old, item), (self.new, other)))
            if len(set(texts)) > 1:
                return False
            if item.parent < 0:
                if other.parent >= 0:
                    return False
            elif other.parent - head_then != self.places[item.parent - head]:
                return False
        return True

    # -- what links name --------------------------------------------------------------------------------------------

    def _keeps_headings(self) -> bool:
        """Whether all text is below the same heading, and links to a heading lead to the same one."""
        owners = {self._place(at): self._place(owner) for at, owner in _owners(self.old)}
        others = {self.new.line(at): self.new.line(owner) for at, owner in _owners(self.new)}
        if any(others.get(line) != owner for line, owner in owners.items()):
            return False
        added = set[str]()
        kept = {self._place(heading.start) for heading in self.old.note.headings}
        for heading in self.new.note.headings:
            name = strip_heading(heading.heading)
            if self.new.line(heading.start) not in kept:
                added.add(name)
            elif name in added:
                return False
        return True

    def _keeps_blocks(self) -> bool:
        """Whether every block id names what it named, and no other block has it."""
        old = [(self._place(block.start), block.id) for block in self.old.note.blocks]
        new = [(self.new.line(block.start), block.id) for block in self.new.note.blocks]
        if Counter(old) - Counter(new):
            return False
        named = {fold(name) for _line, name in old}
        return not any(fold(name) in named for _line, name in Counter(new) - Counter(old))

    def _keeps_inline(self) -> bool:
        """Whether every link, embed and tag is there, at the same place of its line."""
        return set(self._inline(self.old, self._place)) <= set(self._inline(self.new, self.new.line))

    @staticmethod
    def _inline(text: _Text, line_of: Callable[[int], int]) -> Iterator[tuple[int, int, str]]:
        note = text.note
        found = [(each.start, each.original) for each in (*note.links, *note.embeds)]
        for start, what in (*found, *((tag.start, tag.tag) for tag in note.tags)):
            yield line_of(start), text.column(start), what


def _owners(text: _Text) -> Iterator[tuple[int, int]]:
    """Where each section begins, and the heading that it is below; -1 for none."""
    levels = {heading.start: heading.level for heading in text.note.headings}
    above: list[int] = []
    for section in text.sections:
        level = levels.get(section.start)
        while level is not None and above and levels[above[-1]] >= level:
            above.pop()
        yield section.start, above[-1] if above else -1
        if level is not None:
            above.append(section.start)


def is_closed(text: str, more: str) -> bool:
    """Whether nothing that a paragraph opens can be closed by the lines that follow in it.

    Args:
        text: The paragraph as it is.
        more: The lines that are put behind it.
    """
    if ("<" in text and ">" in more) or "\\" in text[-1:]:
        return False
    if ("]" in more and text.count("[") != text.count("]")) or (")" in more and text.count("(") != text.count(")")):
        return False
    return all(mark not in more or _is_paired(text, mark) for mark in _PAIRED)


def _is_paired(text: str, mark: str) -> bool:
    """Whether every run of a mark is closed by another of the same length, in plain order."""
    runs = [found.span() for found in re.finditer(re.escape(mark) + "++", text)]
    if len(runs) > _MOST_MARKS:
        return False
    while runs:
        start, end = runs.pop(0)
        closing = next((index for index, run in enumerate(runs) if run[1] - run[0] == end - start), -1)
        if closing < 0 or (mark != "`" and (closing > 0 or not _encloses(text, end, runs[closing][0]))):
            return False
        del runs[: closing + 1]
    return True


def _encloses(text: str, start: int, end: int) -> bool:
    return start < end and not text[start].isspace() and not text[end - 1].isspace()

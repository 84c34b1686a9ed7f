"""Check that a change to a note only adds: nothing that is there is changed, lost, hidden or read differently.

A permission for additions holds for such changes and no others, so everything that is not understood for certain
counts as more than an addition.

Obsidian reads a line by what stands around it: a fence, a comment or an underline further up makes code, nothing or a
heading of text that did not change. So it is not enough that every old line is still there. The note is parsed before
and after, and every section, list item, heading, link, tag and block id must be found again, at the same line, of the
same kind, with the same text, under the same heading.

The rules are those of docs/obsidian.md.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bridge.contract.consent import Addition
from bridge.notes.frontmatter import FrontmatterBlock, find_frontmatter, read_any_properties, read_properties
from bridge.notes.markdown import parse_note
from bridge.notes.note import ParsedNote, Section
from bridge.notes.parts import strip_heading
from bridge.notes.properties import TAGS
from bridge.notes.syntax import is_tag
from bridge.vault.diff import changed_blocks
from bridge.vault.paths import fold
from bridge.vault.plan import is_hidden
from bridge.vault.text import is_note

MOST_BYTES = 1 << 18
"""A note of more bytes is not judged: that would take longer than planning its change. Nor is a new file of more."""


def judge(path: str, old: bytes | None, new: bytes) -> frozenset[Addition] | None:
    """Return what a change to a file adds; None if it may do anything else.

    Args:
        path: The file. Only notes can be added to.
        old: Its bytes now; None when it is created.
        new: Its bytes afterwards.

    Returns:
        The kinds of additions; None if the change does anything else, or may do so.
    """
    if is_hidden(path) or max(len(old or b""), len(new)) > MOST_BYTES:
        return None
    if old is not None:
        return _added(path, old, new)
    loads = is_note(path) and _may_load(new.decode(errors="replace"))
    return None if loads else frozenset({Addition.CREATE})


def _added(path: str, old: bytes, new: bytes) -> frozenset[Addition] | None:
    if not is_note(path) or b"\0" in new:
        return None
    try:
        before, after = old.decode(), new.decode()
    except UnicodeDecodeError:
        return None
    if before.startswith("\ufeff") != after.startswith("\ufeff"):
        return None
    found = _added_properties(before, find_frontmatter(before), after, find_frontmatter(after))
    if found is None or (text := _adds_text(before, after)) is None:
        return None
    return (found | {Addition.APPEND} if text else found) or None


_TAGS_LINE = re.compile(r"""(["']?)tags\1[ \t]*:""", re.IGNORECASE)
_CONTINUES = (" ", "\t", "-", "]")
_PLUGIN = "-plugin"
_PUBLISH = "publish"
_REMOTE = re.compile(r"https?:|[/\\]{2}", re.IGNORECASE)
"""An address on the network, also one without its scheme, as programs that load it understand it."""
_IGNORED = str.maketrans("", "", "\t\r\n")
"""Characters that those programs ignore in an address."""

Properties = dict[str, Any]


def _added_properties(
    before: str, old: FrontmatterBlock | None, after: str, new: FrontmatterBlock | None
) -> frozenset[Addition] | None:
    """Return what the properties gained, if every old one keeps its value and its lines.

    Tags may be written differently, as long as the old ones are there in their order.

    Args:
        before: The note now.
        old: The location of its properties.
        after: The note afterwards.
        new: Their location afterwards.

    Returns:
        `PROPERTY`, `TAG`, both, or nothing; None when anything else happened to them.
    """
    if new is None:
        return None if old else frozenset()
    yaml, written = before[old.yaml_start : old.yaml_end] if old else "", after[new.yaml_start : new.yaml_end]
    if old and _fences(before, old) != _fences(after, new):
        return None
    if old and yaml == written:
        return frozenset()
    had, has = read_any_properties(yaml), read_properties(written)
    if had is None or has is None or not (_keeps(had, has) and _keeps_lines(yaml, written)):
        return None
    gained = {name: value for name, value in has.items() if name not in had}
    commented = "#" in yaml and "#" in repr([*gained.values()])  # a comment may be a part of a new value now
    if commented or any(_rules_the_note(name, had) for name in gained) or _is_remote(gained):
        return None
    tagged = any(name.lower() == TAGS and repr(value) != repr(has[name]) for name, value in had.items())
    found = {Addition.TAG if name.lower() == TAGS else Addition.PROPERTY for name in gained}
    return frozenset(found | {Addition.TAG} if tagged else found) or None


def _may_load(text: str) -> bool:
    """Return whether a new note's properties name something on the network, which would be loaded with the note.

    Args:
        text: The note. Unreadable properties count as such.
    """
    block = find_frontmatter(text)
    properties = read_any_properties(text[block.yaml_start : block.yaml_end]) if block else {}
    return properties is None or _is_remote(properties)


def _is_remote(value: Any) -> bool:
    """Return whether an address on the network is anywhere in a value."""
    if isinstance(value, str):
        return bool(_REMOTE.search(value.translate(_IGNORED)))
    if isinstance(value, dict):
        return any(map(_is_remote, (*value.keys(), *value.values())))
    return isinstance(value, list) and any(map(_is_remote, value))


def _fences(text: str, block: FrontmatterBlock) -> tuple[str, str]:
    """Return the lines around the properties."""
    end = text.find("\n", block.end)
    return text[: block.yaml_start], text[block.yaml_end : end if end >= 0 else None].rstrip("\r")


def _keeps(had: Properties, has: Properties) -> bool:
    """Return whether every property is still there, in order, with its value; tags may have been added."""
    if [name for name in has if name in had] != list(had):
        return False
    gained = [name for name in has if name not in had and name.lower() == TAGS]
    return all(_tags(has[name]) is not None for name in gained) and all(
        repr(value) == repr(has[name]) or (name.lower() == TAGS and _has_more_tags(value, has[name]))
        for name, value in had.items()
    )


def _rules_the_note(name: str, had: Properties) -> bool:
    """Return whether a property does more than hold a value.

    It replaces one that differs in case, publishes the note, or makes a plugin treat the whole note as something
    else.
    """
    plain = name.lower()
    return plain in {each.lower() for each in had} or plain == _PUBLISH or plain.endswith(_PLUGIN)


def _has_more_tags(old: Any, new: Any) -> bool:
    """Return whether tags were added to others, which are all there in their order."""
    before, after = _tags(old), _tags(new)
    return before is not None and after is not None and len(after) > len(before) and _is_embedded(before, after)


def _tags(value: Any) -> list[str] | None:
    values = [] if value is None or value == "" else value if isinstance(value, list) else [value]
    names = [each.strip().removeprefix("#") if isinstance(each, str) else "" for each in values]
    return names if all(map(is_tag, names)) else None


def _keeps_lines(old: str, new: str) -> bool:
    """Return whether every line is still there, in order; those of the tags only if they hold a comment."""
    kept, tags = _parted(old)
    kept_then, tags_then = _parted(new)
    if any("#" in line for line in tags) and not _is_embedded(tags, tags_then):
        return False
    return _is_embedded(kept, kept_then)


def _parted(yaml: str) -> tuple[list[str], list[str]]:
    """Return the lines without those of the tags, and those of the tags."""
    others, tags, within = list[str](), list[str](), False
    for line in yaml.split("\n"):
        within = bool(_TAGS_LINE.match(line)) or (within and line.startswith(_CONTINUES))
        (tags if within else others).append(line)
    return others, tags


def _is_embedded(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether all of some texts are among others, in the same order.

    Args:
        old: The texts.
        new: The others.
    """
    rest = iter(new)
    return all(any(each == other for other in rest) for each in old)


_HIDES = re.compile(r"%%|<[A-Za-z!?/]")
"""Comments and HTML: what they do reaches beyond their line, and people may not see it."""
_DEFINES = re.compile(r"(?<!\])\]:")
"""Definitions of links: one of them makes a link of every such `[text]`."""
_FOOTNOTE = re.compile(r"\[\^([^\]\s]++)\]:")
_NAMES_FOOTNOTE = re.compile(r"\[\^([^\]\s]++)\]")
_ITEM = re.compile(r"[ \t]*+(?:[-*+]|[0-9]{1,9}+[.)])[ \t]++\S")
_OPAQUE = re.compile(r"`{3}|~{3}|\${2}")
_GROWS = frozenset({"paragraph", "list", "table"})
_PAIRED = "`$*_~="
_MOST_MARKS = 1_000


def _adds_text(before: str, after: str) -> bool | None:
    """Return whether a note's text, after its properties, gained lines.

    Args:
        before: The whole note now.
        after: The whole note afterwards.

    Returns:
        False when the text is the same; None if anything happened to it besides lines being added.
    """
    old, new = _Text(before), _Text(after)
    if old.body == new.body:
        return False
    places = _places(old.body, new.body)
    return True if places is not None and _Comparison(old, new, places).is_same() else None


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
        """Return the parsed note."""
        return parse_note(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """Return the offset of each line of the body in the whole text."""
        return [self.start, *(self.start + found.end() for found in re.finditer("\n", self.body))]

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines of the body, without their endings."""
        return [line.removesuffix("\r") for line in self.body.split("\n")]

    def line(self, at: int) -> int:
        """Return the number of the body's line that contains a place, from 0; -1 for one in the properties."""
        return bisect_right(self.starts, at) - 1

    def column(self, at: int) -> int:
        """Return the column of an offset in the body."""
        return at - self.starts[self.line(at)]

    @cached_property
    def sections(self) -> list[Section]:
        """Return the sections of the body."""
        return [section for section in self.note.sections if section.start >= self.start]


def _places(old: str, new: str) -> list[int] | None:
    """Return the line in the new text of each line of the old one, both from 0; None if one was changed or lost."""
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
        """Return whether everything in the first is in the second, with the same meaning."""
        checks = (self._keeps_sections, self._keeps_items, self._keeps_headings, self._keeps_blocks, self._keeps_inline)
        added = set(range(len(self.new.lines))) - set(self.places)
        return not any(map(self._reaches, added)) and all(check() for check in checks)

    def _reaches(self, number: int) -> bool:
        """Return whether a line affects text elsewhere."""
        line = self.new.lines[number]
        if _HIDES.search(line) is not None:
            return True
        if not self._footnotes.intersection(map(fold, _FOOTNOTE.findall(line))):
            line = _FOOTNOTE.sub("", line)
        return _DEFINES.search(line) is not None

    @cached_property
    def _footnotes(self) -> set[str]:
        """Return the footnotes that the first text names."""
        return set(map(fold, _NAMES_FOOTNOTE.findall(self.old.body)))

    def _place(self, at: int) -> int:
        """Return the line in the second text of a place in the first; -1 if there is none."""
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
        """Return whether a section only gained lines of its own, which leave the others as they are."""
        if section.type not in _GROWS:
            return False
        first, last = self._place(section.start), self._place(max(section.end - 1, section.start))
        end = self.new.line(max(other.end - 1, other.start))
        if section.type == "list":
            return self._list_grew(first, end)
        old = self._text(self.old, section)
        if not self._text(self.new, other).startswith(old) or last - first != old.count("\n"):
            return False
        return section.type == "table" or _is_closed(old, "\n".join(self.new.lines[last + 1 : end + 1]))

    def _list_grew(self, first: int, end: int) -> bool:
        """Return whether what was added in a list, or after it, consists of whole items."""
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
        """Return whether every list item is there, below the same one (rule 71)."""
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
            wanted = -1 if item.parent < 0 else self.places[item.parent - head] + head_then
            if max(other.parent, -1) != wanted:
                return False
        return True

    # -- what links name --------------------------------------------------------------------------------------------

    def _keeps_headings(self) -> bool:
        """Return whether all text is below the same heading, and links to a heading lead to the same one."""
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
        """Return whether every block id names the same block, and no other block has it."""
        old = [(self._place(block.start), block.id) for block in self.old.note.blocks]
        new = [(self.new.line(block.start), block.id) for block in self.new.note.blocks]
        if Counter(old) - Counter(new):
            return False
        named = {fold(name) for _line, name in old}
        return not any(fold(name) in named for _line, name in Counter(new) - Counter(old))

    def _keeps_inline(self) -> bool:
        """Return whether every link, embed and tag is there, at the same place in its line."""
        return set(self._inline(self.old, self._place)) <= set(self._inline(self.new, self.new.line))

    @staticmethod
    def _inline(text: _Text, line_of: Callable[[int], int]) -> Iterator[tuple[int, int, str]]:
        note = text.note
        found = [(each.start, each.original) for each in (*note.links, *note.embeds)]
        for start, what in (*found, *((tag.start, tag.tag) for tag in note.tags)):
            yield line_of(start), text.column(start), what


def _owners(text: _Text) -> Iterator[tuple[int, int]]:
    """Yield where each section begins, and the heading that it is below; -1 for none."""
    levels = {heading.start: heading.level for heading in text.note.headings}
    above: list[int] = []
    for section in text.sections:
        level = levels.get(section.start)
        while level is not None and above and levels[above[-1]] >= level:
            above.pop()
        yield section.start, above[-1] if above else -1
        if level is not None:
            above.append(section.start)


def _is_closed(text: str, more: str) -> bool:
    """Return whether the lines that follow cannot close anything that a paragraph opens.

    Args:
        text: The paragraph as it is.
        more: The lines that are added after it.
    """
    if ("<" in text and ">" in more) or "\\" in text[-1:]:
        return False
    if ("]" in more and text.count("[") != text.count("]")) or (")" in more and text.count("(") != text.count(")")):
        return False
    return all(mark not in more or _is_paired(text, mark) for mark in _PAIRED)


def _is_paired(text: str, mark: str) -> bool:
    """Return whether every run of a mark is closed by another of the same length, in plain order."""
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

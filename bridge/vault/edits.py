"""Edits of a text, applied to its bytes: by line numbers, all of it, or as a merge of two changes.

What is not edited keeps every byte. Where two changes of the same bytes meet, a person chooses.
"""

import io
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from bridge.contract.consent import Take
from bridge.errors import InvalidParameters
from bridge.vault.diff import ChangedBlock, Region, changed_blocks, count_lines
from bridge.vault.plan import content_hash
from bridge.vault.text import BOM, CHUNK, Lines, check_utf8, encode, is_text, prevailing_ending

_WINDOWS = b"\r\n"


class LineEdit(NamedTuple):
    """One edit. Line numbers are those of the file as it was before any edit of the same call.

    Attributes:
        start: The first line replaced, counted from 1.
        end: The last line replaced; `start - 1` replaces none and inserts before `start`.
        text: What replaces them; empty deletes the lines.
    """

    start: int
    end: int
    text: str

    @property
    def inserts(self) -> bool:
        """Return whether it replaces no line."""
        return self.end == self.start - 1


class Edited(NamedTuple):
    """The result of edits to a file.

    Attributes:
        data: The new bytes.
        regions: The ranges that differ from the old bytes, in order and not adjacent.
    """

    data: bytes
    regions: tuple[Region, ...]


def apply_edits(data: bytes, edits: Sequence[LineEdit], path: object) -> Edited:
    r"""Replace, insert and delete lines.

    - A replacement that does not end with a line break takes the ending of the last line it replaces, so it takes
      none where a file without a final line break ends.
    - Inserted text that does not end with a line break gets the ending that prevails in the file.
    - Line breaks inside the given text are written as those that prevail in the lines replaced, else in the file;
      but text that holds a `\r\n` of its own is written as it is.
    - Behind a last line without a line break, a line can only be added by ending that line: it gets the prevailing
      ending, and the added text gets none that it does not bring. So the file still has no final line break, unless
      the text says otherwise.
    - Text inserted before a line that is also replaced comes first; inserts at one place keep the order given.
    - A byte order mark stays where it is.

    Args:
        data: The file's bytes.
        edits: The edits, in any order.
        path: What the file is called in failures.

    Raises:
        InvalidParameters: The file is not UTF-8 text, or the edits overlap or name lines that are not there.
    """
    if not is_text(data):
        raise InvalidParameters(f"{str(path)!r} is a binary file; only text can be edited by lines")
    check_utf8(data, path)
    lines = Lines(data)
    ordered = sorted(enumerate(edits, 1), key=_position)
    _check(ordered, lines.count, path)
    assembly = _Assembly(lines)
    for number, edit in ordered:
        if edit.text or not edit.inserts:
            assembly.put(edit, _render(lines, edit, number))
    return assembly.finish()


def with_endings_of(old: bytes, new: bytes) -> bytes:
    r"""Return the new text with the line endings of the old one.

    Lines that are in both keep their ending, all others get the one that prevails; a text that brings a `\r\n` of its
    own is written as it is. When the old text ends with a line break, so does the new one. A byte order mark stays.

    Args:
        old: The bytes before.
        new: The bytes that replace them.
    """
    lines = Lines(old)
    text = new.removeprefix(BOM)
    if _WINDOWS not in text and _WINDOWS in old:
        if text and lines.ends_with_break and not text.endswith(b"\n"):
            text += b"\n"
        text = _mixed(lines, lines.bom + text)[len(lines.bom) :]
    elif text and lines.ends_with_break and not text.endswith(b"\n"):
        text += lines.prevailing
    return lines.bom + text


def _position(numbered: tuple[int, LineEdit]) -> tuple[int, bool, int]:
    """Return a sort key: edits from top to bottom; at one line first what is inserted before it, as given."""
    number, edit = numbered
    return edit.start, not edit.inserts, number


def _check(ordered: Sequence[tuple[int, LineEdit]], count: int, path: object) -> None:
    """Refuse edits that name lines which are not there, or the same line twice."""
    reach, by = 0, 0
    for number, edit in ordered:
        what = f"Edit {number} (lines {edit.start} to {edit.end} of {str(path)!r})"
        if edit.start < 1 or edit.end < edit.start - 1:
            raise InvalidParameters(
                f"{what} is no range: it begins with line 1 or later and ends with its first line or later; "
                "to insert before a line, end with the line before it"
            )
        if edit.end > count or edit.start > count + 1:
            raise InvalidParameters(f"{what} goes beyond the end: the file has {count} lines; read it again")
        if edit.start <= reach:
            raise InvalidParameters(
                f"{what} overlaps edit {by}; all line numbers are those before the call, so join the two "
                f"(the file has {count} lines)"
            )
        if not edit.inserts:
            reach, by = edit.end, number


def _render(lines: Lines, edit: LineEdit, number: int) -> bytes:
    """Return the bytes an edit writes, with the line endings they get."""
    text = encode(edit.text, f"The text of edit {number}")
    start, end = lines.span(edit.start, edit.end)
    breaks = prevailing_ending(lines.data, start, end) or lines.prevailing
    if breaks != b"\n" and b"\r\n" not in text:
        text = text.replace(b"\n", breaks)
    if not text or text.endswith(b"\n"):
        return text
    if not edit.inserts:
        return text + lines.ending(edit.end)
    appends = edit.start > lines.count > 0
    return text if appends and not lines.ends_with_break else text + lines.prevailing


class _Assembly:
    """The new bytes, put together from top to bottom, a chunk at a time."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._old = memoryview(lines.data)
        self._out = io.BytesIO()
        self._taken = 0
        self._open = False
        self._regions: list[Region] = []

    def put(self, edit: LineEdit, text: bytes) -> None:
        """Copy everything up to an edit, and write its text."""
        start, end = self._lines.span(edit.start, edit.end)
        self._copy(start)
        line, new_start = edit.start, self._out.tell()
        if text and self._open:
            text = self._lines.prevailing + text
            if not self._regions or self._regions[-1].old_end < start:
                # The line before gets the ending it did not have, so it is part of what changes.
                line -= 1
                new_start -= start - self._lines.start(line)
                start = self._lines.start(line)
        self._out.write(text)
        self._open = not text.endswith(b"\n") if text else self._open
        self._taken = end
        self._note(Region(start, end, new_start, self._out.tell(), line))

    def finish(self) -> Edited:
        """Copy the rest, and return the result."""
        self._copy(len(self._old))
        return Edited(self._out.getvalue(), tuple(self._regions))

    def _copy(self, until: int) -> None:
        for start in range(self._taken, until, CHUNK):
            self._out.write(self._old[start : min(start + CHUNK, until)])
        if until > self._taken:
            self._open = until > len(self._lines.bom) and self._old[until - 1] != ord("\n")
        self._taken = until

    def _note(self, region: Region) -> None:
        """Remember where the bytes differ; what touches the region before is one with it."""
        if self._regions and self._regions[-1].old_end == region.old_start:
            before = self._regions.pop()
            region = Region(before.old_start, region.old_end, before.new_start, region.new_end, before.old_line)
        self._regions.append(region)


def _mixed(old: Lines, new: bytes) -> bytes:
    """Return the old text's lines where both agree, and elsewhere the new text's with the prevailing ending."""
    bare = old.data.replace(_WINDOWS, b"\n")
    out = [old.bom]
    line = 1
    for block in changed_blocks(bare, new):
        start, end = old.span(line, block.old_line - 1)
        out += [old.data[start:end], new[block.new_start : block.new_end].replace(b"\n", old.prevailing)]
        line = block.old_line + block.removed
    out.append(old.data[old.start(line) :])
    return b"".join(out)


class Clash(NamedTuple):
    """A place in which both hands changed something, each to something else.

    Attributes:
        line: Its first line in the bytes of the other hand, from 1.
        lines: How many lines it has there.
        ours: Our bytes for it.
        theirs: Those of the other hand.
        key: The same for the same place with the same bytes.
    """

    line: int
    lines: int
    ours: bytes
    theirs: bytes
    key: str


class Merged(NamedTuple):
    """Bytes with both changes in them.

    Attributes:
        data: The bytes, with what was chosen for each place where the two meet, and both where nothing was; None if
            it is no text.
        clashes: Those places.
    """

    data: bytes | None
    clashes: tuple[Clash, ...] = ()


Choose = Callable[[Clash], Take]
"""Says what is taken where two changes meet."""


def merge(base: bytes, ours: bytes, theirs: bytes, choose: Choose = lambda _clash: Take.BOTH) -> Merged:
    """Merge our change of some bytes into what somebody else has made of them meanwhile.

    A place of ours that touches one of theirs is a clash, even where no line is in both: what was meant to stand
    beside a line may not be meant to stand beside another. It is none if both made the same of it.

    Args:
        base: The bytes that both began with.
        ours: The bytes with our change.
        theirs: The bytes with the change of the other hand.
        choose: What is taken where the two meet.
    """
    if theirs in (base, ours):
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if not all(map(is_text, (base, ours, theirs))):
        return Merged(None)
    pieces: list[bytes] = []
    clashes: list[Clash] = []
    done = 0
    for mine, other in _together(list(changed_blocks(base, ours)), list(changed_blocks(base, theirs))):
        start = min(block.old_start for block in (*mine, *other))
        end = max(block.old_end for block in (*mine, *other))
        pieces.append(base[done:start])
        done = end
        our_piece, their_piece = _piece(base, ours, mine, start, end), _piece(base, theirs, other, start, end)
        if not other or our_piece == their_piece:
            pieces.append(our_piece)
        elif not mine:
            pieces.append(their_piece)
        else:
            before = other[0].new_start - (other[0].old_start - start)
            key = content_hash(b"\0".join([content_hash(one).encode() for one in (our_piece, their_piece)]))[:24]
            line = count_lines(theirs, 0, before) + 1
            clash = Clash(line, count_lines(their_piece, 0, len(their_piece)), our_piece, their_piece, key)
            clashes.append(clash)
            pieces.append(_taken(clash, choose(clash)))
    return Merged(b"".join([*pieces, base[done:]]), tuple(clashes))


def _together(
    ours: list[ChangedBlock], theirs: list[ChangedBlock]
) -> Iterator[tuple[list[ChangedBlock], list[ChangedBlock]]]:
    """Yield the changes of both hands from top to bottom, those that touch each other together."""
    blocks = sorted(
        [*((block, True) for block in ours), *((block, False) for block in theirs)],
        key=lambda one: (one[0].old_start, one[0].old_end),
    )
    mine: list[ChangedBlock] = []
    other: list[ChangedBlock] = []
    end = -1
    for block, is_ours in blocks:
        if (mine or other) and block.old_start > end:
            yield mine, other
            mine, other = [], []
        (mine if is_ours else other).append(block)
        end = max(end, block.old_end)
    if mine or other:
        yield mine, other


def _piece(base: bytes, made: bytes, blocks: list[ChangedBlock], start: int, end: int) -> bytes:
    """Return one side's version of a stretch of the base."""
    pieces, done = [], start
    for block in blocks:
        pieces += [base[done : block.old_start], made[block.new_start : block.new_end]]
        done = block.old_end
    return b"".join([*pieces, base[done:end]])


def _taken(clash: Clash, take: Take) -> bytes:
    if take is Take.VAULT:
        return clash.theirs
    if take is Take.DRAFT:
        return clash.ours
    # Both are there: it was taken, and the bridge ended before it was known.
    if clash.theirs.endswith(b"\n" + clash.ours):
        return clash.theirs
    break_ = b"" if not clash.theirs or not clash.ours or clash.theirs.endswith(b"\n") else b"\n"
    return clash.theirs + break_ + clash.ours

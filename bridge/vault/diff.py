"""The unified diff of one file: exactly what will be written, for a person to read and for programs to apply.

`parse_hunks` reads such a diff back: where each hunk is in the text, and which lines it is about.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

from bridge.vault.text import BOM, CHUNK, describe_binary, is_text

# One call of LCSseq.opcodes holds up all threads; these bounds keep it to a few milliseconds. It is much quicker
# when there are few different lines.
_MOST_PAIRS = 25_000_000
_MOST_PAIRS_OF_FEW = 100_000_000
_FEW = 256
_MOST_LINES = 50_000
# Beyond these, a stretch is not split into lines: even letting go of so many at once would hold up others. An edit
# that knows its regions is not concerned.
_MOST_BYTES = 16 << 20
_MOST_SPLIT = 40_000

LineChange = tuple[int, int, int, int]
"""Lines from the first number up to the second became those from the third up to the fourth, counted from 0."""


@dataclass(frozen=True, slots=True)
class Region:
    """Whole lines that were replaced, as offsets in bytes.

    Attributes:
        old_start: Where it begins in the old bytes.
        old_end: Where it ends there.
        new_start: Where it begins in the new bytes.
        new_end: Where it ends there.
        old_line: The number of the line at `old_start`, from 1.
    """

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    old_line: int


@dataclass(frozen=True, slots=True)
class ChangedBlock(Region):
    """Whole lines that were replaced, added or removed.

    Attributes:
        new_line: The number of the line at `new_start`, from 1.
        removed: How many lines were removed.
        added: How many lines were added.
    """

    new_line: int
    removed: int
    added: int


def changed_blocks(old: bytes, new: bytes, regions: Sequence[Region] | None = None) -> Iterator[ChangedBlock]:
    """Yield the blocks in which two files differ, from top to bottom.

    Args:
        old: The bytes before.
        new: The bytes after.
        regions: Ranges of whole lines outside which both are equal; None if not known.
    """
    shift = 0
    for region in regions if regions is not None else [Region(0, len(old), 0, len(new), 1)]:
        for block in _compare(old, new, region, shift):
            shift += block.added - block.removed
            yield block


def count_lines(data: bytes, start: int, end: int) -> int:
    """Return the number of lines between two offsets; an unterminated last line counts."""
    breaks = sum(data.count(b"\n", low, min(low + CHUNK, end)) for low in range(start, end, CHUNK))
    return breaks + (end > start and data[end - 1] != ord("\n"))


def match_lines(old: Sequence[int], new: Sequence[int]) -> list[LineChange]:
    """Return the differences between two sequences of line numbers, from top to bottom."""
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - a start is faster without

    changes: list[LineChange] = []
    pending: list[LineChange] = [(0, len(old), 0, len(new))]
    while pending:
        start, end, new_start, new_end = _strip(old, new, pending.pop())
        if start == end and new_start == new_end:
            continue
        left, right = old[start:end], new[new_start:new_end]
        if not left or not right:
            changes.append((start, end, new_start, new_end))
        elif _is_quick(left, right):
            changes += [
                (start + op.src_start, start + op.src_end, new_start + op.dest_start, new_start + op.dest_end)
                for op in LCSseq.opcodes(left, right)
                if op.tag != "equal"
            ]
        elif anchors := _anchors(left, right):
            points = [(-1, -1), *anchors, (len(left), len(right))]
            pending += [
                (start + a + 1, start + b, new_start + c + 1, new_start + d)
                for (a, c), (b, d) in reversed(list(pairwise(points)))
            ]
        else:
            changes.append((start, end, new_start, new_end))
    return _joined(changes)


def _compare(old: bytes, new: bytes, region: Region, shift: int) -> Iterator[ChangedBlock]:
    """Yield the blocks of one region."""
    region = _narrow(old, new, region)
    if region.old_start == region.old_end and region.new_start == region.new_end:
        return
    sizes = region.old_end - region.old_start, region.new_end - region.new_start
    removed = count_lines(old, region.old_start, region.old_end)
    added = count_lines(new, region.new_start, region.new_end)
    line, new_line = region.old_line, region.old_line + shift
    if not all(sizes) or max(sizes) > _MOST_BYTES or max(removed, added) > _MOST_SPLIT:
        places = region.old_start, region.old_end, region.new_start, region.new_end
        yield ChangedBlock(*places, line, new_line, removed, added)
        return
    left = _split(old, region.old_start, region.old_end)
    right = _split(new, region.new_start, region.new_end)
    numbers: dict[bytes, int] = {}
    changes = match_lines(
        [numbers.setdefault(line, len(numbers)) for line in left],
        [numbers.setdefault(line, len(numbers)) for line in right],
    )
    old_at = list(accumulate(map(len, left), initial=region.old_start))
    new_at = list(accumulate(map(len, right), initial=region.new_start))
    for start, end, new_start, new_end in changes:
        yield ChangedBlock(
            old_at[start],
            old_at[end],
            new_at[new_start],
            new_at[new_end],
            line + start,
            new_line + new_start,
            end - start,
            new_end - new_start,
        )


def _narrow(old: bytes, new: bytes, region: Region) -> Region:
    """Return the region without equal whole lines at its beginning and end."""
    start, end, new_start, new_end = region.old_start, region.old_end, region.new_start, region.new_end
    if region.old_line == 1 and start == new_start == len(BOM):
        start = new_start = 0  # line 1 as it is on disk begins with the byte order mark
    same = _common(old, start, new, new_start, min(end - start, new_end - new_start))
    same = max(old.rfind(b"\n", start, start + same) + 1 - start, 0)
    line = region.old_line + count_lines(old, start, start + same)
    start, new_start = start + same, new_start + same
    same = _common(old, end, new, new_end, min(end - start, new_end - new_start), backwards=True)
    cut, new_cut = end - same, new_end - same
    if not (_begins_line(old, cut, start) and _begins_line(new, new_cut, new_start)):
        following = old.find(b"\n", cut, end)
        same = end - following - 1 if following >= 0 else 0
    return Region(start, end - same, new_start, new_end - same, line)


def _begins_line(data: bytes, offset: int, start: int) -> bool:
    return offset == start or data[offset - 1] == ord("\n")


def _common(old: bytes, at: int, new: bytes, new_at: int, most: int, *, backwards: bool = False) -> int:
    """Return how many bytes after (or before) two offsets are equal, up to a limit."""
    same = 0
    step = CHUNK
    while same < most and step:
        step = min(step, most - same)
        skip = -same - step if backwards else same
        a, b = at + skip, new_at + skip
        if old[a : a + step] == new[b : b + step]:
            same += step
        else:
            step //= 2
    return same


def _split(data: bytes, start: int, end: int) -> list[bytes]:
    """Return the lines between two offsets, each with its line break."""
    lines: list[bytes] = []
    while start < end:
        cut = data.rfind(b"\n", start, min(start + CHUNK, end)) + 1
        if not cut:
            cut = data.find(b"\n", start, end) + 1 or end
        *whole, last = data[start:cut].split(b"\n")
        lines += [line + b"\n" for line in whole]
        if last:
            lines.append(last)
        start = cut
    return lines


def _strip(old: Sequence[int], new: Sequence[int], change: LineChange) -> LineChange:
    """Return a stretch without equal lines at its beginning and end."""
    start, end, new_start, new_end = change
    while start < end and new_start < new_end and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return start, end, new_start, new_end


def _joined(changes: Sequence[LineChange]) -> list[LineChange]:
    """Return adjacent changes as one, so that a diff shows all removed lines first, then all added ones."""
    joined: list[LineChange] = []
    for change in changes:
        if joined and joined[-1][1] == change[0] and joined[-1][3] == change[2]:
            before = joined.pop()
            joined.append((before[0], change[1], before[2], change[3]))
        else:
            joined.append(change)
    return joined


def _is_quick(left: Sequence[int], right: Sequence[int]) -> bool:
    """Return whether the longest common subsequence is found in a few milliseconds."""
    pairs = len(left) * len(right)
    if len(left) + len(right) > _MOST_LINES or pairs > _MOST_PAIRS_OF_FEW:
        return False
    return pairs <= _MOST_PAIRS or len({*left, *right}) <= _FEW


def _anchors(left: Sequence[int], right: Sequence[int]) -> list[tuple[int, int]]:
    """Return lines that occur once on both sides, the most of them that are in the same order (patience sorting)."""
    once_left, once_right = _once(left), _once(right)
    pairs = sorted((place, once_right[line]) for line, place in once_left.items() if line in once_right)
    tops: list[int] = []
    top_pairs: list[int] = []
    before: list[int] = []
    for index, (_place, other) in enumerate(pairs):
        pile = bisect_left(tops, other)
        before.append(top_pairs[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(other)
            top_pairs.append(index)
        else:
            tops[pile], top_pairs[pile] = other, index
    chain: list[tuple[int, int]] = []
    index = top_pairs[-1] if top_pairs else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _once(lines: Sequence[int]) -> dict[int, int]:
    """Return the position of each line that occurs exactly once."""
    counts = Counter(lines)
    return {line: place for place, line in enumerate(lines) if counts[line] == 1}


CONTEXT = 3
"""Unchanged lines shown around a change."""
NO_BREAK = "\\ No newline at end of file\n"

Line = tuple[str, bytes, int, int]
"""A line of a hunk: its sign, and where its bytes are."""


class Diff(NamedTuple):
    """A unified diff.

    Attributes:
        text: The diff; empty when nothing differs.
        added: Lines added, in the whole diff.
        removed: Lines removed, in the whole diff.
        truncated: Whether the text was cut.
    """

    text: str
    added: int
    removed: int
    truncated: bool


def unified_diff(
    old: bytes,
    new: bytes,
    *,
    old_path: str | None,
    new_path: str | None,
    regions: Sequence[Region] | None = None,
    limit: int = 1_000_000,
) -> Diff:
    r"""Return the unified diff of two versions of a file: the plain paths, three lines of context.

    A line is what ends with `\n`; a `\r` before it is part of the line, so a changed line ending shows as a change.
    Of a file that is not text a line says what it is; where there is text on the other side, that is shown as added or
    removed. Bytes that are not UTF-8 are shown as `\xNN`.

    Args:
        old: The bytes before.
        new: The bytes after.
        old_path: Its path before; None when it is new (`/dev/null`).
        new_path: Its path after; None when it is deleted.
        regions: Where they differ, when that is known: nothing else is compared then.
        limit: The most characters of text; it is cut at a line end.
    """
    names = old_path or "/dev/null", new_path or "/dev/null"
    before = ""
    if not is_text(old) or not is_text(new):
        before = binary_line(*(_kind(data, name) for data, name in zip((old, new), names, strict=True)))
        names = names[0] if is_text(old) else "/dev/null", names[1] if is_text(new) else "/dev/null"
        old, new, regions = old if is_text(old) else b"", new if is_text(new) else b"", None
    blocks = list(changed_blocks(old, new, regions))
    if not blocks and (before or old_path == new_path):
        return Diff(before, 0, 0, truncated=False)
    pieces, truncated = [before, f"--- {names[0]}\n", f"+++ {names[1]}\n"], False
    room = limit - sum(map(len, pieces))
    for sign, data, start, end in chain.from_iterable(_hunk(old, new, hunk) for hunk in _hunks(blocks)):
        # A line that cannot fit is not even copied: it may be the whole of a large file.
        text = "" if end - start > 4 * room else _diff_line(sign, data[start:end])
        room -= len(text)
        if not text or room < 0:
            truncated = True
            break
        pieces.append(text)
    added, removed = sum(block.added for block in blocks), sum(block.removed for block in blocks)
    return Diff("".join(pieces), added, removed, truncated)


def binary_line(old: str, new: str) -> str:
    """Return the line that a diff contains for files that are not text.

    Args:
        old: The first file, with its kind and size; or `/dev/null`.
        new: The second file, likewise.
    """
    return f"Binary files {old} and {new} differ\n"


def _kind(data: bytes, name: str) -> str:
    """Return the name that a diff gives to a side that it does not show."""
    if name == "/dev/null":
        return name
    what = describe_binary(data, name)[0] if not is_text(data) else "text"
    return f"{name} ({what}, {len(data)} bytes)"


def _diff_line(sign: str, line: bytes) -> str:
    """Return a line of the diff; one without a line break says so."""
    text = sign + line.decode("utf-8", "backslashreplace")
    return text if line.endswith(b"\n") else f"{text}\n{NO_BREAK}"


def _hunks(blocks: Sequence[ChangedBlock]) -> Iterator[list[ChangedBlock]]:
    """Yield blocks, together if their contexts would touch."""
    hunk: list[ChangedBlock] = []
    for block in blocks:
        if hunk and block.old_line - (hunk[-1].old_line + hunk[-1].removed) > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _hunk(old: bytes, new: bytes, blocks: Sequence[ChangedBlock]) -> Iterator[Line]:
    """Yield one hunk, line by line, its head first."""
    first, last = blocks[0], blocks[-1]
    start, before = _context_before(old, first.old_start)
    end, after = _context_after(old, last.old_end)
    old_count = before + last.old_line + last.removed - first.old_line + after
    new_count = before + last.new_line + last.added - first.new_line + after
    head = _head(first.old_line - before, old_count, first.new_line - before, new_count)
    yield "", head, 0, len(head)
    for block in blocks:
        yield from _signed_lines(" ", old, start, block.old_start)
        yield from _signed_lines("-", old, block.old_start, block.old_end)
        yield from _signed_lines("+", new, block.new_start, block.new_end)
        start = block.old_end
    yield from _signed_lines(" ", old, start, end)


def _head(old_line: int, old_count: int, new_line: int, new_count: int) -> bytes:
    """Return a hunk's head: `@@ -5,3 +5,3 @@`. Without lines, the number is that of the line before."""
    old_line, new_line = old_line - (not old_count), new_line - (not new_count)
    return f"@@ -{old_line},{old_count} +{new_line},{new_count} @@\n".encode()


def _signed_lines(sign: str, data: bytes, start: int, end: int) -> Iterator[Line]:
    while start < end:
        cut = data.find(b"\n", start, end) + 1 or end
        yield sign, data, start, cut
        start = cut


def _context_before(data: bytes, offset: int) -> tuple[int, int]:
    """Return where up to three lines before an offset begin, and how many they are."""
    count = 0
    while offset and count < CONTEXT:
        offset = data.rfind(b"\n", 0, offset - 1) + 1
        count += 1
    return offset, count


def _context_after(data: bytes, offset: int) -> tuple[int, int]:
    """Return where up to three lines from an offset on end, and how many they are."""
    count = 0
    while offset < len(data) and count < CONTEXT:
        offset = data.find(b"\n", offset) + 1 or len(data)
        count += 1
    return offset, count


_HEAD = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")


class DiffHunk(NamedTuple):
    """One hunk. Where it has no lines on a side, `old_line` or `new_line` is the line it comes before.

    Attributes:
        old_line: The first line it takes from the old file, from 1.
        old_count: How many lines.
        new_line: The first line in the new file, from 1.
        new_count: How many lines.
        text: The hunk as the diff has it, its head included.
    """

    old_line: int
    old_count: int
    new_line: int
    new_count: int
    text: str

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield every line with its sign, and with its line break if it has one."""
        sign, held = "", ""
        for line in split_lines(self.text[self.text.index("\n") + 1 :]):
            if line.startswith("\\"):
                held = held.removesuffix("\n")
                continue
            if sign:
                yield sign, held
            sign, held = line[0], line[1:]
        if sign:
            yield sign, held

    def added(self) -> Iterator[tuple[int, str]]:
        """Yield the added lines, each with its number in the new file and its line break."""
        number = self.new_line
        for line in split_lines(self.text[self.text.index("\n") + 1 :]):
            if line.startswith("+"):
                yield number, line[1:]
            number += line[0] in "+ "


def parse_hunks(diff: str) -> Iterator[DiffHunk]:
    """Yield the hunks of a diff that `unified_diff` made, one cut short included.

    Only the counts in the heads say what a line is, so text that looks like a diff confuses nothing.

    Args:
        diff: The diff of one file.
    """
    head: re.Match[str] | None = None
    lines: list[str] = []
    old_left = new_left = 0
    for line in split_lines(diff):
        if old_left or new_left:
            old_left -= line[0] in "- "
            new_left -= line[0] in "+ "
            lines.append(line)
        elif found := _HEAD.match(line):
            if head is not None:
                yield _hunk_of(head, lines)
            head, lines = found, [line]
            old_left, new_left = int(found[2]), int(found[4])
        else:
            lines.append(line)  # the names, or a note that a line has no line break
    if head is not None:
        yield _hunk_of(head, lines)


def split_lines(text: str) -> Iterator[str]:
    r"""Yield the lines of a text with their line breaks; only `\n` breaks a line."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _hunk_of(head: re.Match[str], lines: list[str]) -> DiffHunk:
    old_line, old_count, new_line, new_count = map(int, head.groups())
    # Where there are no lines, the number in the head is that of the line before.
    return DiffHunk(old_line + (not old_count), old_count, new_line + (not new_count), new_count, "".join(lines))

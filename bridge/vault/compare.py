"""Which lines of two files differ: as few as can be found without holding up other work.

What both have at the beginning and at the end is cut off first, on bytes. The rest is matched as line numbers in a
dictionary, by the longest common subsequence where that is quick, else between lines that occur once in both
("patience"), else not at all: then the whole stretch counts as replaced, which is true, only not short.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from bridge.vault.text import BOM, CHUNK

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
    """Where two files differ, from top to bottom.

    Args:
        old: The bytes before.
        new: The bytes after.
        regions: Outside these, whole lines, both are the same; None when nothing is known.
    """
    shift = 0
    for region in regions if regions is not None else [Region(0, len(old), 0, len(new), 1)]:
        for block in _compare(old, new, region, shift):
            shift += block.added - block.removed
            yield block


def count_lines(data: bytes, start: int, end: int) -> int:
    """How many lines lie between two offsets; one without a line break at the end counts."""
    breaks = sum(data.count(b"\n", low, min(low + CHUNK, end)) for low in range(start, end, CHUNK))
    return breaks + (end > start and data[end - 1] != ord("\n"))


def match_lines(old: Sequence[int], new: Sequence[int]) -> list[LineChange]:
    """Where two sequences of line numbers differ, from top to bottom."""
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
    """The blocks of one region."""
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
    """The region without the whole lines that are the same at its beginning and at its end."""
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
    """How many bytes behind two offsets, or before them, are the same: at most so many."""
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
    """The lines between two offsets, each with its line break."""
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
    """A stretch without the lines that are the same at its beginning and at its end."""
    start, end, new_start, new_end = change
    while start < end and new_start < new_end and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return start, end, new_start, new_end


def _joined(changes: Sequence[LineChange]) -> list[LineChange]:
    """Changes with nothing between them as one, so that a diff shows all removed lines first, then all added ones."""
    joined: list[LineChange] = []
    for change in changes:
        if joined and joined[-1][1] == change[0] and joined[-1][3] == change[2]:
            before = joined.pop()
            joined.append((before[0], change[1], before[2], change[3]))
        else:
            joined.append(change)
    return joined


def _is_quick(left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether the longest common subsequence is found in a few milliseconds."""
    pairs = len(left) * len(right)
    if len(left) + len(right) > _MOST_LINES or pairs > _MOST_PAIRS_OF_FEW:
        return False
    return pairs <= _MOST_PAIRS or len({*left, *right}) <= _FEW


def _anchors(left: Sequence[int], right: Sequence[int]) -> list[tuple[int, int]]:
    """Lines that occur once on both sides, the most of them that are in the same order (patience sorting)."""
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
    """Where each line is that occurs once."""
    counts = Counter(lines)
    return {line: place for place, line in enumerate(lines) if counts[line] == 1}

"""Two changes of the same bytes as one (a merge of three versions); where they meet, a person chooses."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from bridge.contract.consent import Take
from bridge.vault.diff import ChangedBlock, changed_blocks, count_lines
from bridge.vault.plan import content_hash
from bridge.vault.text import is_text


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
    if clash.theirs.endswith(
        b"\n" + clash.ours
    ):  # both are there: it was taken, and the bridge ended before it was known
        return clash.theirs
    break_ = b"" if not clash.theirs or not clash.ours or clash.theirs.endswith(b"\n") else b"\n"
    return clash.theirs + break_ + clash.ours

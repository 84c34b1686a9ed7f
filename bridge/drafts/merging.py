"""Two changes of the same bytes as one, where they are in different places (a merge of three versions)."""

from dataclasses import dataclass

from bridge.vault.compare import ChangedBlock, changed_blocks
from bridge.vault.file_types import is_text


@dataclass(frozen=True, slots=True)
class Merged:
    """Bytes with both changes in them.

    Attributes:
        data: The bytes; None where the two are in the same place, or it is no text.
        clashes: The first and last line of each place, in the bytes of the other hand, where both changed something.
    """

    data: bytes | None
    clashes: tuple[tuple[int, int], ...] = ()


def merge(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Our change of some bytes, made to what another hand has made of them meanwhile.

    A place of ours that touches one of theirs is a clash, even where no line is in both: what was meant to stand
    beside a line may not be meant to stand beside another.

    Args:
        base: The bytes that both began with.
        ours: The bytes with our change.
        theirs: The bytes with the change of the other hand.
    """
    if theirs in (base, ours):
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if not all(map(is_text, (base, ours, theirs))):
        return Merged(None)
    their_blocks = list(changed_blocks(base, theirs))
    clashes: list[tuple[int, int]] = []
    pieces: list[bytes] = []
    done = shift = at = 0
    for block in changed_blocks(base, ours):
        while at < len(their_blocks) and their_blocks[at].old_end < block.old_start:
            shift = their_blocks[at].new_end - their_blocks[at].old_end
            at += 1
        other = at
        while other < len(their_blocks) and their_blocks[other].old_start <= block.old_end:
            clashes.append(_lines(their_blocks[other]))
            other += 1
        start, end = block.old_start + shift, block.old_end + shift
        pieces += [theirs[done:start], ours[block.new_start : block.new_end]]
        done = end
    if clashes:
        return Merged(None, tuple(dict.fromkeys(clashes)))
    return Merged(b"".join([*pieces, theirs[done:]]))


def _lines(block: ChangedBlock) -> tuple[int, int]:
    return block.new_line, block.new_line + max(block.added, 1) - 1

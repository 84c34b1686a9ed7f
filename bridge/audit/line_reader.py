"""Lines out of blocks of bytes, from either end, with a few blocks in memory however long the log is."""

from collections.abc import Iterable, Iterator
from typing import Final

MAX_LINE: Final = 4 * 1024 * 1024
"""No line of ours is longer; of a longer one only the beginning is told, or nothing."""

_ENOUGH = 16 * 1024
"""Bytes of a block in which its first lines are looked for."""


def forwards(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Every line, without its break, empty ones too; the last may have had none. A line too long is cut.

    Args:
        blocks: The log from its beginning.
    """
    rest: list[bytes] = []
    held = 0
    for block in blocks:
        first, *more = block.split(b"\n")
        if held <= MAX_LINE:
            rest.append(first)
            held += len(first)
        if more:
            yield b"".join(rest)[: MAX_LINE + 1]
            yield from more[:-1]
            rest, held = [more[-1]], len(more[-1])
    if held:
        yield b"".join(rest)[: MAX_LINE + 1]


def backwards(blocks: Iterable[bytes], needle: bytes = b"") -> Iterator[bytes]:
    """Every line that is not empty, newest first. A line too long is passed over.

    Args:
        blocks: The log from its end.
        needle: Of a block without it, one line is enough: that tells how old they are, and none can be wanted.
    """
    rest, too_long = b"", False
    for block in blocks:
        text = block + rest
        if needle and not too_long and needle not in text and text.count(b"\n", 0, _ENOUGH) > 1:
            rest, line, _ = text.split(b"\n", 2)
            yield from filter(None, [line])
            continue
        lines = text.split(b"\n")
        if too_long:
            lines[-1] = b""
            too_long = len(lines) == 1
        rest = lines[0]
        yield from filter(None, reversed(lines[1:]))
        if len(rest) > MAX_LINE:
            rest, too_long = b"", True
    if rest:
        yield rest

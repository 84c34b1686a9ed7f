"""Lines out of blocks of bytes, from either end, with a few blocks in memory however long the log is."""

from collections.abc import Iterable, Iterator
from typing import Final

MAX_LINE: Final = 4 * 1024 * 1024
"""No line of ours is longer; of a longer one only the beginning is told, or nothing."""


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


def backwards(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Every line that is not empty, newest first. A line too long is passed over.

    Args:
        blocks: The log from its end.
    """
    rest, too_long = b"", False
    for block in blocks:
        lines = (block + rest).split(b"\n")
        if too_long:
            lines[-1] = b""
            too_long = len(lines) == 1
        rest = lines[0]
        yield from filter(None, reversed(lines[1:]))
        if len(rest) > MAX_LINE:
            rest, too_long = b"", True
    if rest:
        yield rest

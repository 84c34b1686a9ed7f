"""A file's text in pieces of whole lines, so that no single step is long, however large the file."""

from collections.abc import Iterator
from typing import BinaryIO

from bridge.vault.text import BOM

PIECE = 256 * 1024
"""Bytes of a piece, where lines are not longer than that."""
LONGEST_LINE = 4 * 1024 * 1024
"""Bytes of a line beyond which it is searched in parts: to copy more at once would hold up other threads."""


def pieces(head: bytes, stream: BinaryIO, size: int = PIECE) -> Iterator[bytes]:
    r"""Yield pieces of whole lines, each line ended by `\n` alone, the byte order mark left out.

    Args:
        head: What was read of the stream already.
        stream: The rest.
        size: Bytes to read at once, while no line is longer.

    Yields:
        Text that ends with a line break, except at the end of the file and inside a line that is too long.
    """
    rest = head.removeprefix(BOM)
    more = True
    while more:
        block = stream.read(max(size, len(rest)))  # twice as much each time, while a long line goes on
        more = bool(block)
        text = rest + block
        end = text.rfind(b"\n") + 1 if more else len(text)
        if not end and len(text) >= LONGEST_LINE:
            end = len(text)
        rest = text[end:]
        if end:
            yield text[:end].replace(b"\r\n", b"\n")

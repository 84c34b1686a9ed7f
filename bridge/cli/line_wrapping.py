"""Lines cut to the width of the screen, each continuation under its own prefix."""

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

NARROWEST = 8
"""Columns of text a line keeps, however narrow the screen."""


def fold(
    line: Text, width: int, *, first: str = "", rest: str = "", prefix_style: str = "", words: bool = False
) -> Iterator[Text]:
    """`line` in pieces no wider than `width` cells: `first` before the first, `rest` before the others.

    Nothing is dropped, blanks at the cut included: what is approved is seen whole. With `words` the cuts are between
    words where there are any.
    """
    room = max(NARROWEST, width - max(cell_len(first), cell_len(rest)))
    prefix = first
    for piece in line.divide(_cuts(line.plain, room, words=words)):
        yield Text.assemble((prefix, prefix_style), piece)
        prefix = rest


def wrap(line: Text, width: int, *, first: str = "", rest: str = "", prefix_style: str = "") -> Iterator[Text]:
    """As `fold` with words, without the blanks at the cuts: for sentences."""
    room = max(NARROWEST, width - max(cell_len(first), cell_len(rest)))
    prefix = first
    for piece in line.divide(_cuts(line.plain, room, words=True)):
        blanks = len(piece.plain) - len(piece.plain.lstrip(" "))
        piece.rstrip()
        yield Text.assemble((prefix, prefix_style), piece[blanks:] if prefix == rest and first != rest else piece)
        prefix = rest


def _cuts(plain: str, room: int, *, words: bool) -> list[int]:
    """Where to cut so that every piece fits."""
    sizes = [_size(char) for char in plain]
    cuts: list[int] = []
    used = start = after_blank = 0
    for at, char in enumerate(plain):
        while used + sizes[at] > room:
            start = after_blank if words and after_blank > start else at
            cuts.append(start)
            used = sum(sizes[start:at])
        used += sizes[at]
        if char == " ":
            after_blank = at + 1
    return cuts


def _size(char: str) -> int:
    """Cells of one character. The selector that makes an emoji of a symbol may make it wider."""
    return 1 if char == "\ufe0f" else cell_len(char)

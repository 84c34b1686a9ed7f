"""Tables without frames that stay readable on a narrow screen."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from bridge.cli.folding import fold

GAP = "  "
LEAST_FLEXIBLE = 20
"""Columns that the widest column keeps; with less room every row becomes a block of lines."""


def draw_table(headings: Sequence[str], rows: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    """The lines of a table: as wide as it needs, its widest column folded to fit, and at last one block a row.

    Args:
        headings: The names of the columns.
        rows: The cells, one line each.
        width: Cells a line may have.
    """
    sizes = [max(len(name), *(row[column].cell_len for row in rows), 0) for column, name in enumerate(headings)]
    excess = sum(sizes) + len(GAP) * (len(sizes) - 1) - width
    widest = sizes.index(max(sizes))
    if excess > 0 and sizes[widest] - excess < LEAST_FLEXIBLE:
        yield from _blocks(headings, rows, width)
        return
    sizes[widest] -= max(0, excess)
    yield _line([Text(name, "bold") for name in headings], sizes)
    for row in rows:
        folded = list(fold(row[widest], sizes[widest], words=True))
        yield _line([*row[:widest], folded[0], *row[widest + 1 :]], sizes)
        for piece in folded[1:]:
            yield _line([piece if column == widest else Text() for column in range(len(row))], sizes)


def _line(cells: Sequence[Text], sizes: Sequence[int]) -> Text:
    line = Text()
    for cell, size in zip(cells, sizes, strict=True):
        line.append_text(cell).append(" " * (size - cell.cell_len) + GAP)
    line.rstrip()
    return line


def _blocks(headings: Sequence[str], rows: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    for row in rows:
        yield from fold(row[0], width)
        for name, cell in zip(headings[1:], row[1:], strict=True):
            if cell.plain:
                yield from fold(cell, width, first=f"  {name}: ", rest="    ")

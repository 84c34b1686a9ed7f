"""Tables without frames that stay readable on a narrow screen."""

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from bridge.cli.line_wrapping import fold, wrap

GAP = "  "
LEAST_FLEXIBLE = 15
"""Columns that the last column keeps; with less room every row becomes a block of lines."""


def draw_table(headings: Sequence[str], rows: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    """The lines of a table: as wide as it needs, its last column folded to fit, and at last one block a row.

    Args:
        headings: The names of the columns.
        rows: The cells, one line each.
        width: Cells a line may have.
    """
    last = len(headings) - 1
    sizes = [max(len(name), *(row[column].cell_len for row in rows), 0) for column, name in enumerate(headings)]
    excess = sum(sizes) + len(GAP) * (len(sizes) - 1) - width
    if excess > 0 and sizes[last] - excess < LEAST_FLEXIBLE:
        yield from _blocks(headings, rows, width)
        return
    sizes[last] -= max(0, excess)
    yield _line([Text(name, "bold") for name in headings], sizes)
    for row in rows:
        folded = list(fold(row[last], sizes[last], words=True))
        yield _line([*row[:last], folded[0]], sizes)
        for piece in folded[1:]:
            yield _line([*(Text() for _ in range(last)), piece], sizes)


def draw_facts(facts: Mapping[str, Text], width: int) -> Iterator[Text]:
    """One fact a line, each under its label."""
    size = max(len(label) for label in facts) + len(GAP)
    for label, value in facts.items():
        first, *rest = wrap(value, width, first=" " * size, rest=" " * size)
        yield Text.assemble((label, "bold"), first[len(label) :])
        yield from rest


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
                yield from wrap(Text.assemble(f"{name}: ", cell), width, first="  ", rest="    ")

"""Tables stay readable, however narrow the screen."""

import pytest
from rich.text import Text

from bridge.cli.layout import draw_table

HEADINGS = ("Name", "Risk", "What")
ROWS = [
    [Text("grep"), Text("low"), Text("Looks through the notes for a pattern")],
    [Text("apply_patch"), Text("high"), Text("Edits")],
]


def drawn(width: int) -> list[str]:
    return [line.plain for line in draw_table(HEADINGS, ROWS, width)]


def test_a_table_is_as_wide_as_it_needs() -> None:
    assert drawn(200) == [
        "Name         Risk  What",
        "grep         low   Looks through the notes for a pattern",
        "apply_patch  high  Edits",
    ]


def test_the_last_column_gives_way() -> None:
    assert drawn(45) == [
        "Name         Risk  What",
        "grep         low   Looks through the notes",
        "                   for a pattern",
        "apply_patch  high  Edits",
    ]


def test_a_narrow_screen_gets_blocks() -> None:
    assert drawn(30) == [
        "grep",
        "  Risk: low",
        "  What: Looks through the",
        "    notes for a pattern",
        "apply_patch",
        "  Risk: high",
        "  What: Edits",
    ]


@pytest.mark.parametrize("width", range(20, 100, 7))
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    assert all(len(line) <= width for line in drawn(width))


def test_a_table_without_rows_is_its_headings() -> None:
    assert [line.plain for line in draw_table(HEADINGS, [], 80)] == ["Name  Risk  What"]

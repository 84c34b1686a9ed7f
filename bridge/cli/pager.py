"""Shows more lines than the screen has, a page at a time. It can be called off like any other line that is read."""

from collections.abc import Sequence

from rich.text import Text

from bridge.cli.keyboard import Keyboard
from bridge.cli.output import Output

LEFT_FREE = 2
"""Rows for the line that asks, and one of the page before."""


async def show_pages(lines: Sequence[Text], output: Output, keyboard: Keyboard) -> None:
    """Print `lines`; on a terminal stop after each screenful."""
    page = max(1, output.height - LEFT_FREE) if output.interactive else len(lines)
    for start in range(0, len(lines), page):
        output.lines(lines[start : start + page])
        seen = start + page
        if seen >= len(lines) or not await _wants_more(keyboard, f"{seen} of {len(lines)} lines"):
            return


async def _wants_more(keyboard: Keyboard, seen: str) -> bool:
    word = await keyboard.line(lambda: f"-- {seen}: Enter for more, q to stop -- ")
    return word.strip().lower() != "q"

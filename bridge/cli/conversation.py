"""The output of the consent screen, and the person's input."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from rich.text import Text

from bridge.cli.keyboard import Keyboard
from bridge.cli.layout import wrap
from bridge.cli.printer import READABLE, Printer
from bridge.cli.times import until_words
from bridge.contract.consent import ConsentRequest

LAST_SECONDS: Final = 60
"""The time before its end at which a question says so in a line of its own."""
FREE_ROWS: Final = 2
"""Rows of a page for the line that asks, and one of the page before."""


class Conversation:
    """The screen and the keyboard, while one question is open. With `--json` nothing is said in words.

    Args:
        printer: Where things are shown.
        keyboard: Where answers come from.
        current: The question, as it is now.
    """

    def __init__(self, printer: Printer, keyboard: Keyboard, current: Callable[[], ConsentRequest]) -> None:
        self._printer = printer
        self._keyboard = keyboard
        self._current = current

    @property
    def for_programs(self) -> bool:
        """Return whether a program answers, in JSON."""
        return self._printer.as_json

    @property
    def is_watched(self) -> bool:
        """Return whether a person reads the screen, so that long content is better shown on demand."""
        return self._keyboard.attended and self._printer.interactive

    @property
    def width(self) -> int:
        """Return the number of cells that a line may have."""
        return min(self._printer.width, READABLE)

    def say(self, message: str | Text) -> None:
        """Say one sentence or more."""
        self.show(wrap(Text(message) if isinstance(message, str) else message, self.width))

    def show(self, lines: Iterable[Text]) -> None:
        """Show lines that are already as wide as they should be."""
        if not self.for_programs:
            self._printer.lines(lines)

    async def ask(self, prompt: Callable[[], str] | str, *above: Callable[[], str]) -> str:
        """Return what the person types.

        Args:
            prompt: The text before the cursor.
            above: What stands in lines of its own above it, where it is not empty. All of it may change with time.
        """

        def drawn() -> str:
            if self.for_programs:
                return ""
            lines = [line for part in (*above, self._last_seconds) if (line := part())]
            return "\n".join([*lines, prompt if isinstance(prompt, str) else prompt()])

        return (await self._keyboard.line(drawn)).strip()

    async def page(self, lines: Sequence[Text]) -> bool:
        """Show lines; on a terminal stop after each screenful. Returns whether the person saw the last of them."""
        page = max(1, self._printer.height - FREE_ROWS) if self.is_watched else len(lines)
        for start in range(0, len(lines), page):
            self.show(lines[start : start + page])
            seen = start + page
            if seen < len(lines):
                word = await self.ask(f"-- {seen} of {len(lines)} lines: Enter for more, q to stop -- ")
                if word.lower() == "q":
                    return False
        return True

    def remaining(self) -> str:
        """Return how long the question is still open, in words."""
        seconds = self._seconds_left()
        if seconds <= 0:
            return "expired"
        if self._current().waiting:
            return f"open until {until_words(self._current().expires_at)}"
        minutes, seconds = divmod(seconds, 60)
        return f"expires in {minutes} min {seconds} s" if minutes else f"expires in {seconds} s"

    def _last_seconds(self) -> str:
        if not 0 < self._seconds_left() < LAST_SECONDS:
            return ""
        return f"Less than {LAST_SECONDS} seconds are left: without an answer this is refused."

    def _seconds_left(self) -> int:
        return int((datetime.fromisoformat(self._current().expires_at) - datetime.now(UTC)).total_seconds())

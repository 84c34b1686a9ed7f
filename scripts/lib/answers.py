"""The sources of the demonstration's answers: a person at a terminal, lines of a pipe, or nobody."""

import select
import sys
from collections.abc import Callable

from bridge.cli.keyboard import Keyboard, LineKeyboard, PersonLeft, open_keyboard

MOMENT = 0.2
"""Seconds in which a pipe that has answers for us shows them."""


def open_answers(*, yes: bool) -> Keyboard | None:
    """Return where to read from; None when nobody is there, and every question is to be answered with yes."""
    if yes or sys.stdin is None or sys.stdin.closed:
        return None
    if sys.stdin.isatty():
        return open_keyboard()
    return PipedAnswers() if _has_lines() else None


class PipedAnswers:
    """The lines of a pipe, and yes when there are no more."""

    attended = False

    def __init__(self) -> None:
        self._lines = LineKeyboard(sys.stdin)

    def discard(self) -> None:
        """Nothing: the lines of a pipe were written to be answers."""

    async def line(self, prompt: Callable[[], str]) -> str:
        """The next line."""
        try:
            answer = await self._lines.line(prompt)
            print(answer)  # as a terminal would have shown it
        except PersonLeft:
            answer = "y"
            print("y (there are no more lines to read)")
        return answer


def _has_lines() -> bool:
    """Return whether reading would not wait. Windows cannot say that of a pipe."""
    if sys.platform == "win32":
        return False
    try:
        return bool(select.select([sys.stdin], [], [], MOMENT)[0])
    except (OSError, ValueError):
        return False

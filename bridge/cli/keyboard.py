"""The sources of answers (a terminal, a dumb terminal, or a pipe of lines), and the screen beside them.

Two promises hold for all of them: waiting for a line can be called off, and what was typed before a question was
shown never answers it.
"""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, Protocol, TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.history import DummyHistory
from prompt_toolkit.input import create_input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.output import create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from rich.text import Text

from bridge.cli.layout import until_words, wrap
from bridge.cli.printer import Printer
from bridge.contract.consent import ConsentRequest

if sys.platform == "win32":
    import msvcrt
else:
    import termios

Prompt = Callable[[], str]

REFRESH_SECONDS = 1.0
"""The interval at which a waiting prompt's text is refreshed."""


class PersonLeft(Exception):
    """The person pressed Ctrl-C or Ctrl-D, or the pipe has no more lines: whatever is open stays unanswered."""


class Keyboard(Protocol):
    """The keyboard, which reads lines for one question at a time."""

    @property
    def attended(self) -> bool:
        """Return whether a person types here rather than a program."""

    def discard(self) -> None:
        """Throw away what was typed so far: it was not typed for the question that comes now."""

    async def line(self, prompt: Prompt) -> str:
        """Return one line. Cancelling the task calls it off.

        Args:
            prompt: What stands before the cursor, with lines of its own above it if it has several. It is asked again
                every second: the screen is redrawn where it can be, and elsewhere new lines are printed.

        Raises:
            PersonLeft: There will be no more lines.
        """


def open_keyboard() -> Keyboard:
    """Return the best one for how this process was started."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") in {"dumb", "unknown", ""}:
        return LineKeyboard(sys.stdin)
    return TerminalKeyboard()


class TerminalKeyboard:
    """A terminal that can be redrawn: the prompt counts down, and disappears when the question is withdrawn."""

    attended = True

    def __init__(self) -> None:
        self._input = create_input()
        output = create_output()
        if isinstance(output, Vt100_Output):
            output.enable_cpr = False  # terminals that do not answer it would be waited for
        self._session: PromptSession[str] = PromptSession(
            history=DummyHistory(),
            interrupt_exception=PersonLeft,
            eof_exception=PersonLeft,
            input=self._input,
            output=output,
        )

    def discard(self) -> None:
        """Empty every buffer between the keys and us."""
        clear_typeahead(self._input)
        _discard_typed(sys.stdin)

    async def line(self, prompt: Prompt) -> str:
        """Return one line, edited as usual."""
        clear_typeahead(self._input)  # what was pasted after the last line's end
        return await self._session.prompt_async(prompt, refresh_interval=REFRESH_SECONDS)


class LineKeyboard:
    """Anything else: a line answers one question. Lines of a pipe wait for their question.

    Args:
        stream: Where the lines come from.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._rest = b""
        self._reading = False
        self._waiting: asyncio.Future[str] | None = None

    @property
    def attended(self) -> bool:
        """Return whether the lines come from a terminal."""
        return self._stream.isatty()

    def discard(self) -> None:
        """Empty the terminal's buffer; a pipe's lines were written to be answers."""
        if self._stream.isatty():
            _discard_typed(self._stream)

    async def line(self, prompt: Prompt) -> str:
        """Return one line. One that came while nobody waited was typed for a question that is gone, and is dropped."""
        shown = _write(prompt())
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        if not self._reading:
            self._reading = True
            # Not a worker of the loop's pool: leaving must not wait for a line that never comes.
            threading.Thread(target=self._read, args=(loop,), daemon=True).start()
        try:
            while not (await asyncio.wait({self._waiting}, timeout=REFRESH_SECONDS))[0]:
                if (above := prompt().rpartition("\n")[0]) and above != shown:
                    shown = _write(f"\n{prompt()}")
            return self._waiting.result()
        except asyncio.CancelledError:
            sys.stdout.write("\n")  # what is said next does not belong behind this prompt
            raise
        finally:
            self._waiting = None

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        line = self._read_line()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants it any more
            loop.call_soon_threadsafe(self._deliver, line)

    def _read_line(self) -> bytes:
        # From the descriptor: a thread that waits inside the buffered stream would block the interpreter's exit.
        while b"\n" not in self._rest:
            try:
                chunk = os.read(self._stream.fileno(), 65_536)
            except OSError:  # the terminal is gone
                chunk = b""
            if not chunk:
                break
            self._rest += chunk
        line, newline, self._rest = self._rest.partition(b"\n")
        return line + newline

    def _deliver(self, line: bytes) -> None:
        self._reading = False
        if self._waiting is None or self._waiting.done():
            return
        if line:
            self._waiting.set_result(line.decode("utf-8", "replace").strip("\r\n"))
        else:
            self._waiting.set_exception(PersonLeft())


def _write(prompt: str) -> str:
    """Print a prompt; returns the lines above its last one."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    return prompt.strip("\n").rpartition("\n")[0]


def _discard_typed(stream: TextIO) -> None:
    """Empty the system's own buffer of typed keys."""
    if sys.platform == "win32":
        while msvcrt.kbhit():
            msvcrt.getwch()
    else:
        with contextlib.suppress(termios.error):
            termios.tcflush(stream.fileno(), termios.TCIFLUSH)


LAST_SECONDS: Final = 60
"""The time before its end at which a question says so in a line of its own."""
FREE_ROWS: Final = 2
"""Rows of a page for the line that asks, and one of the page before."""


class Dialog:
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
        return self._printer.readable

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
        said = f"Less than {LAST_SECONDS} seconds are left: without an answer this is refused."
        return said if 0 < self._seconds_left() < LAST_SECONDS else ""

    def _seconds_left(self) -> int:
        return int((datetime.fromisoformat(self._current().expires_at) - datetime.now(UTC)).total_seconds())

"""The output of commands: results to standard output, everything said about them to standard error; and exit codes.

With `--json`, standard output holds JSON and nothing else. Exit codes: 0 success, 1 failure, 2 bad usage.
"""

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from bridge import own_commands
from bridge.cli.arguments import BadArguments
from bridge.cli.layout import wrap
from bridge.cli.sanitize import sanitize, sanitize_json, sanitize_lines, sanitize_plain
from bridge.client import ProtocolFailure, Result, VaultNotFound
from bridge.errors import BridgeError

UNFOLDED = 400
"""Columns that a pipe is taken to have, so that programs find one row a line."""
READABLE = 100
"""Columns beyond which sentences and rules do not grow."""


class Printer:
    """The two streams of one command.

    Args:
        as_json: Whether `--json` was given.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self.interactive = sys.stdout.isatty()
        self._out = _console(stderr=False)
        self._err = _console(stderr=True)

    @property
    def watched(self) -> bool:
        """Return whether a person reads standard error."""
        return self._err.is_terminal

    @property
    def width(self) -> int:
        """Return the number of columns of standard output."""
        return self._out.width

    @property
    def readable(self) -> int:
        """Return the number of columns that sentences and rules take."""
        return min(self.width, READABLE)

    @property
    def height(self) -> int:
        """Return the number of rows of standard output."""
        return self._out.height

    def json(self, value: Any, *, compact: bool = False) -> None:
        """Print a result for programs; `compact` writes it in one line."""
        indent = 2 if self.interactive and not compact else None
        sys.stdout.write(sanitize_json(value, indent=indent) + "\n")
        sys.stdout.flush()

    def lines(self, lines: Iterable[Text]) -> None:
        """Print lines that are already as wide as they should be."""
        for line in lines:
            _print(self._out, line)

    def answer(self, value: Any, said: str | Text | Iterable[Text]) -> None:
        """Print an answer: for programs as it is, for people as a sentence about it, or as lines."""
        if self.as_json:
            self.json(value)
        elif isinstance(said, str | Text):
            self.say(said)
        else:
            self.lines(said)

    def text(self, text: str) -> None:
        """Print a result as text: inert and not folded, so that it can be copied."""
        lines = text.removesuffix("\n").split("\n")
        if self.interactive:
            self.lines(sanitize(line.removesuffix("\r"), tab="\t") for line in lines)
        else:
            for line in lines:
                sys.stdout.write(sanitize_plain(line.removesuffix("\r"), keep="\t") + "\n")
            sys.stdout.flush()

    def say(self, message: str | Text, *, style: str = "") -> None:
        """Tell the person something that is not the result. Parts from outside must be inert already in a `Text`."""
        width = self._err.width if self.watched else UNFOLDED
        for line in [message] if isinstance(message, Text) else sanitize_lines(message, style=style):
            for piece in wrap(line, width):
                _print(self._err, piece)

    def confirm_or_end(self, question: str, otherwise: str, *, sure: bool) -> None:
        """Ask, and end the command where the person says no.

        Args:
            question: The question.
            otherwise: The sentence if they say no.
            sure: Whether they have said yes already, with `--yes`.
        """
        if not sure and not typer.confirm(sanitize_plain(question), err=True):
            self.say(otherwise)
            raise typer.Exit(FAILURE)

    def result(self, result: Result) -> None:
        """Print a result: its text, or all of it as JSON. A failure ends the command with exit code 1."""
        if self.as_json:
            self.json(result.raw)
            if not result.ok:
                raise typer.Exit(FAILURE)
        elif result.ok:
            self.text(result.text)
            if any(part.get("type") == "image" for part in result.raw.get("parts") or ()):
                self.say("A terminal shows no picture; with --json it is in `parts`.")
        else:
            fail(result.error or "The tool failed.")

    @contextlib.contextmanager
    def waiting(self, message: str) -> Iterator[None]:
        """Show that something is awaited, where a person is looking."""
        if self._err.is_terminal and not self._err.is_dumb_terminal:
            with self._err.status(Text(message)):
                yield
        else:
            yield

    @contextlib.contextmanager
    def progress(self, message: str) -> Iterator[Callable[[int, int], None]]:
        """Show how far something is: as a bar where a person is looking, else as one line at its beginning.

        Args:
            message: What is done.

        Yields:
            To be called with how much is done, and of how much.
        """
        if not self._err.is_terminal or self._err.is_dumb_terminal:
            self.say(f"{message} ...")
            yield lambda _done, _total: None
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - rarely needed, and slow to load

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self._err, transient=True) as bar:
            task = bar.add_task(message, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total or None)


def quoted(word: Path | str) -> str:
    """Return a path or another word as it is typed in a shell."""
    return own_commands.quoted([str(word)])


def typed_command(words: str, vault: Path) -> str:
    """Return one of our commands for a vault, ready to be pasted into a shell.

    Args:
        words: What comes after the program's name, such as `approve`.
        vault: The vault's folder.
    """
    return f"{_program()} {words} --vault {quoted(vault)}"


def _program() -> str:
    """Return `vault-bridge`; with its folder where the shell would not find it, or would find another one."""
    name = "vault-bridge"
    script = Path(sys.executable).with_name(f"{name}.exe" if sys.platform == "win32" else name)
    found = shutil.which(name)
    ours = not script.exists() or (found is not None and Path(found).samefile(script))
    return name if ours else quoted(script)


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else UNFOLDED
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def _print(console: Console, line: Text) -> None:
    console.print(line, no_wrap=True, overflow="ignore", crop=False)


FAILURE: Final = 1
BAD_USAGE: Final = 2

_COMMAND_OF: Final = {
    "history.list": "vault-bridge history",
    "tools.list": "vault-bridge tools",
    "settings.get": "vault-bridge settings get",
    "consent.grants": "vault-bridge policy grants",
}
_METHOD: Final = re.compile(rf"`?\b({'|'.join(map(re.escape, _COMMAND_OF))})\b`?")


def own_words(message: str) -> str:
    """Return what the bridge says, with the commands of the command line in the place of methods."""
    return _METHOD.sub(lambda method: f"`{_COMMAND_OF[method[1]]}`", message).replace(": Input should be ", " must be ")


def fail(message: str, code: int = FAILURE) -> NoReturn:
    """Say what went wrong on standard error, and end."""
    Printer().say(own_words(message))
    raise typer.Exit(code)


def end_with(error: BaseException) -> None:
    """End the command with a sentence and an exit code, if the error is one that people can do something about.

    Raises:
        typer.Exit: It is. Returns when it is not: then it is a fault of ours, and worth a traceback.
    """
    match error:
        case BadArguments() | VaultNotFound():
            fail(str(error), BAD_USAGE)
        case ProtocolFailure():
            fail(error.hint or error.message)
        case BridgeError():
            fail(str(error))
        case KeyboardInterrupt():
            fail("Stopped.")

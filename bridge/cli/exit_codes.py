"""The exit codes of a command: 0 success, 1 failure, 2 bad usage; and its message when it fails."""

import re
from typing import Final, NoReturn

import typer

from bridge.cli.arguments import BadArguments
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize_plain
from bridge.client import ProtocolFailure, Result, VaultNotFound
from bridge.errors import BridgeError

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


def confirm_or_end(printer: Printer, question: str, otherwise: str, *, sure: bool) -> None:
    """Ask, and end the command where the person says no.

    Args:
        printer: Says what does not happen then.
        question: The question.
        otherwise: The sentence if they say no.
        sure: Whether they have said yes already, with `--yes`.
    """
    if not sure and not typer.confirm(sanitize_plain(question), err=True):
        printer.say(otherwise)
        raise typer.Exit(FAILURE)


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


def show_result(result: Result, printer: Printer) -> None:
    """Print a result: its text, or all of it as JSON. A failure ends the command with exit code 1."""
    if printer.as_json:
        printer.json(result.raw)
        if not result.ok:
            raise typer.Exit(FAILURE)
    elif result.ok:
        printer.text(result.text)
        if any(part.get("type") == "image" for part in result.raw.get("parts") or ()):
            printer.say("A terminal shows no picture; with --json it is in `parts`.")
    else:
        fail(result.error or "The tool failed.")

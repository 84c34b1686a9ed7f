"""Asking the person once before something is sent to another computer."""

import sys

from bridge.cli.exit_codes import fail
from bridge.cli.keyboard import Keyboard, PersonLeft, open_keyboard
from bridge.cli.printer import Printer


def attended_keyboard(printer: Printer) -> Keyboard | None:
    """Return where the person types; None where no person is at both ends of a terminal."""
    if printer.as_json or not printer.interactive or not sys.stdin.isatty():
        return None
    return open_keyboard()


async def ask_to_send(
    printer: Printer, keyboard: Keyboard | None, sentence: str, *, command: str, instead: str
) -> None:
    """Ask, and end the command where the person does not agree.

    Args:
        printer: For what they are asked.
        keyboard: Where they answer; None where they cannot.
        sentence: What would be sent, and where.
        command: Which command asks in a terminal.
        instead: What they can do where they do not agree.
    """
    printer.say(sentence)
    if keyboard is None:
        fail(f"Nobody has agreed to that yet: run `{command}` in a terminal, which asks once.")
    keyboard.discard()
    try:
        answer = (await keyboard.line(lambda: "Send it there? y or n: ")).strip().lower()
    except PersonLeft:
        answer = ""
    if answer not in {"y", "yes"}:
        fail(f"Nothing was sent. {instead}")

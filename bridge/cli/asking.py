"""Questions that are answered where the person already is, while something else goes on there."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from bridge.cli.consent_link import ConsentLink, Questions
from bridge.cli.consent_prompt import ConsentPrompt
from bridge.cli.keyboard import Keyboard, PersonLeft, open_keyboard
from bridge.cli.printer import Printer, fail


@contextlib.asynccontextmanager
async def asking_here(
    vault: Path, keyboard: Keyboard | None, printer: Printer, left: Callable[[], object]
) -> AsyncIterator[None]:
    """Show questions here until the block ends, where a person is there to answer them.

    Args:
        vault: The vault's folder.
        keyboard: Where they are answered; None where nobody is.
        printer: Where they are shown.
        left: Called when the person leaves a question unanswered.
    """
    if keyboard is None:
        yield
        return
    questions = Questions()
    link = ConsentLink(vault, questions)
    prompt = ConsentPrompt(questions, link, keyboard, printer)
    ready = asyncio.Event()

    async def connected(_message: str) -> None:
        ready.set()

    async def answer() -> None:
        try:
            while True:
                await prompt.next()
        except PersonLeft:
            left()

    tasks = [asyncio.create_task(link.run(connected)), asyncio.create_task(answer())]
    waiting = asyncio.create_task(ready.wait())
    try:
        await asyncio.wait([tasks[0], waiting], return_when=asyncio.FIRST_COMPLETED)
        yield
    finally:
        for task in (*tasks, waiting):
            task.cancel()
        await asyncio.gather(*tasks, waiting, return_exceptions=True)


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

"""Questions that are answered where the person already is, while something else goes on there."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from bridge.cli.consent_link import ConsentLink
from bridge.cli.consent_prompt import ConsentPrompt
from bridge.cli.keyboard import Keyboard, PersonLeft
from bridge.cli.open_questions import Questions
from bridge.cli.printer import Printer


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

"""`vault-bridge approve`: the terminal's consent screen."""

import asyncio
import contextlib
from pathlib import Path
from typing import Annotated

import typer

from bridge.cli.consent_link import Link
from bridge.cli.consent_prompt import Desk
from bridge.cli.exit_codes import FAILURE
from bridge.cli.keyboard import Leaving, open_keyboard
from bridge.cli.options import AsJson, Vault
from bridge.cli.output import Output
from bridge.cli.questions import Questions
from bridge.cli.signals import cancel_on_signals
from bridge.client import find_vault

HELP = """Answer the questions of agents, here.

Every question is shown whole: who asks, what for, the parameters, and the exact diff. There is no default
answer. A question that is answered elsewhere, in Obsidian for instance, is taken away here.

\b
Keys, each followed by Enter, as far as a question offers them:
  y  allow once      s  allow for this session      a  always allow
  n  deny            d  deny for this session       x  never allow
  m  deny, with a message to the agent
  p  show everything of a question that was cut

\b
Examples:
  vault-bridge approve
  vault-bridge approve --once                  end after one answer
  echo n | vault-bridge approve --once         answers may come through a pipe, one a line
  vault-bridge approve --yes                   for scripts: allows EVERYTHING that is asked
"""


def command(
    once: Annotated[bool, typer.Option("--once", help="End after one answered question.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Allow everything once, without asking. For scripts.")] = False,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Show questions and take answers until the person leaves."""
    output = Output(as_json=as_json)
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        answered = asyncio.run(approve(find_vault(vault), output, once=once, yes=yes))
        if once and not answered:
            raise typer.Exit(FAILURE)


async def approve(vault: Path, output: Output, *, once: bool = False, yes: bool = False) -> int:
    """Show questions and take answers.

    Args:
        vault: The vault's folder; its bridge runs.
        output: Where to.
        once: Return after one answer.
        yes: Allow everything once, without asking.

    Returns:
        How many were answered here.

    Raises:
        BridgeNotRunning: Nobody serves the vault.
    """
    if yes:
        output.say(
            "--yes: everything that agents ask for is ALLOWED from here on, without asking you.", style="bold red"
        )
    questions = Questions()
    link = Link(vault, questions)
    desk = Desk(questions, link, None if yes else open_keyboard(), output)
    with cancel_on_signals():
        return await _serve(link, desk, once=once)


async def _serve(link: Link, desk: Desk, *, once: bool) -> int:
    """Run the desk beside its connection, until either ends."""
    answered = 0

    async def answer() -> None:
        nonlocal answered
        with contextlib.suppress(Leaving):
            while not (once and answered):
                answered += await desk.next()

    connection = asyncio.ensure_future(link.run(desk.say))
    answering = asyncio.ensure_future(answer())
    try:
        await asyncio.wait({connection, answering}, return_when=asyncio.FIRST_COMPLETED)
        for task in (connection, answering):
            if task.done():
                task.result()
    finally:
        for task in (answering, connection):
            task.cancel()
        await asyncio.gather(answering, connection, return_exceptions=True)
    return answered

"""`vault-bridge approve`: the terminal's consent screen."""

import asyncio
import contextlib
from pathlib import Path
from typing import Annotated

import typer

from bridge.cli.consent_link import ConsentLink
from bridge.cli.consent_prompt import ConsentPrompt
from bridge.cli.family import CommandLine, command
from bridge.cli.keyboard import PersonLeft, open_keyboard
from bridge.cli.options import option
from bridge.cli.printer import FAILURE
from bridge.cli.stopping import cancel_on_signals


@command
def approve(
    cli: CommandLine,
    once: Annotated[bool, option("--once", "Exit after one answered question.")] = False,
    yes: Annotated[bool, option("--yes", "Allow everything once, without asking. For scripts.")] = False,
) -> None:
    """Answer the questions of agents, here.

    Every question is shown in full: who asks, what for, the parameters, and the exact diff. There is no default
    answer. A question that is answered elsewhere, in Obsidian for instance, disappears here; one whose text was edited
    is shown anew. What else waits (`vault-bridge inbox`) is said too. Where no bridge serves the vault yet, one is
    started if something waits for your answer; otherwise this waits for one.

    Keys, each followed by Enter, if the question offers them:
      y  allow once                       n  deny
      m  deny, with a message to the agent
      t  a message to the agent that goes with whatever you answer
      l  later: set aside, and go on to the next question
      s  allow for longer, as suggested   a  approve all operations of this kind, or always allow
      d  deny for longer                  x  never allow
      w  remember: all answers for longer, each with how far it reaches
      h  leave parts of the change out, by their numbers: h 2 5-7
      e  edit the text, in the editor that VISUAL or EDITOR names
      b  send a draft back, all or parts of it, with words about it, a file or a line
      g  choose what is taken where a draft and others changed the same
      c  all open questions of this client, to be answered together
      p  show everything of a question that was cut

    An answer for longer (s a d x w) counts only after you have seen the sentence that says whom it holds for, what
    for, where and until when, and have confirmed it with a second key.

    Examples:
      vault-bridge approve
      vault-bridge approve --once                  exit after one answer
      echo n | vault-bridge approve --once         answers can come through a pipe, one a line
      vault-bridge approve --yes                   for scripts: allows EVERYTHING that agents ask for
    """
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        answered = asyncio.run(_approve(cli.folder, cli, once=once, yes=yes))
        if once and not answered:
            raise typer.Exit(FAILURE)


async def _approve(vault: Path, cli: CommandLine, *, once: bool, yes: bool) -> int:
    """Show questions and take answers; returns how many were answered here."""
    if yes:
        cli.say("--yes: everything that agents ask for is ALLOWED from here on, without asking you.", style="bold red")
    link = ConsentLink(vault)
    prompt = ConsentPrompt(link, None if yes else open_keyboard(), cli)
    with cancel_on_signals():
        return await _run(link, prompt, once=once)


async def _run(link: ConsentLink, prompt: ConsentPrompt, *, once: bool) -> int:
    """Run the prompt beside its connection, until either ends."""
    answered = 0

    async def answer() -> None:
        nonlocal answered
        with contextlib.suppress(PersonLeft):
            while not (once and answered):
                answered += await prompt.next()

    connection = asyncio.ensure_future(link.run(prompt.say))
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

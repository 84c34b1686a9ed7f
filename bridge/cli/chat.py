"""`vault-bridge chat`: talks with a model, which works in the vault with tools and is asked about like any agent."""

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from bridge.cli.agreement import ask_to_send, attended_keyboard
from bridge.cli.asking import asking_here
from bridge.cli.chat_screen import ChatScreen
from bridge.cli.connection import as_person, ask, run_once
from bridge.cli.exit_codes import FAILURE, fail, show_result
from bridge.cli.family import Column, Table, when
from bridge.cli.keyboard import Keyboard, PersonLeft
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize
from bridge.client import Connection, Result, find_vault

_PROMPT = "You: "


def chat(
    *,
    once: Annotated[
        str | None, typer.Option("--once", metavar="TEXT", help="Ask this, print the answer, and leave.")
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model. Default: the one that is set.")] = None,
    go_on: Annotated[bool, typer.Option("--continue", help="Go on with the latest conversation.")] = False,
    conversation: Annotated[str | None, typer.Option(metavar="ID", help="Go on with this conversation.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the conversations.")] = False,
    models: Annotated[bool, typer.Option("--models", help="List the models that there are.")] = False,
    export: Annotated[str | None, typer.Option(metavar="ID", help="Make a note of this conversation.")] = None,
    to: Annotated[str | None, typer.Option(metavar="PATH", help="The note that --export makes.")] = None,
    delete: Annotated[str | None, typer.Option(metavar="ID", help="Delete this conversation.")] = None,
    vault: Vault = None,
    as_json: AsJson = False,
) -> None:
    """Talk with a model that works in the vault.

    The model runs in Ollama, on this computer unless you set another address. It finds, reads and changes notes with
    the tools that agents have, and you are asked here about what it wants to do. Ctrl-C stops an answer, Ctrl-D leaves.

    Where standard input is no terminal, all of it is one message, and questions have to be answered elsewhere: in
    Obsidian, or in `vault-bridge approve`.

    Examples:
      vault-bridge chat
      vault-bridge chat --once "Which notes mention the move?"
      vault-bridge chat --continue
      vault-bridge chat --list
      vault-bridge chat --export 0123456789abcdef --to "Chats/The move.md"
      git diff | vault-bridge chat --model qwen3:8b
    """
    printer = Printer(as_json=as_json)
    if listed:
        _list(vault, printer)
    elif models:
        _models(vault, printer)
    elif delete is not None:
        run_once(vault, lambda bridge: bridge.request("chat.delete", conversationId=delete))
        printer.say("Deleted.")
    elif export is not None:
        where = {} if to is None else {"path": to}
        folder = find_vault(vault)
        try:
            show_result(asyncio.run(_export(folder, printer, conversationId=export, **where)), printer)
        except asyncio.CancelledError:
            fail("Stopped. The question stays open elsewhere, as long as a bridge serves the vault.")
    else:
        with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
            text = once if once is not None else None if sys.stdin.isatty() else sys.stdin.read()
            begun = _Beginning(text, model, conversation, go_on=go_on)
            if not asyncio.run(_talk(find_vault(vault), printer, begun)):
                raise typer.Exit(FAILURE)


class _Beginning:
    """The beginning of a conversation on the command line.

    Args:
        text: The one message that there is; None: the person types.
        model: The model, where one was named.
        conversation: The conversation to go on with, where one was named.
        go_on: Whether that is the latest one.
    """

    def __init__(self, text: str | None, model: str | None, conversation: str | None, *, go_on: bool) -> None:
        self.text = text
        self.model = model
        self.conversation = conversation
        self.go_on = go_on


async def _talk(vault: Path, printer: Printer, begun: _Beginning) -> bool:
    """Talk until the person leaves. Returns whether the last turn was answered."""
    keyboard = attended_keyboard(printer)
    async with as_person(vault) as bridge:
        await _agree(bridge, printer, keyboard)
        screen = ChatScreen(vault, bridge, printer, keyboard)
        screen.model, screen.conversation_id = begun.model, begun.conversation
        if begun.go_on and begun.conversation is None:
            screen.conversation_id = await _latest(bridge, printer)
        if begun.text is not None:
            return await screen.turn(begun.text)
        if keyboard is None:
            fail("There is nothing to send. Use --once, or a terminal without --json.")
        printer.say("Ctrl-C stops an answer, Ctrl-D leaves.", style="dim")
        with contextlib.suppress(PersonLeft):
            while True:
                keyboard.discard()
                text = (await keyboard.line(lambda: _PROMPT)).strip()
                if text:
                    await screen.turn(text)
        if screen.conversation_id is not None:
            printer.say("`vault-bridge chat --continue` goes on with this conversation.", style="dim")
    return True


async def _agree(bridge: Connection, printer: Printer, keyboard: Keyboard | None) -> None:
    """Ask once about a model on another computer; end the command where the person does not agree."""
    found: dict[str, Any] = await bridge.request("chat.models")
    if found["allowed"]:
        return
    await ask_to_send(
        printer,
        keyboard,
        found["sentence"],
        command="vault-bridge chat",
        instead="`vault-bridge settings set chatEndpoint=http://localhost:11434` stays on this computer.",
    )
    await bridge.request("chat.allow", endpoint=found["endpoint"])


async def _latest(bridge: Connection, printer: Printer) -> str:
    found: list[dict[str, Any]] = await bridge.request("chat.list")
    if not found:
        fail("There is no conversation yet.")
    printer.say(Text.assemble("Going on with: ", sanitize(found[0]["title"])))
    return str(found[0]["conversationId"])


async def _export(vault: Path, printer: Printer, **params: str) -> Result:
    async with as_person(vault) as bridge:
        exporting = asyncio.current_task()
        async with asking_here(vault, attended_keyboard(printer), printer, lambda: exporting and exporting.cancel()):
            return Result(await bridge.request("chat.export", **params))


def _list(vault: Path | None, printer: Printer) -> None:
    columns: tuple[Column, ...] = (
        ("Id", "conversationId"),
        ("Last", when("updated")),
        ("Model", "model"),
        ("Begins with", "title", "bold"),
    )
    Table(columns, "There is no conversation yet.").print(printer, ask(vault, "chat.list"))


def _models(vault: Path | None, printer: Printer) -> None:
    found = ask(vault, "chat.models")
    if not found["allowed"] and not printer.as_json:
        fail(f"{found['sentence']} Nobody has agreed to that yet: run `vault-bridge chat`, which asks once.")
    columns: tuple[Column, ...] = (
        ("Model", lambda one: sanitize(one["name"], style="bold" if one["name"] == found["model"] else "")),
        ("Size", lambda one: _size(one["size"])),
    )
    none = "There is no model yet. Pull one, for instance: ollama pull qwen3:8b"
    Table(columns, none).print(printer, found["models"], found)


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size else ""

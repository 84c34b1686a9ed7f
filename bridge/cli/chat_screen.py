"""A turn of a chat in the terminal: the answer as it comes, the tools that are used, and questions in their place."""

import asyncio
import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from bridge.cli.asking import asking_here
from bridge.cli.keyboard import Keyboard
from bridge.cli.printer import Printer
from bridge.cli.sanitize import sanitize, sanitize_plain
from bridge.cli.stopping import on_signals
from bridge.client import Connection, ConnectionLost, ProtocolFailure
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

"""The demonstration: an agent's edit is previewed, approved, written, logged and undone, on a copy of a small vault.

Everything is real: the bridge listens on a socket, the agent is a client of it, and the questions are those of
`vault-bridge approve`. Only the agent's mind is made up beforehand.
"""

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.text import Text

from bridge.app import Bridge
from bridge.cli.consent_link import ConsentLink
from bridge.cli.consent_prompt import ConsentPrompt
from bridge.cli.keyboard import Keyboard
from bridge.cli.layout import draw_table, wrap
from bridge.cli.log import HEADINGS, draw_record
from bridge.cli.printer import READABLE, Printer
from bridge.cli.sanitize import sanitize
from bridge.client import Connection, Result, connect
from bridge.identity.caller import PERSON
from scripts.lib.environment import COMMAND, ROOT

SAMPLE = ROOT / "scripts" / "sample-vault"
PLAYGROUND = ROOT / "playground"
PATTERN = "TODO|FIXME"
NOTE = "Projects/Balcony garden.md"
REASON = "The soil has been ordered: tick it off."
INDENT = "   "


def copy_sample(playground: Path = PLAYGROUND) -> Path:
    """A fresh copy of the sample vault; earlier copies stay, for they may have been changed since."""
    number = 1
    while (place := playground / ("vault" if number == 1 else f"vault-{number}")).exists():
        number += 1
    shutil.copytree(SAMPLE, place)
    date_files(place, datetime.now(UTC))
    return place


def date_files(vault: Path, moment: datetime) -> None:
    """Give every file one time: its own is that of the checkout, and says nothing.

    Args:
        vault: A copy of the sample vault.
        moment: When its files are to have been changed.
    """
    for file in vault.rglob("*"):
        os.utime(file, (moment.timestamp(), moment.timestamp()))


class Demo:
    """Shows it.

    Args:
        keyboard: Where answers come from; None answers every question with yes.
        port: Where to listen; 0 takes a free port.
        playground: Where the copy of the vault goes.
    """

    def __init__(self, keyboard: Keyboard | None, *, port: int = 0, playground: Path = PLAYGROUND) -> None:
        self._port = port
        self._playground = playground
        self._printer = Printer()
        self._keyboard = keyboard
        self._steps = 0

    async def show(self) -> None:
        """Run the whole demonstration.

        Raises:
            PersonLeft: The person left.
        """
        self._say("Vault Bridge, shown on a copy of a small vault. Your own files are not touched.", indent="")
        if self._keyboard is None:
            self._say("Every question is shown and answered with yes.", indent="")
        self._step("A vault")
        vault = copy_sample(self._playground)
        self._say(f"A new copy of the sample vault with its 12 notes: {_shown(vault)}")
        async with Bridge(vault, port=self._port) as bridge:
            tools = bridge.services.registry.presets(PERSON)["vault"]
            await asyncio.to_thread(bridge.settings.update, {"enabledTools": list(tools)})
            self._step("The bridge serves it")
            self._say(
                f"On this machine only, at {bridge.discovery.url}. Agents may use {', '.join(tools[:4])} and "
                f"{len(tools) - 4} more tools."
            )
            async with _consent_prompt(vault, self._keyboard, self._printer) as prompt:
                await self._agent(vault, prompt)
        self._closing(vault)

    async def _agent(self, vault: Path, prompt: ConsentPrompt) -> None:
        """Play the agent, and show what becomes of its calls."""
        async with connect(vault, name="Demo") as agent:
            hit = await self._search(agent, prompt)
            if hit is None:
                return
            before = (vault / NOTE).read_bytes()
            patched = await self._patch(agent, prompt, hit)
            if patched is None:
                return
        self._step("The change is made and logged")
        line = (vault / NOTE).read_text(encoding="utf-8").splitlines()[hit["line"] - 1]
        self._say(f"Line {hit['line']} of {NOTE} is now:  {line}")
        self._say("The log, .vault-bridge/logs/tools.log, has your answer and the change:")
        self._printer.lines(await _log_of("apply_patch", vault, self._printer.width))
        await self._take_back(vault, patched, before)

    async def _search(self, agent: Connection, prompt: ConsentPrompt) -> dict[str, Any] | None:
        self._step("An agent looks for open tasks")
        self._say(f"It calls: grep pattern={PATTERN!r}. It has not read anything yet, so you are asked.")
        found = await _asking(prompt, agent.call("grep", pattern=PATTERN, contextLines=0))
        if not found.ok:
            self._refused(found)
            return None
        self._say(f"It gets {len(found.data)} lines:")
        for hit in found.data:
            self._say(f"{hit['file']}:{hit['line']}: {hit['match']}", indent=INDENT + "  ")
        hits: list[dict[str, Any]] = found.data
        return next(hit for hit in hits if hit["file"] == NOTE)

    async def _patch(self, agent: Connection, prompt: ConsentPrompt, hit: dict[str, Any]) -> Result | None:
        self._step("It asks to change a note")
        self._say(
            f"It calls: apply_patch on line {hit['line']} of {NOTE}. You are asked about every change and see its diff."
        )
        edit = {
            "startLine": hit["line"],
            "endLine": hit["line"],
            "newContent": hit["match"].replace("[ ] TODO: order", "[x] Order"),
        }
        patched = await _asking(prompt, agent.call("apply_patch", path=NOTE, patches=[edit], reason=REASON))
        if not patched.ok:
            self._refused(patched)
            return None
        return patched

    async def _take_back(self, vault: Path, patched: Result, before: bytes) -> None:
        self._step("You can undo it")
        if self._keyboard is not None:
            answer = ""
            while answer not in {"y", "yes", "n", "no"}:
                answer = (await self._keyboard.line(lambda: "Undo it? (y/n) ")).strip().lower()
            if answer.startswith("n"):
                self._say("The change stays.")
                self._hint("Later:", _command("undo", patched.execution_id or "", vault))
                return
        async with connect(vault, name="Demo", role="host") as person:
            undone = Result(await person.request("history.undo", executionId=patched.execution_id)).or_raise()
        same = (vault / NOTE).read_bytes() == before
        self._say(undone.text.splitlines()[0])
        self._say(
            f"{NOTE} is {'byte for byte as it was before' if same else 'NOT as it was before: please report this'}."
        )

    def _refused(self, result: Result) -> None:
        """Show what the agent receives after a no."""
        self._step("Nothing was changed")
        self._say(f"The agent receives: {result.error}")

    def _closing(self, vault: Path) -> None:
        self._printer.lines([Text(), Text("Next", "bold")])
        self._hint("All changes:", _command("history", vault))
        self._hint("The whole log:", _command("log", vault))
        self._hint("Your own vault:", "python3 scripts/start --vault DIR")
        self._hint("Your own agent:", "README.md, section 'Connect an agent'")

    def _step(self, title: str) -> None:
        self._steps += 1
        self._printer.lines([Text(), Text(f"{self._steps}. {title}", "bold")])

    def _say(self, text: str, *, indent: str = INDENT) -> None:
        self._printer.lines(wrap(sanitize(text), min(self._printer.width, READABLE), first=indent, rest=indent))

    def _hint(self, what: str, command: str) -> None:
        """A command to copy: never broken into lines."""
        self._printer.lines([Text(f"{INDENT}{what:<19}").append_text(sanitize(command))])


async def _asking(prompt: ConsentPrompt, call: Any) -> Result:
    """The result of a call, while the person is asked what it makes the bridge ask, again if they want to see more."""
    calling = asyncio.ensure_future(call)
    answering = asyncio.ensure_future(prompt.next())
    try:
        while not calling.done():
            await asyncio.wait({calling, answering}, return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()  # raises when the person left
                answering = asyncio.ensure_future(prompt.next())
        result: Result = await calling
        return result
    finally:
        for task in (calling, answering):
            task.cancel()
        await asyncio.gather(calling, answering, return_exceptions=True)


@contextlib.asynccontextmanager
async def _consent_prompt(vault: Path, keyboard: Keyboard | None, printer: Printer) -> AsyncIterator[ConsentPrompt]:
    """The consent screen of `vault-bridge approve`, in this terminal."""
    connected = asyncio.Event()

    async def greeted(_greeting: str) -> None:
        connected.set()

    link = ConsentLink(vault)
    listening = asyncio.create_task(link.run(greeted))
    try:
        await connected.wait()
        yield ConsentPrompt(link, keyboard, printer)
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def _log_of(tool: str, vault: Path, width: int) -> list[Text]:
    """Return the log of one tool, drawn as `vault-bridge log` draws it."""
    async with connect(vault, name="Log", role="host") as bridge:
        records = await bridge.request("audit.query", tool=tool, actions=True)
    rows = [draw_record(record) for record in reversed(records)]
    return [Text(INDENT).append_text(line) for line in draw_table(HEADINGS, rows, min(width, READABLE) - len(INDENT))]


def _shown(path: Path) -> str:
    """A path as one would type it here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _command(name: str, *words: str | Path) -> str:
    """A command line to copy."""
    *arguments, vault = words
    return " ".join([_shown(COMMAND), name, *map(str, arguments), "--vault", _shown(Path(vault))])

"""The demonstration: an agent's edit is previewed, approved, written, logged and undone, on a copy of a small vault.

Everything is real: the bridge listens on a socket, the agent is a client of it, and the questions are those of
`vault-bridge approve`. Only the agent's mind is made up beforehand.
"""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
from rich.text import Text

from bridge.app import Bridge
from bridge.cli.consent_link import Link
from bridge.cli.consent_prompt import Desk
from bridge.cli.keyboard import Keyboard
from bridge.cli.line_wrapping import fold, wrap
from bridge.cli.output import READABLE, Output
from bridge.cli.questions import Questions
from bridge.cli.sanitize import sanitize
from bridge.client import Bridge as Client
from bridge.client import Result, connect
from bridge.settings.model import PRESETS
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
    return place


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
        self._output = Output()
        self._keyboard = keyboard
        self._steps = 0

    async def show(self) -> None:
        """From beginning to end.

        Raises:
            Leaving: The person left.
        """
        self._say("Vault Bridge, shown on a copy of a small vault. Nothing of yours is touched.", indent="")
        if self._keyboard is None:
            self._say("Nobody is asked here: every question is shown, and answered with yes.", indent="")
        self._step("A vault")
        vault = copy_sample(self._playground)
        self._say(f"A fresh copy of the sample vault, 12 notes: {_shown(vault)}")
        async with Bridge(vault, port=self._port) as bridge:
            await asyncio.to_thread(bridge.settings.update, {"enabledTools": list(PRESETS["vault"])})
            self._step("The bridge serves it")
            self._say(
                f"On this machine only, at {bridge.discovery.url}. Agents may ask for: find, grep, read, apply_patch."
            )
            async with _desk(vault, self._keyboard, self._output) as desk:
                await self._agent(vault, desk)
        self._closing(vault)

    async def _agent(self, vault: Path, desk: Desk) -> None:
        """What the agent does, and what becomes of it."""
        async with connect(vault, name="Demo agent") as agent:
            hit = await self._search(agent, desk)
            if hit is None:
                return
            before = (vault / NOTE).read_bytes()
            patched = await self._patch(agent, desk, hit)
            if patched is None:
                return
        self._step("It is done, and written down")
        line = (vault / NOTE).read_text(encoding="utf-8").splitlines()[hit["line"] - 1]
        self._say(f"Line {hit['line']} of {NOTE} is now:  {line}")
        self._say("And this is its line in the log, .vault-bridge/logs/tools.log:")
        self._quote(_last_execution(vault))
        await self._take_back(vault, patched, before)

    async def _search(self, agent: Client, desk: Desk) -> dict[str, Any] | None:
        self._step("An agent looks for what is to do")
        self._say(f"It calls: grep pattern={PATTERN!r}. Its first read in this session, so you are asked.")
        found = await _asking(desk, agent.call("grep", pattern=PATTERN, contextLines=0))
        if not found.ok:
            self._refused(found)
            return None
        self._say(f"It gets {len(found.data)} lines:")
        for hit in found.data:
            self._say(f"{hit['file']}:{hit['line']}: {hit['match']}", indent=INDENT + "  ")
        hits: list[dict[str, Any]] = found.data
        return next(hit for hit in hits if hit["file"] == NOTE)

    async def _patch(self, agent: Client, desk: Desk, hit: dict[str, Any]) -> Result | None:
        self._step("It asks to change a note")
        self._say(f"It calls: apply_patch on line {hit['line']} of {NOTE}. Every write is asked about, with its diff.")
        edit = {
            "startLine": hit["line"],
            "endLine": hit["line"],
            "newContent": hit["match"].replace("[ ] TODO: order", "[x] Order"),
        }
        patched = await _asking(desk, agent.call("apply_patch", path=NOTE, patches=[edit], reason=REASON))
        if not patched.ok:
            self._refused(patched)
            return None
        return patched

    async def _take_back(self, vault: Path, patched: Result, before: bytes) -> None:
        self._step("It can be taken back")
        if self._keyboard is not None:
            answer = ""
            while answer not in {"y", "yes", "n", "no"}:
                answer = (await self._keyboard.line(lambda: "Take it back? (y/n) ")).strip().lower()
            if answer.startswith("n"):
                self._say("Then it stays.")
                self._hint("Later:", _command("undo", patched.execution_id or "", vault))
                return
        async with connect(vault, name="Demo", role="host") as person:
            undone = Result(await person.request("history.undo", executionId=patched.execution_id)).or_raise()
        same = (vault / NOTE).read_bytes() == before
        self._say(undone.text.splitlines()[0])
        self._say(f"{NOTE} is {'byte for byte as it was' if same else 'NOT as it was: please report this'}.")

    def _refused(self, result: Result) -> None:
        """A no, which is an answer like any other."""
        self._step("Nothing was done")
        self._say(f"What the agent is told: {result.error}")

    def _closing(self, vault: Path) -> None:
        self._output.lines([Text(), Text("Next", "bold")])
        self._hint("What was changed:", _command("history", vault))
        self._hint("The whole log:", _command("log", vault))
        self._hint("Your own vault:", "python3 scripts/start --vault DIR")
        self._hint("From a script:", "README.md, section 'Scripting'")

    def _step(self, title: str) -> None:
        self._steps += 1
        self._output.lines([Text(), Text(f"{self._steps}. {title}", "bold")])

    def _say(self, text: str, *, indent: str = INDENT) -> None:
        self._output.lines(wrap(sanitize(text), min(self._output.width, READABLE), first=indent, rest=indent))

    def _quote(self, text: str) -> None:
        """A long line of the vault or of a file, folded so that it stays under its indent."""
        width = min(self._output.width, READABLE)
        self._output.lines(fold(sanitize(text), width, first=INDENT + "  ", rest=INDENT + "  "))

    def _hint(self, what: str, command: str) -> None:
        """A command to copy: never broken into lines."""
        self._output.lines([Text(f"{INDENT}{what:<19}").append_text(sanitize(command))])


async def _asking(desk: Desk, call: Any) -> Result:
    """The result of a call, while the person is asked what it makes the bridge ask."""
    calling = asyncio.ensure_future(call)
    answering = asyncio.ensure_future(desk.next())
    try:
        await asyncio.wait({calling, answering}, return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            answering.result()  # raises when the person left
        result: Result = await calling
        return result
    finally:
        for task in (calling, answering):
            task.cancel()
        await asyncio.gather(calling, answering, return_exceptions=True)


@contextlib.asynccontextmanager
async def _desk(vault: Path, keyboard: Keyboard | None, output: Output) -> AsyncIterator[Desk]:
    """The consent screen of `vault-bridge approve`, in this terminal."""
    questions = Questions()
    connected = asyncio.Event()

    async def greeted(_greeting: str) -> None:
        connected.set()

    link = Link(vault, questions)
    listening = asyncio.create_task(link.run(greeted))
    try:
        await connected.wait()
        yield Desk(questions, link, keyboard, output)
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


def _last_execution(vault: Path) -> str:
    """The newest line of the log that tells of a call."""
    lines = (vault / ".vault-bridge" / "logs" / "tools.log").read_text(encoding="utf-8").splitlines()
    return next(line for line in reversed(lines) if orjson.loads(line)["kind"] == "execution")


def _shown(path: Path) -> str:
    """A path as one would type it here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _command(name: str, *words: str | Path) -> str:
    """A command line to copy."""
    *arguments, vault = words
    return " ".join([_shown(COMMAND), name, *map(str, arguments), "--vault", _shown(Path(vault))])

"""A user's desk: a home with a vault, and the programs on it, connected by the commands that a user gives."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE
from tests.programs.conversation import Step, Turn
from tests.programs.programs import Program, search_path
from tests.programs.scripted_model import ScriptedModel, scripted_model

_NOWHERE: Final = "http://127.0.0.1:9"
"""Where everything goes that a program sends anywhere but to this machine: nobody listens there."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What a program has left behind.

    Attributes:
        code: Its exit code.
        out: Its standard output.
        err: Its standard error.
        turns: The requests that it sent to the model.
    """

    code: int
    out: str
    err: str
    turns: tuple[Turn, ...]

    def turn(self, number: int) -> Turn:
        """Return the request that comes after so many turns with calls."""
        turn = next((one for one in self.turns if one.number == number), None)
        assert turn is not None, f"no turn {number}:\n{self.out}\n{self.err}"
        return turn

    def answers(self, number: int) -> str:
        """Return what the model was shown as the answers to the calls of a turn, the first being 1."""
        return "\n".join(answer.text for answer in self.turn(number).answers)


@dataclass
class Running:
    """A program at work.

    Attributes:
        process: It.
        model: What it asks.
    """

    process: asyncio.subprocess.Process
    model: ScriptedModel

    async def end(self, patience: float = PATIENCE) -> Ended:
        """Wait until it has done its work."""
        async with asyncio.timeout(patience):
            out, err = await self.process.communicate()
        return Ended(self.process.returncode or 0, out.decode(), err.decode(), tuple(self.model.turns))


@dataclass
class Desk:
    """A home, a vault in it, and a folder in which programs are started, which is no vault.

    Attributes:
        home: The home.
        vault: The vault.
        work: The folder.
    """

    home: Path
    vault: Path
    work: Path
    _models: dict[str, ScriptedModel] = field(default_factory=dict)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    def environment(self) -> dict[str, str]:
        """Return what every process of this user has in its environment; nothing of the test's own."""
        own = {"HOME": str(self.home), "PATH": search_path(), "LANG": "C.UTF-8", "TMPDIR": str(self.home / "tmp")}
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _NOWHERE)
        here = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
        return own | proxies | here | {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}

    async def command(self, *arguments: str) -> str:
        """Run `vault-bridge` to its end, and return what it prints."""
        process = await self.start_command(*arguments)
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate()
        assert process.returncode == 0, (out + err).decode()
        return out.decode()

    async def start_command(self, *arguments: str) -> asyncio.subprocess.Process:
        """Start `vault-bridge`. It is ended with the desk at the latest."""
        return await self._start(
            [str(Path(sys.executable).with_name("vault-bridge")), *arguments], self.environment(), self.vault
        )

    async def model_of(self, program: Program) -> ScriptedModel:
        """Return the model that a program asks, about which it has been told."""
        if program.id not in self._models:
            model = self._models[program.id] = await self._stack.enter_async_context(scripted_model())
            program.configure(self.home, model.url)
        return self._models[program.id]

    async def connect(self, program: Program) -> str:
        """Connect a program as a user does, and return what was said to that."""
        await self.model_of(program)
        return await self.command("install-client", program.id, "--vault", str(self.vault), "--yes")

    async def start_program(self, program: Program, *arguments: str) -> asyncio.subprocess.Process:
        """Start a program that is told what to do over a pipe."""
        model = await self.model_of(program)
        return await self.start_piped([str(program.path), *arguments], program.variables(model.url))

    async def start_piped(self, command: list[str], variables: dict[str, str]) -> asyncio.subprocess.Process:
        """Start anything that is told what to do over a pipe, with variables besides those of the user."""
        return await self._start(command, self.environment() | variables, self.work, asyncio.subprocess.PIPE)

    async def start(self, program: Program, *steps: Step, arguments: tuple[str, ...] | None = None) -> Running:
        """Start a program on a piece of work, in which its model takes these steps."""
        model = await self.model_of(program)
        model.play(*steps)
        command = [str(program.path), *(program.arguments if arguments is None else arguments)]
        process = await self._start(command, self.environment() | program.variables(model.url), self.work)
        return Running(process, model)

    async def run(self, program: Program, *steps: Step) -> Ended:
        """Have a program do a piece of work, in which its model takes these steps."""
        return await (await self.start(program, *steps)).end()

    async def _start(
        self, command: list[str], environment: dict[str, str], folder: Path, reads: int = asyncio.subprocess.DEVNULL
    ) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=environment,
            stdin=reads,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=1 << 26,
        )
        self._stack.push_async_callback(_end, process)
        return process

    async def close(self) -> None:
        """End everything that runs here."""
        await self._stack.aclose()


@asynccontextmanager
async def desk_in(home: Path, vault: Path) -> AsyncIterator[Desk]:
    """A desk in a home that the test's own environment names too, so that the test finds what is in it."""
    work = home / "work"
    for folder in (work, home / "tmp"):
        folder.mkdir(exist_ok=True)
    desk = Desk(home, vault, work)
    try:
        yield desk
    finally:
        await desk.close()


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a process and all that it has started, whether or not it has ended itself."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    await process.wait()

"""The SDKs with which people write agents, each in an environment that has nothing of ours."""

import asyncio
import functools
import hashlib
import json
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import platformdirs
from filelock import FileLock

from tests.mcp.clients import node
from tests.patience import PATIENCE
from tests.programs.desk import Desk

_HERE: Final = Path(__file__).with_name("sdks")
_REQUIREMENTS: Final = _HERE / "requirements.txt"
_FIRST_LINE: Final = _HERE / "first-line.txt"
"""The first line of the protocol's SDK, which lies before the second one in the search path of those that need it."""
_CACHE: Final = platformdirs.user_cache_path("vault-bridge-tests") / "sdks"
_TYPESCRIPT: Final = {"1": "@modelcontextprotocol/sdk", "2": "@modelcontextprotocol/client"}


@dataclass(frozen=True, slots=True)
class Sdk:
    """One SDK.

    Attributes:
        id: What it is called here.
        package: Its package, whose version is pinned.
        agent: What the agent's script is told of it.
        first_line: Whether it uses the first line of the protocol's SDK.
        typescript: Whether it is for Node.
        tells_progress: Whether an agent can hear that a call still waits.
        withdraws: Whether it says that a call was given up.
    """

    id: str
    package: str
    agent: str
    first_line: bool = False
    typescript: bool = False
    tells_progress: bool = True
    withdraws: bool = True

    @property
    def version(self) -> str:
        """The version that is pinned."""
        if self.typescript:
            pinned = json.loads((node.HERE / "package.json").read_bytes())["dependencies"]
            return str(pinned[self.package])
        file = _FIRST_LINE if self.package == "mcp" and self.first_line else _REQUIREMENTS
        found: list[str] = re.findall(rf"^{self.package}==(.+)$", file.read_text("utf-8"), re.MULTILINE)
        return found[0]

    @property
    def title(self) -> str:
        """What the table calls it."""
        return f"`{self.package}`"

    def command(self, *target: str) -> list[str]:
        """Return the command of an agent that is written with it."""
        if self.typescript:
            return [*node.script("agent.mjs", _HERE), self.agent, *target]
        return [str(environment() / "bin" / "python"), str(_HERE / "agent.py"), self.agent, *target]

    def variables(self) -> dict[str, str]:
        """Return what its agent has in its environment besides what every program has."""
        return {"PYTHONPATH": str(environment() / "first-line")} if self.first_line else {}


SDKS: Final = (
    Sdk("mcp-1", "mcp", "mcp", first_line=True, withdraws=False),
    Sdk("mcp-2", "mcp", "mcp"),
    Sdk("fastmcp", "fastmcp", "fastmcp"),
    Sdk("pydantic-ai", "pydantic-ai-slim", "pydantic-ai"),
    Sdk("langchain", "langchain-mcp-adapters", "langchain", first_line=True, withdraws=False),
    Sdk("openai-agents", "openai-agents", "openai-agents", tells_progress=False),
    Sdk("typescript-1", _TYPESCRIPT["1"], "1", typescript=True),
    Sdk("typescript-2", _TYPESCRIPT["2"], "2", typescript=True),
)


@functools.cache
def environment() -> Path:
    """Return the environment of the SDKs for Python, made once for what is pinned.

    Every package is named with its version, so nothing is worked out and nothing is built.
    """
    digest = hashlib.sha256(_REQUIREMENTS.read_bytes() + _FIRST_LINE.read_bytes()).hexdigest()[:12]
    folder = _CACHE.with_name(f"{_CACHE.name}-{sys.version_info[0]}.{sys.version_info[1]}-{digest}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "installed").exists():
            shutil.rmtree(folder, ignore_errors=True)
            venv.create(folder, symlinks=True)
            python = str(folder / "bin" / "python")
            _pip("--python", python, "install", "-r", str(_REQUIREMENTS))
            _pip("--python", python, "install", "--target", str(folder / "first-line"), "-r", str(_FIRST_LINE))
            (folder / "installed").touch()
    return folder


def _pip(*words: str) -> None:
    quick = ["--no-deps", "--only-binary", ":all:", "--no-compile", "--disable-pip-version-check", "--quiet"]
    done = subprocess.run(  # noqa: S603 - pip, with pinned versions
        [sys.executable, "-m", "pip", *words, *quick], capture_output=True, encoding="utf-8", timeout=480, check=False
    )
    if done.returncode:
        raise RuntimeError(f"pip could not install the SDKs: {done.stderr[-2000:]}")


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent that runs.

    Attributes:
        process: It.
        progress: How often it has heard that a call still waits is counted in its length.
    """

    process: asyncio.subprocess.Process
    progress: list[Any]

    async def do(self, what: str, **more: Any) -> None:
        """Tell it what to do."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": what, **more}).encode() + b"\n")
        await self.process.stdin.drain()

    async def said(self) -> dict[str, Any]:
        """Return what it says next, besides that a call still waits."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        async with asyncio.timeout(PATIENCE * 3):  # all of them start at once
            while line := await self.process.stdout.readline():
                said: dict[str, Any] = json.loads(line)
                if "progress" not in said:
                    return said
                self.progress.append(said)
            raise AssertionError((await self.process.stderr.read()).decode())

    async def call(self, tool: str, **arguments: Any) -> str:
        """Have it call a tool, and return what it is answered."""
        await self.do("call", tool=tool, arguments=arguments)
        said = await self.said()
        assert "text" in said, said
        return str(said["text"])


@asynccontextmanager
async def agent_of(desk: Desk, sdk: Sdk, *target: str) -> AsyncIterator[Agent]:
    """An agent at a desk, connected to a target, until the end of the block."""
    command = await asyncio.to_thread(sdk.command, *target)
    process = await desk.start_piped(command, sdk.variables())
    try:
        yield Agent(process, [])
        assert process.stdin is not None
        process.stdin.close()
        async with asyncio.timeout(PATIENCE):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()

"""One run of the replay: a bridge in a process of its own, on a copy of a vault, with an agent and a person."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import stat
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import aiohttp

from bridge.client import Connection, find_endpoint
from scripts.lib.environment import variables
from scripts.lib.replay_person import Person
from scripts.lib.replay_vault import write_vault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from scripts.lib.replay_person import Asked, Policy
    from scripts.lib.replay_tasks import Call, Task

PATIENCE = 60.0
"""Seconds after which a bridge that does not start is given up."""
NAMED_CLIENTS = 3
"""The version of the protocol from which on an agent can have a name and a token of its own."""
MOST_CALLS = 1000
"""Calls a minute: the highest rate that the settings take."""
CHARACTERS_TO_A_TOKEN = 4
"""A rule of thumb for English text; every model counts otherwise."""
AGENT = "Replay agent"
_LEFT_BEHIND = shutil.ignore_patterns(".vault-bridge", ".git", ".trash")


@dataclass(slots=True)
class TaskRun:
    """The result of one task.

    Attributes:
        task: The task.
        asked: The questions that were asked meanwhile.
        surprises: Calls that did not end as the task says, with what the bridge answered.
    """

    task: Task
    asked: list[Asked]
    surprises: list[str]

    @property
    def times_asked(self) -> int:
        """Return how often the person had to answer: each question, or each list of questions answered together."""
        return sum(asked.counts for asked in self.asked)


@dataclass(slots=True)
class AnswerSizes:
    """The length of the answers of one tool, in bytes.

    Attributes:
        calls: How many there were.
        text: Their text.
        data: Their data as JSON.
    """

    calls: int = 0
    text: int = 0
    data: int = 0

    def add(self, result: dict[str, Any]) -> None:
        """Count one answer."""
        self.calls += 1
        self.text += len(result.get("text", "").encode())
        self.data += len(json.dumps(result.get("data"), ensure_ascii=False, separators=(",", ":")).encode())


@dataclass(slots=True)
class Run:
    """The result of one run.

    Attributes:
        protocol: The version that the bridge speaks.
        policy: How the person answered.
        tasks: Each task in order.
        unaccepted: Answers that the bridge did not accept, with its reasons.
        waited: Calls that had to wait for the rate limit before they were run or refused.
        refused: Of these, calls that were refused and made again.
        characters: Of all arguments and of what the agent was answered.
        answers: How long the answers of each tool were.
        seconds: From the first call to the last result.
    """

    protocol: int
    policy: Policy
    tasks: list[TaskRun] = field(default_factory=list)
    unaccepted: list[str] = field(default_factory=list)
    waited: int = 0
    refused: int = 0
    characters: int = 0
    answers: dict[str, AnswerSizes] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def calls(self) -> list[Call]:
        """Every call, counted once however often it was made."""
        return [call for one in self.tasks for call in one.task.calls]

    @property
    def asked(self) -> list[Asked]:
        """Every question."""
        return [asked for one in self.tasks for asked in one.asked]

    @property
    def times_asked(self) -> int:
        """Return how often the person had to answer."""
        return sum(one.times_asked for one in self.tasks)

    @property
    def per_hundred(self) -> float:
        """Return how often the person had to answer for each hundred calls."""
        return 100 * self.times_asked / len(self.calls)

    @property
    def tokens(self) -> int:
        """Return about how many tokens of a model's context the calls and their results take."""
        return self.characters // CHARACTERS_TO_A_TOKEN

    @property
    def surprises(self) -> list[str]:
        """Return what did not go as the tasks say."""
        return [surprise for one in self.tasks for surprise in one.surprises]

    @property
    def failed(self) -> bool:
        """Return whether the counts mean nothing, because a call or an answer did not go as it should."""
        return bool(self.surprises or self.unaccepted)


def prepare_vault(source: Path | None, folder: Path) -> Path:
    """A copy of a vault, or the replay's own vault, to serve.

    What is deleted goes into the copy's own `.trash`, and not into that of the person who runs the replay.

    Args:
        source: The vault; None for the replay's own.
        folder: Where the copy goes.
    """
    if source is None:
        write_vault(folder)
    else:
        _copy(source, folder)
    settings = folder.resolve() / ".obsidian" / "app.json"
    settings.parent.mkdir(exist_ok=True)
    known = json.loads(settings.read_text(encoding="utf-8")) if settings.exists() else {}
    settings.write_text(json.dumps({**known, "trashOption": "local"}), encoding="utf-8")
    return folder.resolve()


async def replay(
    vault: Path,
    tasks: Sequence[Task],
    policy: Policy,
    *,
    checkout: Path,
    keep_limits: bool = False,
    preset: str = "vault",
    sizes: list[int] | None = None,
    settings: Mapping[str, Any] | None = None,
    after: Callable[[], None] | None = None,
) -> Run:
    """Serve a vault, make all calls of the tasks, and count.

    Args:
        vault: A copy; it is changed.
        tasks: What to do.
        policy: How the person answers.
        checkout: The checkout of this repository whose bridge is run.
        keep_limits: Whether the rate limits stay as they are by default; otherwise they are raised as far as the
            settings allow.
        preset: The tools that the agent has.
        sizes: Gets the characters that each task took.
        settings: What the person sets before.
        after: Called after each task.
    """
    async with _served(vault, checkout, preset), _connected(vault, "host") as host:
        protocol = await _protocol(vault)
        await host.request("session.name", client="Replay person", can=["consent"])
        if not keep_limits:
            tools = (await host.request("session.info"))["tools"]
            rates = {"globalRateLimit": MOST_CALLS, "rateLimits": dict.fromkeys(tools, MOST_CALLS)}
            await host.request("settings.update", patch=rates)
        if settings:
            await host.request("settings.update", patch=dict(settings))
        token = None
        if protocol >= NAMED_CLIENTS:
            token = (await host.request("clients.add", name=AGENT, preset=preset))["token"]
        person, run = Person(policy, host), Run(protocol, policy)
        host.on("limits.hit", lambda _event: _count_wait(run))
        async with _connected(vault, "agent", token) as connection:
            await connection.request("session.name", client=AGENT)
            began = time.monotonic()
            for task in tasks:
                before, taken = len(person.asked), run.characters
                surprises = await _do(task, connection, person, run)
                run.tasks.append(TaskRun(task, person.asked[before:], surprises))
                if sizes is not None:
                    sizes.append(run.characters - taken)
                if after is not None:
                    after()
            run.seconds = time.monotonic() - began
        run.unaccepted = person.unaccepted
    return run


def _count_wait(run: Run) -> None:
    run.waited += 1


async def _do(task: Task, agent: Connection, person: Person, run: Run) -> list[str]:
    """Make the calls of a task; what went otherwise than it says."""
    surprises: list[str] = []
    for turn in task.turns:
        results = await asyncio.gather(*(_make(call, task.said, agent, person, run) for call in turn))
        for call, result in zip(turn, results, strict=True):
            ended = "" if result.get("success") else result.get("errorType", "no result")
            if ended != call.failure:
                surprises.append(f"{task.said} {call.tool} {call.arguments}: {result.get('text', result)}")
    return surprises


async def _make(call: Call, reason: str, agent: Connection, person: Person, run: Run) -> dict[str, Any]:
    """Make a call, and again whenever the bridge says that it comes too early."""
    while True:
        with person.watching():
            result: dict[str, Any] = await agent.request(
                "tools.call", name=call.tool, arguments=call.arguments, reason=reason
            )
        if result.get("errorType") != "rate_limited":
            run.characters += len(json.dumps(call.arguments)) + len(result.get("text", ""))
            run.answers.setdefault(call.tool, AnswerSizes()).add(result)
            return result
        run.refused += 1
        await asyncio.sleep(result["metadata"]["retryAfter"])


@contextlib.asynccontextmanager
async def _served(vault: Path, checkout: Path, preset: str) -> AsyncIterator[None]:
    """`vault-bridge serve` of a checkout, with state and configuration of its own, until the end of this context.

    Raises:
        RuntimeError: It does not start; with what it said.
    """
    with tempfile.TemporaryDirectory(prefix="replay-state-", ignore_cleanup_errors=True) as state:
        extra = {"PYTHONPATH": str(checkout), "VAULT_BRIDGE_STATE": state, "VAULT_BRIDGE_CONFIG": state}
        messages = Path(state) / "messages.txt"
        with messages.open("wb") as stderr:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bridge", "serve", "--vault", str(vault), "--preset", preset, "--json"),
                cwd=checkout,
                env=variables(extra),
                stdout=asyncio.subprocess.PIPE,
                stderr=stderr,
            )
        try:
            # With --json it prints one line, when it is ready.
            ready = await asyncio.wait_for(process.stdout.readline() if process.stdout else _nothing(), PATIENCE)
            if not ready:
                raise RuntimeError(f"The bridge did not start:\n{messages.read_text(encoding='utf-8')}")
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.communicate()


async def _nothing() -> bytes:
    return b""


@contextlib.asynccontextmanager
async def _connected(
    vault: Path, role: Literal["agent", "host"], token: str | None = None
) -> AsyncIterator[Connection]:
    """A connection to the bridge of a vault, with a client's own token or with that of the role."""
    endpoint = find_endpoint(vault, role)
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {token or endpoint.token}"}) as http,
        http.ws_connect(endpoint.url, max_msg_size=0, compress=0) as socket,
    ):
        connection = Connection(socket)
        try:
            yield connection
        finally:
            await connection.close()


async def _protocol(vault: Path) -> int:
    """The version of the protocol that the bridge speaks; the first did not say."""
    endpoint = find_endpoint(vault)
    async with aiohttp.ClientSession() as http, http.get(f"{endpoint.http}/health") as answer:
        return int((await answer.json()).get("protocol", 1))


def _copy(source: Path, folder: Path) -> None:
    """Copy a vault without what tools left in it; the copy can be written to, whatever the original allows."""
    shutil.copytree(source, folder, ignore=_LEFT_BEHIND, copy_function=shutil.copyfile, symlinks=True)
    for place in (folder, *folder.rglob("*")):
        if place.is_dir() and not place.is_symlink():
            place.chmod(place.stat().st_mode | stat.S_IRWXU)

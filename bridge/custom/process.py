"""Runs of code in a process of its own: a fresh one each time, in the sandbox, with an empty folder and no more."""

import asyncio
import contextlib
import json
import logging
import shutil
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import orjson

from bridge.contract.custom import CustomResult
from bridge.errors import ExecutionFailed, PermissionDenied
from bridge.policy.redaction import hide_secrets
from bridge.sandbox.job import Ending, Report, remove_tree
from bridge.sandbox.profile import MEGABYTE, Profile, ProgramLimits, environment
from bridge.sandbox.sandbox import Programs, RunningProgram, WaitingSupervisor, get_ready
from bridge.servers.servers import own_files
from bridge.toolkit.tool_call import TimeLimit, uncancelled
from bridge.workers.pool import first_line

logger = logging.getLogger(__name__)

Answer = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""Answers what the code asks of the bridge: `{type: "call", id, name, arguments}` with `{success, result?, ...}`."""

LARGEST_MESSAGE: Final = 4 << 20
"""Bytes of one message of the code, and so of what it returns."""
MOST_OUTPUT: Final = 64 << 10
"""Bytes of what the code prints that are kept."""
MOST_PRINTED: Final = 16 << 20
"""Bytes of what the code prints after which it is ended."""
MOST_AT_ONCE: Final = 4
"""Runs at a time."""
MOST_CALLS: Final = 1000
"""Calls of the bridge's tools in one run; while one of them is answered, no time passes for the run."""
_LIMITS: Final = ProgramLimits(
    seconds=None, grace=0.5, memory=1024 * MEGABYTE, processes=32, disk=256 * MEGABYTE, output=None
)
_CHUNK: Final = 64 << 10
_READY_SECONDS: Final = 300.0
"""The time a supervisor waits for a run."""
_START_SECONDS: Final = 60.0
"""The time a process may take until its code begins."""
# The shell puts the answers on a descriptor of their own, and what the code prints beside its errors.
_APART: Final = 'exec "$0" "$@" 3>&1 1>&2'
_ENDINGS: Final = {
    Ending.MEMORY: "The tool took more memory than it may and was ended",
    Ending.PROCESSES: "The tool started more processes than it may and was ended",
    Ending.DISK: "The tool wrote more than it may and was ended",
    Ending.OUTPUT: "The tool printed more than it may and was ended",
}


class Processes:
    """The processes that run code of Node.js and of Python.

    Args:
        programs: Starts programs.
        vault: The vault's folder, which no run sees.
    """

    def __init__(self, programs: Programs, vault: Path) -> None:
        self._programs = programs
        self._vault = vault
        self._room = asyncio.Semaphore(MOST_AT_ONCE)
        self._ready: asyncio.Task[WaitingSupervisor] | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._discarding: set[asyncio.Task[None]] = set()

    @property
    def confines(self) -> bool:
        """Return whether runs are held by a sandbox. Blocks at the first time."""
        return self._programs.sandbox.confines

    @property
    def held(self) -> tuple[str, ...]:
        """Return what confines a run, and what does not, as sentences. Blocks at the first time."""
        sandbox = self._programs.sandbox
        if not sandbox.confines:
            return ("Runs without a sandbox here", *sandbox.lacks)
        return (f"{sandbox.sentence}: no files of yours, no network", *sandbox.lacks)

    def missing(self, where: str) -> str | None:
        """Return why code of an environment cannot run here; None where it can."""
        if where == "node" and node() is None:
            return "There is no Node.js here. Install it from https://nodejs.org"
        try:
            self._programs.refuse_unconfined()
        except PermissionDenied as refusal:
            return refusal.message
        return None

    def get_ready(self) -> None:
        """Start what will watch a run that is likely to come. It is ended if it is not used within a while."""
        if self._ready is None:
            self._ready = asyncio.ensure_future(get_ready())
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(_READY_SECONDS, self._discard)

    async def stop(self) -> None:
        """End what waits for a run that does not come."""
        self._discard()
        await asyncio.gather(*self._discarding, return_exceptions=True)

    def _discard(self) -> None:
        waiting = self._take_ready()
        if waiting is not None:
            discarding = asyncio.ensure_future(_discarded(waiting))
            self._discarding.add(discarding)
            discarding.add_done_callback(self._discarding.discard)

    async def _supervisor(self) -> WaitingSupervisor | None:
        """Return the one that waits for a run, where it is still there."""
        waiting = self._take_ready()
        ready = None if waiting is None else await waiting
        if ready is None or ready.process.returncode is None:
            return ready
        await ready.discard()
        return None

    def _take_ready(self) -> "asyncio.Task[WaitingSupervisor] | None":
        waiting, self._ready = self._ready, None
        if self._idle is not None:
            self._idle.cancel()
        return waiting

    async def check_script(self, code: str) -> CustomResult:
        """Check whether a body of JavaScript can be parsed. Nothing of it is run."""
        return await self._run("node", {"type": "check", "code": code}, 0, _nobody)

    async def run(
        self, where: str, code: str, parameters: Mapping[str, Any], milliseconds: int, answer: Answer
    ) -> CustomResult:
        """Run code once.

        Args:
            where: `node` or `python`.
            code: The body of a function.
            parameters: Its parameters.
            milliseconds: How long it may take; the time in which the bridge answers it is not counted.
            answer: Answers what it asks of the bridge, one thing after the other.

        Returns:
            What it came to. A failure of the code is none of ours.

        Raises:
            ExecutionFailed: It cannot be started.
            PermissionDenied: No sandbox works, and one is required.
        """
        request = {"type": "execute", "code": code, "parameters": parameters, "timeout": milliseconds}
        return await self._run(where, request, milliseconds / 1000, answer)

    async def _run(self, where: str, request: Mapping[str, Any], seconds: float, answer: Answer) -> CustomResult:
        self._programs.refuse_unconfined()
        if (why := self.missing(where)) is not None:
            raise ExecutionFailed(why)
        async with self._room:
            place = Path(await asyncio.to_thread(mkdtemp, dir=self._programs.scratch))
            try:
                return await self._in(place, where, request, seconds, answer)
            except (OSError, ValueError) as error:
                said = error.strerror if isinstance(error, OSError) else error
                raise ExecutionFailed(f"The tool cannot be started: {said}") from None
            finally:
                await asyncio.to_thread(remove_tree, place)

    async def _in(
        self, place: Path, where: str, request: Mapping[str, Any], seconds: float, answer: Answer
    ) -> CustomResult:
        argv, read = await asyncio.to_thread(_command, where)
        profile = Profile(read=read, write=(place,), hidden=(self._vault,), limits=_LIMITS)
        given = environment(home=place, temporary=place)
        began = time.monotonic()
        ready = await self._supervisor()
        try:
            program = await self._programs.start(
                profile, argv, folder=place, environment=given, talks=True, ready=ready
            )
        except BaseException:
            if ready is not None:
                await ready.discard()
            raise
        printed = _Printed(program)
        listening, ending = asyncio.create_task(printed.listen()), asyncio.create_task(program.ended())
        final: Mapping[str, Any] | None = None
        why, begun = "", asyncio.Event()
        try:
            async with asyncio.timeout(_START_SECONDS) as bound:
                with contextlib.suppress(ConnectionError):  # it reads no more; how it ended says why
                    await program.write(_line(request))
                    final = await _talk(program, answer, bound, seconds, begun)
                if final is None:
                    await asyncio.shield(ending)
        except TimeoutError:
            why = f"Tool execution timed out after {seconds * 1000:.0f} ms"
            if not begun.is_set():
                why = f"The tool did not begin within {_START_SECONDS:.0f} seconds; the computer may be too busy"
        except _BadMessageError as error:
            why = str(error)
        finally:
            # Until all that it started is gone, whoever wants to go on.
            if not ending.done():
                program.end()
            report = await uncancelled(asyncio.ensure_future(_rest(program, listening, ending)))
        elapsed = (time.monotonic() - began) * 1000
        if final is None:
            why = why or _why(report, printed, begun=begun.is_set())
            return CustomResult(success=False, error=why, execution_time=elapsed, output=printed.text)
        return result_of(final, elapsed, printed.text)


def result_of(final: Mapping[str, Any], elapsed: float, output: str) -> CustomResult:
    """Return the result that a run reports of itself, trusted no further than that.

    Args:
        final: Its last message.
        elapsed: Milliseconds, where it does not say how many itself.
        output: Its output.
    """
    own = final.get("executionTime")
    taken = float(own) if isinstance(own, int | float) and 0 <= own <= elapsed else elapsed
    success = final.get("success") is True
    error = None if success else str(final.get("error") or "The tool failed")[:MOST_OUTPUT]
    result = final.get("result") if success else None
    return CustomResult(success=success, result=result, error=error, execution_time=taken, output=output)


def node() -> str | None:
    """Return where Node.js is; None where it is not."""
    return shutil.which("node")


async def _discarded(waiting: "asyncio.Task[WaitingSupervisor]") -> None:
    with contextlib.suppress(OSError):
        await (await waiting).discard()


async def _nobody(_message: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"success": False, "error": "Nobody can be asked here"}


@cache
def _source(name: str) -> str:
    """Return a worker's program. It is passed as it is: a process needs to read no file of the bridge's."""
    return (files("bridge.custom") / name).read_text(encoding="utf-8")


def _command(where: str) -> tuple[list[str], tuple[Path, ...]]:
    """Return the command that runs the code of an environment, and what it must be able to read. Blocks."""
    if where == "python":
        # Isolated and without site-packages: the standard library and nothing else, as little of it as there may be.
        program = str(getattr(sys, "_base_executable", None) or sys.executable)
        argv = [program, "-I", "-S", "-B", "-c", _source("python_worker.py")]
        return argv, tuple(dict.fromkeys((*own_files(Path(program)), Path(sys.base_prefix))))
    program, source = node() or "node", _source("node_worker.cjs")
    read = tuple(own_files(Path(program)))
    if sys.platform == "win32":
        return [program, "-e", source, "1"], read
    return ["/bin/sh", "-c", _APART, program, "-e", source, "3"], read


class _BadMessageError(Exception):
    """The error for output of the code that is no message."""


class _Printed:
    """The output of the code, as far as it is kept."""

    def __init__(self, program: RunningProgram) -> None:
        self._program = program
        self._kept = bytearray()
        self._count = 0

    async def listen(self) -> None:
        """Take it all, and end the code where it prints without end."""
        while data := await self._program.stderr.read(_CHUNK):
            self._kept += data[: max(MOST_OUTPUT - len(self._kept), 0)]
            self._count += len(data)
            if self.is_too_much:
                self._program.end(Ending.OUTPUT)

    @property
    def is_too_much(self) -> bool:
        """Return whether it is more than may be printed."""
        return self._count > MOST_PRINTED

    @property
    def text(self) -> str:
        """Return what is kept, and say how much is not."""
        text = self._kept.decode(errors="replace")
        more = self._count - len(self._kept)
        return f"{text}\n[and {more:,} more bytes]" if more else text


async def _talk(
    program: RunningProgram, answer: Answer, bound: asyncio.Timeout, seconds: float, begun: asyncio.Event
) -> Mapping[str, Any] | None:
    """Answer the code until it says what it came to; None where it ends without a word.

    Its time begins when it does: how long a process takes to start is the computer's affair.
    """
    limit, calls = TimeLimit(bound), 0
    async for line in _lines(program.stdout):
        message = await _message(line)
        if "success" in message:
            return message
        if message.get("type") == "started":
            if not begun.is_set():
                bound.reschedule(asyncio.get_running_loop().time() + seconds)
            begun.set()
            continue
        calls += 1
        if calls > MOST_CALLS:
            raise _BadMessageError(f"The tool made more than {MOST_CALLS:,} calls")
        with limit.paused():
            said = await answer(message)
        await program.write(_line({"id": message.get("id"), **said}))
    return None


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    held = bytearray()
    while data := await stream.read(_CHUNK):
        start = len(held)
        held += data
        while (end := held.find(b"\n", start)) >= 0:
            yield bytes(held[:end])
            del held[: end + 1]
            start = 0
        if len(held) > LARGEST_MESSAGE:
            raise _BadMessageError(f"What the tool returns is larger than {LARGEST_MESSAGE:,} bytes")


async def _message(line: bytes) -> Mapping[str, Any]:
    try:
        message = await asyncio.to_thread(orjson.loads, line) if len(line) > _CHUNK else orjson.loads(line)
    except orjson.JSONDecodeError:
        raise _BadMessageError("What the tool returned is no JSON") from None
    if not isinstance(message, dict):
        raise _BadMessageError("The tool wrote where only its answers go")
    return message


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


async def _rest(program: RunningProgram, listening: "asyncio.Task[None]", ending: "asyncio.Task[Report]") -> Report:
    """Return how the program ended, once nothing is left of it."""
    while await program.stdout.read(_CHUNK):
        pass  # unread, it would keep the program from ending
    await listening
    return await ending


def _why(report: Report, printed: _Printed, *, begun: bool) -> str:
    """Say why there is no answer. A process that never began says it in its first line, which the log gets too."""
    if printed.is_too_much:
        return _ENDINGS[Ending.OUTPUT]
    code = "" if report.code is None else f" (exit code {report.code})"
    why = _ENDINGS.get(report.ending, f"The tool ended without an answer{code}")
    if begun or report.ending not in {Ending.NOT_STARTED, Ending.EXITED}:
        return why
    said = hide_secrets(first_line(printed.text))
    how = f" {report.message}" if report.ending is Ending.NOT_STARTED else code
    why = f"The tool could not be started{how}{said and f': {said}'}. `vault-bridge doctor` says what can be done"
    logger.warning("%s", why)
    return why

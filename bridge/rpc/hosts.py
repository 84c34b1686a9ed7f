"""Requests of the bridge to a connected host: about open editors, for the ledger, and to run tools in Obsidian.

The ledger asks from its worker threads, over the event loop. Every such wait is bounded, and none is begun where nobody
could answer, so the ledger can never hang on a host. A run of code is handed to a connected plugin, which passes on
what the code asks, until the run is over.
"""

import asyncio
import concurrent.futures
import logging
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from bridge.clock import Clock, stamp
from bridge.contract import hosts as wire
from bridge.contract.base import Wire
from bridge.contract.custom import CustomAnswer, CustomResult, CustomRunEnded, RunToolAnswer, RunToolQuestion
from bridge.custom.process import LARGEST_MESSAGE, MOST_CALLS, MOST_OUTPUT, Answer
from bridge.errors import DeadlineExceeded, ExecutionFailed, PermissionDenied
from bridge.journal.plan_executor import Editors, OpenFiles
from bridge.rpc.hub import Hub, Peer
from bridge.toolkit.references import size_of
from bridge.toolkit.tool_call import TimeLimit

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 2.0
WRITE_SECONDS: Final = 5.0
TRASH_SECONDS: Final = 20.0
_GRACE: Final = 1.0  # seconds more for the event loop to say that the host did not answer
_NEEDED: Final = frozenset({"dirty", "write"})

A = TypeVar("A", bound=Wire)


class HostEditors(Editors):
    """The editors of the host that connected last of those that can `dirty` and `write`.

    Args:
        hub: Knows the hosts.
        clock: The time, for the moment until which a write holds.
    """

    def __init__(self, hub: Hub, clock: Clock) -> None:
        self._hub = hub
        self._clock = clock

    @property
    def connected(self) -> bool:
        """Return whether a host with editors is connected."""
        return self._host() is not None

    def look(self, paths: Sequence[str]) -> OpenFiles:
        """Return which of these files are open in the host, and which of those have unsaved text.

        Args:
            paths: Vault-relative paths.

        Returns:
            Those of the paths that are open; none where no host is connected.

        Raises:
            DeadlineExceeded: The host is there and gave no answer that can be used.
        """
        host, question = self._host(), wire.DirtyQuestion(paths=tuple(paths))
        if host is None:
            return OpenFiles()
        try:
            answer = self._ask(host, "host.dirty", question, wire.DirtyAnswer, LOOK_SECONDS)
        except ExecutionFailed as failure:
            if host not in self._hub.peers:
                return self.look(paths)  # it has left; there may be another
            raise DeadlineExceeded(failure.message) from failure
        known = frozenset(paths)
        return OpenFiles(known & {*answer.open, *answer.unsaved}, known & {*answer.unsaved})

    def write(self, path: str, expected: str, text: str) -> wire.WriteOutcome | None:
        """Have the host write a file that is open there.

        Args:
            path: The file, vault-relative.
            expected: The sha256, in hex, of the bytes that it must still have.
            text: All of its new text.

        Returns:
            What became of it; None when the host did not say.
        """
        until = stamp(self._clock.now() + timedelta(seconds=WRITE_SECONDS))
        change = wire.HostWrite(path=path, expected=expected, content=text)
        question = wire.WriteQuestion(changes=(change,), expires_at=until)
        answer = self._asked("host.write", question, wire.WriteAnswer, WRITE_SECONDS)
        results = () if answer is None else answer.results
        return next((result.outcome for result in results if result.path == path), None)

    def trash(self, paths: Sequence[str]) -> Mapping[str, wire.TrashOutcome] | None:
        """Have the host put files where the user's deleted files go.

        Args:
            paths: Vault-relative paths.

        Returns:
            What became of each; None when the host did not say.
        """
        question = wire.TrashQuestion(paths=tuple(paths))
        answer = self._asked("host.trash", question, wire.TrashAnswer, TRASH_SECONDS)
        return None if answer is None else {result.path: result.outcome for result in answer.results}

    def _asked(self, method: str, question: Wire, kind: type[A], within: float) -> A | None:
        """Ask from a worker thread; None where there is no host, or it did not say."""
        host = self._host()
        if host is None:
            return None
        try:
            return self._ask(host, method, question, kind, within)
        except (ExecutionFailed, DeadlineExceeded) as failure:
            logger.warning("The host %r did not answer %s: %s", host.name, method, failure.message)
            return None

    def _host(self) -> Peer | None:
        return next((peer for peer in reversed(self._hub.peers) if peer.can >= _NEEDED), None)

    def _ask(self, host: Peer, method: str, question: Wire, kind: type[A], within: float) -> A:
        """Ask from a worker thread.

        Raises:
            DeadlineExceeded: No answer in time.
            ExecutionFailed: The host went away, or answered with an error or with something else.
        """
        home = self._hub.home
        if home is None or home[1] == threading.get_ident():
            # On the loop's own thread nobody could bring the answer while we wait for it.
            raise ExecutionFailed(f"Nobody can be asked {method!r} from here")
        answer = self._wait(host.request(method, question, within), home[0], within + _GRACE)
        try:
            return kind.model_validate(answer, by_alias=True, by_name=False)
        except ValidationError:
            logger.warning("The host %r answered %s with something else than it should", host.name, method)
            raise ExecutionFailed(f"The host's answer to {method!r} cannot be read") from None

    @staticmethod
    def _wait(request: Any, loop: asyncio.AbstractEventLoop, seconds: float) -> Any:
        try:
            future = asyncio.run_coroutine_threadsafe(request, loop)
        except RuntimeError:  # the loop has been closed: the bridge has stopped
            request.close()
            raise ExecutionFailed("The bridge is stopping; connect again") from None
        try:
            return future.result(seconds)
        except concurrent.futures.CancelledError:
            raise ExecutionFailed("The bridge is stopping; connect again") from None
        except TimeoutError:
            future.cancel()
            raise DeadlineExceeded("The bridge is too busy to ask the host; try again") from None


_RUNS: Final = "runTool"
_RUN_GRACE: Final = 5.0  # seconds more than the tool's own, in which the plugin says itself that it has ended the run
_LONGEST: Final = 24 * 3600.0
_NO_RUN: Final = CustomAnswer(success=False, error="There is no such run; it may have ended", code="no_run")


@dataclass(eq=False)
class _Run:
    """One run.

    Attributes:
        host: Who runs it; nobody else may ask in its name.
        answer: Answers what it asks.
        limit: The limit on its time.
        turn: Held while one thing is answered, so that the next one waits.
        asking: What it asks just now.
        asked: How much it has asked already.
    """

    host: Peer
    answer: Answer
    limit: TimeLimit
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    asking: set[asyncio.Task[Mapping[str, Any]]] = field(default_factory=set)
    asked: int = 0


_NO_OBSIDIAN: Final = (
    "Obsidian is not connected. Open this vault in Obsidian with the plugin Vault Bridge Consent switched on"
)


class HostRuns:
    """The runs of code in the Obsidian that connected last of those that can.

    Args:
        hub: Knows the connections.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._runs: dict[str, _Run] = {}

    @property
    def missing(self) -> str | None:
        """Return what to do where no host that can run tools is connected, as a sentence; None where one is."""
        return _NO_OBSIDIAN if self._runner() is None else None

    async def run(
        self, tool: str, code: str, parameters: Mapping[str, Any], milliseconds: int, answer: Answer
    ) -> CustomResult:
        """Run code once.

        Args:
            tool: The tool's name.
            code: The body of an async function.
            parameters: Its parameters.
            milliseconds: How long it may take; the time in which the bridge answers it is not counted.
            answer: Answers what it asks of the bridge.

        Raises:
            PermissionDenied: No Obsidian is connected.
        """
        host = self._runner()
        if host is None:
            raise PermissionDenied(f"{tool!r} cannot run: {_NO_OBSIDIAN}", code="no_obsidian")
        run = f"run-{secrets.token_hex(16)}"
        question = RunToolQuestion(run=run, tool=tool, code=code, parameters=dict(parameters), timeout=milliseconds)
        loop = asyncio.get_running_loop()
        began, done = loop.time(), False
        error = ""
        try:
            async with asyncio.timeout(milliseconds / 1000 + _RUN_GRACE) as bound:
                self._runs[run] = _Run(host, answer, TimeLimit(bound))
                said = await host.request("host.runTool", question, _LONGEST)
            done = True
            return _result(said)
        except TimeoutError:
            error = f"Tool execution timed out after {milliseconds} ms"
        except (ExecutionFailed, DeadlineExceeded) as failure:
            error = failure.message
        finally:
            self._end(run, tell=not done)
        return CustomResult(success=False, error=error, execution_time=(loop.time() - began) * 1000)

    async def answer(self, host: Peer, run: str, message: Mapping[str, Any]) -> CustomAnswer:
        """Answer what the code of a run asks.

        Args:
            host: Who passes it on.
            run: The run.
            message: What it asks.

        Returns:
            The answer; `no_run` where this host has no such run, or has it no more.
        """
        held = self._runs.get(run)
        if held is None or held.host is not host:
            return _NO_RUN
        held.asked += 1
        if held.asked > MOST_CALLS:  # its time goes on meanwhile, so that asking without end does not go on for ever
            error = f"The tool made more than {MOST_CALLS:,} calls"
            return CustomAnswer(success=False, error=error, code="too_many_calls")
        asking = asyncio.ensure_future(self._take_turn(held, message))
        held.asking.add(asking)
        try:
            return CustomAnswer.model_validate(await asking)
        except asyncio.CancelledError:
            if run in self._runs:  # not the run has ended, but this request
                asking.cancel()
                raise
            return _NO_RUN
        finally:
            held.asking.discard(asking)

    @staticmethod
    async def _take_turn(held: _Run, message: Mapping[str, Any]) -> Mapping[str, Any]:
        with held.limit.paused():
            async with held.turn:
                return await held.answer(message)

    def _end(self, run: str, *, tell: bool) -> None:
        """End a run: what it asks is answered no more."""
        held = self._runs.pop(run, None)
        if held is None:
            return
        for asking in held.asking:
            asking.cancel()
        if tell:
            self._hub.notify([held.host], CustomRunEnded(run=run))

    def _runner(self) -> Peer | None:
        able = (peer for peer in reversed(self._hub.peers) if _RUNS in peer.can and peer.caller.client.is_person)
        return next(able, None)


def _result(said: Any) -> CustomResult:
    """Return the plugin's answer about a run, within bounds."""
    try:
        answer = RunToolAnswer.model_validate(said, by_alias=True, by_name=False)
    except ValidationError:
        raise ExecutionFailed("Obsidian's answer about the run cannot be read") from None
    if size_of(answer.result) > LARGEST_MESSAGE:
        raise ExecutionFailed(f"What the tool returns is larger than {LARGEST_MESSAGE:,} bytes")
    return CustomResult(
        success=answer.success,
        result=answer.result if answer.success else None,
        error=None if answer.success else (answer.error or "The tool failed")[:MOST_OUTPUT],
        execution_time=answer.execution_time,
        output=answer.output[:MOST_OUTPUT],
    )

"""Runs of code in Obsidian: handed to a connected plugin, which passes on what the code asks, until the run is over."""

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from bridge.contract.custom import CustomAnswer, CustomResult, CustomRunEnded, RunToolAnswer, RunToolQuestion
from bridge.custom.process import LARGEST_MESSAGE, MOST_CALLS, MOST_OUTPUT, Answer
from bridge.errors import DeadlineExceeded, ExecutionFailed, PermissionDenied
from bridge.rpc.hub import Hub, Peer
from bridge.toolkit.references import size_of
from bridge.toolkit.tool_call import TimeLimit

_NEEDED: Final = "runTool"
_GRACE: Final = 5.0
"""Seconds more than the tool's own, in which the plugin says itself that it has ended the run."""
_LONGEST: Final = 24 * 3600.0
_NO_RUN: Final = CustomAnswer(success=False, error="There is no such run; it may have ended", code="no_run")


@dataclass(eq=False)
class _Run:
    """One run.

    Attributes:
        host: Who runs it; nobody else may ask in its name.
        answer: Answers what it asks.
        limit: Of its time.
        turn: One thing is answered after the other.
        asking: What it asks just now.
        asked: How much it has asked already.
    """

    host: Peer
    answer: Answer
    limit: TimeLimit
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    asking: set[asyncio.Task[Mapping[str, Any]]] = field(default_factory=set)
    asked: int = 0


class HostRuns:
    """The runs of code in the Obsidian that connected last of those that can.

    Args:
        hub: Knows the connections.
    """

    missing: Final = (
        "Obsidian is not connected. Open this vault in Obsidian with the plugin Vault Bridge Consent switched on"
    )

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._runs: dict[str, _Run] = {}

    @property
    def is_there(self) -> bool:
        """Return whether a host that can run tools is connected."""
        return self._host() is not None

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
        host = self._host()
        if host is None:
            raise PermissionDenied(f"{tool!r} cannot run: {self.missing}", code="no_obsidian")
        run = f"run-{secrets.token_hex(16)}"
        question = RunToolQuestion(run=run, tool=tool, code=code, parameters=dict(parameters), timeout=milliseconds)
        loop = asyncio.get_running_loop()
        began, done = loop.time(), False
        error = ""
        try:
            async with asyncio.timeout(milliseconds / 1000 + _GRACE) as bound:
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

    def _host(self) -> Peer | None:
        able = (peer for peer in reversed(self._hub.peers) if _NEEDED in peer.can and peer.caller.client.is_person)
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

"""The limit step: a call beyond the rate waits its turn in a short queue, or is refused with the time to come back."""

import asyncio
import contextlib
import math
from collections.abc import Callable, Iterable
from typing import Any

from bridge.clock import Clock
from bridge.contract.events import LimitHit
from bridge.contract.identity import Capability
from bridge.contract.session import LimitUse
from bridge.errors import RateLimited
from bridge.policy.limits import QUEUE, REFUSALS, RateLimits
from bridge.settings.model import Settings
from bridge.toolkit.tool import Tool
from bridge.toolkit.tool_call import ToolCall

LOOK_SECONDS = 1.0
"""The interval at which a waiting call checks whether the limits were changed."""

_HINT = "Many changes in one call count once, and so does one wider search"


class RateLimitStep:
    """The step that keeps every client to its calls a minute.

    Args:
        limits: The windows.
        clock: Monotonic time.
        on_hit: Called when a client must wait.
    """

    def __init__(self, limits: RateLimits, clock: Clock, on_hit: Callable[[LimitHit], None]) -> None:
        self._limits = limits
        self._clock = clock
        self._on_hit = on_hit
        self._given_back = asyncio.Event()

    def listen(self, tool_call: ToolCall) -> None:
        """Refuse a call of a client whose calls were refused too often just now, before anything is looked at.

        Raises:
            RateLimited: With the seconds to wait.
        """
        wait = self._limits.refusals_wait(tool_call.caller.subject, self._clock.monotonic())
        if wait > 0:
            seconds = math.ceil(wait)
            message = f"{REFUSALS} calls of this client were refused as they stood within a minute. "
            raise RateLimited(f"{message}Please wait {seconds} seconds, and read what was wrong", retry_after=seconds)

    def refused(self, tool_call: ToolCall) -> None:
        """Count a call that was refused as it stood: an unknown tool, or arguments that do not fit."""
        if not tool_call.caller.client.is_person:
            self._limits.refused(tool_call.caller.subject, self._clock.monotonic())

    async def pass_gate(self, tool: Tool[Any], tool_call: ToolCall, settings: Callable[[], Settings]) -> None:
        """Return when the call is within the limits. The person's own programs have none.

        Args:
            tool: What is called.
            tool_call: The call. While it waits, `waits` says for what, and its caller is sent the same.
            settings: The settings as they are now: a change of a limit holds for calls that wait, too.

        Raises:
            RateLimited: When the queue is full too.
        """
        if tool_call.caller.client.is_person:
            return
        client = tool_call.caller.subject
        ticket = None
        try:
            while True:
                now = settings()
                limit = tool.spec.rate(now)
                waits = self._limits.waits(
                    client, tool.name, self._clock.monotonic(), limit, now.global_rate_limit, ticket=ticket
                )
                wait = max(waits)
                if wait <= 0:
                    tool_call.passed = self._limits.record(client, tool.name, self._clock.monotonic())
                    return
                if ticket is None:
                    ticket = self._limits.enqueue(client, tool.name)
                    over_all = now.global_rate_limit if waits[1] > waits[0] else None
                    self._say(tool, tool_call, wait, limit=limit, over_all=over_all, queued=ticket is not None)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(min(wait, LOOK_SECONDS)):
                        await self._given_back.wait()
        finally:
            tool_call.whole.waits = None
            self._limits.dequeue(ticket)

    def give_back(self, tool_call: ToolCall) -> None:
        """Give back a call's places in the windows, as a person has allowed this write. Waiting calls look again."""
        if tool_call.passed is None:
            return
        self._limits.give_back(tool_call.caller.subject, tool_call.tool, tool_call.passed)
        tool_call.passed = None
        self._given_back.set()
        self._given_back = asyncio.Event()

    def _say(
        self, tool: Tool[Any], tool_call: ToolCall, wait: float, *, limit: int, over_all: int | None, queued: bool
    ) -> None:
        """Tell everybody concerned how long a call waits and why. Raises RateLimited when it cannot even wait."""
        seconds = max(1, math.ceil(wait))
        whose = (
            f"All clients together may make {over_all} calls a minute"
            if over_all is not None
            else f"This client may call {tool.name!r} {limit} times a minute"
        )
        does = "This call waits so long" if queued else f"{QUEUE} calls wait already, so this one was not made"
        message = (
            f"Tool rate limit reached. Please wait {seconds} seconds. {whose}, as set by the user. {does}. {_HINT}"
        )
        hit = LimitHit(tool=tool.name, retry_after=seconds, message=message, client=tool_call.caller.name)
        self._on_hit(hit)
        if not queued:
            raise RateLimited(message, retry_after=seconds)
        tool_call.whole.waits = message
        if not tool_call.caller.can(Capability.ADMINISTER):  # those hear of every limit anyway
            tool_call.notify(hit)

    def usage(self, subject: str, tools: Iterable[Tool[Any]], settings: Settings) -> dict[str, LimitUse]:
        """Return how much of the limits one client has used.

        Args:
            subject: Whose calls: the credential.
            tools: Those that it has.
            settings: As they are now.

        Returns:
            The use of each tool's limit by the tool's name, and over all of them under `*`.
        """
        now = self._clock.monotonic()
        rates = {tool.name: tool.spec.rate(settings) for tool in tools}
        return self._limits.status(subject, now, rates) | {"*": self._limits.total(now, settings.global_rate_limit)}

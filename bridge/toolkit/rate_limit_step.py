"""The limit step: a call beyond the rate waits its turn in a short queue, or is refused with the time to come back."""

import asyncio
import math
from collections.abc import Callable, Iterable
from typing import Any

from bridge.clock import Clock
from bridge.contract.events import LimitHit
from bridge.contract.session import LimitUse
from bridge.errors import RateLimited
from bridge.policy.limits import RateLimits
from bridge.settings.model import Settings
from bridge.toolkit.tool import Tool
from bridge.toolkit.tool_call import ToolCall

LOOK_SECONDS = 1.0
"""How often a call that waits looks whether the limits were changed."""


class RateLimitStep:
    """Keeps every client to its calls a minute.

    Args:
        limits: The windows.
        clock: Monotonic time.
        on_hit: Called when a client must wait.
    """

    def __init__(self, limits: RateLimits, clock: Clock, on_hit: Callable[[LimitHit], None]) -> None:
        self._limits = limits
        self._clock = clock
        self._on_hit = on_hit

    async def pass_gate(self, tool: Tool[Any], tool_call: ToolCall, settings: Callable[[], Settings]) -> None:
        """Return when the call is within the limits.

        Args:
            tool: What is called.
            tool_call: The call.
            settings: The settings as they are now: a change of a limit holds for calls that wait, too.

        Raises:
            RateLimited: When the queue is full too.
        """
        client = tool_call.caller.subject
        ticket = None
        try:
            while True:
                now = settings()
                limit = tool.spec.rate(now)
                wait = self._limits.wait_time(
                    client, tool.name, self._clock.monotonic(), limit, now.global_rate_limit, ticket=ticket
                )
                if wait <= 0:
                    self._limits.record(client, tool.name, self._clock.monotonic())
                    return
                if ticket is None:
                    seconds = max(1, math.ceil(wait))
                    message = f"Tool rate limit reached. Please wait {seconds} seconds."
                    client_name = tool_call.caller.name
                    self._on_hit(LimitHit(tool=tool.name, retry_after=seconds, message=message, client=client_name))
                    ticket = self._limits.enqueue(client, tool.name)
                    if ticket is None:
                        raise RateLimited(message, retry_after=seconds)
                await asyncio.sleep(min(wait, LOOK_SECONDS))
        finally:
            self._limits.dequeue(ticket)

    def usage(self, subject: str, tools: Iterable[Tool[Any]], settings: Settings) -> dict[str, LimitUse]:
        """How much of the limits one client has used.

        Args:
            subject: Whose calls: the credential.
            tools: Every tool.
            settings: As they are now.

        Returns:
            The use of each tool's limit by the tool's name, and over all of them under `*`.
        """
        now = self._clock.monotonic()
        rates = {tool.name: tool.spec.rate(settings) for tool in tools if tool.spec.is_enabled(settings)}
        used = self._limits.status(subject, now, rates) | {"*": self._limits.total(now, settings.global_rate_limit)}
        return {name: LimitUse(limit=usage.limit, used=usage.used, queued=usage.queued) for name, usage in used.items()}

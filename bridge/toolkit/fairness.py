"""Calls a minute, threads and turns of the event loop, shared so that no client takes what others need.

A call beyond the rate waits its turn in a short queue, or is refused with the time to come back (the limit step). Slow
calls of one client hold up no quick ones of others, because none holds all threads. And whoever else is served waits
for one step of a client's calls, not for all of them.
"""

import asyncio
import contextlib
import math
import threading
import types
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Generator, Iterable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, NamedTuple, TypeVar

from bridge.clock import Clock
from bridge.contract.events import LimitHit
from bridge.contract.identity import Capability
from bridge.contract.session import LimitUse
from bridge.errors import RateLimited
from bridge.policy.limits import QUEUE, REFUSALS, RateLimits
from bridge.settings.model import Settings
from bridge.toolkit.tool import Tool
from bridge.toolkit.tool_call import ToolCall

T = TypeVar("T")


class _Key(NamedTuple):
    """The client whose work it is, and whether it is for a large call."""

    who: str
    large: bool


class FairThreads:
    """The threads, divided among clients. Any thread may ask.

    Args:
        threads: The threads; they are shut down by whoever made them.
        most: How many of them one client may hold.
    """

    def __init__(self, threads: Executor, most: int) -> None:
        self._threads = threads
        self._most = most
        self._lock = threading.Lock()
        self._held: Counter[_Key] = Counter()
        self._shut_down = False
        self._waiting: dict[_Key, deque[Callable[[], bool]]] = {}

    def of(self, who: str, *, large: bool = False) -> Executor:
        """Return the threads as one client has them.

        Args:
            who: Identifies the client.
            large: Whether they are for calls that hold very much, for which a client has one thread: several that go
                through long texts would get no more done together, but whoever is served meanwhile waits for each.
        """
        return _Share(self, who, large=large)

    def submit(self, who: str, work: Callable[[], T], *, large: bool = False) -> "Future[T]":
        """Do something as soon as it is this client's turn.

        Args:
            who: Identifies the client.
            work: What to do.
            large: As of `of`.

        Returns:
            The result; cancelled where the threads are shut down first.
        """
        future: Future[T] = Future()
        key = _Key(who, large)

        def run() -> None:
            try:
                _carry_out(work, future)
            finally:
                self._next(key)

        def ended(begun: "Future[None]") -> None:
            if begun.cancelled():
                # The threads are being shut down, and must not be asked for anything while that goes on.
                self._shut_down = True
                future.cancel()
                self._next(key)

        def begin() -> bool:
            with contextlib.suppress(RuntimeError):  # they are shut down
                if not self._shut_down:
                    self._threads.submit(run).add_done_callback(ended)
                    return True
            future.cancel()
            return False

        with self._lock:
            if self._held[key] >= (1 if large else self._most):
                self._waiting.setdefault(key, deque()).append(begin)
                return future
            self._held[key] += 1
        if not begin():
            self._next(key)
        return future

    def _next(self, key: _Key) -> None:
        """Begin what a client has waiting, now that it has one thread less."""
        begun = False
        while not begun:
            with self._lock:
                waiting = self._waiting.get(key)
                begin = waiting.popleft() if waiting else None
                if not waiting:
                    self._waiting.pop(key, None)
                if begin is None:
                    self._held[key] -= 1
                    if not self._held[key]:
                        del self._held[key]
                    return
            begun = begin()


def _carry_out(work: Callable[[], T], future: "Future[T]") -> None:
    """Do something, and give its result or its failure to whoever waits for it."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 - whoever waits gets it
        future.set_exception(error)
    else:
        future.set_result(result)


class _Share(Executor):
    """The threads as one client has them."""

    def __init__(self, threads: FairThreads, who: str, *, large: bool) -> None:
        self._submit = partial(threads.submit, who, large=large)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        return self._submit(lambda: fn(*args, **kwargs))


LOOK_SECONDS = 1.0
"""The interval at which a waiting call checks whether the limits were changed."""

_HINT = "Many changes in one call count once, and so does one wider search"


class RateLimitStep:
    """The step that keeps every client to its calls a minute.

    Args:
        clock: Monotonic time.
        on_hit: Called when a client must wait.
    """

    def __init__(self, clock: Clock, on_hit: Callable[[LimitHit], None]) -> None:
        self._limits = RateLimits()
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


class FairTurns:
    """The turns. In each turn of the loop at most one call goes on to where it waits next; clients follow one another.

    Two hundred calls whose files were read at the same moment would otherwise all go on in the next turn, and what the
    person asks meanwhile would wait for two hundred steps.
    """

    def __init__(self) -> None:
        self._taken = False
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @types.coroutine
    def run(self, who: str, work: Coroutine[Any, Any, T]) -> Generator[Any, None, T]:
        """Run a coroutine to its end, a step in each turn that it gets.

        Args:
            who: Identifies the client.
            work: What to run, in the task that awaits this.

        Returns:
            The result.
        """
        go_on = partial(work.send, None)
        try:
            while True:
                try:
                    yield from self.turn(who)
                except asyncio.CancelledError as cancelled:  # many are, when a client leaves: that takes turns too
                    go_on = partial(work.throw, cancelled)
                    continue
                try:
                    waits_for = go_on()
                except StopIteration as ended:
                    result: T = ended.value
                    return result
                try:
                    yield waits_for
                except GeneratorExit:
                    raise
                except BaseException as failure:  # noqa: BLE001 - what it waited for has failed, which is its affair
                    go_on = partial(work.throw, failure)
                else:
                    go_on = partial(work.send, None)
        finally:
            work.close()
            del go_on  # a failure that is thrown into the work holds this frame, and would be held by it

    @types.coroutine
    def turn(self, who: str) -> Generator[Any, None, None]:
        """Wait until it is a client's turn.

        Args:
            who: Identifies the client.
        """
        loop = asyncio.get_running_loop()
        if not self._taken:
            self._taken = True
            loop.call_soon(self._next)
            return
        mine = loop.create_future()
        self._waiting.setdefault(who, deque()).append(mine)
        yield from mine

    def _next(self) -> None:
        """Give the next turn to whose client has waited longest; those who were cancelled want none any more."""
        while self._waiting:
            who, mine = next(iter(self._waiting.items()))
            turn = mine.popleft()
            del self._waiting[who]
            if mine:
                self._waiting[who] = mine
            if not turn.done():
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._next)
                return
        self._taken = False

"""Running a tool's methods: coroutines on the loop, plain functions in worker threads, all under one deadline."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from contextvars import copy_context
from typing import TypeVar, cast

from bridge.errors import DeadlineExceeded

T = TypeVar("T")

GRACE = 1.0
"""Seconds in which a tool that watches its deadline says itself, and better, why it ended."""


async def invoke(workers: Executor, function: Callable[[], T | Awaitable[T]], seconds: float) -> T:
    """Call a method that may be a coroutine function or a plain one.

    A plain function cannot be stopped from outside; it watches the deadline in its context by itself. What we stop
    here is the waiting for it.

    Args:
        workers: Threads for plain functions.
        function: The call, its arguments bound.
        seconds: How long to wait.

    Raises:
        DeadlineExceeded: When it took longer.
    """
    try:
        async with asyncio.timeout(seconds + GRACE):
            if inspect.iscoroutinefunction(getattr(function, "func", function)):
                return await cast("Awaitable[T]", function())
            result = await asyncio.get_running_loop().run_in_executor(workers, copy_context().run, function)
            return cast("T", result)
    except TimeoutError:
        raise DeadlineExceeded(
            f"The call took longer than {seconds:.0f} seconds and was stopped; "
            "ask for less, for example with a narrower pattern"
        ) from None

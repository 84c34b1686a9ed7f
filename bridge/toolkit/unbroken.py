"""Work that is done to its end, whoever goes away meanwhile."""

import asyncio
import contextlib
from typing import TypeVar

T = TypeVar("T")


async def unbroken(work: "asyncio.Future[T]") -> T:
    """What comes of work that is done to its end: a connection that closes and a bridge that stops may cancel us.

    Where it matters later, `asyncio.current_task().cancelling()` says that somebody did.
    """
    while not work.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([work])
    return work.result()

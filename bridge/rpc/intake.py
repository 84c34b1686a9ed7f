"""Reading frames: small ones at once, large ones in a thread, so that nobody waits for what another client sends."""

import asyncio
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from bridge.identity.caller import Client
from bridge.json_values import LARGE
from bridge.rpc.frames import MAX_VALUES, Frame, parse
from bridge.toolkit.fair_turns import FairTurns


class Intake:
    """The intake, which reads the frames of all connections.

    One thread reads all large frames, and at most one of each client waits for it: a client that sends many is
    slowed down itself, and holds up another's large frame by one of its own at most. Of the frames of agents, one is
    begun in each turn of the loop, however many connections they come over.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="frames")
        self._large: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._turns = FairTurns()

    async def read(self, data: bytes, client: Client) -> Frame:
        """Return the content of a frame.

        Args:
            data: The frame, or the body of a POST.
            client: The sender; the person's own programs may send any number of values.
        """
        most = None if client.is_person else MAX_VALUES
        if not client.is_person:
            await self._turns.turn(client.id)
        if len(data) <= LARGE:
            return parse(data, most_values=most)
        async with self._large[client.id]:
            reading = partial(parse, data, most_values=most)
            return await asyncio.get_running_loop().run_in_executor(self._thread, reading)

    def close(self) -> None:
        """Take no more frames."""
        self._thread.shutdown(wait=False, cancel_futures=True)

"""Frames are read one after another, those of agents one in each turn of the loop."""

import asyncio

from bridge.identity.caller import HOST
from bridge.rpc.frames import Intake
from tests.identities import caller
from tests.turns import turns_counted

FRAME = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
CONNECTIONS = 40


async def test_frames_that_came_over_many_connections_begin_in_turns_of_their_own_and_the_person_s_at_once() -> None:
    intake = Intake()
    begun: dict[int, int] = {}
    with turns_counted() as turn:

        async def agent() -> None:
            await intake.read(FRAME, caller().client)
            begun[turn.now] = begun.get(turn.now, 0) + 1

        async def person() -> int:
            await intake.read(FRAME, HOST)
            return turn.now

        *_, waited = await asyncio.gather(*(agent() for _ in range(CONNECTIONS)), person())
    intake.close()
    assert sum(begun.values()) == CONNECTIONS
    assert max(begun.values()) <= 2  # the end of one turn and the beginning of the next
    assert waited is not None
    assert waited <= 1

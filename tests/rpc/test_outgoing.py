"""The bridge can ask a host, and is never left waiting by one."""

import asyncio

import orjson
import pytest

from bridge.errors import DeadlineExceeded, ExecutionFailed
from bridge.rpc.frames import Response
from bridge.rpc.hub import Outgoing


async def asked(outgoing: Outgoing, sent: list[bytes]) -> tuple[asyncio.Task[object], str]:
    asking = asyncio.create_task(outgoing.request("host.dirty", {"paths": ["a.md"]}, 5))
    await asyncio.sleep(0)
    message = orjson.loads(sent.pop())
    assert message["method"] == "host.dirty"
    assert message["params"] == {"paths": ["a.md"]}
    return asking, message["id"]


async def test_the_hosts_answer_comes_back_to_who_asked() -> None:
    sent: list[bytes] = []
    outgoing = Outgoing(sent.append)
    asking, number = await asked(outgoing, sent)
    outgoing.settle(Response("somebody else's", 1))
    outgoing.settle(Response(number, {"dirty": []}))
    outgoing.settle(Response(number, "again"))
    assert await asking == {"dirty": []}
    outgoing.settle(Response(number, "late"))


async def test_a_host_that_answers_with_an_error_or_leaves_is_a_failure() -> None:
    sent: list[bytes] = []
    outgoing = Outgoing(sent.append)
    refused, number = await asked(outgoing, sent)
    outgoing.settle(Response(number, error={"code": 1, "message": "/home/ada"}))
    left, _ = await asked(outgoing, sent)
    outgoing.close()
    with pytest.raises(ExecutionFailed) as caught:
        await refused
    assert "/home" not in caught.value.message
    with pytest.raises(ExecutionFailed, match="went away"):
        await left


async def test_a_host_that_is_silent_costs_no_more_than_the_time_given() -> None:
    with pytest.raises(DeadlineExceeded, match=r"host\.dirty"):
        await Outgoing(lambda _data: None).request("host.dirty", {}, 0.01)

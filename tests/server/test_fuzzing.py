"""Whatever is sent, what comes back is JSON-RPC 2.0, and the server lives on."""

from typing import Any

import orjson
import pytest
from aiohttp import WSMsgType
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.rpc.methods import METHODS
from tests.patience import PATIENCE
from tests.server.house import House, request

NAMES = st.sampled_from([method.name for method in METHODS.values()]) | st.text(max_size=10)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["name", "arguments", "callId", "wait", "reason", "client", "can", "path", "patch", "limit"])
REQUESTS = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | VALUES, "method": NAMES | VALUES},
    optional={
        "id": VALUES,
        "params": st.dictionaries(FIELDS, VALUES, max_size=4) | st.lists(VALUES, max_size=6) | VALUES,
    },
)
MESSAGES = REQUESTS | st.lists(REQUESTS | VALUES, max_size=6) | VALUES


@st.composite
def frames(draw: st.DrawFn) -> bytes:
    """JSON-RPC, nearly JSON-RPC, or no JSON at all."""
    data = orjson.dumps(draw(MESSAGES))
    if draw(st.booleans()):
        return data
    cut = draw(st.integers(0, len(data)))
    return data[:cut] + draw(st.binary(max_size=5)) + data[cut + draw(st.integers(0, 3)) :]


def is_answer(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or "id" not in message:
        return False
    if "result" in message:
        return set(message) == {"jsonrpc", "id", "result"}
    error = message["error"]
    return (
        isinstance(error["code"], int) and isinstance(error["message"], str) and isinstance(error["data"]["hint"], str)
    )


async def answers(house: House, role: str, data: bytes) -> list[Any]:
    """What one frame is answered with, before the ping that follows it is."""
    said: list[Any] = []
    async with await house.socket(role) as socket:
        await socket.send_frame(data, WSMsgType.TEXT)
        await socket.send_json(request("after", "ping"))
        while True:
            message = orjson.loads(await socket.receive_str(timeout=PATIENCE))
            if message == {"jsonrpc": "2.0", "id": "after", "result": "pong"}:
                return said
            said.append(message)


@pytest.mark.slow
@settings(
    max_examples=150,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],  # one server for all examples
)
@given(data=frames(), role=st.sampled_from(["agent", "host"]))
async def test_every_frame_is_answered_in_json_rpc_and_leaves_the_server_alive(
    house: House, data: bytes, role: str
) -> None:
    house.world.calls.release.set()
    for said in await answers(house, role, data):
        members = said if isinstance(said, list) else [said]
        assert members
        assert all(map(is_answer, members)), (data, said)

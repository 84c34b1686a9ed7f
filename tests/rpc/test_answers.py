"""What we send is JSON-RPC 2.0, whatever the result is made of."""

import orjson

from bridge.contract.consent import ConsentReply, Decision
from bridge.rpc import frames
from bridge.rpc.frames import Fault


def test_an_error_always_carries_a_hint() -> None:
    assert orjson.loads(frames.fault(Fault(7, -32600, "Invalid Request", "Send an object"))) == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32600, "message": "Invalid Request", "data": {"hint": "Send an object"}},
    }


def test_wire_models_and_enums_are_told_as_json() -> None:
    answer = {"jsonrpc": "2.0", "id": 1, "result": [ConsentReply(accepted=False, reason="late"), Decision.ALLOW_ONCE]}
    told = orjson.loads(frames.encode(answer))
    assert told["result"] == [
        {"accepted": False, "outcome": None, "by": None, "reason": "late", "planDigest": None},
        "allow_once",
    ]


def test_a_result_that_is_no_json_is_an_internal_error_and_says_nothing_of_it() -> None:
    for result in (object(), "\ud800", {1: "a"}, 2**70):
        told = orjson.loads(frames.encode({"jsonrpc": "2.0", "id": 3, "result": result}))
        assert (told["id"], told["error"]["code"]) == (3, -32603)
        assert set(told["error"]["data"]) == {"hint"}


def test_a_batch_is_its_answers_in_one_array() -> None:
    assert frames.batch([b"1", b"2"]) == b"[1,2]"

"""Whatever comes over the wire is a request, a response, or the exact error the standard has for it."""

import gc
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.consent import ConsentReply, Decision
from bridge.json_values import LARGE
from bridge.rpc import frames
from bridge.rpc.frames import MAX_BATCH, MAX_DEPTH, MAX_VALUES, Fault, Frame, Request, Response, parse


def only(data: bytes) -> Any:
    frame = parse(data)
    assert len(frame.items) == 1
    assert not frame.batch
    return frame.items[0]


def code(data: bytes) -> tuple[int, Any]:
    item = only(data)
    assert isinstance(item, Fault)
    return item.code, item.id


def nested(levels: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":"m","params":' + opening * levels + closing * levels + b"}"


def test_a_request_is_read_with_its_parameters_by_name_or_by_position() -> None:
    assert only(b'{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}}') == Request("m", {"a": 1}, 7)
    assert only(b'{"jsonrpc":"2.0","id":"x","method":"m","params":[1,2]}') == Request("m", [1, 2], "x")
    assert only(b'{"jsonrpc":"2.0","id":null,"method":"m"}') == Request("m", {}, None)


def test_a_request_without_an_id_is_a_notification() -> None:
    assert only(b'{"jsonrpc":"2.0","method":"m"}') == Request("m", {}, None, notification=True)


@pytest.mark.parametrize("id", [0, -1, 2**53, "", "x" * 1000, 1.5, None])
def test_an_id_is_a_string_a_number_or_null_and_comes_back_as_it_was(id: Any) -> None:
    assert only(orjson.dumps({"jsonrpc": "2.0", "id": id, "method": "m"})) == Request("m", {}, id)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"nothing",
        b"{'a': 1}",
        b'{"jsonrpc":"2.0","id":1,"method":"m",}',
        b'{"jsonrpc":"2.0","id":1,"method":"m"} x',
        b"NaN",
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":[NaN]}',
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":[Infinity]}',
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":[-Infinity]}',
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":[1e999]}',
        b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
        b'{"jsonrpc":"2.0","id":1,"method":"\xc0\x80"}',
        b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
        b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
        b'{"jsonrpc":"2.0","id":1,"method":"\\udc00\\ud800"}',
        '{"jsonrpc":"2.0","id":1,"method":"\ud800"}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"m"}',
        nested(MAX_DEPTH),
        nested(MAX_DEPTH, b'{"a":[', b"]}"),
        nested(10_000),
        b"[" * 10_000,
        b"[" * 1_000_000,
        b'{"a":' * 10_000,
    ],
)
def test_what_is_no_json_or_nests_too_deeply_is_a_parse_error(data: bytes | str) -> None:
    data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    assert code(data) == (-32700, None)


@pytest.mark.parametrize(
    "data",
    [
        nested(MAX_DEPTH - 1),
        nested(1, b"[" + b"[]," * 1000 + b"1", b"]"),
        nested(1, b'["' + b"[" * 1000 + b'\\"' + b"{" * 1000 + b'\\\\"', b"]"),
        nested(1, b'[{"\\\\": "' + b"[[{" * 500 + b'"}', b"]"),
    ],
)
def test_depth_counts_open_arrays_and_objects_and_nothing_within_strings(data: bytes) -> None:
    assert isinstance(only(data), Request)


@pytest.mark.parametrize(
    ("message", "id"),
    [
        (1, None),
        ("ping", None),
        (None, None),
        ({}, None),
        ({"id": 1, "method": "m"}, 1),
        ({"jsonrpc": "1.0", "id": 1, "method": "m"}, 1),
        ({"jsonrpc": 2.0, "id": 1, "method": "m"}, 1),
        ({"jsonrpc": "2.0", "id": 1}, 1),
        ({"jsonrpc": "2.0", "id": "x", "method": 5}, "x"),
        ({"jsonrpc": "2.0", "id": 1, "method": None}, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "m", "params": "p"}, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "m", "params": None}, 1),
        ({"jsonrpc": "2.0", "id": True, "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": [], "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": {}, "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": 1e300, "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": 1, "result": 1, "error": {}}, 1),
    ],
)
def test_what_is_no_request_is_an_invalid_request_with_its_id_if_it_has_one(message: Any, id: Any) -> None:
    assert code(orjson.dumps(message)) == (-32600, id)


def test_an_integer_that_json_readers_would_change_is_no_id() -> None:
    assert code(b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"m"}') == (-32600, None)


def test_an_answer_to_a_question_of_ours_is_a_response() -> None:
    assert only(b'{"jsonrpc":"2.0","id":"b","result":null}') == Response("b")
    assert only(b'{"jsonrpc":"2.0","id":"b","error":{"code":1}}') == Response("b", error={"code": 1})


def test_a_batch_has_each_of_its_members_in_order() -> None:
    data = b'[{"jsonrpc":"2.0","id":1,"method":"m"},5,{"jsonrpc":"2.0","method":"n"}]'
    frame = parse(data)
    assert frame.batch
    assert frame.items[0] == Request("m", {}, 1)
    assert isinstance(frame.items[1], Fault)
    assert frame.items[2] == Request("n", {}, None, notification=True)


@pytest.mark.parametrize("size", [0, MAX_BATCH + 1, 1_000])
def test_a_batch_that_is_empty_or_too_long_is_one_invalid_request(size: int) -> None:
    assert code(orjson.dumps([{"jsonrpc": "2.0", "id": 1, "method": "m"}] * size)) == (-32600, None)


def test_a_full_batch_passes() -> None:
    assert len(parse(orjson.dumps([{"jsonrpc": "2.0", "id": 1, "method": "m"}] * MAX_BATCH)).items) == MAX_BATCH


@pytest.mark.parametrize("collecting", [True, False])
def test_a_large_frame_leaves_the_garbage_collector_as_it_was(*, collecting: bool) -> None:
    was = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        large = nested(1, b"[" + b"[]," * LARGE + b"1", b"]")
        assert isinstance(parse(large, most_values=None).items[0], Request)
        assert code(b"[" * 2 * LARGE) == (-32700, None)
        assert gc.isenabled() is collecting
    finally:
        (gc.enable if was else gc.disable)()


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_input_makes_parsing_raise(data: bytes) -> None:
    assert isinstance(parse(data), Frame)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text('[]{}"\\a', max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('[]{}"\\a', max_size=3), inner, max_size=3),
    max_leaves=60,
)


def depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


@settings(max_examples=100, deadline=None)
@given(JSON, st.integers(MAX_DEPTH - 8, MAX_DEPTH + 2))
def test_the_depth_limit_is_exactly_that_of_the_parsed_value(value: Any, wrapping: int) -> None:
    for _ in range(wrapping):
        value = [value]
    too_deep = depth(value) > MAX_DEPTH
    item = parse(orjson.dumps(value)).items[0]
    assert (isinstance(item, Fault) and item.code == -32700) is too_deep


def test_an_error_always_carries_a_hint() -> None:
    assert orjson.loads(frames.failure(*Fault(7, -32600, "Invalid Request", "Send an object"))) == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32600, "message": "Invalid Request", "data": {"hint": "Send an object"}},
    }


def test_wire_models_and_enums_are_sent_as_json() -> None:
    answer = {"jsonrpc": "2.0", "id": 1, "result": [ConsentReply(accepted=False, reason="late"), Decision.ALLOW_ONCE]}
    told = orjson.loads(frames.encode(answer))
    assert told["result"] == [
        {"accepted": False, "outcome": None, "by": None, "reason": "late", "planDigest": None, "grant": None},
        "allow_once",
    ]


def test_a_result_that_is_no_json_is_an_internal_error_and_says_nothing_of_it() -> None:
    for result in (object(), "\ud800", {1: "a"}, 2**70):
        told = orjson.loads(frames.encode({"jsonrpc": "2.0", "id": 3, "result": result}))
        assert (told["id"], told["error"]["code"]) == (3, -32603)
        assert set(told["error"]["data"]) == {"hint"}


def test_a_batch_is_its_answers_in_one_array() -> None:
    assert frames.batch([b"1", b"2"]) == b"[1,2]"


def large(arguments: bytes) -> bytes:
    """A request with these arguments, padded to a large frame."""
    padding = b'"padding":"' + b"x" * LARGE + b'",'
    return b'{"jsonrpc":"2.0","id":1,"method":"m","params":{' + padding + b'"arguments":' + arguments + b"}}"


MEMBERS = b",".join(b'"%d":1' % number for number in range(MAX_VALUES + 1))
ITEMS = b"[" + b",".join([b"1"] * (MAX_VALUES + 1)) + b"]"
TEXT = orjson.dumps('He said "[1, 2]", and \\, \\"{a: [b]}' * MAX_VALUES)


@pytest.mark.parametrize("arguments", [b"{" + MEMBERS + b"}", ITEMS, b"[" + b"[]," * MAX_VALUES + b"1]"])
def test_a_large_frame_of_too_many_values_is_refused_before_it_is_parsed(
    arguments: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orjson, "loads", None)
    assert code(large(arguments)) == (-32700, None)


@pytest.mark.parametrize("arguments", [TEXT, b"[" + b",".join([TEXT] * 3) + b"]", b"[" + b"1," * 19_000 + b"1]"])
def test_a_large_frame_of_few_values_passes_whatever_is_in_its_strings(arguments: bytes) -> None:
    assert isinstance(only(large(arguments)), Request)


@settings(max_examples=100, deadline=None)
@given(st.lists(JSON, min_size=1, max_size=3))
def test_values_are_never_counted_too_low(values: list[Any]) -> None:
    around = 6  # the request, its own members, and the padding
    data, held = large(orjson.dumps(values)), count(values)
    assert isinstance(parse(data, most_values=around + held - 1).items[0], Fault)
    assert isinstance(parse(data, most_values=around + 2 * held).items[0], Request)


def count(value: Any) -> int:
    """How many values a value is, with those inside it."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return 1 + sum(map(count, inner))

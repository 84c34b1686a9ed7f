"""Parameters come by name or by position, and what is wrong with them is named."""

from typing import Any

import pytest

from bridge.contract.result import ToolResult
from bridge.contract.tools import Cancelled, ToolCallParams
from bridge.errors import InvalidParameters
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.methods.tools import call, cancel


@pytest.fixture
def calling() -> Method:
    return Method("tools.call", call, ToolResult, ToolCallParams)


def test_parameters_by_position_come_in_the_order_of_the_model(calling: Method) -> None:
    expected = ToolCallParams.model_validate({"name": "grep", "arguments": {"pattern": "x"}, "callId": "c", "wait": 2})
    assert calling.bind(["grep", {"pattern": "x"}, "c", 2], {}) == expected


@pytest.mark.parametrize(
    ("positional", "named", "told"),
    [
        ([], {}, "'name'"),
        ([], {"name": 5}, "'name'"),
        ([], {"name": ""}, "'name'"),
        ([], {"name": "x" * 201}, "'name'"),
        ([], {"name": "grep", "callid": "x"}, "callId"),
        ([], {"name": "grep", "call_id": "x"}, "callId"),
        ([], {"name": "grep", "callId": ""}, "'callId'"),
        ([], {"name": "grep", "callId": "x" * 201}, "'callId'"),
        ([], {"name": "grep", "wait": -1}, "'wait'"),
        ([], {"name": "grep", "wait": 86_401}, "'wait'"),
        ([], {"name": "grep", "wait": True}, "'wait'"),
        ([], {"name": "grep", "wait": "1"}, "'wait'"),
        ([], {"name": "grep", "reason": "x" * 2001}, "'reason'"),
        ([], {"name": "grep", "arguments": []}, "'arguments'"),
        ([1, 2, 3, 4, 5, 6], {}, "takes 5 parameters"),
        ([], {"x" * 1_000_000: 1}, "that long"),
    ],
)
def test_a_wrong_parameter_is_named(calling: Method, positional: list[Any], named: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidParameters) as caught:
        calling.bind(positional, named)
    assert told in caught.value.message
    assert len(caught.value.message) < 500


@pytest.mark.parametrize("wait", [0, 0.5, 86_400])
def test_a_wait_is_a_number_of_seconds_up_to_a_day(calling: Method, wait: float) -> None:
    bound = calling.bind([], {"name": "grep", "wait": wait})
    assert isinstance(bound, ToolCallParams)
    assert bound.wait == wait


def test_a_method_without_parameters_takes_none() -> None:
    ping = Method("ping", lambda _context, _params: "pong", str)
    assert ping.bind([], {}) is not None
    with pytest.raises(InvalidParameters, match="none"):
        ping.bind([1], {})
    with pytest.raises(InvalidParameters):
        ping.bind([], {"a": 1})


def test_plain_handlers_are_immediate_and_coroutines_are_not(calling: Method) -> None:
    assert not calling.immediate
    assert Method("tools.cancel", cancel, Cancelled).immediate


def test_a_request_ends_with_its_connection_unless_it_says_otherwise(calling: Method) -> None:
    assert RequestContext.__dataclass_fields__["kept"].default is False
    assert not calling.waits

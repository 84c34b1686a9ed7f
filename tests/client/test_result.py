"""A script sees at a glance whether a tool did it, and why not."""

import pytest

from bridge.client import Result, ToolFailed


def test_a_success_has_data_and_text() -> None:
    result = Result({"success": True, "data": {"a": 1}, "text": "one", "executionId": "grep-1", "metadata": {}})
    assert (result.ok, result.pending, result.data, result.text) == (True, False, {"a": 1}, "one")
    assert (result.execution_id, result.error, result.code) == ("grep-1", None, None)
    assert result.or_raise() is result


def test_a_failure_says_what_kind_and_can_be_raised() -> None:
    raw = {
        "success": False,
        "error": "You were denied",
        "errorType": "permission_denied",
        "data": {"code": "denied_by_user"},
        "text": "Error: You were denied",
    }
    result = Result(raw)
    assert (result.ok, result.error, result.error_type, result.code) == (
        False,
        "You were denied",
        "permission_denied",
        "denied_by_user",
    )
    with pytest.raises(ToolFailed, match="You were denied") as caught:
        result.or_raise()
    assert (caught.value.error_type, caught.value.code) == ("permission_denied", "denied_by_user")


def test_a_ticket_is_neither_and_names_its_call() -> None:
    result = Result({"status": "pending", "callId": "c-1", "requestId": "r-1"})
    assert (result.ok, result.pending, result.call_id) == (False, True, "c-1")
    with pytest.raises(ToolFailed, match="c-1"):
        result.or_raise()

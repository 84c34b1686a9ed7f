"""Floods of records: which are logged whole, and what is said of the others."""

from typing import Any

from bridge.audit.records import MOST_COUNTS, MOST_WHOLE, WHOLE, Folding

TIME = "2026-01-31T10:30:00.000Z"


def refused(**changes: Any) -> dict[str, Any]:
    return {
        "timestamp": TIME,
        "kind": "execution",
        "tool": "find",
        "client": "Ada",
        "clientId": "c-1",
        "role": "agent",
        "errorType": "invalid_parameters",
        "success": False,
        "parameters": {"junk": "x" * 1000},
    } | changes


def test_the_first_of_a_kind_are_whole_and_the_others_one_count_without_their_arguments() -> None:
    folding = Folding()
    assert [folding.takes(refused()) for _ in range(20)] == [False] * WHOLE + [True] * (20 - WHOLE)
    (count,) = folding.drain()
    assert count == {
        "kind": "count",
        "of": "execution",
        "count": 20 - WHOLE,
        "since": TIME,
        "tool": "find",
        "client": "Ada",
        "clientId": "c-1",
        "role": "agent",
        "success": False,
        "errorType": "invalid_parameters",
    }
    assert folding.drain() == []
    assert folding.takes(refused()) is False


def test_each_client_tool_and_reason_has_a_count_of_its_own() -> None:
    folding = Folding()
    kinds = (refused(), refused(tool="read"), refused(clientId="c-2"), refused(code="tool_disabled"))
    for _ in range(WHOLE + 1):
        for record in kinds:
            folding.takes(record)
    counted = {(one["tool"], one["clientId"], one.get("code")): one["count"] for one in folding.drain()}
    # Two tools share what is whole of their client and reason.
    assert counted == {
        ("find", "c-1", None): 3,
        ("read", "c-1", None): 4,
        ("find", "c-2", None): 1,
        ("find", "c-1", "tool_disabled"): 1,
    }


def test_new_names_bring_no_more_records_than_there_is_room_for() -> None:
    folding = Folding()
    whole = sum(not folding.takes(refused(clientId=None, client=f"Ada {n}")) for n in range(2_000))
    counts = folding.drain()
    assert whole == MOST_WHOLE
    assert len(counts) == MOST_COUNTS + 1
    assert sum(one["count"] for one in counts) == 2_000 - MOST_WHOLE
    assert (counts[-1]["tool"], counts[-1]["client"]) == (None, None)

"""The log by action: a call with the decisions about it."""

import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.audit.audit_world import World, open_world

CALL = {"tool": "edit_file", "client": "Ada"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_world(tmp_path) as world:
        yield world


def decide(world: World, call: str, **more: Any) -> None:
    world.log.append(CALL | {"kind": "decision", "executionId": call, "outcome": "allow"} | more)


def end(world: World, call: str, **more: Any) -> None:
    world.log.append(CALL | {"kind": "execution", "executionId": call, "success": True, "duration": 5.0} | more)


def shape(records: list[dict[str, Any]]) -> list[tuple[str, str, int]]:
    return [(one["kind"], one.get("executionId", ""), len(one.get("decisions", ()))) for one in records]


def test_a_call_and_the_decisions_about_it_are_one_entry(world: World) -> None:
    decide(world, "a")
    decide(world, "b", decision="allow_once")
    end(world, "a")
    decide(world, "b")
    end(world, "b")
    world.log.append({"kind": "bridge", "event": "stopped"})
    found = world.log.query(by_action=True)
    assert shape(found) == [("bridge", "", 0), ("execution", "b", 2), ("execution", "a", 1)]
    assert [one.get("decision") for one in found[1]["decisions"]] == ["allow_once", None]


def test_a_decision_about_a_call_that_is_under_way_is_an_entry_of_its_own(world: World) -> None:
    end(world, "a")
    decide(world, "b")
    assert shape(world.log.query(by_action=True)) == [("decision", "b", 0), ("execution", "a", 0)]


def test_the_decision_of_the_last_entry_of_a_page_is_found_and_is_not_on_the_next(world: World) -> None:
    decide(world, "a")
    for other in "bcd":
        decide(world, other)
        end(world, other)
    end(world, "a")
    first = world.log.query(limit=1, by_action=True)
    rest = world.log.query(by_action=True, before=str(first[0]["seq"]))
    assert shape(first) == [("execution", "a", 1)]
    assert shape(rest) == [("execution", other, 1) for other in "dcb"]


def test_a_decision_is_found_however_long_the_call_took(world: World) -> None:
    decide(world, "a")
    world.clock.moment += timedelta(hours=3)
    end(world, "a", duration=3 * 3_600_000.0)
    since = world.clock.moment.isoformat()
    assert shape(world.log.query(by_action=True, since=since)) == [("execution", "a", 1)]


@pytest.mark.parametrize(
    ("name", "value", "calls"),
    [("text", "plans.md", ["b"]), ("code", "timed_out", ["c"]), ("kind", "execution", ["c", "b", "a"])],
)
def test_entries_are_filtered_by_what_became_of_the_call(world: World, name: str, value: str, calls: list[str]) -> None:
    facts: dict[str, Any] = {"a": {}, "b": {"parameters": {"path": "Plans.md"}}, "c": {"code": "timed_out"}}
    for call, more in facts.items():
        decide(world, call)
        end(world, call, **more)
    filters: dict[str, Any] = {name: value}
    assert shape(world.log.query(by_action=True, **filters)) == [("execution", call, 1) for call in calls]


def test_decisions_alone_can_be_asked_for(world: World) -> None:
    decide(world, "a")
    end(world, "a")
    assert shape(world.log.query(by_action=True, kind="decision")) == [("decision", "a", 0)]


@given(
    st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from(["decide", "end"])), max_size=25), st.integers(1, 4)
)
def test_pages_together_are_the_whole(events: list[tuple[str, str]], size: int) -> None:
    with tempfile.TemporaryDirectory() as folder, open_world(Path(folder)) as world:
        over: set[str] = set()
        for call, event in events:
            if call not in over:
                (end if event == "end" else decide)(world, call)
            if event == "end":
                over.add(call)
        pages: list[dict[str, Any]] = []
        before: str | None = None
        while page := world.log.query(limit=size, by_action=True, before=before):
            pages += page
            before = str(page[-1]["seq"])
        assert pages == world.log.query(limit=1_000, by_action=True)

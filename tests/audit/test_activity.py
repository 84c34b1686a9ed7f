"""What agents did in some days, as the log says it."""

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.app import Bridge
from bridge.audit import service
from bridge.audit.files import GENERATIONS
from bridge.audit.service import MOST_NAMES, MOST_SHOWN, Activity
from bridge.client import connect
from bridge.contract.audit import AuditActivity
from tests.audit.audit_world import StandingClock, World, open_world
from tests.people import person_at

NOW = "2026-01-31T10:00:00.000Z"


def line(**facts: Any) -> bytes:
    """A record of a call, or what else `facts` make of it."""
    record = {"timestamp": NOW, "kind": "execution", "tool": "grep", "client": "Ada", "clientId": "c1"}
    return orjson.dumps(record | {"success": True, "duration": 5.0} | facts)


def counted(lines: list[bytes], days: int = 7, zone: timezone = UTC) -> AuditActivity:
    """The report on some lines, newest first, on the 31st of January 2026 at 10:30."""
    found = Activity(StandingClock(), days, zone)
    found.read(lines)
    return AuditActivity.model_validate(found.report())


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_world(tmp_path, max_size=4_000) as world:
        yield world


@pytest.mark.parametrize(
    ("facts", "counts"),
    [
        ({}, {"calls": 1, "succeeded": 1}),
        ({"success": False, "errorType": "not_found"}, {"calls": 1, "failed": 1}),
        ({"success": False}, {"calls": 1, "failed": 1}),
        ({"success": False, "errorType": "permission_denied"}, {"calls": 1, "refused": 1}),
        ({"success": False, "errorType": "rate_limited"}, {"calls": 1, "refused": 1}),
        ({"cached": True}, {"calls": 1, "succeeded": 1, "cache_hits": 1}),
        ({"cached": False}, {"calls": 1, "succeeded": 1, "cache_misses": 1}),
        ({"kind": "decision", "outcome": "allow", "decision": "allow_once"}, {"allowed": 1}),
        ({"kind": "decision", "outcome": "deny", "decision": "deny_session"}, {"denied": 1}),
        ({"kind": "decision", "outcome": "deny", "rule": "timed_out"}, {"timed_out": 1}),
        ({"kind": "decision", "outcome": "deny", "rule": "cancelled"}, {"withdrawn": 1}),
        ({"kind": "decision", "outcome": "deny", "rule": "stale"}, {"withdrawn": 1}),
        ({"kind": "decision", "outcome": "deny", "rule": "no_ui"}, {}),
        ({"kind": "decision", "outcome": "allow", "rule": "read"}, {}),
        ({"kind": "decision", "outcome": "ask", "rule": "revised"}, {}),
        ({"kind": "network", "url": "https://example.com"}, {}),
        (
            {"kind": "count", "of": "execution", "count": 40, "success": False, "errorType": "rate_limited"},
            {"calls": 40, "refused": 40},
        ),
        (
            {"kind": "count", "of": "execution", "count": 3, "success": False, "errorType": "invalid_parameters"},
            {"calls": 3, "failed": 3},
        ),
        ({"kind": "count", "of": "delivery", "count": 3}, {}),
        (
            {"files": [{"change": name} for name in ("create", "modify", "modify", "delete", "move", "mkdir")]},
            {"calls": 1, "succeeded": 1, "created": 1, "modified": 2, "deleted": 1, "moved": 1, "unlisted": 1},
        ),
        (
            {"files": [{"change": "create"}, "[1,500 more files]"]},
            {"calls": 1, "succeeded": 1, "created": 1, "unlisted": 1_500},
        ),
    ],
)
def test_a_record_counts_as_what_it_was(facts: dict[str, Any], counts: dict[str, int]) -> None:
    found = counted([line(**facts)])
    today = found.days[-1].model_dump(exclude_defaults=True)
    assert today == {"day": "2026-01-31"} | counts
    assert [client.name for client in found.clients] == (["Ada"] if counts else [])


def test_every_day_of_the_period_is_there_and_no_other_day_is_counted() -> None:
    found = counted(
        [line(timestamp=f"2026-01-{day}T12:00:00.000Z") for day in (31, 29, 29, 28, 25)] + [line(timestamp=NOW)], 3
    )
    assert [(day.day, day.calls) for day in found.days] == [("2026-01-29", 2), ("2026-01-30", 0), ("2026-01-31", 1)]
    assert found.clients[0].calls_by_day == (2, 0, 1)
    assert (found.records, found.complete) == (3, True)


def test_reading_stops_where_no_line_can_be_young_enough() -> None:
    read = 0

    def lines() -> Iterator[bytes]:
        nonlocal read
        for back in range(100):
            read += 1
            yield line(timestamp=(datetime(2026, 1, 31, 10, tzinfo=UTC) - timedelta(days=back)).isoformat())

    found = Activity(StandingClock(), 3, UTC)
    found.read(lines())
    assert found.report()["records"] == 3
    assert read <= 6


@pytest.mark.parametrize(
    ("hours", "days", "said"),
    [
        (0, [0, 1], "UTC"),
        (9, [0, 1], "UTC+09:00"),
        (14, [1, 0], "UTC+14:00"),
        (-9.5, [1, 0], "UTC-09:30"),
        (-11, [0, 1], "UTC-11:00"),
        (5.5, [0, 1], "UTC+05:30"),
    ],
)
def test_days_begin_at_midnight_where_the_person_is(hours: float, days: list[int], said: str) -> None:
    found = counted([line(timestamp="2026-01-31T08:00:00.000Z")], 2, timezone(timedelta(hours=hours)))
    assert ([day.calls for day in found.days], found.zone) == (days, said)


def test_what_a_call_took_is_without_the_time_that_its_questions_were_open() -> None:
    waited = [line(tool="edit", duration=60_010.0 + number, waited=60_000.0) for number in range(1, 101)]
    found = counted([*waited, line(tool="edit", duration=90_000.0, success=False), line(duration=None)])
    edit, grep = found.tools
    assert (edit.tool, edit.calls, edit.succeeded, edit.p50, edit.p95) == ("edit", 101, 100, 60.0, 105.0)
    assert (grep.tool, grep.calls, grep.p50, grep.p95) == ("grep", 1, None, None)


def test_answer_times_are_those_of_answers_and_not_of_questions_that_nobody_answered() -> None:
    answered = {"kind": "decision", "outcome": "allow", "decision": "allow_once"}
    lines = [line(**answered, waited=1_000.0 * number) for number in range(1, 11)]
    lines += [line(kind="decision", outcome="deny", rule="timed_out", waited=300_000.0), line(**answered)]
    found = counted(lines)
    assert (found.answers.count, found.answers.median, found.answers.p90) == (10, 5_000.0, 9_000.0)
    assert (found.days[-1].allowed, found.days[-1].timed_out) == (11, 1)


def test_clients_are_told_apart_as_the_sentences_of_the_log_tell_them_apart() -> None:
    found = counted(
        [
            line(),
            line(role="host", client="Obsidian"),
            line(role="host", client="Command line"),
            line(clientId="shared", client="An unnamed program, calls itself 'Ada'"),
        ]
    )
    assert (found.clients[0].name, found.clients[0].calls) == ("You", 2)
    assert len({client.name for client in found.clients}) == 3


def test_of_many_clients_and_tools_twenty_are_named_and_the_others_are_one() -> None:
    names = [f"Robot {number:04d}" for number in range(MOST_NAMES + 100)]
    lines = [line(client=name, tool=f"tool_{name[-4:]}", files=[{"change": "create"}]) for name in names]
    found = counted([*lines, *lines[:MOST_SHOWN]])
    assert [client.name for client in found.clients] == names[:MOST_SHOWN]
    assert {client.calls for client in found.clients} == {2}
    assert found.others is not None
    assert (found.others.calls, found.others.changes_by_day[-1]) == (len(names) - MOST_SHOWN,) * 2
    assert len(found.tools) == MOST_SHOWN
    assert found.days[-1].calls == len(names) + MOST_SHOWN


@pytest.mark.parametrize(
    "damaged",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        line(timestamp="soon"),
        line(timestamp=""),
        line(timestamp=None),
        line(timestamp=7),
        b'{"seq": 1}',
    ],
)
def test_a_damaged_line_is_counted_as_damaged_and_hides_nothing(damaged: bytes) -> None:
    found = counted([line(), damaged, b"", line()])
    assert (found.days[-1].calls, found.damaged) == (2, 1)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                *("kind", "tool", "client", "clientId", "role", "success", "duration", "waited", "files", "count"),
                *("of", "decision", "outcome", "rule", "errorType", "cached", "timestamp"),
            ]
        ),
        st.sampled_from(
            [None, True, -1, 10**18, 1e300, "", "count", "decision", "execution", [], {}, [1, {"change": []}]]
        ),
    )
)
def test_a_record_with_anything_in_it_makes_a_report(facts: dict[str, Any]) -> None:
    found = counted([line(**facts), line()])
    assert found.days[-1].calls >= 1
    assert found.to_wire()


def test_a_log_that_takes_too_long_is_read_from_its_newest_end_and_said_to_be_incomplete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Hurrying(StandingClock):
        seconds = 0.0

        def monotonic(self) -> float:
            self.seconds += service.MAX_SECONDS / 2
            return self.seconds

    found = Activity(Hurrying(), 7, UTC)
    found.read(line() for _ in range(100_000))
    report = found.report()
    assert 0 < report["records"] < 10_000
    assert not report["complete"]
    monkeypatch.setattr(service, "MAX_RECORDS", 10)
    short = counted([line()] * 20)
    assert (short.records, short.complete) == (10, False)


def test_calls_that_were_removed_to_make_room_are_said_to_be_missing() -> None:
    assert not counted([line(), line(kind="log", event="thinned", records=9)]).complete
    assert counted([line(), line(kind="log", event="thinned", timestamp="2026-01-20T10:00:00.000Z")]).complete


def test_what_is_counted_of_too_many_clients_is_of_the_others() -> None:
    found = counted([line(), line(kind="count", of="execution", count=40, client=None, clientId=None, success=False)])
    assert [client.name for client in found.clients] == ["Ada"]
    assert found.others is not None
    assert (found.others.calls, found.others.failed) == (40, 40)


def test_packed_parts_of_the_log_are_read_too_and_a_damaged_one_hides_no_other(world: World) -> None:
    world.fill(2)
    world.add(client="Last")
    whole = world.service.activity(7)
    assert whole["records"] == len(world.log.query(limit=1_000))
    part = world.logs / GENERATIONS[0]
    part.write_bytes(gzip.compress(b"not ours")[:-3])
    damaged = AuditActivity.model_validate(world.service.activity(7))
    assert 0 < damaged.records < whole["records"]
    assert "Last" in {client.name for client in damaged.clients} or any("Last" in one.name for one in damaged.clients)


def test_an_empty_log_has_its_days_and_nothing_else(world: World) -> None:
    found = AuditActivity.model_validate(world.service.activity(90))
    assert len(found.days) == 90
    assert (found.clients, found.others, found.tools, found.records, found.damaged) == ((), None, (), 0, 0)


@pytest.mark.parametrize("private", [{}, {"anonymizeLog": True, "logParameterValues": False}])
async def test_the_log_of_a_real_bridge_says_what_was_done_answered_and_changed(
    vault: Path, private: dict[str, Any]
) -> None:
    async with Bridge(vault) as bridge, person_at(vault) as person:
        bridge.settings.update({"enabledTools": ["*"], **private})
        async with connect(vault, name="Robot") as agent:
            person.answer = "allow_once"
            assert (await agent.call("create_note", path="New.md", content="x")).ok
            person.answer = "deny_once"
            assert not (await agent.call("create_note", path="Other.md", content="x")).ok
            for _ in range(9):
                await agent.call("nosuch")
        async with connect(vault, name="Screen", role="host", can=[]) as host:
            found = AuditActivity.model_validate(await host.request("audit.activity", days=2))
    async with Bridge(vault), connect(vault, name="Screen", role="host", can=[]) as host:
        later = AuditActivity.model_validate(await host.request("audit.activity", days=2))
    (robot,) = [client for client in found.clients if "Robot" in client.name]
    assert (robot.succeeded, robot.refused, robot.allowed, robot.denied, robot.created) == (1, 1, 1, 1, 1)
    assert sum(robot.changes_by_day) == 1
    assert found.answers.count == 2
    assert 0 <= (found.answers.median or -1) <= (found.answers.p90 or -1)
    create = next(tool for tool in found.tools if tool.tool == "create_note")
    assert (create.calls, create.succeeded) == (2, 1)
    assert create.p50 is not None
    # When the bridge stops, it writes down what it had only counted.
    (robot,) = [client for client in later.clients if "Robot" in client.name]
    assert (robot.calls, robot.failed) == (11, 9)


async def test_a_client_that_is_no_host_is_not_told(vault: Path) -> None:
    async with Bridge(vault), connect(vault, name="Robot") as agent:
        with pytest.raises(Exception, match="administer"):
            await agent.request("audit.activity")

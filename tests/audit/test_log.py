"""The audit log."""

import json
import os
import stat
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from bridge.audit.log import MAX_FILES
from bridge.errors import ExecutionFailed, InvalidParameters
from tests.audit.audit_world import PATCH, FaultyDisk, World, open_world
from tests.patience import PATIENCE


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_world(tmp_path) as world:
        yield world


def disk(world: World) -> FaultyDisk:
    assert isinstance(world.disk, FaultyDisk)
    return world.disk


def test_a_record_is_one_line_with_a_number_a_time_and_no_secrets(world: World) -> None:
    world.add()
    assert world.lines() == [
        {
            "seq": 1,
            "timestamp": "2026-01-31T10:30:00.000Z",
            **PATCH,
            "parameters": PATCH["parameters"] | {"api_key": "[REDACTED]"},
        }
    ]
    assert world.file.read_bytes().endswith(b"}\n")
    if os.name == "posix":
        assert stat.S_IMODE(world.file.stat().st_mode) == 0o600
        assert stat.S_IMODE(world.file.parent.stat().st_mode) == 0o700


def test_the_tools_own_secrets_and_ours_are_not_logged(world: World) -> None:
    world.secrets.add("run-token")
    world.log.append(
        PATCH | {"parameters": {"post_data": "x"}, "reason": "run-token"}, sensitive=frozenset({"postData"})
    )
    (line,) = world.lines()
    assert line["parameters"] == {"post_data": "[REDACTED]"}
    assert line["reason"] == "[REDACTED]"


def test_a_record_may_bring_its_own_time(world: World) -> None:
    world.add(timestamp="2025-01-15T10:30:00.000Z")
    assert world.lines()[0]["timestamp"] == "2025-01-15T10:30:00.000Z"


def test_nothing_is_logged_when_the_log_is_off_and_the_switch_is_live(world: World) -> None:
    world.settings["enableAuditLog"] = False
    world.add()
    assert not world.file.exists()
    world.settings["enableAuditLog"] = True
    world.add()
    assert len(world.lines()) == 1


def test_without_parameter_values_only_names_are_logged(world: World) -> None:
    world.settings["logParameterValues"] = False
    world.add()
    world.add(success=False, result={"error": "No file 'Diary of Ada.md'; did you mean \"Ada.md\"?"}, parameters=None)
    world.add(result="the text")
    world.log.append({"kind": "decision", "tool": "grep"})
    first, second, third, fourth = world.lines()
    assert fourth == {"seq": 4, "timestamp": "2026-01-31T10:30:00.000Z", "kind": "decision", "tool": "grep"}
    assert first["parameters"] == dict.fromkeys(["path", "api_key", "patches"], "[NOT LOGGED]")
    assert first["result"] == dict.fromkeys(["path", "linesChanged"], "[NOT LOGGED]")
    assert second["result"] == {"error": "No file [NOT LOGGED]; did you mean [NOT LOGGED]?"}
    assert second["parameters"] is None
    assert third["result"] == "[NOT LOGGED]"
    assert first["files"] == PATCH["files"]


def test_an_anonymous_log_holds_no_path(world: World) -> None:
    world.settings["anonymizeLog"] = True
    world.add(
        rule="file:Notes/My plan.md",
        why="`.vault-bridge/permissions.json` says '---' for 'Notes/My plan.md'",
        reason="tidy up Notes/My plan.md and Other/x.md, then plain.md (see C:\\Users\\Ada)",
        result={"error": "'Ada & co.md' is there", "matches": [{"file": "A b"}], "Deep/x": 1, "linesChanged": 3},
        targets=["A b"],
        summary="Edit A b: 3 lines",
    )
    line = world.file.read_text(encoding="utf-8")
    for piece in ("plan", "Notes", "Other", "plain", "Ada", "A b", "Deep", "permissions.json"):
        assert piece not in line
    (record,) = world.lines()
    assert record["files"] == [PATCH["files"][0] | {"path": "[PATH]"}]
    assert record["result"]["linesChanged"] == 3
    assert record["summary"] == "Edit [PATH]: 3 lines"
    assert (record["tool"], record["client"], record["timestamp"]) == (
        *("apply_patch", "Claude Code", "2026-01-31T10:30:00.000Z"),
    )


@pytest.mark.parametrize(
    ("tool", "parameters"),
    [
        ("read_note", {"name": "Steph Ango"}),
        ("read_note", {"name": "[[Steph Ango]]"}),
        ("read_note", {"names": ["Steph Ango", "x"]}),
        ("grep", {"pattern": "in [[Steph Ango]]", "filePattern": "Steph Ango"}),
        ("find", {"pattern": "Steph Ango*"}),
        ("list_files", {"pattern": "Steph*"}),
        ("search_notes", {"query": "tea path:Steph"}),
        ("search_notes", {"query": 'tea -file:"Steph Ango"'}),
        ("move_file", {"source": "Steph Ango", "destination": "Steph Ango 2"}),
    ],
)
def test_an_anonymous_log_holds_no_name_however_a_tool_is_called(
    world: World, tool: str, parameters: dict[str, Any]
) -> None:
    world.settings["anonymizeLog"] = True
    words: dict[str, Any] = {
        "why": "Steph Ango is closed; the setting `consentMode.read` changes it",
        "reason": "see [[Steph Ango]]",
    }
    world.add(tool=tool, parameters=parameters, result={"name": "Steph Ango"}, files=[], **words)
    (record,) = world.lines()
    assert "Steph" not in str({name: value for name, value in record.items() if name != "why"})
    assert record["why"].endswith(" is closed; the setting `consentMode.read` changes it")


def test_a_short_name_takes_no_other_word_apart(world: World) -> None:
    world.settings["anonymizeLog"] = True
    world.add(parameters={"name": "rea"}, why="rea is read for a reason", files=[], result={})
    assert world.lines()[0]["why"] == "[PATH] is read for a reason"


def test_the_files_of_a_large_change_are_all_listed_up_to_a_bound(world: World) -> None:
    files = [{"path": f"{number}.md", "before": "ab", "after": "cd"} for number in range(MAX_FILES + 5)]
    world.add(files=files)
    (record,) = world.lines()
    assert record["files"][:MAX_FILES] == files[:MAX_FILES]
    assert record["files"][MAX_FILES:] == ["[5 more files]"]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.just("\ud800\u2028\x00\n"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@examples(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(record=st.dictionaries(st.text(), ANYTHING, max_size=4), values=st.booleans(), paths=st.booleans())
def test_whatever_is_logged_is_one_valid_line(world: World, record: dict[str, Any], values: bool, paths: bool) -> None:
    world.settings = {"logParameterValues": values, "anonymizeLog": paths}
    before = world.file.read_bytes() if world.file.exists() else b""
    world.log.append({"parameters": record, "result": record} | record)
    added = world.file.read_bytes()[len(before) :]
    assert added.count(b"\n") == 1
    assert isinstance(json.loads(added), dict)
    assert world.log.fault is None


def test_numbers_go_on_after_a_restart_and_after_the_log_was_removed(world: World) -> None:
    world.add()
    world.add()
    world.log = world.reopened()
    world.add()
    assert [line["seq"] for line in world.lines()] == [1, 2, 3]
    world.file.unlink()
    world.file.parent.rmdir()
    world.add()
    assert [line["seq"] for line in world.lines()] == [4]


def test_a_full_disk_does_not_break_the_call_and_is_reported(world: World) -> None:
    world.add()
    disk(world).full = True
    world.add()
    world.add()
    assert world.log.fault is not None
    assert world.log.fault.startswith("2 records could not be written to .vault-bridge/logs/tools.log: No space left")
    disk(world).full = False
    world.add()
    assert [line["seq"] for line in world.lines()] == [1, 4]


def test_a_line_that_was_torn_costs_no_other_line(world: World) -> None:
    world.add()
    disk(world).breaks_off = True
    world.add()
    disk(world).breaks_off = False
    world.add()
    assert world.found() == [3, 1]
    world.log = world.reopened()
    with world.file.open("ab") as file:
        file.write(b'{"seq": 99, "tool": "apply')
    assert world.found() == [3, 1]
    world.add()
    assert world.found() == [4, 3, 1]


def test_a_log_that_is_a_folder_or_a_link_is_a_fault_and_not_followed(world: World, tmp_path: Path) -> None:
    world.file.parent.mkdir()
    world.file.mkdir()
    world.add()
    assert world.log.fault is not None
    with pytest.raises(ExecutionFailed, match="cannot be read"):
        world.log.query()
    world.file.rmdir()
    world.file.symlink_to(tmp_path / "outside")
    world.add()
    assert not (tmp_path / "outside").exists()


def test_many_threads_write_whole_lines_each_with_its_own_number(world: World) -> None:
    start = threading.Barrier(8)

    def write() -> None:
        start.wait(PATIENCE)
        for _ in range(25):
            world.add()

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert [line["seq"] for line in world.lines()] == list(range(1, 201))


@pytest.fixture
def filled(world: World) -> World:
    """Records of an hour: 1 to 6, ten minutes apart, from 10:30."""
    for number in range(6):
        world.clock.moment = datetime(2026, 1, 31, 10 + (30 + 10 * number) // 60, (30 + 10 * number) % 60, tzinfo=UTC)
        world.add(
            tool=("grep", "read")[number % 2],
            client=("Ada", "Bob")[number // 3],
            kind=("execution", "decision")[number == 5],
            parameters={"query": f'Straße "{number}"'},
        )
    return world


@pytest.mark.parametrize(
    ("filters", "seqs"),
    [
        ({}, [6, 5, 4, 3, 2, 1]),
        ({"limit": 2}, [6, 5]),
        ({"limit": 0}, []),
        ({"limit": 2, "before": "5"}, [4, 3]),
        ({"before": "1"}, []),
        ({"tool": "grep"}, [5, 3, 1]),
        ({"tool": "gre"}, []),
        ({"client": "Bob"}, [6, 5, 4]),
        ({"client": "Bob", "tool": "grep"}, [5]),
        ({"kind": "decision"}, [6]),
        ({"text": "STRASSE"}, [6, 5, 4, 3, 2, 1]),
        ({"text": '"3"'}, [4]),
        ({"text": "nowhere"}, []),
        ({"since": "2026-01-31T11:00:00Z"}, [6, 5, 4]),
        ({"since": "2026-01-31T12:00:00+01:00"}, [6, 5, 4]),
        ({"since": "2026-01-31T11:00"}, [6, 5, 4]),
        ({"until": "2026-01-31T10:40:00Z"}, [2, 1]),
        ({"since": "2026-01-31", "until": "2026-01-31"}, [6, 5, 4, 3, 2, 1]),
        ({"until": "2026-01-30"}, []),
        ({"since": "2026-02-01"}, []),
        ({"since": "0001-01-01", "until": "9999-12-31"}, [6, 5, 4, 3, 2, 1]),
    ],
)
def test_records_are_found_newest_first(filled: World, filters: dict[str, Any], seqs: list[int]) -> None:
    assert filled.found(**filters) == seqs


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        ({"since": "yesterday"}, "'since' is not a time: 'yesterday'"),
        ({"until": ""}, "'until' is not a time"),
        ({"before": "call-1"}, "'before' is the `seq` of a record"),
        ({"before": "-1"}, "'before' is the `seq` of a record"),
        ({"before": "9" * 5000}, "'before' is the `seq` of a record"),
    ],
)
def test_filters_that_make_no_sense_are_refused(filled: World, filters: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidParameters) as refused:
        filled.log.query(**filters)
    assert told in refused.value.message


def test_a_log_that_was_never_written_is_empty(world: World) -> None:
    assert world.log.query() == []


def test_a_clock_set_back_a_little_hides_nothing(world: World) -> None:
    for time in ("11:00", "10:00", "10:01"):
        world.add(timestamp=f"2026-01-31T{time}:00.000Z")
    world.add(timestamp="2020-01-01T00:00:00.000Z")
    world.add(timestamp="2026-01-31T12:00:00.000Z")
    assert world.found(since="2026-01-31T10:30:00Z") == [5]
    assert world.found(since="2020-01-01T00:00:00Z", until="2026-01-31T11:00:00Z") == [4, 3, 2, 1]


def test_a_long_log_is_read_in_blocks_and_foreign_lines_are_passed_over(world: World) -> None:
    """Lines across block borders, lines that are no records, and one that is longer than we hold in memory."""
    for number in range(300):
        world.add(tool="rare" if number == 0 else "grep", parameters={"query": "x" * (number * 7)})
    with world.file.open("ab") as file:
        file.write(b"\n\n[1,2]\nno json\n" + b"y" * 9_000_000 + b"\n\xff\xfe\n")
    world.add(tool="last")
    world.file.write_bytes(b"\n" + world.file.read_bytes())
    assert world.found(limit=1_000) == list(range(301, 0, -1))
    assert world.found(tool="rare") == [1]
    assert world.found(tool="last") == [301]


def test_what_is_rare_is_found_wherever_it_lies_between_blocks(world: World) -> None:
    """Parts of the log without what is looked for are passed over whole; the lines across their borders are not."""
    for number in range(700):
        world.add(tool=f"rare-{number}" if number % 23 == 0 else "grep", parameters={"query": "x" * (number % 301)})
    for number in range(0, 700, 23):
        assert world.found(tool=f"rare-{number}") == [number + 1]
    assert world.found(tool="nothing", since="2026-02-01") == []

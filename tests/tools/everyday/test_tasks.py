"""tasks and edit_tasks: every task with its place, and each change by one question and to the byte."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.testing import sandbox

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
TODAY = NOW.astimezone().date().isoformat()
WORK = (
    "# Work\n\n- [ ] Call Ada 📅 2026-03-01 #now\n  - [x] find the number ✅ 2026-02-01\n  - plain\n"
    "- [/] half [due:: 2026-02-01]\n1. [ ] numbered (due:: 2026-04-01) ⏫ 🔁 every day ^call\n\n"
    "```\n- [ ] code\n```\n\n> - [ ] quoted #now/soon\n\n- [] none\n- [x]none\n"
)
FILES: dict[str, Any] = {
    "Work.md": WORK,
    "home/Home.md": "- [X] done\r\n- [ ] open ⏳ 2026-05-01\r\n\r\n## Later\r\n\r\n## End\r\n",
    "Links.md": "[[Work#^call]] [[Work]]\n",
}


@pytest.mark.parametrize(
    ("arguments", "places"),
    [
        ({}, ["Work.md:3", "Work.md:7", "Work.md:13", "home/Home.md:2"]),
        ({"status": "done"}, ["Work.md:4", "home/Home.md:1"]),
        ({"status": "/"}, ["Work.md:6"]),
        ({"status": "all", "path": "Work"}, ["Work.md:3", "Work.md:4", "Work.md:6", "Work.md:7", "Work.md:13"]),
        ({"tag": "#now"}, ["Work.md:3", "Work.md:13"]),
        ({"folder": "home"}, ["home/Home.md:2"]),
        ({"text": "call ada"}, ["Work.md:3"]),
        ({"status": "all", "due_before": "2026-03-01"}, ["Work.md:6", "Work.md:3"]),
        ({"due_after": "2026-03-02"}, ["Work.md:7"]),
        ({"limit": 1}, ["Work.md:3"]),
        ({"tag": "none"}, []),
    ],
)
@pytest.mark.parametrize("memory", [False, True])
async def test_tasks_are_listed_with_their_places(arguments: Any, places: list[str], *, memory: bool) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        result = await vault.succeed("tasks", **arguments)
    assert [f"{each['path']}:{each['line']}" for each in result.data] == places
    assert all(place in result.text for place in places)


async def test_a_word_that_is_no_status_is_refused_and_not_looked_for() -> None:
    async with sandbox(FILES, memory=True) as vault:
        refused = await vault.call("tasks", status="open")
    assert refused.text == "Error: 'open' is no status; give todo, done, all, or one character"
    assert vault.asked == []


@pytest.mark.parametrize("day", ["", "1.3.2026", "20260301", "2026-W10-1"])
@pytest.mark.parametrize("name", ["due_before", "due_after"])
async def test_a_day_that_is_written_in_another_way_is_refused_and_not_compared(name: str, day: str) -> None:
    async with sandbox(FILES, memory=True) as vault:
        asked: dict[str, Any] = {name: day}
        refused = await vault.call("tasks", **asked)
    assert refused.text == f"Error: {day!r} is no date; write YYYY-MM-DD"
    assert vault.asked == []


async def test_dates_priority_and_recurrence_are_told() -> None:
    async with sandbox(FILES, memory=True) as vault:
        result = await vault.succeed("tasks", path="Work", text="numbered")
    (task,) = result.data
    assert (task["dates"], task["priority"], task["recurs"]) == ({"due": "2026-04-01"}, "high", True)


@pytest.fixture(autouse=True)
def _day(monkeypatch: pytest.MonkeyPatch) -> None:
    """The day does not end in the middle of a test."""
    monkeypatch.setattr(SystemClock, "now", lambda _clock: NOW)


async def edited(files: dict[str, Any], /, **arguments: Any) -> dict[str, str]:
    """The notes after an edit, the same in both storages, and that undo is true to the byte."""
    made = {}
    for memory in (False, True):
        async with sandbox(files, memory=memory) as vault:
            before = vault.files()
            await vault.succeed("edit_tasks", **arguments)
            made[memory] = vault.files()
            assert len([asked for asked in vault.asked if asked["planDigest"]]) == 1
            await vault.undo()
            assert vault.files() == before
    assert made[False] == made[True]
    return {path: data.decode() for path, data in made[True].items()}


async def test_tasks_of_several_notes_are_ticked_by_one_question() -> None:
    tasks = [{"path": "Work", "line": 3, "text": "call ada"}, {"path": "home/Home.md", "line": 2}]
    after = await edited(FILES, action="tick", tasks=tasks)
    assert after["Work.md"] == WORK.replace("[ ] Call", "[x] Call")
    assert after["home/Home.md"] == FILES["home/Home.md"].replace("[ ] open", "[x] open")


async def test_the_day_is_added_before_a_block_id_and_taken_away_again() -> None:
    files = {"A.md": "- [ ] one ^id\n- [x] two ✅ 2026-01-01\r\n"}
    after = await edited(files, action="tick", tasks=[{"path": "A", "line": 1}], done_date=True)
    assert after["A.md"] == f"- [x] one ✅ {TODAY} ^id\n- [x] two ✅ 2026-01-01\r\n"
    after = await edited(files, action="untick", tasks=[{"path": "A", "line": 2}], done_date=True)
    assert after["A.md"] == "- [ ] one ^id\n- [ ] two\r\n"


async def test_a_task_that_recurs_is_in_the_question() -> None:
    async with sandbox(FILES, memory=True) as vault:
        await vault.succeed("edit_tasks", action="tick", tasks=[{"path": "Work", "line": 7}])
    assert any("recur" in warning for warning in vault.asked[-1]["preview"]["warnings"])


async def test_tasks_move_with_what_is_below_them_and_links_to_them_follow() -> None:
    tasks = [{"path": "Work", "line": 3}, {"path": "Work", "line": 4}, {"path": "Work", "line": 7}]
    after = await edited(FILES, action="move", tasks=tasks, to="Home", heading="Later")
    assert after["home/Home.md"] == (
        "- [X] done\r\n- [ ] open ⏳ 2026-05-01\r\n\r\n## Later\r\n\r\n"
        "- [ ] Call Ada 📅 2026-03-01 #now\r\n  - [x] find the number ✅ 2026-02-01\r\n  - plain\r\n"
        "1. [ ] numbered (due:: 2026-04-01) ⏫ 🔁 every day ^call\r\n\r\n## End\r\n"
    )
    assert after["Work.md"].startswith("# Work\n\n- [/] half [due:: 2026-02-01]\n\n```\n")
    assert after["Links.md"] == "[[Home#^call]] [[Work]]\n"


async def test_a_task_that_moves_leaves_no_half_of_its_line_ending() -> None:
    files = {"A.md": "# A\r\n- [ ] one\r\n  - below\r\n- [ ] two\r\n", "B.md": "# B\r\n"}
    after = await edited(files, action="move", tasks=[{"path": "A", "line": 2}], to="B")
    assert after["A.md"] == "# A\r\n- [ ] two\r\n"
    assert after["B.md"] == "# B\r\n\r\n- [ ] one\r\n  - below\r\n"


async def test_links_in_a_task_lead_where_they_led() -> None:
    files = {"a/A.md": "# H\n\n  - [ ] see [[#H]] [[./B]]\n    below\n", "a/B.md": "", "C.md": "- [ ] there\n"}
    after = await edited(files, action="move", tasks=[{"path": "A", "line": 3}], to="C")
    assert after["C.md"] == "- [ ] there\n- [ ] see [[A#H]] [[B]]\n  below\n"
    assert after["a/A.md"] == "# H\n\n"


async def test_a_list_below_another_heading_does_not_go_along() -> None:
    files = {"A.md": "- [ ] one\n# H\n  - [ ] two\n", "B.md": ""}
    after = await edited(files, action="move", tasks=[{"path": "A", "line": 1}], to="B")
    assert after == {"A.md": "# H\n  - [ ] two\n", "B.md": "- [ ] one\n"}


async def test_nothing_is_added_where_a_code_block_is_left_open() -> None:
    async with sandbox({"A.md": "- [ ] one\n", "B.md": "```\n"}, memory=True) as vault:
        moved = await vault.call("edit_tasks", action="move", tasks=[{"path": "A", "line": 1}], to="B")
        added = await vault.call("edit_tasks", action="add", texts=["x"], to="B")
    assert (moved.error_type, added.error_type) == ("conflict", "conflict")


@pytest.mark.parametrize(
    ("note", "heading", "after"),
    [
        ("", None, "- [ ] new\n"),
        ("# A\n\n- [ ] old\n\n# B\n", "A", "# A\n\n- [ ] old\n- [ ] new\n\n# B\n"),
        ("# A\n# B\n", "A", "# A\n\n- [ ] new\n\n# B\n"),
        ("text", None, "text\n\n- [ ] new\n"),
        ("- a", None, "- a\n- [ ] new\n"),
    ],
)
async def test_a_task_is_added_to_the_list_that_is_there(note: str, heading: str | None, after: str) -> None:
    arguments = {} if heading is None else {"heading": heading}
    made = await edited({"N.md": note}, action="add", texts=["new"], to="N", **arguments)
    assert made["N.md"] == after


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"action": "tick"}, "invalid_parameters"),
        ({"action": "tick", "tasks": [{"path": "Work", "line": 1}]}, "not_found"),
        ({"action": "tick", "tasks": [{"path": "Work", "line": 10}]}, "not_found"),
        ({"action": "tick", "tasks": [{"path": "Work", "line": 3, "text": "other"}]}, "conflict"),
        ({"action": "move", "tasks": [{"path": "Work", "line": 3}]}, "invalid_parameters"),
        ({"action": "move", "tasks": [{"path": "Work", "line": 3}], "to": "Work"}, "invalid_parameters"),
        ({"action": "add", "texts": ["a\nb"], "to": "Work"}, "invalid_parameters"),
        ({"action": "add", "texts": ["a\rb"], "to": "Work"}, "invalid_parameters"),
        ({"action": "add", "texts": ["a"]}, "invalid_parameters"),
    ],
)
async def test_what_is_not_clear_is_refused(arguments: dict[str, Any], error: str) -> None:
    async with sandbox(FILES, memory=True) as vault:
        assert (await vault.call("edit_tasks", **arguments)).error_type == error


async def test_nothing_is_asked_where_a_task_is_ticked_already() -> None:
    async with sandbox(FILES, memory=True) as vault:
        result = await vault.succeed("edit_tasks", action="tick", tasks=[{"path": "Work", "line": 4}])
    assert result.data == {"updated": [], "count": 0}
    assert not any(asked["planDigest"] for asked in vault.asked)


async def test_closed_notes_have_no_tasks() -> None:
    async with sandbox(FILES) as vault:
        vault.close_path("home/")
        assert "home" not in (await vault.succeed("tasks", status="all")).text
        assert not (await vault.call("edit_tasks", action="add", texts=["x"], to="home/Home.md")).success

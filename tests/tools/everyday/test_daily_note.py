"""daily_note and create_note with a template: as the user has set it, with fields filled, and no closed text."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.contract.consent import Decision
from bridge.testing import Sandbox, sandbox

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
TODAY = NOW.astimezone()
TEMPLATE = (
    "---\ntags: [daily]\n---\n# {{title}}\n\n{{ Date }} {{date:dddd D}} {{tp.x}}\n\n## Tasks\n\n- one\n\n## Log\n"
)


def config(**files: Any) -> dict[str, str]:
    """Files of the configuration folder."""
    names = {"daily": "daily-notes", "templates": "templates", "plugins": "community-plugins", "app": "app"}
    made = {f".obsidian/{names[name]}.json": json.dumps(value) for name, value in files.items() if name in names}
    if "periodic" in files:
        made[".obsidian/plugins/periodic-notes/data.json"] = json.dumps(files["periodic"])
    return made


FILES = {
    **config(app={}, daily={"folder": "Daily/", "format": "YYYY/YYYY-MM-DD", "template": "Templates/Day"}),
    "Templates/Day.md": TEMPLATE,
}


@pytest.fixture(autouse=True)
def _day(monkeypatch: pytest.MonkeyPatch) -> None:
    """The day does not end in the middle of a test."""
    monkeypatch.setattr(SystemClock, "now", lambda _clock: NOW)


@pytest.mark.parametrize("memory", [False, True])
async def test_a_note_is_made_with_the_users_folder_format_and_template(*, memory: bool) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        before = vault.files()
        result = await vault.succeed("daily_note", date="2026-11-22", append="- two", heading="Tasks")
        assert result.data == {"path": "Daily/2026/2026-11-22.md", "created": True}
        assert vault.text("Daily/2026/2026-11-22.md") == (
            "---\ntags: [daily]\n---\n# 2026-11-22\n\n2026-11-22 Sunday 22 {{tp.x}}\n\n"
            "## Tasks\n\n- one\n- two\n\n## Log\n"
        )
        assert "{{tp.x}}" in vault.asked[-1]["preview"]["warnings"][0]
        again = await vault.succeed("daily_note", date="2026-11-22", append="More\n\ntext")
        assert again.data == {"path": "Daily/2026/2026-11-22.md", "created": False}
        assert vault.text("Daily/2026/2026-11-22.md").endswith("## Log\n\nMore\n\ntext\n")
        await vault.undo()
        await vault.undo()
        assert vault.files() == before


async def test_without_settings_it_is_todays_date_at_the_top_and_what_is_there_is_only_told() -> None:
    async with sandbox({}) as vault:
        name = TODAY.strftime("%Y-%m-%d.md")
        result = await vault.succeed("daily_note")
        assert result.data == {"path": name, "created": True}
        assert vault.text(name) == ""
        assert (await vault.succeed("daily_note", date="today")).data == {"path": name, "created": False}
        assert len([asked for asked in vault.asked if asked["planDigest"]]) == 1


OLD = {"weekly": {"enabled": True, "format": "", "folder": "Weeks", "template": ""}, "daily": {"enabled": False}}
NEW = {
    "activeCalendarSet": "b",
    "calendarSets": [
        {"id": "a"},
        {
            "id": "b",
            "week": {"enabled": True, "format": "", "folder": "Weeks"},
            "year": {"enabled": True, "format": "[Year] YYYY", "folder": "", "templatePath": "T.md"},
        },
    ],
}


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("periodic", [OLD, NEW])
async def test_the_plugin_periodic_notes_says_where_weekly_notes_go(periodic: Any, *, memory: bool) -> None:
    files = config(plugins=["periodic-notes"], periodic=periodic, app={}, daily={"folder": "D"}) | {"T.md": "{{title}}"}
    async with sandbox(files, memory=memory) as vault:
        week = await vault.succeed("daily_note", period="weekly", date="2027-01-01")
        assert week.data["path"] == "Weeks/2027-W01.md"
        day = await vault.succeed("daily_note", date="2027-01-01")
        assert day.data["path"] == "D/2027-01-01.md"
        year = await vault.call("daily_note", period="yearly", date="2027-01-01")
        assert year.success == (periodic is NEW)
        if periodic is NEW:
            assert vault.text("Year 2027.md") == "Year 2027"


async def test_a_plugin_that_is_off_says_nothing() -> None:
    async with sandbox(config(plugins=[], periodic=OLD, app={})) as vault:
        assert (await vault.call("daily_note", period="weekly")).error_type == "invalid_parameters"


@pytest.mark.parametrize(
    "arguments",
    [
        {"date": "22.11.2026"},
        {"date": "0001-01-01"},
        {"heading": "X"},
        {"period": "hourly"},
        {"date": "2026-11-22", "append": "x", "heading": "?"},
    ],
)
async def test_what_is_not_clear_is_refused(arguments: dict[str, str]) -> None:
    async with sandbox(FILES, memory=True) as vault:
        refused = await vault.call("daily_note", role="agent", session="agent-1", **arguments)
    assert refused.error_type in {"invalid_parameters", "not_found"}


@pytest.mark.parametrize("memory", [False, True])
async def test_a_note_is_made_from_a_template_by_its_name(*, memory: bool) -> None:
    files = config(app={}, templates={"folder": "Templates", "dateFormat": "D.M.YYYY", "timeFormat": "H"}) | {
        "Templates/Meeting.md": "---\nstatus: open\n---\n# {{title}} {{date}} {{time:[at]}}\r\n"
    }
    async with sandbox(files, memory=memory) as vault:
        content = "---\nwho: Ada\n---\nText\n"
        await vault.succeed("create_note", name="Talk", folder="x", template="meeting", content=content)
        day = f"{TODAY.day}.{TODAY.month}.{TODAY.year}"
        assert vault.text("x/Talk.md").replace("\r", "") == (
            f"---\nstatus: open\nwho: Ada\n---\n# Talk {day} at\n\nText\n"
        )
        missing = await vault.call("create_note", name="Other", template="Nope", content="")
        assert missing.error_type == "not_found"


async def make(vault: Sandbox, number: int) -> bool:
    result = await vault.call("create_note", path=f"open/{number}.md", template="Private/T.md", content="")
    return result.success


async def test_no_text_of_a_closed_template_comes_into_a_note() -> None:
    async with sandbox({"Private/T.md": "secret", "Daily.md": ""}) as vault:
        vault.close_path("Private/")
        assert not await make(vault, 1)
        assert "open/1.md" not in vault.files()
        assert not any(asked["planDigest"] for asked in vault.asked)


async def test_a_template_that_may_not_be_read_yet_is_asked_about_although_creating_is_allowed() -> None:
    async with sandbox({"Private/T.md": "text"}) as vault:
        place, asked = vault.folder / "open" / "1.md", []

        async def made() -> bool:
            place.unlink(missing_ok=True)
            before = len(vault.asked)
            success = await make(vault, 1)
            asked.append(len(vault.asked) - before)
            return success

        vault.answer = Decision.ALLOW_SESSION
        assert await made()
        assert await made()
        await vault.succeed("read", path="Private/T.md")
        assert await made()
        assert asked == [1, 1, 0]
        vault.settings.update({"consentMode": {"read": "never_allow"}})
        assert not await made()


async def test_a_person_is_not_asked_about_reading() -> None:
    async with sandbox(FILES) as vault:
        await vault.succeed("daily_note", role="host", date="2026-01-01")
        assert len(vault.asked) <= 1

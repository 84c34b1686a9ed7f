"""The templates that come with the bridge, each run on the sample vault: one question, one change, one undo."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.tools.templates.templates import shipped

SAMPLE = Path(__file__).resolve().parents[3] / "scripts" / "sample-vault"


@asynccontextmanager
async def sample(tmp_path: Path) -> AsyncIterator[Sandbox]:
    shutil.copytree(SAMPLE, tmp_path / "Vault")
    async with sandbox(folder=tmp_path / "Vault") as vault:
        yield vault


def notes(vault: Sandbox) -> dict[str, str]:
    return {
        path: data.decode() for path, data in vault.files().items() if path.endswith(".md") and ".trash" not in path
    }


async def run(vault: Sandbox, name: str, **values: Any) -> Any:
    """Run a template as the person, who reads everything."""
    asked = len(vault.asked)
    before = notes(vault)
    made = await vault.succeed("templates", role="host", action="run", name=name, values=values)
    assert len(vault.asked) == asked + 1
    assert vault.asked[-1]["summary"].startswith(f"Run the template '{shipped()[name].title}', which changes ")
    after = notes(vault)
    await vault.undo()
    assert notes(vault) == before
    await vault.redo()
    assert notes(vault) == after
    return made


def test_there_are_five() -> None:
    assert set(shipped()) == {"weekly-review", "archive-project", "tag-search", "meeting-note", "collect-tasks"}


async def test_the_weekly_review_has_the_daily_notes_and_what_is_open_in_them(tmp_path: Path) -> None:
    async with sample(tmp_path) as vault:
        await run(vault, "weekly-review", day="2025-03-16")
        review = notes(vault)["Reviews/Week to 2025-03-16.md"]
        assert review.startswith("# Week to 2025-03-16\n\n## Days\n\n- [[Daily/2025-03-1")
        assert {line for line in review.splitlines() if line.startswith("- [[")} == {
            "- [[Daily/2025-03-14.md]]",
            "- [[Daily/2025-03-15.md]]",
        }


async def test_a_finished_project_is_marked_and_archived_and_links_follow(tmp_path: Path) -> None:
    async with sample(tmp_path) as vault:
        await run(vault, "archive-project", project="Balcony garden", day="2025-04-01")
        after = notes(vault)
        assert "Projects/Balcony garden.md" not in after
        archived = after["Archive/Balcony garden.md"]
        assert "status: done" in archived
        assert "finished: 2025-04-01" in archived
        report = await vault.succeed("vault_report", role="host")
        assert "Balcony garden" not in str(report.data.get("broken"))


async def test_what_a_search_finds_is_tagged(tmp_path: Path) -> None:
    async with sample(tmp_path) as vault:
        found = (await vault.succeed("search", role="host", query="garden", limit=50)).data["results"]
        await run(vault, "tag-search", query="garden", tag="seen")
        tagged = (await vault.succeed("query", role="host", tags=["seen"])).data
        assert {one["path"] for one in found} == {one["path"] for one in tagged}
        assert len(found) > 1


async def test_a_search_that_finds_nothing_tags_nothing_and_says_so(tmp_path: Path) -> None:
    async with sample(tmp_path) as vault:
        before = vault.files()
        failed = await vault.call(
            "templates", role="host", action="run", name="tag-search", values={"query": "zyzzyva", "tag": "x"}
        )
        assert not failed.success
        assert "Nothing was written" in failed.text
        assert vault.files() == before
        assert vault.asked == []


async def test_a_meeting_note_links_to_people_and_is_linked_from_the_day(tmp_path: Path) -> None:
    async with sample(tmp_path) as vault:
        await run(vault, "meeting-note", title="Kick-off", day="2025-03-15", people=["Ada"], about=["Book club"])
        after = notes(vault)
        meeting = after["Meetings/2025-03-15 Kick-off.md"]
        assert meeting.startswith("# Kick-off\n\n## People\n\n- [[Ada]]\n\n## About\n\n- [[Book club]]\n")
        day = next(text for path, text in after.items() if path.endswith("2025-03-15.md") and "Kick-off]]" in text)
        assert "- [[Meetings/2025-03-15 Kick-off.md|Kick-off]]" in day


async def test_open_tasks_are_collected_and_collecting_again_repeats_none(tmp_path: Path) -> None:
    async with sample(tmp_path) as vault:
        tasks = (await vault.succeed("tasks", role="host", status="todo")).data
        assert tasks
        await run(vault, "collect-tasks")
        first = notes(vault)["Open tasks.md"]
        assert first.count("\n- ") == len(tasks)
        assert all(f"- {task['text']} ([[{task['path']}]])\n" in first for task in tasks)
        again = await vault.succeed("templates", role="host", action="run", name="collect-tasks")
        assert again.data["modified"] is False
        assert notes(vault)["Open tasks.md"] == first


@pytest.mark.parametrize("name", sorted(shipped()))
def test_each_says_what_it_is_for_and_asks_for_each_thing_with_a_title(name: str) -> None:
    template = shipped()[name]
    assert template.description.endswith(".")
    assert all(parameter.title for parameter in template.parameters)

"""A failure says what is wrong in plain words and what to do next, and an answer says each thing once."""

from typing import Any

import pytest

from bridge.testing import sandbox

FILES = {
    "Home.md": "# Home\n\n[[Plan]]\n",
    "Work/Plan.md": "---\nstate: open\n---\n# Plan\n\nDig.\n",
    "Work/Old/Log.md": "# Log\n",
    "Rows.base": "views:\n- type: table\n",
}

FAILURES: list[tuple[str, dict[str, Any], str]] = [
    ("delete", {"paths": ["zzqqxx"]}, "Use find to see what there is"),
    ("find", {"folder": "zzqqxx"}, "Use find to see what there is"),
    (
        "edit",
        {"path": "Home", "old_text": "nowhere", "new_text": "x"},
        "read it again, and give",
    ),
    ("move", {"what": "tag", "moves": [{"source": "nope", "destination": "x"}]}, "query with list_tags"),
    ("read", {"paths": ["Home"] * 51}, "should have at most 50 items, not 51."),
    ("search", {"query": "dig", "folder": "zzqqxx"}, "Use find to see what there is"),
    ("search", {"pattern": "Dig", "folder": "zzqqxx"}, "Use find to see what there is"),
    ("query", {"having": ["state"], "folder": "zzqqxx"}, "Use find to see what there is"),
    ("query", {"filter": "true", "folder": "zzqqxx"}, "Use find to see what there is"),
    (
        "move",
        {"what": "section", "moves": [{"source": "Plan#Plan", "destination": "Parts/Plan two.md"}]},
        "destination is the folder of the new note, which is called like its heading",
    ),
    ("move", {"moves": []}, "Parameter 'moves' must not be empty."),
    ("edit", {"path": "Home", "edits": [{"old_text": ""}]}, "It looks like {path: string, old_text: string"),
]


@pytest.mark.parametrize(("tool", "arguments", "said"), FAILURES)
async def test_a_failure_says_what_to_do(tool: str, arguments: dict[str, Any], said: str) -> None:
    async with sandbox(FILES) as vault:
        failed = await vault.call(tool, **arguments)
        assert not failed.success
        assert said in failed.text


async def test_what_is_named_in_part_is_counted() -> None:
    files = {f"{number:02}/Twin.md": "# Twin\n" for number in range(30)} | {"Home.md": "[[Twin]]\n\n" + "# Same\n" * 30}
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("move", {"moves": [{"source": "Twin", "destination": "Other"}]}, "and 25 more, which find lists"),
        (
            "move",
            {"what": "heading", "moves": [{"source": "Home#Same", "destination": "x"}]},
            ", 22 and 10 more.",
        ),
        ("read", {"path": "Home#Same"}, "lines 22 to 22 and 10 more."),
        ("vault_report", {"sections": ["ambiguous_links"]}, "03/Twin.md and 26 more"),
        ("vault_report", {"sections": ["duplicate_names"]}, "03/Twin.md and 26 more"),
    ]
    async with sandbox(files) as vault:
        for tool, arguments, said in cases:
            assert said in (await vault.call(tool, **arguments)).text, tool


async def test_a_template_that_is_not_there_is_told_with_the_nearest_name() -> None:
    async with sandbox(FILES) as vault:
        failed = await vault.call("create_note", role="host", name="New", content="x", template="Work/Plam")
        assert "Work/Plan.md" in failed.text


async def test_a_base_may_be_named_without_its_ending() -> None:
    async with sandbox(FILES) as vault:
        assert "Work/Plan.md" in (await vault.succeed("query", base="Rows")).text


async def test_a_path_is_shown_once_in_a_row() -> None:
    async with sandbox(FILES) as vault:
        listed = await vault.succeed("query", filter='state == "open"')
        assert listed.text == "1 file\npath\nWork/Plan.md"
        assert [column["id"] for column in listed.data["columns"]] == ["file.path"]


async def test_the_id_of_a_change_is_said_once() -> None:
    async with sandbox(FILES) as vault:
        ran = await vault.succeed("templates", action="run", name="meeting-note", values={"title": "Meet"})
        assert "daily_note" in ran.text
        assert ran.execution_id is not None
        assert ran.text.count(ran.execution_id) <= 1


async def test_an_undo_of_many_files_is_told_in_short_however_it_is_asked_for() -> None:
    async with sandbox({f"Notes/{number:03} of a long name.md": "#garden\n" for number in range(100)}) as vault:
        await vault.succeed("rename_tag", tag="garden", new_tag="plants")
        for tool in ("history_undo", "history_redo"):
            told = await vault.succeed(tool)
            assert len(told.text.encode()) < 1000
            assert "(100 files: Notes/" in told.text
            assert len(told.data["files"]) == 100


async def test_what_moves_with_a_folder_and_what_an_undo_brings_back_is_counted_in_files() -> None:
    async with sandbox(FILES) as vault:
        moved = await vault.succeed("move", moves=[{"source": "Work", "destination": "Done"}])
        assert moved.text.startswith('Moved 2 files to "Done".')
        taken_back = await vault.succeed("history", action="undo")
        assert "(2 files" in taken_back.text
        renamed = await vault.succeed("move", moves=[{"source": "Home", "destination": "Start"}])
        assert renamed.text.startswith('Moved to "Start.md".')

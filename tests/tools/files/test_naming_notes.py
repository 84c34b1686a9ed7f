"""Tools for what is there take a note's name where no file has that path; tools that create take paths alone."""

from typing import Any

import pytest

from bridge.contract.consent import Decision
from tests.tools.files.conftest import text_of

NAME, LINK = "Balcony", "[[Balcony]]"
NOTE = "Plans/Balcony.md"
READS: list[tuple[str, dict[str, Any]]] = [("read", {}), ("read_file", {}), ("get_file_info", {}), ("read_note", {})]
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("edit_file", {"old_text": "tea", "new_text": "cake"}),
    ("modify_note", {"operation": "append", "content": "more"}),
    ("apply_patch", {"patches": [{"startLine": 1, "endLine": 1, "newContent": "x"}]}),
    ("update_note", {"content": "x"}),
    ("delete_file", {}),
    ("delete_note", {}),
]


@pytest.fixture
def balcony(any_vault: Any) -> Any:
    any_vault.write(NOTE, "# Balcony\ntea\n")
    any_vault.storage.everything.knowledge.refresh()
    return any_vault


@pytest.mark.parametrize("path", [NAME, LINK, NOTE, "plans/balcony.md"])
@pytest.mark.parametrize(("tool", "arguments"), [*READS, *WRITES])
async def test_a_note_is_meant_by_path_name_or_link(balcony: Any, tool: str, arguments: Any, path: str) -> None:
    result = await balcony.succeed(tool, path=path, **arguments)
    assert NOTE in f"{result.data} {balcony.asked[-1]['targets']}"


@pytest.mark.parametrize("tool", ["move_file", "organize_note"])
@pytest.mark.parametrize("source", [NAME, LINK, NOTE])
async def test_a_note_is_moved_by_its_name(balcony: Any, tool: str, source: str) -> None:
    result = await balcony.succeed(tool, source=source, destination="Done/Balcony.md")
    assert (result.data["source"], result.data["destination"]) == (NOTE, "Done/Balcony.md")


@pytest.mark.parametrize(("tool", "arguments"), WRITES[:2])
async def test_a_file_of_that_path_wins(balcony: Any, tool: str, arguments: dict[str, Any]) -> None:
    balcony.write("Balcony.md", "tea\n")
    before = balcony.text(NOTE)
    balcony.storage.everything.knowledge.refresh()
    assert (await balcony.call(tool, path="Balcony.md", **arguments)).success
    assert balcony.text(NOTE) == before


@pytest.mark.parametrize(("tool", "arguments"), WRITES)
async def test_a_write_never_guesses(balcony: Any, tool: str, arguments: dict[str, Any]) -> None:
    balcony.write("Other/Balcony.md", "tea\n")
    balcony.storage.everything.knowledge.refresh()
    before = balcony.files()
    result = await balcony.call(tool, path=NAME, **arguments)
    assert result.error_type == "ambiguous"
    assert balcony.files() == before


async def test_what_creates_takes_the_path_as_it_stands(balcony: Any) -> None:
    before = balcony.text(NOTE)
    await balcony.succeed("write_file", path="Balcony", content="x")
    await balcony.succeed("create_note", path="Balcony", content="y")
    assert (balcony.text("Balcony"), balcony.text("Balcony.md"), balcony.text(NOTE)) == ("x", "y", before)


MISSING: list[tuple[str, dict[str, Any]]] = [
    ("read", {"path": "Balcny"}),
    ("read_file", {"path": "Plans/Balcny.md"}),
    ("read_note", {"name": "[[Balcny]]"}),
    ("get_metadata", {"name": "Balcny"}),
    ("resolve_note", {"name": "Balcny"}),
    ("edit_file", {"path": "Balcny", "old_text": "a", "new_text": "b"}),
    ("modify_note", {"path": "Balcny", "operation": "append", "content": "b"}),
    ("apply_patch", {"path": "Balcny", "patches": [{"startLine": 1, "endLine": 1, "newContent": "x"}]}),
    ("update_note", {"name": "Balcny", "content": "b"}),
    ("add_tag", {"name": "Balcny", "tag": "b"}),
    ("move_file", {"source": "Balcny", "destination": "x.md"}),
    ("delete_file", {"path": "Balcny.md"}),
    ("delete_note", {"name": "Balcny"}),
]


@pytest.mark.parametrize(("tool", "arguments"), MISSING)
async def test_the_nearest_names_are_told_to_who_may_read_them(
    balcony: Any, tool: str, arguments: dict[str, Any]
) -> None:
    result = await balcony.call(tool, session="asked", **arguments)
    assert result.error_type == "not_found"
    assert NOTE not in result.text, "a yes for one call is none for other names"
    balcony.settings.update({"consentMode": {"read": "always_allow"}})
    result = await balcony.call(tool, session="trusted", **arguments)
    assert (result.error_type, result.data["nearest"][0]) == ("not_found", NOTE)
    assert repr(NOTE) in result.text


async def test_the_nearest_names_are_never_closed_ones(balcony: Any) -> None:
    balcony.settings.update({"consentMode": {"read": "always_allow"}})
    balcony.close_path("Plans/")
    balcony.write("Balkony plans.md")
    balcony.storage.everything.knowledge.refresh()
    result = await balcony.call("read", path="Balcny")
    assert result.data["nearest"] == ["Balkony plans.md"]
    assert "nearest" not in (await balcony.call("read", path="Zqxwv")).data


async def test_a_person_is_told_the_nearest_names(balcony: Any) -> None:
    result = await balcony.call("read", role="host", path="Balcny")
    assert result.data["nearest"] == [NOTE]


async def test_who_may_read_one_folder_is_told_names_in_it_alone(balcony: Any) -> None:
    balcony.write("Other/Balcony b.md")
    balcony.storage.everything.knowledge.refresh()
    (balcony.folder / ".vault-bridge/permissions.json").write_text('{"Other/": "r??"}', encoding="utf-8")
    balcony.answer = Decision.ALLOW_ONCE
    result = await balcony.call("read", path="Balcny")
    assert result.data["nearest"] == ["Other/Balcony b.md"]


async def test_what_is_like_nothing_is_only_not_found(balcony: Any) -> None:
    assert "Nearest" not in await text_of(balcony, "read", role="host", path="qqqqqqqqqqqq")

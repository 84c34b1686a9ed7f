"""Small things that agents trip over, each answered as the page says."""

from typing import Any

import pytest

from bridge.toolkit.schema import describe
from tests.identities import caller

KINDS: dict[str, type] = {"added": int, "removed": int, "path": str, "diff": str, "tag": str}
"""What a key of `data` is, whichever tool writes it."""
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("create_note", {"name": "New", "content": "x"}),
    ("write_file", {"path": "New.md", "content": "y"}),
    ("create_folder", {"path": "Folder"}),
    ("modify_note", {"path": "New", "operation": "append", "content": "z"}),
    ("edit_file", {"path": "New", "old_text": "y", "new_text": "w"}),
    ("apply_patch", {"path": "New", "patches": [{"startLine": 1, "endLine": 1, "newContent": "x"}]}),
    ("update_note", {"name": "New", "content": "a\n"}),
    ("add_tag", {"name": "New", "tag": "t"}),
    ("add_tag", {"name": "New", "tag": "t"}),
    ("remove_tag", {"name": "New", "tag": "t"}),
    ("remove_tag", {"name": "New", "tag": "t"}),
    ("move_file", {"source": "New", "destination": "Old.md"}),
    ("organize_note", {"source": "Old", "destination": "New"}),
    ("delete_note", {"name": "New"}),
    ("delete_file", {"path": "Folder"}),
]


async def test_a_key_of_the_answers_has_one_type(any_vault: Any) -> None:
    seen: dict[tuple[str, str], type] = {}
    for tool, arguments in WRITES:
        result = await any_vault.succeed(tool, **arguments)
        for key, value in result.data.items():
            assert key not in KINDS or type(value) is KINDS[key], (tool, key)
            if value is not None:
                assert seen.setdefault((tool, key), type(value)) is type(value), (tool, key)


async def test_a_write_names_the_change_and_no_backup(any_vault: Any) -> None:
    for tool, arguments in WRITES:
        result = await any_vault.succeed(tool, **arguments)
        unchanged = "already has" in result.text or "does not have" in result.text
        assert (result.execution_id in result.text) != unchanged, (tool, result.text)
        assert ".vault-bridge" not in result.text
        assert tool == "apply_patch" or ".vault-bridge" not in str(result.data)


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"name": "[[By Name]]"}, "By Name.md"),
        ({"name": " [[By Name]] ", "folder": "In"}, "In/By Name.md"),
        ({"path": "[[In/By Name]]"}, "In/By Name.md"),
    ],
)
async def test_a_new_note_is_named_without_the_brackets_of_a_link(any_vault: Any, arguments: Any, path: str) -> None:
    assert (await any_vault.succeed("create_note", content="x", **arguments)).data["path"] == path


@pytest.mark.parametrize("name", ["[[A#B]]", "[[A|B]]", "[[A"])
async def test_a_link_that_is_no_name_makes_no_note(any_vault: Any, name: str) -> None:
    result = await any_vault.call("create_note", content="x", name=name)
    assert (result.error_type, result.data["code"]) == ("invalid_parameters", "invalid_format")


@pytest.mark.parametrize("glob", ["[x", "a/{b,c", "[!", "{a}{b", "x[a]{"])
@pytest.mark.parametrize(
    ("tool", "parameter"), [("grep", "filePattern"), ("search_files", "file_pattern"), ("list_files", "pattern")]
)
async def test_a_glob_that_is_not_closed_is_refused(disk_vault: Any, tool: str, parameter: str, glob: str) -> None:
    arguments = {"pattern": "x"} | {parameter: glob}
    result = await disk_vault.call(tool, **arguments)
    assert result.error_type == "invalid_parameters"
    assert "is not closed" in result.text


@pytest.mark.parametrize("glob", [r"\[x*", "[a]*", "{a,b}", r"\{x", "[]]", "{{date}}*"])
async def test_a_glob_that_is_closed_or_escaped_is_taken(any_vault: Any, glob: str) -> None:
    assert (await any_vault.call("list_files", pattern=glob)).success


@pytest.mark.parametrize("tool", ["web_search", "webSearch", "fetch_url", "http_get", "run_shell", "bash"])
async def test_what_this_version_has_not_at_all_is_near_to_no_tool(any_vault: Any, tool: str) -> None:
    result = await any_vault.call(tool)
    assert "There are no tools for" in result.text
    assert "Did you mean" not in result.text


async def test_a_path_with_a_slash_before_it_is_told_what_is_wrong(any_vault: Any) -> None:
    result = await any_vault.call("read", path="/todo.md")
    assert "without '/'" in result.text


async def test_a_whole_file_that_is_cut_says_by_what(any_vault: Any) -> None:
    any_vault.settings.update({"maxOutputBytes": 2048})
    any_vault.write("Long.md", "line\n" * 3000)
    any_vault.session_files.attached["host"] = ["Long.md"]
    result = await any_vault.succeed("read_file", path="Long.md", read_entire_file=True)
    assert "[Text is cut at 2,048 bytes, the user's setting maxOutputBytes." in result.text
    assert result.data["content"] == "line\n" * 3000


async def test_at_its_cap_a_list_offers_no_larger_one(any_vault: Any) -> None:
    for number in range(1001):
        any_vault.write(f"Many/{number}.md")
    any_vault.storage.everything.knowledge.refresh()
    result = await any_vault.succeed("list_files", path="Many", max_results=5000)
    assert "larger" not in result.text
    assert "larger max_results" in (await any_vault.succeed("list_files", path="Many")).text


def test_the_text_form_has_choices_and_defaults(any_vault: Any) -> None:
    text = describe(any_vault.registry, caller(), any_vault.settings.current, "text")
    assert '@param match {"all"|"any"} [optional, default "all"] ' in text
    assert '@param operation {"append"|"prepend"|"replace"} [required]' in text

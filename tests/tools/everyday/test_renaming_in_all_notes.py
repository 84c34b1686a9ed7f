"""rename_tag and rename_property: in all notes by one question, only the names change, and undo is true to the byte."""

from typing import Any

import pytest

from bridge.testing import sandbox


async def changed(tool: str, files: dict[str, Any], /, **arguments: Any) -> dict[str, str]:
    """The notes after a renaming, the same in both storages, and that undo is true to the byte."""
    made = {}
    for memory in (False, True):
        async with sandbox(files, memory=memory) as vault:
            before = vault.files()
            await vault.succeed(tool, **arguments)
            made[memory] = vault.files()
            assert len([asked for asked in vault.asked if asked["planDigest"]]) == 1
            await vault.undo()
            assert vault.files() == before
    assert made[False] == made[True]
    return {path: data.decode() for path, data in made[True].items()}


TAGGED = [
    (
        "text #old and #old/deep, not #older or `#old` #x\n",
        "text #new/one and #new/one/deep, not #older or `#old` #x\n",
    ),
    ("---\ntags: [old, b] # mine\n---\n#OLD\n", "---\ntags: [new/one, b] # mine\n---\n#new/one\n"),
    ("---\ntags:\n  - 'old/x'\n  - \"#old\"\n---\r\n", "---\ntags:\n  - 'new/one/x'\n  - \"#new/one\"\n---\r\n"),
    ("---\ntags: old\n---\n", "---\ntags: new/one\n---\n"),
    ("---\nTAGS: [new/one, old, c]\n---\n", "---\nTAGS: [new/one, c]\n---\n"),
    ("---\ntags: [old, new/one]\n---\n", "---\ntags: [new/one]\n---\n"),
    ("---\nother: old\n---\n# old #old\r\n", "---\nother: old\n---\n# old #new/one\r\n"),
    ("[x #old](http://a.b) [[a|#old]]\n", "[x #new/one](http://a.b) [[a|#old]]\n"),
    ("no tag\n", "no tag\n"),
]


async def test_a_tag_is_renamed_wherever_obsidian_sees_one() -> None:
    files = {f"{number}.md": old for number, (old, _new) in enumerate(TAGGED)}
    after = await changed("rename_tag", files, tag="#old", new_tag="new/one")
    assert after == {f"{number}.md": new for number, (_old, new) in enumerate(TAGGED)}


@pytest.mark.parametrize(
    ("new", "yaml"), [("yes", "tags: [yes]"), ("1a", "tags: [1a]"), ("1e3", 'tags: ["1e3"]'), ("2x/3", "tags: [2x/3]")]
)
async def test_a_tag_that_yaml_would_take_for_something_else_is_quoted(new: str, yaml: str) -> None:
    after = await changed("rename_tag", {"A.md": "---\ntags: [old]\n---\n"}, tag="old", new_tag=new)
    assert after["A.md"] == f"---\n{yaml}\n---\n"


async def test_a_note_whose_tags_cannot_be_edited_is_left_and_named() -> None:
    files = {
        "A.md": "#old\n",
        "B.md": "---\ntags: &x [old]\nmore: *x\n---\n",
        "V.base": "filters: file.hasTag('old')\n",
        "W.base": "filters: file.name == 'old'\n",
    }
    async with sandbox(files) as vault:
        result = await vault.succeed("rename_tag", tag="old", new_tag="new")
        assert vault.files() == {path: text.encode() for path, text in files.items()} | {
            "A.md": b"#new\n",
            "V.base": b"filters: file.hasTag('new')\n",
        }
    assert result.data["updated"] == ["A.md", "V.base"]
    assert [left.partition(":")[0] for left in result.data["left"]] == ["B.md", "W.base"]
    assert sum("B.md" in warning for warning in vault.asked[-1]["preview"]["warnings"]) == 1


async def test_two_tags_that_become_one_are_in_the_question() -> None:
    async with sandbox({"A.md": "#old\n", "B.md": "#new\n"}, memory=True) as vault:
        await vault.succeed("rename_tag", tag="old", new_tag="new")
    assert any("become one" in warning for warning in vault.asked[-1]["preview"]["warnings"])


PROPERTIES = [
    ("---\nStatus: ok # mine\nx: 1\n---\nStatus: text\n", "---\nstate: ok # mine\nx: 1\n---\nStatus: text\n"),
    ("---\r\nx: 1\r\n'status':\r\n  - a\r\n---\r\n", "---\r\nx: 1\r\nstate:\r\n  - a\r\n---\r\n"),
    ("---\nstatus:\n  deep: 1\n---\n", "---\nstate:\n  deep: 1\n---\n"),
    ("---\nother: status\n---\n", "---\nother: status\n---\n"),
]


async def test_a_property_is_renamed_and_keeps_its_value_and_place() -> None:
    files = {f"{number}.md": old for number, (old, _new) in enumerate(PROPERTIES)}
    after = await changed("rename_property", files, property="status", new_name="state")
    assert after == {f"{number}.md": new for number, (_old, new) in enumerate(PROPERTIES)}


async def test_no_property_counts_as_lost_that_only_has_another_name() -> None:
    async with sandbox({"A.md": "---\nstatus: ok\n---\n"}, memory=True) as vault:
        await vault.succeed("rename_property", property="status", new_name="a: b")
        assert vault.text("A.md") == '---\n"a: b": ok\n---\n'
    assert vault.asked[-1]["preview"]["warnings"] == []


async def test_a_note_with_both_properties_is_left_and_named() -> None:
    files = {
        "A.md": "---\nstatus: ok\nState: x\n---\n",
        "B.md": "---\nstatus: ok\n---\n",
        "c/C.md": "---\nstatus: 1\n---\n",
    }
    async with sandbox(files, memory=True) as vault:
        result = await vault.succeed("rename_property", property="status", new_name="state")
        assert vault.text("A.md") == files["A.md"]
    assert result.data["updated"] == ["B.md", "c/C.md"]
    assert result.data["left"][0].startswith("A.md: it has the property")


async def test_only_the_notes_of_a_folder_are_changed_when_one_is_given() -> None:
    files = {"B.md": "---\nstatus: ok\n---\n", "c/C.md": "---\nstatus: 1\n---\n"}
    after = await changed("rename_property", files, property="status", new_name="state", folder="C")
    assert after == {"B.md": "---\nstatus: ok\n---\n", "c/C.md": "---\nstate: 1\n---\n"}


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("rename_tag", {"tag": "nothing", "new_tag": "x"}, "not_found"),
        ("rename_tag", {"tag": "a b", "new_tag": "x"}, "invalid_parameters"),
        ("rename_tag", {"tag": "old", "new_tag": "1"}, "invalid_parameters"),
        ("rename_property", {"property": "nothing", "new_name": "x"}, "not_found"),
        ("rename_property", {"property": "nothing", "new_name": "a\nb"}, "invalid_parameters"),
    ],
)
async def test_what_is_not_there_or_no_name_is_refused(tool: str, arguments: dict[str, Any], error: str) -> None:
    async with sandbox({"A.md": "#old\n"}, memory=True) as vault:
        assert (await vault.call(tool, **arguments)).error_type == error


async def test_closed_notes_are_neither_changed_nor_named() -> None:
    files = {"A.md": "#old\n", "Private/B.md": "#old\n"}
    async with sandbox(files) as vault:
        vault.close_path("Private/")
        result = await vault.succeed("rename_tag", tag="old", new_tag="new")
        assert vault.files() == {"A.md": b"#new\n", "Private/B.md": b"#old\n"}
    assert "Private" not in str(result.data) + result.text


@pytest.mark.slow
async def test_a_tag_in_two_hundred_notes_is_one_question_and_one_undo() -> None:
    files = {f"{number}.md": f"---\ntags: [old]\n---\n#old/{number}\n" for number in range(200)}
    after = await changed("rename_tag", files, tag="old", new_tag="new")
    assert after == {path: text.replace("old", "new") for path, text in files.items()}

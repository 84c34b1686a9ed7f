"""Several files in one call: one change, one question, one undo; and what does not go together is refused whole."""

from typing import Any

import pytest

from bridge.testing import sandbox

VAULT: dict[str, bytes | str] = {
    "A.md": "[[B]] and [[Folder/C]]\n",
    "B.md": "[[A]]\n",
    "Folder/C.md": "[[A]] [[B]]\n",
    "Folder/D.md": "x\n",
    "Other.md": "[[A]] [[B]] [[C]]\n",
}


async def test_things_that_move_together_keep_their_links_to_each_other() -> None:
    async with sandbox(VAULT) as vault:
        before = vault.files()
        moves = [
            {"source": "A", "destination": "New/First"},
            {"source": "B", "destination": "New/Second"},
            {"source": "Folder", "destination": "New/Folder"},
        ]
        result = await vault.succeed("move", moves=moves)
        assert vault.text("New/First.md") == "[[Second]] and [[Folder/C]]\n"
        assert vault.text("New/Second.md") == "[[First]]\n"
        assert vault.text("Other.md") == "[[First]] [[Second]] [[C]]\n"
        assert "Folder" not in vault.folders()
        assert len(result.data["moved"]) == 4
        (question,) = vault.asked
        assert question["summary"].startswith("Move A.md to New/First.md, B.md to New/Second.md, Folder to New/Folder")
        assert {"Folder/", "New/Folder/", "A.md", "New/First.md"} <= {
            place for option in question["options"] for place in option["where"]
        }
        await vault.undo()
        assert vault.files() == before


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("move", {"moves": [{"from": "A", "to": "X"}, {"from": "A", "to": "Y"}]}),
        ("move", {"moves": [{"from": "A", "to": "X"}, {"from": "B", "to": "X"}]}),
        ("move", {"moves": [{"from": "Folder", "to": "X"}, {"from": "Folder/C", "to": "Y"}]}),
        ("move", {"moves": [{"from": "A", "to": "B"}]}),
        ("move", {"moves": [{"from": "A", "to": "X"}, {"from": "Nothing", "to": "Y"}]}),
        ("delete", {"paths": ["A", "A.md"]}),
        ("delete", {"paths": ["Folder", "Folder/C"]}),
        ("delete", {"paths": ["A", "Nothing"]}),
        ("delete", {"paths": []}),
        ("edit", {"edits": [{"path": "A", "append": "x"}, {"path": "Nothing", "append": "x"}]}),
        ("edit", {"edits": [{"path": "A", "append": "x"}, {"path": "B", "old_text": "nowhere", "new_text": "x"}]}),
        ("edit", {"path": "A", "edits": [{"content": "x"}, {"append": "y"}]}),
        ("edit", {"path": "A", "edits": [{"start_line": 1, "end_line": 1, "new_text": "x"}] * 2}),
        ("edit", {"path": "A", "edits": [{"start_line": 9, "new_text": "x"}]}),
        ("edit", {"path": "A", "edits": [{"old_text": "A"}]}),
        ("edit", {"path": "A", "edits": [{"append": "x", "prepend": "y"}]}),
        ("edit", {"path": "A", "edits": [{"end_line": 2, "new_text": "x"}]}),
        ("edit", {"append": "x"}),
        ("set_properties", {"paths": ["A", "A.md"], "properties": {"a": 1}}),
        ("set_properties", {"paths": ["A", "Nothing"], "properties": {"a": 1}}),
        ("set_properties", {"paths": ["A"]}),
        ("query", {}),
        ("query", {"list_tags": True, "tags": ["a"]}),
        ("search", {}),
        ("search", {"query": "a", "pattern": "b"}),
        ("read", {}),
        ("read", {"paths": ["A", "B"], "startLine": 1}),
        ("create_note", {"kind": "folder", "path": "New", "content": "x"}),
        ("create_note", {"kind": "file", "content": "x"}),
        ("create_note", {"kind": "file", "path": "A.md", "content": "x"}),
    ],
)
async def test_all_or_nothing(tool: str, arguments: dict[str, Any]) -> None:
    async with sandbox(VAULT) as vault:
        before = vault.files()
        result = await vault.call(tool, **arguments)
        assert not result.success
        assert vault.files() == before


async def test_one_of_several_files_that_cannot_be_read_does_not_keep_the_others() -> None:
    async with sandbox(VAULT) as vault:
        vault.close_path("B.md")
        result = await vault.succeed("read", paths=["A", "B", "Nothing", "Folder/C#x"])
        assert "== A.md ==" in result.text
        assert [("content" in file, "error" in file) for file in result.data["files"]] == [
            (True, False),
            *[(False, True)] * 3,
        ]
        assert "[[A]]\n" not in result.text.split("== Nothing ==")[0].split("== B ==")[-1]


async def test_several_deletions_are_one_question_that_names_what_links_there_and_stays() -> None:
    async with sandbox(VAULT) as vault:
        await vault.succeed("delete", paths=["A", "B", "Folder"])
        (question,) = vault.asked
        assert question["summary"].startswith("Delete A.md, B.md, the folder Folder with 2 files")
        assert any("1 note links to what goes: Other.md" in warning for warning in question["preview"]["warnings"])
        await vault.undo()
        assert set(vault.files()) == set(VAULT)


async def test_edits_by_lines_count_the_lines_before_the_call() -> None:
    async with sandbox({"L.md": "1\n2\n3\n4\n"}) as vault:
        edits = [
            {"after_line": 4, "new_text": "5"},
            {"start_line": 1, "end_line": 2, "new_text": ""},
            {"old_text": "3", "new_text": "three"},
            {"append": "end\n"},
        ]
        await vault.succeed("edit", path="L", edits=edits)
        assert vault.text("L.md") == "three\n4\n5\nend\n"


async def test_notes_that_are_as_asked_already_are_left_alone() -> None:
    async with sandbox({"A.md": "---\na: 1\n---\n", "B.md": "x\n"}) as vault:
        result = await vault.succeed("set_properties", paths=["A", "B"], properties={"a": 1})
        assert result.data["unchanged"] == 1
        assert vault.text("A.md") == "---\na: 1\n---\n"
        again = await vault.succeed("set_properties", paths=["A", "B"], properties={"a": 1})
        assert "No changes made" in again.text


@pytest.mark.parametrize("word", ["tea", "お茶"])
async def test_ten_notes_that_are_found_take_two_kilobytes_at_most(word: str) -> None:
    folder = "A folder with quite a long name/and another one"
    notes = {
        f"{folder}/Note {number} {word}.md": f"# {word}\n\n{f'All about {word} and more. ' * 40}"
        for number in range(30)
    }
    async with sandbox(notes) as vault:
        found = await vault.succeed("search", query=word)
        assert len(found.data["results"]) == 10
        assert len(found.text.encode()) <= 2048
        assert len((await vault.succeed("search", query=word, limit=30)).data["results"]) == 30
        more = await vault.succeed("search", query=word, cursor=found.metadata["cursor"])
        assert {one["path"] for one in more.data["results"]}.isdisjoint(one["path"] for one in found.data["results"])


async def test_a_folder_bounds_every_search() -> None:
    async with sandbox({"Tea/a.md": "#x green", "Teapot/b.md": "#x green", "c.md": "#x green"}) as vault:
        for tool, arguments in (
            ("search", {"query": "green"}),
            ("search", {"pattern": "green"}),
            ("query", {"tags": ["x"]}),
            ("find", {"pattern": "**/*.md"}),
            ("find", {"pattern": "a"}),
        ):
            text = (await vault.succeed(tool, folder="tea", **arguments)).text
            assert ("a.md" in text, "b.md" in text, "c.md" in text) == (True, False, False), (tool, arguments)

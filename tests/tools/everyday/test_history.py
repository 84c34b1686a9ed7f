"""history: an agent lists, looks at and takes back its own changes, several as one question."""

import pytest

from bridge.testing import Sandbox, sandbox

FILES = {"A.md": "a1\n", "B.md": "b1\n", "Private/C.md": "c1\n"}


async def edit(vault: Sandbox, path: str, old: str, new: str, session: str = "agent-1") -> str:
    """One change; its id."""
    result = await vault.call("edit_file", session=session, path=path, old_text=old, new_text=new)
    assert result.success, result.text
    return result.execution_id or ""


async def test_several_changes_are_taken_back_by_one_question_and_repeated_together() -> None:
    async with sandbox(FILES) as vault:
        before = vault.files()
        made = [
            await edit(vault, "A.md", "a1", "a2"),
            (await vault.succeed("move_file", source="A.md", destination="New/D.md")).execution_id,
            await edit(vault, "New/D.md", "a2", "a3"),
            (await vault.succeed("delete_file", path="B.md")).execution_id,
            (await vault.succeed("create_note", path="B.md", content="other\n")).execution_id,
        ]
        after, asked = vault.files(), len(vault.asked)
        result = await vault.succeed("history", action="undo", count=5)
        assert result.data["undone"] == made[::-1]
        assert len(vault.asked) == asked + 1
        assert vault.files() == before
        listed = await vault.succeed("history")
        assert {entry["state"] for entry in listed.data} == {"undone"}
        await vault.redo()
        assert vault.files() == after
        listed = await vault.succeed("history")
        assert {entry["state"] for entry in listed.data} == {"applied"}
        await vault.succeed("history", action="undo", execution_id=made[0])  # they were repeated together
        assert vault.files() == before


async def test_an_edit_between_two_changes_of_one_file_is_not_lost() -> None:
    async with sandbox(FILES) as vault:
        await edit(vault, "A.md", "a1", "a2")
        vault.write("A.md", "a2\nmine\n")
        await edit(vault, "A.md", "a2", "a3")
        refused = await vault.call("history", action="undo", count=2)
        assert refused.data["code"] == "edited_since"
        assert vault.text("A.md") == "a3\nmine\n"


async def test_an_agent_has_only_its_own_changes_without_closed_notes() -> None:
    async with sandbox(FILES) as vault:
        mine = await edit(vault, "A.md", "a1", "a2")
        others = await edit(vault, "B.md", "b1", "b2", session="agent-2")
        closed = await edit(vault, "Private/C.md", "c1", "c2")
        vault.close_path("Private/")
        assert [entry["execution_id"] for entry in (await vault.succeed("history")).data] == [mine]
        for foreign in (others, closed):
            refused = await vault.call("history", action="diff", execution_id=foreign)
            assert refused.error_type == "not_found"
            assert (await vault.call("history", action="undo", execution_id=foreign)).error_type == "not_found"
        assert not (await vault.call("history", action="undo", count=2)).success
        person = await vault.succeed("history", role="host")
        assert [entry["execution_id"] for entry in person.data] == [closed, others, mine]


async def test_the_diff_of_a_change_is_shown() -> None:
    async with sandbox(FILES) as vault:
        await edit(vault, "A.md", "a1", "a2")
        shown = await vault.succeed("history", action="diff")
        assert "-a1\n+a2" in shown.text
        assert shown.data["files"][0]["path"] == "A.md"
        assert not vault.asked[-1]["planDigest"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"action": "undo"}, "not_found"),
        ({"action": "diff"}, "not_found"),
        ({"action": "undo", "execution_id": "x", "count": 2}, "invalid_parameters"),
        ({"action": "undo", "count": 0}, "invalid_parameters"),
    ],
)
async def test_what_is_not_there_is_refused(arguments: dict[str, object], error: str) -> None:
    async with sandbox(FILES) as vault:
        refused = await vault.call("history", session="agent-1", **arguments)  # type: ignore[arg-type]
        assert refused.error_type == error
        assert (await vault.succeed("history")).data == []


async def test_what_meets_an_edit_of_somebody_else_stays_and_is_named_and_the_rest_is_taken_back() -> None:
    async with sandbox(FILES) as vault:
        await edit(vault, "A.md", "a1", "a2")
        change = await edit(vault, "B.md", "b1", "b2")
        vault.write("A.md", "mine\n")
        said = "A.md stays as it is: it was edited since"
        done = await vault.succeed("history", action="undo", count=2)
        assert (done.data["left"], done.text.splitlines()[0]) == ([said], said)
        assert (vault.text("A.md"), vault.text("B.md")) == ("mine\n", "b1\n")
        assert said in vault.asked[-1]["preview"]["warnings"]
        listed = await vault.succeed("history")
        assert [entry.get("left") for entry in listed.data] == [None, [said]]
        assert said in listed.text
        assert listed.data[0]["execution_id"] == change


async def test_of_a_note_that_is_closed_now_an_undo_says_nothing() -> None:
    async with sandbox(FILES) as vault:
        chain = [
            {"name": name, "tool": "edit_file", "arguments": {"path": path, "old_text": old, "new_text": "x"}}
            for name, path, old in (("a", "A.md", "a1"), ("c", "Private/C.md", "c1"))
        ]
        done = await vault.succeed("chain", calls=chain)
        vault.write("Private/C.md", "mine\n")
        vault.close_path("Private/")
        refused = await vault.call("history", action="undo", execution_id=done.execution_id)
        assert (refused.success, "C.md" in refused.text, "edited" in refused.text) == (False, False, False)
        assert vault.text("A.md") == "x\n"

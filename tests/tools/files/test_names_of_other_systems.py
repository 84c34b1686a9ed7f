"""Names that Windows cannot have: kept when only the folder changes, given to new files where the user allows it."""

import pytest

from bridge.testing import sandbox

ODD = "Who is it?.md"


@pytest.mark.parametrize("memory", [False, True])
async def test_a_file_keeps_such_a_name_when_its_folder_changes(*, memory: bool) -> None:
    async with sandbox({f"sp/{ODD}": "a", "Link.md": "[[Who is it?]]"}, memory=memory) as vault:
        await vault.succeed("move_file", source=f"sp/{ODD}", destination=f"sp2/{ODD}")
        assert vault.text(f"sp2/{ODD}") == "a"
        await vault.undo()
        assert vault.text(f"sp/{ODD}") == "a"
        refused = await vault.call("move_file", source=f"sp/{ODD}", destination="sp2/What else?.md")
        assert "portableNames" in refused.text
        refused = await vault.call("move_file", source=f"sp/{ODD}", destination=f"new|folder/{ODD}")
        assert "portableNames" in refused.text


async def test_new_files_get_such_names_where_the_user_allows_it() -> None:
    async with sandbox({"A.md": "a"}) as vault:
        vault.settings.update({"portableNames": False})
        await vault.succeed("create_note", path="What?.md", content="a")
        await vault.succeed("move_file", source="A.md", destination='"B".md')
        free = await vault.succeed("is_available", name="a|b")
        assert (vault.text("What?.md"), vault.text('"B".md'), free.data["available"]) == ("a", "a", True)
        refused = await vault.call("create_note", path="zero\u200bwidth.md", content="a")
        assert "U+200B ZERO WIDTH SPACE" in refused.text


async def test_a_lookalike_in_new_text_and_in_a_new_name_is_said_in_the_question() -> None:
    async with sandbox({"A.md": "The price\n"}) as vault:
        await vault.succeed("edit_file", path="A.md", old_text="price", new_text="\u0440rice")
        (warning,) = vault.asked[-1]["preview"]["warnings"]
        assert "letters of another script that look like Latin ones: line 1, column 5: U+0440" in warning
        await vault.succeed("create_note", path="H\u043eme.md", content="a")
        assert "The name" in vault.asked[-1]["preview"]["warnings"][0]
        await vault.succeed("edit_file", path="H\u043eme.md", old_text="a", new_text="b")
        assert vault.asked[-1]["preview"]["warnings"] == []

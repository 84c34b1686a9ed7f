"""Bases follow moves and renames in the same change, are checked before they are written, and reported when broken."""

from bridge.testing import sandbox

BASE = (
    '# books\nfilters:\n  and:\n    - file.hasTag("book")\n    - \'rating > 3\'\n    - file.inFolder("Books")\n'
    "formulas:\n  by: 'author == link(\"Ada\")'\nviews:\n  - name: All\n    order: [file.name, rating]\n"
)
FILES = {
    "Bases/Books.base": BASE,
    "Books/Dune.md": "---\nrating: 9\nauthor: '[[Ada]]'\n---\n#book\n",
    "Ada.md": "---\nrating: 1\n---\nShe.\n\n```base\nfilters: rating > 0\nviews: [{order: [rating]}]\n```\n",
    "Lone.md": 'text\n\n~~~base\nfilters: \'file.hasTag("book") && note["rating"] > 1\'\n~~~\n',
    "Other.base": "filters: '\"rating\" == title'\n",
}


async def test_a_renamed_property_is_renamed_in_bases_and_what_may_name_it_otherwise_is_said() -> None:
    async with sandbox(FILES) as vault:
        result = await vault.succeed("rename_property", property="rating", new_name="score")
        assert vault.text("Bases/Books.base") == BASE.replace("rating", "score")
        assert vault.text("Ada.md") == FILES["Ada.md"].replace("rating", "score")
        assert vault.text("Lone.md") == FILES["Lone.md"].replace("rating", "score")
        assert vault.text("Other.base") == FILES["Other.base"]
        assert [each.partition(":")[0] for each in result.data["left"]] == ["Other.base"]
        await vault.undo()
        assert vault.text("Bases/Books.base") == BASE


async def test_bases_in_quotes_and_lists_follow_and_nothing_around_them_changes() -> None:
    note = (
        "> [!note] Rated rating\r\n> ```base\r\n> filters: rating > 1\r\n> views: [{order: [rating, file.name]}]\r\n"
        "> ```\r\n\r\n1. rating\r\n\r\n   - [ ] ```base\r\n     filters: 'file.inFolder(\"Books\") && rating > 1'\r\n"
        "     ```\r\n"
    )
    async with sandbox({**FILES, "Nested.md": note}) as vault:
        rows = await vault.succeed("query", base="Nested.md")
        assert [row["path"] for row in rows.data["rows"]] == ["Books/Dune.md"]
        await vault.succeed("rename_property", property="rating", new_name="score")
        renamed = note.replace("rating >", "score >").replace("[rating,", "[score,")
        assert vault.text("Nested.md") == renamed
        await vault.succeed("move", source="Books/", destination="Read")
        assert vault.text("Nested.md") == renamed.replace('"Books"', '"Read"')
        await vault.succeed("edit", path="Nested.md", old_text="score > 1\r\n> views", new_text="score > \r\n> views")
        (warning,) = vault.asked[-1]["preview"]["warnings"]
        assert "`score >`" in warning
        report = await vault.succeed("vault_report", sections=["broken_bases"])
        assert "Nested.md" in report.text


async def test_a_renamed_tag_is_renamed_in_bases() -> None:
    async with sandbox(FILES) as vault:
        await vault.succeed("rename_tag", tag="book", new_tag="novel")
        assert vault.text("Bases/Books.base") == BASE.replace('"book"', '"novel"')
        assert vault.text("Lone.md") == FILES["Lone.md"].replace('"book"', '"novel"')


async def test_a_moved_note_and_folder_are_followed_by_bases() -> None:
    async with sandbox(FILES) as vault:
        ada = {"source": "Ada.md", "destination": "People/Lovelace.md"}
        await vault.succeed("move", moves=[ada, {"source": "Books/", "destination": "Read"}])
        moved = BASE.replace('link("Ada")', 'link("Lovelace")').replace('inFolder("Books")', 'inFolder("Read")')
        assert vault.text("Bases/Books.base") == moved
        assert vault.text("People/Lovelace.md") == FILES["Ada.md"]


async def test_a_base_that_the_user_has_closed_is_not_changed_behind_them() -> None:
    async with sandbox(FILES) as vault:
        vault.close_path("Bases/")
        refused = await vault.call("move", moves=[{"source": "Ada.md", "destination": "People/Lovelace.md"}])
        assert refused.data["code"] == "denied_by_rule"
        await vault.succeed("rename_property", property="rating", new_name="score")
        assert vault.text("Bases/Books.base") == BASE


async def test_the_question_about_a_base_says_what_rows_its_views_would_have() -> None:
    async with sandbox(FILES) as vault:
        await vault.succeed(
            "write_file", path="New.base", content="filters: rating > 0\nviews: [{name: Rated}, {name: X, limit: 1}]\n"
        )
        warnings = vault.asked[-1]["preview"]["warnings"]
        assert "The view 'Rated' of 'New.base' would show 2 rows: Ada, Dune" in warnings
        assert "The view 'X' of 'New.base' would show 1 row: Ada" in warnings
        vault.close_path("Books/")
        await vault.succeed("write_file", path="New.base", content="filters: rating > 1\n")
        assert "The base in 'New.base' would show 0 rows" in vault.asked[-1]["preview"]["warnings"]


async def test_a_question_tells_no_rows_that_the_same_change_makes_others() -> None:
    async with sandbox(FILES) as vault:
        await vault.succeed("rename_property", property="rating", new_name="score")
        await vault.succeed("rename_tag", tag="book", new_tag="novel")
        await vault.undo()
        for question in vault.asked:
            assert not [each for each in question["preview"]["warnings"] if "would show" in each]
        await vault.succeed("write_file", path="New/New.base", content="filters: score > 0\n")
        assert "would show 2 rows" in vault.asked[-1]["preview"]["warnings"][0]


async def test_of_a_note_full_of_bases_the_first_are_looked_at_and_the_rest_is_said() -> None:
    block = "```base\nfilters: rating > 0\n```\n\n"
    async with sandbox({**FILES, "Many.md": block * 150}) as vault:
        result = await vault.succeed("rename_property", property="rating", new_name="score")
        assert vault.text("Many.md").count("score") == 100
        assert result.data["left"] == [
            "Many.md: only the first 100 bases of the note are followed",
            *(each for each in result.data["left"] if each.startswith("Other.base")),
        ]
        report = await vault.succeed("vault_report", sections=["broken_bases"])
        assert "more than 100 bases of a note are not read" in report.text
        await vault.succeed("write_file", path="New.md", content=block.replace("rating", "score") * 20)
        warnings = vault.asked[-1]["preview"]["warnings"]
        assert warnings.count("The base in 'New.md' would show 2 rows: Ada, Dune") == 3
        assert "17 more bases in 'New.md' change; what they would show was not looked at" in warnings


async def test_a_base_with_a_mistake_is_warned_of_before_it_is_written() -> None:
    async with sandbox(FILES) as vault:
        await vault.succeed("write_file", path="New.base", content="filters: rating >\n")
        assert any(
            "'New.base' has a mistake: filters: Unable to parse" in each
            for each in vault.asked[-1]["preview"]["warnings"]
        )
        await vault.succeed("write_file", path="New.base", content="filters: [\n")
        assert any("'New.base' will show nothing" in each for each in vault.asked[-1]["preview"]["warnings"])
        await vault.succeed("edit_file", path="Lone.md", old_text="> 1", new_text="> nope(")
        assert any("'Lone.md' has a mistake" in each for each in vault.asked[-1]["preview"]["warnings"])
        await vault.succeed("edit_file", path="Lone.md", old_text="text", new_text="words")
        assert not any("'Lone.md' has a mistake" in each for each in vault.asked[-1]["preview"]["warnings"])


async def test_broken_bases_are_reported_also_those_in_notes() -> None:
    files = FILES | {
        "Bad.base": "filters: 'nope()'\nviews: [{order: [formula.x]}]\n",
        "Note.md": "```base\nfilters: [\n```\n",
        "Private/Bad.base": "filters: [\n",
    }
    async with sandbox(files) as vault:
        vault.close_path("Private/")
        report = await vault.succeed("vault_report", sections=["broken_bases"])
        found = report.data["broken_bases"]
        assert [item["path"] for item in found["items"]] == ["Bad.base", "Bad.base", "Note.md"]
        assert "Cannot find function" in found["items"][0]["text"]

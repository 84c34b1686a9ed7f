"""`query` with a base or a filter: the rows of a view, what is said where something is wrong, and what stays closed."""

import json

import pytest

from bridge.testing import sandbox
from bridge.tools.agent.query import QueryTool

BASE = """
filters: file.hasTag("book")
formulas:
  twice: rating * 2
properties:
  formula.twice: {displayName: Double}
views:
  - type: table
    name: All
    order: [file.name, rating, formula.twice]
    sort: [{property: rating, direction: DESC}]
    summaries: {rating: Sum}
  - type: cards
    name: By genre
    groupBy: genre
    order: [file.name]
  - type: table
    name: Linked
    filters: file.hasLink(this)
  - type: table
    name: Broken
    filters: not(empty(rating))
"""
FILES = {
    "Books.base": BASE,
    "Dune.md": "---\nrating: 9\ngenre: SF\n---\n#book [[Emma]]\n",
    "Emma.md": "---\nrating: 7\ngenre: Novel\n---\n#book\n",
    "Zorro.md": "---\nrating: \ngenre: Novel\n---\n#book\n",
    "Private/Diary.md": "---\nrating: 100\ngenre: Secret\n---\n#book [[Emma]]\n",
    "Shelf.md": "# Shelf\n\n```base\nfilters: rating > 8\nviews: [{name: Best, order: [rating]}]\n```\n",
    "Plain.md": "no base\n",
}


@pytest.fixture(params=[False, True], ids=["files", "memory"])
def memory(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


async def test_a_view_s_rows_come_with_their_columns_and_summaries(*, memory: bool) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        vault.close_path("Private/")
        result = await vault.succeed("query", base="Books.base")
        assert [row["path"] for row in result.data["rows"]] == ["Dune.md", "Emma.md", "Zorro.md"]
        assert result.data["columns"][2] == {"id": "formula.twice", "title": "Double"}
        assert result.data["rows"][0]["values"] == {"file.name": "Dune", "note.rating": 9, "formula.twice": 18}
        assert result.data["rows"][2]["values"]["formula.twice"] is None
        assert result.data["summaries"] == {"note.rating": 16}
        assert (result.data["found"], result.data["complete"]) == (3, True)
        assert result.text == (
            "View All: 3 files\npath | name | rating | Double\nDune.md | Dune | 9 | 18\nEmma.md | Emma | 7 | 14\n"
            "Zorro.md | Zorro |  | \nIn all: Sum of rating: 16"
        )
        assert vault.asked[-1]["summary"] == "Show the rows of the base Books.base"


async def test_rows_are_shown_under_their_groups_and_page_by_page(*, memory: bool) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        vault.close_path("Private/")
        first = await vault.succeed("query", base="[[Books.base#By genre]]", limit=2)
        assert first.text is not None
        assert first.text.startswith("View By genre: 3 files\npath | name\n## Novel (2 rows)\nEmma.md | Emma\n")
        assert first.metadata["total"] == 3
        rest = await vault.succeed("query", base="Books.base", view="By genre", cursor=first.metadata["cursor"])
        assert [row["path"] for row in rest.data["rows"]] == ["Dune.md"]
        assert "## SF (1 row)" in (rest.text or "")


async def test_this_is_the_note_that_is_named_and_else_the_base(*, memory: bool) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        vault.close_path("Private/")
        assert (await vault.succeed("query", base="Books.base", view="Linked")).data["rows"] == []
        linked = await vault.succeed("query", base="Books.base", view="Linked", this="Emma")
        assert [row["path"] for row in linked.data["rows"]] == ["Dune.md"]


async def test_a_base_in_a_note_is_found_by_the_note(*, memory: bool) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        vault.close_path("Private/")
        result = await vault.succeed("query", base="Shelf")
        assert [row["path"] for row in result.data["rows"]] == ["Dune.md"]
        missing = await vault.call("query", base="Plain")
        assert missing.error_type == "not_found"


async def test_a_filter_alone_lists_files_and_narrows_a_base(*, memory: bool) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        vault.close_path("Private/")
        alone = await vault.succeed("query", filter='rating > 5 && file.ext == "md"')
        assert [row["path"] for row in alone.data["rows"]] == ["Dune.md", "Emma.md"]
        narrowed = await vault.succeed("query", base="Books.base", filter='genre == "Novel"')
        assert [row["path"] for row in narrowed.data["rows"]] == ["Emma.md", "Zorro.md"]


async def test_a_wrong_expression_says_where_and_what(*, memory: bool) -> None:
    async with sandbox(FILES, memory=memory) as vault:
        broken = await vault.call("query", base="Books.base", view="Broken")
        assert broken.error_type == "invalid_parameters"
        assert broken.data["where"] == "views[3].filters"
        assert broken.data["expression"] == "not(empty(rating))"
        assert 'Cannot find function "not"' in (broken.error or "")
        typo = await vault.call("query", filter="rating >")
        assert typo.data["position"] == 8
        unknown = await vault.call("query", base="Books.base", view="Nope")
        assert "there are: All, By genre, Linked, Broken" in (unknown.error or "")
        partly = await vault.succeed("query", filter='rating.lower() == "x"')
        assert (partly.data["complete"], partly.data["rows"]) == (False, [])
        assert "Not complete: filter: Cannot find function" in (partly.text or "")


async def test_closed_notes_are_in_no_row_count_or_summary_and_links_to_them_lead_nowhere() -> None:
    async with sandbox(FILES) as vault:
        open_ = await vault.succeed("query", base="Books.base")
        assert open_.data["summaries"] == {"note.rating": 116}
        vault.close_path("Private/")
        closed = await vault.succeed("query", base="Books.base")
        assert closed.data["summaries"] == {"note.rating": 16}
        for probe in (
            'link("Private/Diary") == link("Diary")',
            'file("Diary").path == "Private/Diary.md"',
            "file.backlinks.length > 1",
            'link("Diary").asFile().rating == 100',
        ):
            found = await vault.succeed("query", filter=probe)
            assert found.data["rows"] == [], probe
            assert "Diary" not in json.dumps(found.data["rows"])
        refused = await vault.call("query", base="Private/Diary.md")
        assert refused.data["code"] == "denied_by_rule"


async def test_values_that_are_too_large_are_left_out_and_said() -> None:
    base = "formulas: {big: '\"a\".repeat(900000)'}\nviews: [{order: [file.name, formula.big]}]\n"
    async with sandbox({**FILES, "Big.base": base}) as vault:
        result = await vault.succeed("query", base="Big.base")
        rows = result.data["rows"]
        assert rows[0]["values"]["formula.big"] == "a" * 900_000
        assert "too large" in rows[-1]["values"]["formula.big"]["error"]
        assert result.data["complete"] is False
        assert "Not complete: some values are too large to be told" in result.text


async def test_what_changes_is_seen_by_the_next_query() -> None:
    async with sandbox(FILES) as vault:
        await vault.succeed("query", base="Books.base")
        vault.write("Emma.md", "---\nrating: 10\n---\n#book\n")
        rows = (await vault.succeed("query", base="Books.base")).data["rows"]
        assert rows[1 if rows[0]["path"].startswith("Private") else 0]["path"] == "Emma.md"


def test_the_tool_is_given_one_thing_at_a_time() -> None:
    parse = QueryTool.spec.parameters.parse
    for wrong in ({"base": "a.base", "tags": ["x"]}, {"view": "x"}, {"this": "x", "tags": ["y"]}, {"filter": ""}):
        with pytest.raises(Exception, match=r"base|filter|this"):
            parse(wrong)

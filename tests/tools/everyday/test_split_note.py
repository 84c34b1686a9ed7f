"""split_note: sections become notes, links to them follow, and undo gives back every byte."""

from typing import Any

import pytest

from bridge.testing import sandbox

BOOK = (
    "---\ntags: [x]\n---\n# Book\n\nSee [[#One]] and [[#Deep]], [[Cup]].\n\n"
    "## One\n\nfirst [[#Two]] [[./Cup]] ^a\n\n### Deep\n\ndeep #tag\n\n## Two\n\nsecond [[#One]] ^b\n"
)
FILES: dict[str, Any] = {
    "lib/Book.md": BOOK,
    "lib/Cup.md": "[[Book#One]] [[Book#Book#One#Deep|d]] [x](Book.md#Two) ![[Book#^a]] [[Book]] [[Book#^b]]\n",
    "Up.md": '---\nup: "[[Book#Deep]]"\n---\n',
}


async def split(files: dict[str, Any], /, **arguments: Any) -> dict[str, str]:
    """The vault after a split, the same in both storages, and that undo and redo are true to the byte."""
    made = {}
    for memory in (False, True):
        async with sandbox(files, memory=memory) as vault:
            before = vault.files()
            await vault.succeed("split_note", **arguments)
            made[memory] = vault.files()
            assert len([asked for asked in vault.asked if asked["planDigest"]]) == 1
            await vault.undo()
            assert vault.files() == before
            await vault.redo()
            assert vault.files() == made[memory]
    assert made[False] == made[True]
    return {path: data.decode() for path, data in made[True].items()}


async def test_a_section_becomes_a_note_and_every_link_follows() -> None:
    after = await split(FILES, path="Book", headings=["One"])
    assert after["lib/One.md"] == "## One\n\nfirst [[Book#Two]] [[./Cup]] ^a\n\n### Deep\n\ndeep #tag\n"
    assert after["lib/Book.md"] == (
        "---\ntags: [x]\n---\n# Book\n\nSee [[One#One]] and [[One#Deep]], [[Cup]].\n\n"
        "[[One]]\n\n## Two\n\nsecond [[One#One]] ^b\n"
    )
    assert after["lib/Cup.md"] == ("[[One#One]] [[One#One#Deep|d]] [x](Book.md#Two) ![[One#^a]] [[Book]] [[Book#^b]]\n")
    assert after["Up.md"] == '---\nup: "[[One#Deep]]"\n---\n'


async def test_all_headings_of_a_level_go_to_another_folder() -> None:
    after = await split(FILES, path="Book", level=2, folder="new/parts", leave="embed")
    assert after["new/parts/Two.md"] == "## Two\n\nsecond [[One#One]] ^b\n"
    assert after["new/parts/One.md"].startswith("## One\n\nfirst [[Two#Two]] [[Cup]] ^a\n")
    assert after["lib/Book.md"].endswith("[[Cup]].\n\n![[One]]\n\n![[Two]]\n")
    assert after["lib/Cup.md"].startswith("[[One#One]] [[One#One#Deep|d]] [x](Two.md#Two)")


async def test_a_name_that_is_taken_gets_a_number_and_no_other_link_changes() -> None:
    after = await split(FILES | {"lib/One.md": "mine\n", "Links.md": "[[One]]\n"}, path="Book", headings=["One"])
    assert after["lib/One.md"] == "mine\n"
    assert after["lib/One 1.md"].startswith("## One\n")
    assert after["Links.md"] == "[[One]]\n"


async def test_a_new_note_that_takes_over_a_name_leaves_other_links_where_they_led() -> None:
    files = FILES | {"deep/folder/One.md": "other\n", "Links.md": "[[One]]\n"}
    after = await split(files, path="Book", headings=["One"])
    assert after["Links.md"] == "[[deep/folder/One]]\n"
    assert "[[lib/One#One]]" in after["lib/Cup.md"]


async def test_headings_that_no_file_can_be_called_after_are_changed_for_the_name_alone() -> None:
    text = "# A\n\n## What: is/it? [[Cup]]\n\ntext\n"
    after = await split({"A.md": text, "B.md": "[[A#What is/it? Cup]]\n"}, path="A", level=2, leave="nothing")
    assert after["What is it Cup.md"] == "## What: is/it? [[Cup]]\n\ntext\n"
    assert after["B.md"] == "[[What is it Cup#What is/it? Cup]]\n"
    assert after["A.md"] == "# A\n\n"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "invalid_parameters"),
        ({"headings": ["One"], "level": 2}, "invalid_parameters"),
        ({"headings": ["One", "Deep"]}, "invalid_parameters"),
        ({"headings": ["Nope"]}, "not_found"),
        ({"level": 5}, "not_found"),
    ],
)
async def test_what_is_not_clear_is_refused(arguments: dict[str, Any], error: str) -> None:
    async with sandbox(FILES, memory=True) as vault:
        refused = await vault.call("split_note", path="Book", **arguments)
    assert refused.error_type == error


async def test_footnotes_that_stay_behind_are_in_the_question() -> None:
    text = "# A\n\n## B\n\ntext[^1] and[^2]\n\n[^2]: here\n\n## C\n\n[^1]: note\n"
    async with sandbox({"A.md": text}, memory=True) as vault:
        await vault.succeed("split_note", path="A", headings=["B"])
    warnings = vault.asked[-1]["preview"]["warnings"]
    assert any("footnotes of 'B.md' stays in 'A.md': 1" in warning for warning in warnings)


async def test_a_closed_note_that_links_there_stops_it_and_is_not_named() -> None:
    async with sandbox(FILES | {"Private/Diary.md": "[[Book#One]]\n"}) as vault:
        vault.close_path("Private/")
        before = vault.files()
        refused = await vault.call("split_note", path="Book", headings=["One"])
        assert refused.data["code"] == "denied_by_rule"
        assert "Diary" not in refused.text
        assert vault.files() == before

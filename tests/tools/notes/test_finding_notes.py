"""resolve_note, is_available and read_note: notes by name, on either storage."""

from collections.abc import Callable
from typing import Any

import pytest

from bridge.errors import Ambiguous, InvalidParameters, NotFound
from bridge.settings.model import Settings
from bridge.toolkit.tool import ReadEffect, in_vault
from tests.tools.notes.conftest import NOTES, Notes

World = Callable[[dict[str, bytes]], Notes]


# -- resolve_note -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "path", "via"),
    [
        ("Home", "Home.md", "path"),
        ("[[Tea|drink]]", "Tea.md", "path"),
        ("projects/plan", "projects/Plan.md", "path"),
        ("old/Plan", "projects/old/Plan.md", "name"),
        ("cha", "Tea.md", "alias"),
    ],
)
def test_a_note_is_resolved_by_path_name_or_alias(world: Notes, name: str, path: str, via: str) -> None:
    output = world.read("resolve_note", name=name)
    assert (output.data["path"], output.data["via"]) == (path, via)
    assert output.data["size_bytes"] == len(NOTES[path])
    assert output.text.startswith(path)


def test_an_ambiguous_name_is_refused_with_its_candidates(world: Notes) -> None:
    with pytest.raises(Ambiguous, match="Ambiguous note reference 'Plan': 2 matches") as refused:
        world.read("resolve_note", name="Plan")
    assert {one["path"] for one in refused.value.data["candidates"]} == {"projects/Plan.md", "projects/old/Plan.md"}
    assert refused.value.data["match_count"] == 2


def test_an_unknown_name_and_a_malformed_one_are_refused(world: Notes) -> None:
    with pytest.raises(NotFound, match="Note not found: Nothing"):
        world.read("resolve_note", name="Nothing")
    with pytest.raises(InvalidParameters, match="Invalid reference format"):
        world.read("resolve_note", name="[[a]] [[b]]")


def test_the_part_and_the_other_matches_are_returned_too(notes: World) -> None:
    world = notes({"Note.md": b"# A\n", "a/Note.md": b""})
    output = world.read("resolve_note", name="Note#A")
    assert output.data["part"] == "#A"
    assert [match["path"] for match in output.data["matches"]] == ["Note.md", "a/Note.md"]
    assert "'a/Note.md'" in output.text


def test_whether_a_note_exists_is_not_said_before_consent(world: Notes) -> None:
    for tool in ("resolve_note", "read_note", "get_metadata", "find_related"):
        effects = [world.prepare(tool, name=name) for name in ("Home", "Nothing", "Plan")]
        assert all(isinstance(effect, ReadEffect) for effect in effects)
        assert [effect.targets for effect in effects if isinstance(effect, ReadEffect)] == [
            in_vault("Home.md"),
            in_vault("Nothing"),
            in_vault("Plan"),
        ]


# -- is_available -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "free"),
    [
        ({"name": "New"}, True),
        ({"name": "Plan"}, False),
        ({"name": "plan.md", "folder": "projects"}, False),
        ({"name": "Plan", "folder": "Archive"}, True),
        ({"name": "Tea", "folder": "/projects/"}, True),
        ({"name": "Cha"}, True),
    ],
)
def test_a_name_is_available_or_taken(world: Notes, arguments: dict[str, Any], free: bool) -> None:
    output = world.read("is_available", **arguments)
    assert output.data["available"] is free
    assert ("is available" if free else "is taken") in output.text
    assert bool(output.data["matches"]) is not free


def test_the_answer_says_where_the_note_would_be(world: Notes) -> None:
    output = world.read("is_available", name="New idea", folder="/projects/x/")
    assert (output.data["name"], output.data["path"]) == ("New idea", "projects/x/New idea.md")


def test_rule_7_the_answer_names_characters_that_links_cannot_have(world: Notes) -> None:
    assert "Links will not work" in world.read("is_available", name="C# notes").text


@pytest.mark.parametrize("name", [" ", "/", "ab:c", "what?", ".hidden", "a\\b"])
def test_rules_6_and_8_names_that_no_note_can_have_are_refused(world: Notes, name: str) -> None:
    with pytest.raises(InvalidParameters):
        world.read("is_available", name=name)


# -- read_note --------------------------------------------------------------------------------------------------------


def test_a_whole_note_is_read_with_its_properties(world: Notes) -> None:
    output = world.read("read_note", name="[[Home]]")
    assert output.data["content"] == NOTES["Home.md"].decode()
    assert output.text == output.data["content"] + "[Lines 1-7 of 7 of Home.md]"
    assert (output.data["start_line"], output.data["end_line"], output.data["total_lines"]) == (1, 7, 7)
    assert output.data["part"] is None
    assert output.metadata == {"truncated": False, "total": 7}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("projects/Plan#Plan B", "# Plan B\n\n## Steps\n\nother\n"),
        ("projects/Plan#plan#steps", "## Steps\n\n1. one ^step-1\n2. two\n\n"),
        ("projects/Plan#Plan B#Steps", "## Steps\n\nother\n"),
        ("projects/Plan#Notes", "## Notes\n\n```\n## Steps\n```\n\ntext #inline\n\n"),
        ("projects/Plan#^step-1", "1. one ^step-1\n"),
        ("[[projects/Plan#^STEP-1]]", "1. one ^step-1\n"),
        ("Tea#Green", "## Green\r\n\r\nHot. #work/later\r\n"),
    ],
)
def test_pain_6_only_a_section_or_block_is_read_and_a_fence_ends_none(world: Notes, name: str, content: str) -> None:
    output = world.read("read_note", name=name)
    found = output.data["content"]
    total = NOTES[output.data["path"]].decode().split("\n")
    first, last = output.data["start_line"], output.data["end_line"]
    assert found == content
    assert "\n".join(total[first - 1 : last]) + "\n" == content, "the lines returned are those of the content"
    assert f"[Lines {first}-{last} of " in output.text
    assert output.data["part"]["start_line"] == first


def test_a_heading_that_is_there_twice_is_ambiguous_with_its_lines(world: Notes) -> None:
    with pytest.raises(Ambiguous, match="2 times: lines") as refused:
        world.read("read_note", name="projects/Plan#Steps")
    assert [one["title"] for one in refused.value.data["candidates"]] == ["Steps", "Steps"]
    assert refused.value.data["candidates"][1]["end_line"] > refused.value.data["candidates"][0]["end_line"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Tea#Black", "Its headings: 'Tea', 'Green'"),
        ("Tea#^x", "It has no block ids"),
        ("projects/Plan#^x", r"Its blocks: \^step-1"),
        ("Empty#x", "It has no headings"),
        ("Tea#Green#Tea", "Its headings"),
    ],
)
def test_a_missing_part_is_refused_with_the_parts_there_are(world: Notes, name: str, said: str) -> None:
    with pytest.raises(NotFound, match=said):
        world.read("read_note", name=name)


def test_a_long_note_is_cut_at_a_line_and_says_how_to_go_on(notes: World) -> None:
    world = notes({"Long.md": b"0123456789\n" * 1000})
    world.settings = Settings.parse({"maxOutputBytes": 2048, "readMaxBytes": 5000})
    output = world.read("read_note", name="Long")
    assert len(output.text.encode()) <= 2048
    assert output.data["content"] == "0123456789\n" * 158, "text and content end at the same place"
    assert output.data["end_line"] == 158
    assert output.metadata == {"truncated": True, "total": 1000, "next_start_line": 159}
    assert "[Lines 1-158 of 1000 of Long.md; next: startLine=159. Go on with read" in output.text


def test_the_lines_of_a_section_are_numbered_as_in_the_note(world: Notes) -> None:
    output = world.read("read_note", name="projects/Plan#Plan B#Steps", line_numbers=True)
    assert output.text.startswith(f"{output.data['start_line']}: ## Steps\n")


def test_one_very_long_line_is_cut_between_characters(notes: World) -> None:
    world = notes({"Long.md": "ü".encode() * 5000})
    world.settings = Settings.parse({"maxOutputBytes": 1024, "readMaxBytes": 5001})
    output = world.read("read_note", name="Long")
    assert output.data["content"] == "ü" * (output.metadata["next_line_offset"] // 2)
    assert len(output.text.encode()) <= 1024


def test_a_note_that_is_not_utf_8_is_read_and_says_so(notes: World) -> None:
    output = notes({"Bad.md": b"caf\xe9\n"}).read("read_note", name="Bad")
    assert output.data["content"] == "caf\ufffd\n"
    assert output.metadata["invalid_utf8"] is True


def test_a_note_that_is_no_text_is_not_shown(notes: World) -> None:
    with pytest.raises(InvalidParameters, match="is not text"):
        notes({"Bad.md": b"\x00\x01\x02"}).read("read_note", name="Bad")


def test_an_empty_note_is_empty(world: Notes) -> None:
    output = world.read("read_note", name="Empty")
    assert (output.text, output.data["content"], output.data["end_line"]) == ("[No lines of 0 of Empty.md]", "", 0)

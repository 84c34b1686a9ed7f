"""update_note, add_tag and remove_tag, on either storage."""

from collections.abc import Callable

import pytest

from bridge.errors import Ambiguous, InvalidParameters, NotFound
from tests.tools.notes.conftest import NOTES, Notes

World = Callable[[dict[str, bytes]], Notes]
PLAN = NOTES["projects/Plan.md"]


def test_an_updated_note_has_the_new_content_and_the_answer_says_what_was_done(notes: World) -> None:
    world = notes({"a/Note.md": b"old\n"})
    output = world.write("update_note", name="[[Note]]", content="new\n")
    assert world.text_of("a/Note.md") == b"new\n"
    assert output.data == {
        "path": "a/Note.md",
        "diff": "--- a/Note.md\n+++ a/Note.md\n@@ -1,1 +1,1 @@\n-old\n+new\n",
        "added": 1,
        "removed": 1,
        "kept_properties": False,
    }
    assert output.text == "Updated a/Note.md (note-1f0c9a)"


def test_the_question_names_the_path_that_the_name_means(world: Notes) -> None:
    plan = world.plan("update_note", name="cha", content="x")
    assert (plan.targets, plan.summary) == (("Tea.md",), "Update Tea.md, keeping its properties")


@pytest.mark.parametrize(
    ("old", "content", "new"),
    [
        (b"a\r\nb\r\n", "x\ny", b"x\r\ny\r\n"),
        (b"a\nb", "x", b"x"),
        (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n"),
        (b"a\n", "x\r\ny", b"x\r\ny\n"),
        (b"a\n", "", b""),
        (b"", "x", b"x"),
        (b"---\nt: 1\n---\nold\n", "new", b"---\nt: 1\n---\nnew\n"),
        (b"---\nt: 1\n---\n\n\nold\n", "new\n", b"---\nt: 1\n---\n\n\nnew\n"),
        (b"---\nt: 1\n---\n\nold\n", "\n\nnew\n", b"---\nt: 1\n---\n\n\nnew\n"),
        (b"---\nt: 1\n---", "new", b"---\nt: 1\n---\nnew"),
        (b"---\nt: 1\n---\nold\n", "", b"---\nt: 1\n---\n"),
        (b"---\r\nt: 1 # c\r\n---\r\nold\r\n", "new\n", b"---\r\nt: 1 # c\r\n---\r\nnew\r\n"),
        (b"\xef\xbb\xbf---\nt: 1\n---\nold\n", "new", b"\xef\xbb\xbf---\nt: 1\n---\nnew\n"),
        (b"---\n<% broken %>\n---\nold\n", "new", b"---\n<% broken %>\n---\nnew\n"),
        (b"---\nt: 1\n---\nold\n", "---\nu: 2\n---\nnew", b"---\nu: 2\n---\nnew\n"),
        (b"---\nt: 1\n---\nold\n", "---\n---\nnew", b"---\n---\nnew\n"),
    ],
)
def test_pains_7_and_12_properties_byte_order_mark_and_line_endings_stay(
    notes: World, old: bytes, content: str, new: bytes
) -> None:
    world = notes({"Note.md": old})
    world.write("update_note", name="Note", content=content)
    assert world.text_of("Note.md") == new


def test_pain_7_properties_go_only_when_that_is_asked(notes: World) -> None:
    world = notes({"Note.md": b"---\nt: 1\ntags: [a]\n---\nold\n"})
    plan = world.plan("update_note", name="Note", content="new", replace_properties=True)
    assert list(plan.blobs.values()) == [b"new\n"]
    plan = world.plan("update_note", name="Note", content="---\nt: 2\n---\nnew")
    assert list(plan.blobs.values()) == [b"---\nt: 2\n---\nnew\n"]


def test_pain_9_a_note_that_loses_most_of_its_lines_comes_with_a_warning(notes: World) -> None:
    world = notes({"Note.md": b"line\n" * 450})
    assert world.plan("update_note", name="Note", content="x").warnings == ("The note shrinks from 450 lines to 1",)
    assert world.plan("update_note", name="Note", content="y\n" * 300).warnings == ()


def test_an_update_that_changes_nothing_asks_nothing(notes: World) -> None:
    world = notes({"Note.md": b"---\nt: 1\n---\nsame\r\nx\n"})
    assert "No changes made" in world.unchanged("update_note", name="Note", content="same\nx").text


@pytest.mark.parametrize("tool", ["update_note", "add_tag", "remove_tag"])
def test_a_write_never_guesses(world: Notes, tool: str) -> None:
    rest = {"content": "x"} if tool == "update_note" else {"tag": "x"}
    with pytest.raises(Ambiguous, match="2 matches"):
        world.plan(tool, name="Plan", **rest)
    with pytest.raises(NotFound):
        world.plan(tool, name="Nothing", **rest)
    with pytest.raises(InvalidParameters, match=r"names a part of 'Home\.md'"):
        world.plan(tool, name="Home#Home", **rest)


def test_half_a_character_is_refused(world: Notes) -> None:
    with pytest.raises(InvalidParameters, match="content"):
        world.plan("update_note", name="Home", content="\ud83d")


# -- add_tag ----------------------------------------------------------------------------------------------------------


def test_a_tag_is_added_to_the_properties_and_nothing_else_changes(world: Notes) -> None:
    output = world.write("add_tag", name="projects/Plan", tag="#important")
    assert world.text_of("projects/Plan.md") == PLAN.replace(b"  - rare\n", b"  - rare\n  - important\n")
    assert (output.data["added"], output.data["removed"], output.data["tag"]) == (1, 0, "#important")
    assert output.text == "Added the tag #important to projects/Plan.md (note-1f0c9a)"


def test_a_tag_is_put_into_the_text_on_request(world: Notes) -> None:
    world.write("add_tag", name="Tea", tag="hot", in_body=True)
    assert world.text_of("Tea.md") == NOTES["Tea.md"] + b"\r\n#hot\r\n"


@pytest.mark.parametrize(("name", "tag"), [("Home", "HUB"), ("Tea", "work/later"), ("projects/old/Plan", "#rare")])
def test_a_tag_that_is_there_already_asks_nothing(world: Notes, name: str, tag: str) -> None:
    assert "already has the tag" in world.unchanged("add_tag", name=name, tag=tag).text


def test_broken_properties_are_not_touched(world: Notes) -> None:
    with pytest.raises(InvalidParameters, match="left as they are: the YAML of the properties is broken"):
        world.plan("add_tag", name="Broken", tag="x")


def test_an_empty_note_gets_its_first_tag(world: Notes) -> None:
    world.write("add_tag", name="Empty", tag="x")
    assert world.text_of("Empty.md") == b"---\ntags:\n  - x\n---\n"


def test_bytes_that_are_not_utf_8_are_kept(notes: World) -> None:
    world = notes({"Bad.md": b"caf\xe9\n"})
    world.write("add_tag", name="Bad", tag="x")
    assert world.text_of("Bad.md") == b"---\ntags:\n  - x\n---\ncaf\xe9\n"


# -- remove_tag -------------------------------------------------------------------------------------------------------


def test_a_tag_is_removed_from_the_properties(world: Notes) -> None:
    output = world.write("remove_tag", name="projects/Plan", tag="Rare")
    assert world.text_of("projects/Plan.md") == PLAN.replace(b"  - rare\n", b"")
    assert output.data["removed"] == 1


def test_a_tag_in_the_text_is_left_and_its_lines_listed_unless_it_is_asked_for(notes: World) -> None:
    text = b"---\ntags: [a, b]\n---\nText #a and #a/b\n"
    world = notes({"Note.md": text})
    plan = world.plan("remove_tag", name="Note", tag="a")
    assert list(plan.blobs.values()) == [b"---\ntags: [b]\n---\nText #a and #a/b\n"]
    assert plan.warnings == ("The tag #a is still in its text, line 4",)
    world.write("remove_tag", name="Note", tag="a", include_body=True)
    assert world.text_of("Note.md") == b"---\ntags: [b]\n---\nText and #a/b\n"


def test_removing_a_tag_that_is_not_in_the_properties_says_where_it_is(world: Notes) -> None:
    output = world.unchanged("remove_tag", name="projects/old/Plan", tag="rare")
    assert (output.data["removed"], output.data["body_lines"]) == (0, [7])
    assert "only in its text, line 7; set include_body" in output.text
    output = world.unchanged("remove_tag", name="Home", tag="nothing")
    assert output.text == "Home.md does not have the tag #nothing."


def test_adding_and_removing_gives_the_first_bytes_back(world: Notes) -> None:
    world.write("add_tag", name="projects/Plan", tag="x/y")
    world.write("remove_tag", name="projects/Plan", tag="x/y")
    assert world.text_of("projects/Plan.md") == PLAN

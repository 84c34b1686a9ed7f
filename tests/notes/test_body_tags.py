"""Tags in a note's text, added and removed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.notes.markdown import parse_note
from bridge.notes.tags import append_tag, remove_tags, rename_tag, tag_places


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Text #old more\n", "Text more\n"),
        ("Text #old\n", "Text\n"),
        ("#old Text\n", "Text\n"),
        ("Text #OLD, and #old/nested #older\n", "Text , and #old/nested #older\n"),
        ("a\n#old\nb\n", "a\nb\n"),
        ("#old #old\nb\n", "b\n"),
        ("#a #old #b\r\n", "#a #b\r\n"),
        ("- #old\n- x #old\n", "- \n- x\n"),
        ("- #old text\n", "- text\n"),
        ("# Title #old\n", "# Title\n"),
        ("`#old` [#old](x) %%#old%%\n", "`#old` [#old](x) %%%%\n"),
        ("```\n#old\n```\n#old", "```\n#old\n```\n"),
        ("none\n", "none\n"),
        ("---\ntags: [old]\n---\nText #old", "---\ntags: [old]\n---\nText"),
    ],
)
def test_every_occurrence_of_exactly_this_tag_goes_with_one_space_or_its_line(before: str, after: str) -> None:
    assert remove_tags(before, "old") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "#new\n"),
        ("Text", "Text\n\n#new\n"),
        ("Text\n", "Text\n\n#new\n"),
        ("Text\r\n\r\n", "Text\r\n\r\n#new\r\n"),
        ("Text\n\n#a #b\n", "Text\n\n#a #b #new\n"),
        ("#a", "#a #new"),
        ("Text #a\n", "Text #a\n\n#new\n"),
        ("```\ncode\n```\n", "```\ncode\n```\n\n#new\n"),
        ("---\nx: 1\n---\n", "---\nx: 1\n---\n\n#new\n"),
    ],
)
def test_a_tag_is_put_at_the_end(before: str, after: str) -> None:
    assert append_tag(before, "new") == after


@pytest.mark.parametrize("text", ["```\nleft open\n", "$$\nleft open\n", "<!-- left open\n"])
def test_a_tag_is_not_put_where_it_would_be_none(text: str) -> None:
    with pytest.raises(InvalidParameters, match="left as it is"):
        append_tag(text, "new")


def test_a_tag_is_not_taken_out_where_that_would_change_another() -> None:
    text = "x\n===\n#old\n===\n"
    assert tag_places(parse_note(text), "old")
    with pytest.raises(InvalidParameters, match="mean something else"):
        remove_tags(text, "old")


TEXTS = st.text(alphabet="#ab -\n`$%[]()old/", max_size=60)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_a_tag_removed_is_gone_and_the_others_are_still_there(text: str) -> None:
    before = [tag.tag for tag in parse_note(text).tags]
    try:
        after = remove_tags(text, "a")
    except InvalidParameters:
        return
    assert [tag.tag for tag in parse_note(after).tags] == [tag for tag in before if tag.lower() != "#a"]


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_a_tag_appended_is_one_and_nothing_before_it_changes(text: str) -> None:
    try:
        after = append_tag(text, "new")
    except InvalidParameters:
        return
    assert after.startswith(text.rstrip(" \t\r\n"))
    assert [tag.tag for tag in parse_note(after).tags] == [*(tag.tag for tag in parse_note(text).tags), "#new"]


def test_a_tag_that_becomes_a_nested_one_leaves_the_one_that_had_that_name() -> None:
    assert rename_tag("---\ntags: [a, a/b]\n---\n#a #a/b", "a", "a/b") == "---\ntags: [a/b, a/b/b]\n---\n#a/b #a/b/b"

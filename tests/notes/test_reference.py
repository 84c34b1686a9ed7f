"""What callers write to name a note, taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.notes.parts import LONGEST, NoteReference, parse_reference
from bridge.vault.text import note_name


@pytest.mark.parametrize(
    ("text", "path", "part", "alias"),
    [
        ("My Note", "My Note", "", None),
        ("  My Note \n", "My Note", "", None),
        ("My Note.md", "My Note.md", "", None),
        ("[[My Note]]", "My Note", "", None),
        ("![[My Note]]", "My Note", "", None),
        ("folder/My Note", "folder/My Note", "", None),
        ("/a//./b/", "a/b", "", None),
        ("Name#Heading", "Name", "#Heading", None),
        ("Name#H1#H2", "Name", "#H1#H2", None),
        ("Name# H1 ## H2", "Name", "#H1#H2", None),
        ("Name#", "Name", "", None),
        ("Name#^block-1", "Name", "#^block-1", None),
        ("Name#H#^b", "Name", "#H#^b", None),
        ("Name#^", "Name", "#^", None),
        ("Name|alias", "Name", "", "alias"),
        ("Name|", "Name", "", ""),
        ("[[folder/Name#H1#H2|shown text]]", "folder/Name", "#H1#H2", "shown text"),
        ("[[Name\\|shown]]", "Name", "", "shown"),
        ("[[a||b]]", "a", "", "|b"),
        ("[[a|b#c]]", "a", "", "b#c"),
        ("[[Sq]uare]]", "Sq]uare", "", None),
        ("日記/二〇二五", "日記/二〇二五", "", None),
        ("🎉 party", "🎉 party", "", None),
    ],
)
def test_rules_14_15_and_18_a_reference_is_split_at_the_first_bar_then_at_the_first_hash(
    text: str, path: str, part: str, alias: str | None
) -> None:
    found = parse_reference(text)
    assert (found.path, found.part, found.alias) == (path, part, alias)


def test_a_reference_tells_name_folder_headings_and_block() -> None:
    found = parse_reference("[[a/b/Name.md#One#^x]]")
    assert found == NoteReference("[[a/b/Name.md#One#^x]]", "a/b/Name.md", ("One",), "x", None, bracketed=True)
    assert (found.name, found.folder) == ("Name", "a/b")


def test_rule_41_a_leading_slash_is_remembered() -> None:
    assert parse_reference("/Name").rooted
    assert not parse_reference("a/Name").rooted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "[[]]",
        "[[|x]]",
        "#Heading",
        "[[#^block]]",
        "/",
        "..",
        "../Name",
        "a/../../Name",
        "[[Name",
        "[[a]] and [[b]]",
        "[[Nested [[Inner]]",
        "Na\x00me",
        "Na\nme",
        "Na\ud800me",
        "x" * (LONGEST + 1),
    ],
)
def test_what_names_no_note_is_refused_with_seed_cs_sentence(text: str) -> None:
    with pytest.raises(InvalidParameters, match=r"^Invalid reference format: ") as refused:
        parse_reference(text)
    assert refused.value.code == "invalid_format"
    assert len(refused.value.message) < 300
    assert refused.value.message.isprintable()


@pytest.mark.slow
@given(st.text())
def test_any_text_is_taken_apart_or_refused(text: str) -> None:
    try:
        found = parse_reference(text)
    except InvalidParameters:
        return
    assert found.path
    assert ".." not in found.path.split("/")
    assert not found.path.startswith("/")


@pytest.mark.parametrize(
    ("path", "name"), [("a/B.md", "B"), ("B.MD", "B"), ("a/.md", ".md"), ("x.md/y", "y"), ("Mr..md", "Mr.")]
)
def test_a_notes_name_is_its_last_part_without_the_extension(path: str, name: str) -> None:
    assert note_name(path) == name

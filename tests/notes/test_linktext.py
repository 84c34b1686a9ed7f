"""How a link is written. The rules are those of what Obsidian does, by their numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.notes.names import LinkFormat, Names, link_path
from bridge.notes.syntax import (
    decode_destination,
    encode_destination,
    encode_subpath,
    fits_wikilink,
    markdown_link_parts,
    wikilink_parts,
)

FILES = [
    "Me.md",
    "a/Only.md",
    "a/Twice.md",
    "b/Twice.md",
    "a/pic.png",
    "a/b/Deep.md",
    "Twice.md",
    "a/Plain",
    "x/Plain.md",
]


@pytest.mark.parametrize(
    ("form", "target", "source", "wiki", "markdown"),
    [
        ("shortest", "a/Only.md", "Me.md", "Only", "Only.md"),
        ("shortest", "b/Twice.md", "Me.md", "b/Twice", "b/Twice.md"),
        ("shortest", "b/Twice.md", "b/Me.md", "b/Twice", "b/Twice.md"),
        ("shortest", "Twice.md", "b/Me.md", "Twice", "Twice.md"),
        ("shortest", "a/pic.png", "Me.md", "pic.png", "pic.png"),
        ("absolute", "a/Only.md", "a/Me.md", "a/Only", "a/Only.md"),
        ("absolute", "Me.md", "a/b/Deep.md", "Me", "Me.md"),
        ("relative", "a/Only.md", "a/b/Deep.md", "../Only", "../Only.md"),
        ("relative", "a/Only.md", "b/Me.md", "../a/Only", "../a/Only.md"),
        ("relative", "a/b/Deep.md", "a/Me.md", "b/Deep", "b/Deep.md"),
        ("relative", "a/Only.md", "a/Me.md", "Only", "Only.md"),
        ("relative", "a/pic.png", "a/b/Deep.md", "../pic.png", "../pic.png"),
        # where that would lead to another file, it is written so that it does not
        ("relative", "b/Twice.md", "b/Me.md", "./Twice", "./Twice.md"),
        ("shortest", "x/Plain.md", "Me.md", "Plain.md", "Plain.md"),
        ("absolute", "x/Plain.md", "Me.md", "x/Plain", "x/Plain.md"),
    ],
)
def test_a_path_is_written_as_the_user_set_it_rule_72(
    form: LinkFormat, target: str, source: str, wiki: str, markdown: str
) -> None:
    names = Names(FILES)
    assert link_path(target, source, names, form, markdown=False) == wiki
    assert link_path(target, source, names, form, markdown=True) == markdown


def test_what_is_no_file_has_no_path() -> None:
    assert link_path("nowhere.md", "Me.md", Names(FILES), "shortest", markdown=False) is None


@pytest.mark.parametrize(
    ("path", "plain", "angles"),
    [
        ("a/My Note.md", "a/My%20Note.md", "a/My Note.md"),
        ("Was (1) [x].md", "Was%20%281%29%20%5Bx%5D.md", "Was (1) [x].md"),
        ("C#.md", "C%23.md", "C%23.md"),
        ("a^b|c.md", "a%5Eb%7Cc.md", "a^b|c.md"),
        ("100%.md", "100%25.md", "100%25.md"),
        ("R&D &amp.md", "R%26D%20%26amp.md", "R%26D %26amp.md"),
        ("a`b\tc.md", "a%60b%09c.md", "a`b%09c.md"),
        ("Übung 😀.md", "Übung%20😀.md", "Übung 😀.md"),
    ],
)
def test_a_destination_encodes_what_would_end_or_change_it_rule_73(path: str, plain: str, angles: str) -> None:
    assert encode_destination(path) == plain
    assert encode_destination(path, angles=True) == angles


@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="#"), min_size=1, max_size=30).map(
        lambda path: f"a{path}.md"
    )
)
def test_a_destination_is_read_back_as_the_path_that_was_written(path: str) -> None:
    assert decode_destination(encode_destination(path)) == path
    assert decode_destination(encode_destination(path, angles=True)) == path
    link = f"[x]({encode_destination(path)})"
    slots = markdown_link_parts(link)
    assert slots is not None
    assert decode_destination(link[slice(*slots.path)]) == path


def test_a_subpath_keeps_its_hashes() -> None:
    assert encode_subpath("#a b#c") == "#a%20b#c"


@pytest.mark.parametrize("name", ["C#", "a^b", "a|b", "a[b", "a]b", "a\nb"])
def test_some_names_cannot_stand_in_a_wikilink_rule_7(name: str) -> None:
    assert not fits_wikilink(name)
    assert fits_wikilink("a/Ordinary (1), with: 'everything' else & ~$%")


@pytest.mark.parametrize(
    ("original", "parts"),
    [
        ("[[Note]]", ("Note", "", None)),
        ("[[a/Note#h1#h2|text]]", ("a/Note", "#h1#h2", "text")),
        ("![[Note#^id]]", ("Note", "#^id", None)),
        ("![[pic.png\\|120]]", ("pic.png", "", "120")),
        ("[[a||b]]", ("a", "", "|b")),
        ("[[|x]]", ("|x", "", None)),
        ("[[Note|a#b]]", ("Note", "", "a#b")),
        ("[[Sq]uare]]", ("Sq]uare", "", None)),
        ("[[ Note |x]]", ("Note", "", "x")),
        ("[[ Note\xa0#h ]]", ("Note", "#h ", None)),
        ("[[]", None),
        ("x[[Note]]", None),
        ("xx[[Note]]", None),
    ],
)
def test_a_wikilink_is_taken_apart_rules_14_to_18(original: str, parts: tuple[str, str, str | None] | None) -> None:
    slots = wikilink_parts(original)
    taken = slots and (
        original[slice(*slots.path)],
        original[slice(*slots.subpath)],
        None if slots.text is None else original[slice(*slots.text)],
    )
    assert taken == parts


@pytest.mark.parametrize(
    ("original", "parts"),
    [
        ("[text](Note.md)", ("Note.md", "", "text", False)),
        ("![](a/pic.png)", ("a/pic.png", "", "", False)),
        ("[a [b] c](My%20Note.md#h%20x)", ("My%20Note.md", "#h%20x", "a [b] c", False)),
        ("[t](<My Note.md#h>)", ("My Note.md", "#h", "t", True)),
        ('[t]( Note.md "ti)tle" )', ("Note.md", "", "t", False)),
        ("[t](a(1).md)", ("a(1).md", "", "t", False)),
        ("[t](C%23.md)", ("C", "%23.md", "t", False)),
        ("[![i](p.png)](Note.md)", ("Note.md", "", "![i](p.png)", False)),
        ("[t](a b.md)", None),
        ("[t]", None),
        ("xx[t](Note.md)", None),
    ],
)
def test_a_markdown_link_is_taken_apart_rules_21_and_86(
    original: str, parts: tuple[str, str, str, bool] | None
) -> None:
    slots = markdown_link_parts(original)
    if slots is None or slots.text is None:
        assert parts is None
        return
    path, subpath, text = (original[slice(*span)] for span in (slots.path, slots.subpath, slots.text))
    assert (path, subpath, text, slots.angles) == parts


def test_a_link_of_nothing_but_brackets_costs_little() -> None:
    assert markdown_link_parts("[" + "](" * 50_000) is None

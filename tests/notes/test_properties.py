"""Tags in a note's properties: added and removed by the fewest characters, or not at all."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.notes.frontmatter import find_frontmatter, property_tags, read_properties
from bridge.notes.properties import add_tag, check_tag, remove_tag

BODY = "# Title\n\nText #inline\n---\n"


def note(yaml: str) -> str:
    return f"---\n{yaml}---\n{BODY}"


def properties(text: str) -> dict[str, Any] | None:
    block = find_frontmatter(text)
    return None if block is None else read_properties(text[block.yaml_start : block.yaml_end])


ADDED = [
    pytest.param("tags:\n  - a\n", "tags:\n  - a\n  - new\n", id="a list in lines"),
    pytest.param("tags:\n- a\nx: 1\n", "tags:\n- a\n- new\nx: 1\n", id="not indented"),
    pytest.param("tags:\n    -   a\n", "tags:\n    -   a\n    -   new\n", id="indented by the user's own taste"),
    pytest.param(
        "tags:\n  - a # why\n  # end\nx: 1\n", "tags:\n  - a # why\n  - new\n  # end\nx: 1\n", id="with comments"
    ),
    pytest.param("tags:\n  - 'a'\n  - 'b'\n", "tags:\n  - 'a'\n  - 'b'\n  - 'new'\n", id="quoted"),
    pytest.param('tags:\n  - "#a"\n', 'tags:\n  - "#a"\n  - "new"\n', id="with hashes"),
    pytest.param("tags:\n  - a\n  - \n", "tags:\n  - a\n  - \n  - new\n", id="with an empty item"),
    pytest.param("tags:\r\n  - a\r\n", "tags:\r\n  - a\r\n  - new\r\n", id="with Windows line endings"),
    pytest.param("tags: [a]\n", "tags: [a, new]\n", id="a list in brackets"),
    pytest.param("tags: [a, 'b' ,]  # c\n", "tags: [a, 'b', new ,]  # c\n", id="with a comma at the end"),
    pytest.param('tags: ["a", "b"]\n', 'tags: ["a", "b", "new"]\n', id="quoted, in brackets"),
    pytest.param("tags: [\n  a, # 1\n  b  # 2\n]\n", "tags: [\n  a, # 1\n  b, new  # 2\n]\n", id="over lines"),
    pytest.param("tags: []\n", "tags: [new]\n", id="empty brackets"),
    pytest.param("tags: [  ]\n", "tags: [new]\n", id="brackets with spaces"),
    pytest.param("tags: a\n", "tags: [a, new]\n", id="one tag"),
    pytest.param("tags:\ta\nx:\ty\n", "tags:\t[a, new]\nx:\ty\n", id="behind a tab (rule 47)"),
    pytest.param("tags:   '#a' # c\n", "tags:   ['#a', 'new'] # c\n", id="one tag, quoted"),
    pytest.param("tags: ''\n", "tags: ['new']\n", id="an empty text"),
    pytest.param("tags:\nx: 1\n", "tags:\n  - new\nx: 1\n", id="no value"),
    pytest.param("x:\n- 1\ntags: # mine\n", "x:\n- 1\ntags: # mine\n- new\n", id="no value, lists as the others are"),
    pytest.param("tags: null # c\n", "tags: [new] # c\n", id="null"),
    pytest.param("tags: ~\n", "tags: [new]\n", id="a tilde"),
    pytest.param("x: 1 # one\n", "x: 1 # one\ntags:\n  - new\n", id="no such property"),
    pytest.param("x: |\n  text\n\n", "x: |\n  text\n\ntags:\n  - new\n", id="after a text of several lines"),
    pytest.param("# only a comment\n", "# only a comment\ntags:\n  - new\n", id="only a comment"),
    pytest.param("", "tags:\n  - new\n", id="no properties between the fences"),
    pytest.param("  x: 1\n  tags:\n  y: 2\n", "  x: 1\n  tags:\n    - new\n  y: 2\n", id="all indented"),
    pytest.param('{"tags": ["a"], "b": 1}\n', '{"tags": ["a", "new"], "b": 1}\n', id="JSON (rule 46)"),
    pytest.param('{"tags": null}\n', '{"tags": ["new"]}\n', id="JSON's null"),
    pytest.param('{"tags": []}\n', '{"tags": ["new"]}\n', id="JSON's empty list"),
    pytest.param('{"b": 1}\n', '{"b": 1, "tags": ["new"]}\n', id="JSON without it"),
    pytest.param("{}\n", '{"tags": ["new"]}\n', id="an empty JSON object"),
    pytest.param("Tags:\n  - a\n", "Tags:\n  - a\n  - new\n", id="the property in other letters (rule 54)"),
    pytest.param("up: '[[Home]]'\ntags: [a]\n", "up: '[[Home]]'\ntags: [a, new]\n", id="quotes elsewhere"),
    pytest.param("when: 2024-07-21\ntags: [a]\n", "when: 2024-07-21\ntags: [a, new]\n", id="dates elsewhere (rule 47)"),
    pytest.param("{{date}}: x\ntags: [a]\n", "{{date}}: x\ntags: [a, new]\n", id="moustaches (rule 48)"),
]


@pytest.mark.parametrize(("before", "after"), ADDED)
def test_rule_50_a_tag_is_added_in_the_form_that_the_list_has(before: str, after: str) -> None:
    assert add_tag(note(before), "new") == note(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BODY, "---\ntags:\n  - new\n---\n" + BODY),
        ("", "---\ntags:\n  - new\n---\n"),
        ("\ufeffText\r\n", "\ufeff---\r\ntags:\r\n  - new\r\n---\r\nText\r\n"),
        ("---\nunclosed\n", "---\ntags:\n  - new\n---\n---\nunclosed\n"),
        ("\n---\nx: 1\n---\n", "---\ntags:\n  - new\n---\n\n---\nx: 1\n---\n"),
    ],
)
def test_a_note_without_properties_gets_them(before: str, after: str) -> None:
    assert add_tag(before, "new") == after


def test_a_byte_order_mark_stays_before_the_properties() -> None:
    assert add_tag("\ufeff---\ntags: [a]\n---\nx", "new") == "\ufeff---\ntags: [a, new]\n---\nx"


def test_bytes_that_are_no_text_are_kept_in_the_body() -> None:
    text = b"---\ntags: [a]\n---\n\xff\xfe caf\xe9".decode("utf-8", "surrogateescape")
    assert add_tag(text, "b").encode("utf-8", "surrogateescape") == b"---\ntags: [a, b]\n---\n\xff\xfe caf\xe9"


@pytest.mark.parametrize(
    ("tag", "written"),
    [
        ("a/b", "a/b"),
        ("true", '"true"'),
        ("null", '"null"'),
        ("yes", '"yes"'),
        ("1e5", '"1e5"'),
        ("0x1F", '"0x1F"'),
        ("2024-01", "2024-01"),
        ("-", '"-"'),
        ("ü🎉", "ü🎉"),
    ],
)
def test_a_tag_that_yaml_would_read_as_something_else_is_quoted(tag: str, written: str) -> None:
    assert add_tag(note("tags:\n  - a\n"), tag) == note(f"tags:\n  - a\n  - {written}\n")
    assert property_tags(properties(add_tag(note("tags: [a]\n"), tag))) == ("#a", f"#{tag}")


REMOVED = [
    pytest.param("tags:\n  - a\n  - OLD # c\n  - b\n", "tags:\n  - a\n  - b\n", id="a line, in other letters"),
    pytest.param("tags:\n  - old\n  - a\n  - '#old'\n", "tags:\n  - a\n", id="twice"),
    pytest.param("tags:\n  - old\n  # note\nx: 1\n", "tags:\n  # note\nx: 1\n", id="the last one"),
    pytest.param("tags:\r\n- a\r\n- old\r\n", "tags:\r\n- a\r\n", id="with Windows line endings"),
    pytest.param("tags: [old]\n", "tags: []\n", id="the last one in brackets"),
    pytest.param("tags: [ old, ]\n", "tags: [ ]\n", id="the last one, with a comma"),
    pytest.param("tags: [old, a] # c\n", "tags: [a] # c\n", id="the first in brackets"),
    pytest.param("tags: [a, old,]\n", "tags: [a,]\n", id="the last in brackets, with a comma"),
    pytest.param("tags: [a, old, b, 'old']\n", "tags: [a, b]\n", id="twice in brackets"),
    pytest.param("tags: [old, old]\n", "tags: []\n", id="all in brackets"),
    pytest.param("tags: [\n  a, # 1\n  old, # 2\n  b\n]\n", "tags: [\n  a, # 1\n  # 2\n  b\n]\n", id="comments stay"),
    pytest.param("tags: [\n  a,\n  old,\n  b\n]\n", "tags: [\n  a,\n  b\n]\n", id="a line in brackets"),
    pytest.param("tags: [\n  a,\n  old\n]\n", "tags: [\n  a,\n]\n", id="the last line in brackets"),
    pytest.param("tags: old # c\nx: 1\n", "tags: # c\nx: 1\n", id="one tag"),
    pytest.param('{"tags": ["old", "a"]}\n', '{"tags": ["a"]}\n', id="JSON"),
    pytest.param('{"tags": "old"}\n', '{"tags": []}\n', id="JSON, one tag"),
]


@pytest.mark.parametrize(("before", "after"), REMOVED)
def test_rule_50_a_tag_is_removed_and_the_property_stays(before: str, after: str) -> None:
    assert remove_tag(note(before), "old") == note(after)


@pytest.mark.parametrize("yaml", ["tags: [a, olds, old/nested]\n", "tags: a\n", "x: old\n", "tags:\n", ""])
def test_removing_a_tag_that_is_not_there_changes_nothing(yaml: str) -> None:
    assert remove_tag(note(yaml), "old") == note(yaml)
    assert remove_tag(BODY, "old") == BODY


@pytest.mark.parametrize("yaml", ["tags: [New]\n", "tags:\n  - '#new'\n", "tags: NEW\n", '{"tags": ["new"]}\n'])
def test_adding_a_tag_that_is_there_changes_nothing(yaml: str) -> None:
    assert add_tag(note(yaml), "new") == note(yaml)


@pytest.mark.parametrize(
    ("yaml", "said"),
    [
        pytest.param("<%* tR += x %>\n", "broken", id="Templater's lines (rule 49)"),
        pytest.param("a: [1\ntags: [x]\n", "broken", id="a bracket that is not closed"),
        pytest.param("tags: [a]\ntags: [b]\n", "broken|twice", id="the property twice"),
        pytest.param("- a\n- b\n", "broken", id="a list instead of properties"),
        pytest.param("just text\n", "broken", id="a text instead of properties"),
        pytest.param("tags: a, old\n", "reads as no tag", id="commas in a text (rule 53)"),
        pytest.param("tags: a old\n", "reads as no tag", id="spaces in a text"),
        pytest.param("tags: 2024\n", "reads as no tag", id="a number"),
        pytest.param("tags: {a: 1}\n", "reads as no tag", id="a mapping"),
        pytest.param("tags: &t [a, old]\nother: *t\n", "anchor", id="an anchor"),
        pytest.param("other: &t [a, old]\ntags: *t\n", "anchor", id="an alias"),
        pytest.param("tags: !!seq [a, old]\n", "anchor", id="a tag of YAML"),
        pytest.param("tags: |\n  old\n", "several lines|no tag", id="a text of several lines"),
        pytest.param("x: &a 1\ny: &a 2\ntags: [a, old]\n", "twice", id="an anchor twice"),
        pytest.param("tags: [a, old]\nbad: \x00\n", "broken", id="a character that YAML does not have"),
        pytest.param("? tags\n: [a, old]\n", "not edited", id="a key with a question mark"),
        pytest.param("x: " + "[" * 5000 + "]" * 5000 + "\ntags: [a, old]\n", "broken", id="brackets without end"),
        pytest.param("tags:\n  - old\n  - |\n    text\n", "several lines", id="a last item of several lines"),
    ],
)
def test_what_is_broken_or_unclear_is_refused_and_not_rewritten(yaml: str, said: str) -> None:
    with pytest.raises(InvalidParameters, match=said) as refused:
        add_tag(note(yaml), "new")
    assert refused.value.code == "properties"
    if "several" not in said:
        with pytest.raises(InvalidParameters):
            remove_tag(note(yaml), "old")


@pytest.mark.parametrize("tag", ["", "#", "1984", "a b", "a,b", "##a", "a#b", "a.b", "a\nb", "(x)"])
def test_rules_61_and_62_what_cannot_be_a_tag_is_refused(tag: str) -> None:
    with pytest.raises(InvalidParameters, match="cannot be a tag"):
        check_tag(tag)


@pytest.mark.parametrize("tag", ["a", "#a", "y1984", "a/b-c_d", "名前", "🎉", " x "])
def test_rule_55_a_hash_before_the_tag_is_optional(tag: str) -> None:
    assert check_tag(tag) == tag.strip().removeprefix("#")


# -- any properties ---------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["up", "date", "list", "text", "quoted", "map", "num", "ünï", "with space"])
VALUES = st.sampled_from(
    [
        "1",
        "2024-07-21",
        "'[[Home]]'",
        '"a: b" # c',
        "",
        "[1, 2, ]",
        "\n  - x\n  - y",
        "\n- x\n# c",
        "{a: {b: 1}}",
        "|\n  t\n",
    ]
)
TAG_LISTS = st.sampled_from(
    [
        None,
        "",
        " # none",
        " []",
        " [a]",
        " [a, 'b' , ] # c",
        "\n  - a\n  - b # c",
        "\n- a",
        '\n    - "#a"\n    # c\n    -   b',
        " [\n  a,\n  b\n]",
    ]
)
LINE_ENDINGS = st.sampled_from(["\n", "\r\n"])


@st.composite
def notes(draw: st.DrawFn) -> str:
    pairs = draw(st.dictionaries(NAMES, VALUES, max_size=5))
    lines = [f"{name}: {value}" for name, value in pairs.items()]
    tags = draw(TAG_LISTS)
    if tags is not None:
        lines.insert(draw(st.integers(0, len(lines))), f"tags:{tags}")
    lines.insert(draw(st.integers(0, len(lines))), "# comment")
    text = "---\n" + "\n".join(lines) + "\n---\n" + draw(st.text(alphabet="ab #\n-", max_size=20))
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", draw(LINE_ENDINGS))


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(notes(), st.sampled_from(["new", "x/y", "true", "ü"]))
def test_adding_a_tag_changes_nothing_else_and_removing_it_gives_the_first_bytes_back(text: str, tag: str) -> None:
    before = properties(text)
    assert before is not None or "tags" not in text
    added = add_tag(text, tag)
    after = properties(added)
    assert after is not None
    assert property_tags(after) == (*property_tags(before), f"#{tag}")
    assert {name: value for name, value in after.items() if name != "tags"} == {
        name: value for name, value in (before or {}).items() if name != "tags"
    }
    start = next((at for at, (old, new) in enumerate(zip(text, added, strict=False)) if old != new), len(text))
    assert text[start:] == added[len(added) - len(text) + start :], "one place was changed, by adding to it"
    removed = remove_tag(added, tag)
    if before and "tags" in before:
        assert removed == text
    else:
        assert property_tags(properties(removed)) == property_tags(before)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="tags:- ab[]{},'\"#|&*!?\n~0", max_size=60))
def test_whatever_stands_between_the_fences_is_edited_truly_or_refused(yaml: str) -> None:
    text = f"---\n{yaml}\n---\n{BODY}"
    before = properties(text)
    try:
        added = add_tag(text, "new")
    except InvalidParameters:
        return
    after = properties(added)
    assert after is not None
    assert "#new" in property_tags(after)
    assert added.endswith(BODY)
    others = {name: value for name, value in (before or {}).items() if name.lower() != "tags"}
    assert {name: value for name, value in after.items() if name.lower() != "tags"} == others

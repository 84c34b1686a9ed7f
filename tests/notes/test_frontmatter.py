"""Properties: where they stand, what they hold, and the names and tags they give a note."""

from typing import Any

import pytest

from bridge.notes.frontmatter import aliases, all_tags, find_frontmatter, property_tags, read_properties
from bridge.notes.markdown import parse_note


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("---\na: 1\n---\nb", {"a": 1}, id="46 between fences"),
        pytest.param("---\na: 1\n---", {"a": 1}, id="46 at the end of the file"),
        pytest.param("\ufeff---\r\na: 1\r\n---\r\n", {"a": 1}, id="46 with any line ending, after a byte order mark"),
        pytest.param('---\n{"tags": "x", "p": false}\n---\n', {"tags": "x", "p": False}, id="46 a JSON object"),
        pytest.param("---\n---\n", None, id="46 nothing between the fences"),
        pytest.param("\n---\na: 1\n---\n", None, id="46 only in the first line"),
        pytest.param("---\na: 1\n", None, id="46 only when closed"),
        pytest.param("----\na: 1\n----\n", None, id="46 fences have three dashes"),
        pytest.param("---\na: 1\n ---\n", None, id="46 at the line's start"),
        pytest.param("---\n<%* let x %>\n---\n", None, id="49 Templater"),
        pytest.param("---\na: [\n---\n", None, id="49 broken"),
        pytest.param("---\n- a\n---\n", None, id="49 no mapping"),
        pytest.param("---\na: 1\na: 2\n---\n", None, id="49 a name that stands there twice"),
    ],
)
def test_properties_of_a_note(text: str, expected: dict[str, Any] | None) -> None:
    note = parse_note(text)
    assert note.frontmatter == expected


def test_rule_46_empty_fences_are_a_section_and_what_follows_them_is_the_body() -> None:
    note = parse_note("---\n---\n# a")
    assert [section.type for section in note.sections] == ["yaml", "heading"]


def test_rule_49_the_body_of_broken_properties_is_parsed() -> None:
    note = parse_note("---\ntags: [a\nup: '[[b]]'\n---\n#c [[d]]")
    assert (note.frontmatter, note.frontmatter_links, all_tags(note)) == (None, (), ("#c",))
    assert [link.link for link in note.links] == ["d"]


def test_the_block_is_known_by_its_places_also_when_it_is_broken() -> None:
    text = "\ufeff---\na: [\n--- \nb"
    block = find_frontmatter(text)
    assert block is not None
    assert text[block.start : block.end] == "---\na: [\n---"
    assert text[block.yaml_start : block.yaml_end] == "a: [\n"


def test_values_are_as_yaml_1_2_has_them() -> None:
    yaml = (
        "date: 2024-07-21\ntime: 2024-07-21T12:37:00\nnumber: 246\nhalf: 0.5\nempty:\nlist: []\nyes: yes\non: on\n"
        "true: true\ntext: |\n  a\n  b\nmap: {b: {c: 1}}\n"
    )
    assert read_properties(yaml) == {
        "date": "2024-07-21",
        "time": "2024-07-21T12:37:00",
        "number": 246,
        "half": 0.5,
        "empty": None,
        "list": [],
        "yes": "yes",
        "on": "on",
        "true": True,
        "text": "a\nb\n",
        "map": {"b": {"c": 1}},
    }, "rule 47"


def test_the_order_of_properties_is_kept() -> None:
    assert list(read_properties("b: 1\na: 2\nc: 3") or ()) == ["b", "a", "c"], "rule 50"


def test_rule_48_moustaches_are_maps_and_the_tags_beside_them_count() -> None:
    properties = read_properties("title: {{title}}\ntags: [a]\n{{x}}: 1\n")
    assert properties == {"title": {"{ title }": None}, "tags": ["a"], "{ { x } }": 1}
    assert property_tags(properties) == ("#a",)


def test_names_that_look_like_properties_within_values_are_not_taken_for_doubles() -> None:
    assert read_properties("a: |\n  b: 1\n  b: 2\nb: http://x.y:80\n# b: 3\n") is not None
    assert read_properties("{\na: 1,\nb: {\na: 2\n}\n}") == {"a": 1, "b": {"a": 2}}


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        pytest.param("tags: [a, '#b', c/d]", ("#a", "#b", "#c/d"), id="52 and 55 with and without a mark"),
        pytest.param("tags: my-tag", ("#my-tag",), id="53 one string"),
        pytest.param("tags: a, b", (), id="53 commas make it none"),
        pytest.param("tags: a b", (), id="53 spaces make it none"),
        pytest.param("tags: [a b, c, '', '#', 1984, y1984]", ("#c", "#y1984"), id="53 and 62 what can be no tag"),
        pytest.param("tags:", (), id="47 empty"),
        pytest.param("tags: {a: b}", (), id="a map"),
        pytest.param("tag: a\nTAG: [b]", (), id="52 the old name is ignored"),
        pytest.param("Tags: [a]", ("#a",), id="54 in any case"),
        pytest.param("text: '#a'", (), id="55 other properties make no tags"),
        pytest.param("tags: [a, a]", ("#a", "#a"), id="57 duplicates are kept"),
    ],
)
def test_tags_of_properties(yaml: str, expected: tuple[str, ...]) -> None:
    assert property_tags(read_properties(yaml)) == expected


def test_rule_57_tags_of_the_properties_come_first() -> None:
    assert all_tags(parse_note("---\ntags: [b, a]\n---\n#a #c\n")) == ("#b", "#a", "#a", "#c")


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        ("aliases: [a, b c]", ("a", "b c")),
        ("aliases: one, whole", ("one, whole",)),
        ("Aliases:\n  - x", ("x",)),
        ("alias: no", ()),
        ("aliases: [' a ', '', 2024, null, true]", ("a", "2024")),
        ("aliases:", ()),
    ],
)
def test_rules_52_to_54_aliases(yaml: str, expected: tuple[str, ...]) -> None:
    assert aliases(read_properties(yaml)) == expected


def test_a_note_without_properties_has_no_aliases_and_no_tags_from_them() -> None:
    assert (aliases(None), property_tags(None)) == ((), ())

"""Links in properties (rule 51): which values are links, and where they stand."""

import pytest

from bridge.notes.markdown import parse_note


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        ('up: "[[A]]"', [("up", "A", "A")]),
        ("list:\n  - '[[A|b]]'\n  - text\n  - '[[C#d]]'", [("list.0", "A", "b"), ("list.2", "C#d", "C > d")]),
        ("a:\n  b:\n    - c: '[[D]]'", [("a.b.0.c", "D", "D")]),
        ('a: "[text](My%20Note.md)"', [("a", "My Note.md", "text")]),
        ('a: " [[A]] "', [("a", "A", "A")]),
        ('a: "see [[A]]"', []),
        ('a: "[[A]] and [[B]]"', []),
        ('a: "[x](https://x.y)"', []),
        ('a: "![[A]]"', []),
        ("a: [[A]]", []),
        ("a: `[[A]]`", []),
    ],
)
def test_a_value_is_a_link_when_it_is_nothing_else(yaml: str, expected: list[tuple[str, str, str]]) -> None:
    note = parse_note(f"---\n{yaml}\n---\n")
    assert [(link.key, link.link, link.display) for link in note.frontmatter_links] == expected
    assert note.links == ()


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "\ufeff"])
def test_links_stand_where_they_are_written(ending: str, before: str) -> None:
    lines = [
        "---",
        "# [[A]]",
        'a: "[[A]]" # [[A]]',
        "b: é \U0001f600",
        "c:",
        "  - '[[A]]'",
        '  - "[[B]]"',
        "---",
        "[[A]]",
    ]
    text = before + ending.join(lines)
    note = parse_note(text)
    first, second, third = note.frontmatter_links
    assert [text[link.start : link.end] for link in note.frontmatter_links] == ["[[A]]", "[[A]]", "[[B]]"]
    assert first.start == text.index('"[[A]]"') + 1
    assert second.start == text.index("'[[A]]'") + 1
    assert third.start == text.index("[[B]]")


def test_a_link_that_yaml_writes_with_escapes_stands_where_its_escapes_do() -> None:
    text = "---\na: \"[[A\\u00e9 \\\"x\\\"]]\"\nb: '[[it''s]]'\n---\n"
    first, second = parse_note(text).frontmatter_links
    assert (first.original, second.original) == ('[[Aé "x"]]', "[[it's]]")
    assert text[first.start : first.end] == '[[A\\u00e9 \\"x\\"]]'
    assert text[second.start : second.end] == "[[it''s]]"


def test_plain_and_folded_values_too() -> None:
    text = "---\na: [b](c.md)\nd:\n  [e](f.md)\n---\n[b](c.md)"
    note = parse_note(text)
    assert note.frontmatter is None, "a bracket begins a list in YAML"
    text = "---\na: >-\n  [b](c.md)\nd: '[b](c.md)'\n---\n"
    first, second = parse_note(text).frontmatter_links
    assert text[second.start : second.end] == "[b](c.md)"
    assert text[first.start : first.end] == "[b](c.md)"
    assert first.end < second.start


@pytest.mark.parametrize("comment", ["", " # [[A b]]", " # it is [[A b"])
def test_links_that_are_there_twice_are_distinguished(comment: str) -> None:
    text = f'---\na: "[[A b]]"{comment}\nb: ["[[A b]]", "see [[C]]"]\nc: "[[A\n  b]]"\n---\n'
    note = parse_note(text)
    first, second, third = note.frontmatter_links
    assert first.start == text.index('"[[A b]]"') + 1
    assert second.start == text.index('["[[A b]]"') + 2
    assert text[third.start : third.end] == "[[A\n  b]]"
    assert third.original == "[[A b]]"


def test_values_that_share_an_anchor_share_their_place() -> None:
    text = '---\na: &x "[[A]]"\nb: *x\n---\n'
    first, second = parse_note(text).frontmatter_links
    assert (first.key, second.key) == ("a", "b")
    assert text[first.start : first.end] == text[second.start : second.end] == "[[A]]"

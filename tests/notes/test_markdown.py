"""Headings, sections, list items and block ids."""

import pytest

from bridge.notes.markdown import parse_note


def _links(text: str) -> list[str]:
    return [link.link for link in parse_note(text).links]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("# A\n###### B", [(1, "A"), (6, "B")], id="65 with marks"),
        pytest.param("A\n===\nB\n---", [(1, "A"), (2, "B")], id="65 underlined"),
        pytest.param("## a [[b]] **c** ##", [(2, "a [[b]] **c**")], id="65 the text is raw"),
        pytest.param(
            "# \xa0Head\xa0\n\u3000B \xa0\n---\n## C\xa0 ##", [(1, "Head"), (2, "B"), (2, "C")], id="65 trimmed"
        ),
        pytest.param("#a\n####### b\n    # c", [], id="65 what is no heading"),
        pytest.param("# C#\n#", [(1, "C#"), (1, "")], id="65 a mark that is part of the text"),
        pytest.param("%%\n# a\n%%\n# b", [(1, "b")], id="27 not in a comment"),
        pytest.param("```\n# a\n```\n<!--\n# b\n-->\n$$\n# c\n$$\n# d", [(1, "d")], id="26 not in code"),
        pytest.param("> # a\n\n- # b\n\n# c", [(1, "c")], id="only those outside lists and quotes"),
    ],
)
def test_headings(text: str, expected: list[tuple[int, str]]) -> None:
    assert [(heading.level, heading.heading) for heading in parse_note(text).headings] == expected


@pytest.mark.parametrize(
    "text",
    [
        "```\n[[no]]\n```",
        "~~~ x\n[[no]]\n```\n[[no]]",
        "- a\n  ```\n  [[no]]\n  ```",
        "> ```\n> [[no]]\n> ```",
        "> [!note]\n> ```\n> [[no]]\n> ```",
        "    [[no]]",
        "a\n\n\t[[no]]",
        "- a\n\n      [[no]]",
        "$$\n[[no]]\n$$",
        "text $$\n[[yes]]\n$$\n[[no]]",
        "<!--\n[[no]]\n\n[[no]]\n-->",
        "a\n<!-- [[no]] --> [[no]]",
        "<div>\n[[no]]\n</div>",
    ],
)
def test_rule_26_what_is_not_parsed(text: str) -> None:
    assert [link for link in _links(f"{text}\n\n[[after]]") if link not in {"after", "yes"}] == []


def test_rule_26_what_opens_at_a_lines_start_and_is_never_closed_swallows_the_rest() -> None:
    assert _links("text $$\n[[a]]\n$$\n[[b]]\n\n[[c]]") == ["a"]
    assert _links("[[a]]\n```\n[[b]]\n\n[[c]]") == ["a"]


def test_rule_26_indented_text_that_goes_on_with_a_paragraph_is_no_code() -> None:
    assert _links("a\n    [[yes]]\n- b\n        [[too]]") == ["yes", "too"]


def test_rule_27_links_and_tags_in_a_comment_block_count() -> None:
    note = parse_note("a\n%%\n# no heading\n- [ ] [[b]] #c\n%%\n- d")
    assert [link.link for link in note.links] == ["b"]
    assert [tag.tag for tag in note.tags] == ["#c"]
    assert [section.type for section in note.sections] == ["paragraph", "comment", "list"]
    assert len(note.list_items) == 1


SECTIONS = [
    ("---\na: b\n---\nc", ["yaml", "paragraph"]),
    ("# a\nb\n***\nc", ["heading", "paragraph", "thematicBreak", "paragraph"]),
    ("- a\n\n\n- b\n* c\n1. d\n2) e", ["list", "list", "list", "list"]),
    ("> a\nb\n\n> [!tip] c\n> d", ["blockquote", "callout"]),
    ("a\n```\nb\n```\n\n    c\n\n    d\ne", ["paragraph", "code", "code", "paragraph"]),
    ("<b>a</b> c\n<div>\nd\n\ne", ["paragraph", "html", "paragraph"]),
    ("a | b\n- | -\nc | d\ne", ["table", "paragraph"]),
    ("$$\na\n$$\nb", ["math", "paragraph"]),
    ("[^1]: a\n    b\n\n    c\n[^2]: d\n\ne", ["footnoteDefinition", "footnoteDefinition", "paragraph"]),
    ("[a]: /b 'c'\n[d]: e f", ["definition", "paragraph"]),
    ("%% a %%\n%% b %% c", ["comment", "paragraph"]),
    ("1. a\nb\n2. c", ["list"]),
    ("a\n2. b\n1. c", ["paragraph", "list"]),
]


@pytest.mark.parametrize(("text", "expected"), SECTIONS)
def test_rule_70_sections(text: str, expected: list[str]) -> None:
    assert [section.type for section in parse_note(text).sections] == expected


def test_sections_stand_where_they_are_written_with_any_line_ending() -> None:
    for ending in ("\n", "\r\n"):
        lines = ["# a", "", "- b", "  c", "", "> d", "", "```", "e", "```", ""]
        text = ending.join(lines)
        written = [text[section.start : section.end] for section in parse_note(text).sections]
        assert written == ["# a", f"- b{ending}  c", "> d", f"```{ending}e{ending}```"]


def test_rule_71_items_know_their_parents() -> None:
    text = "- a\n    - b\n        - c\n    - d\n\nx\n\n1. e\n   - f\n> - g"
    assert [item.parent for item in parse_note(text).list_items] == [-1, 0, 1, 0, -7, 7, 8]
    assert [item.parent for item in parse_note(f"x\n\n{text}").list_items] == [-2, 2, 3, 2, -9, 9, 10]


def test_rule_71_a_task_has_the_character_in_its_brackets() -> None:
    text = "- [ ] a\n- [x] b\n- [/] c\n- [-] d\n- [é] e\n- [] f\n- [ ]g\n- h\n+ [?] i"
    assert [item.task for item in parse_note(text).list_items] == [" ", "x", "/", "-", "é", None, None, None, "?"]


def test_an_item_ends_before_the_items_within_it() -> None:
    text = "- a\n  b\n  - c\n    d\n- e\n\n- f\n"
    written = [text[item.start : item.end] for item in parse_note(text).list_items]
    assert written == ["- a\n  b", "- c\n    d", "- e\n", "- f"]


@pytest.mark.parametrize(
    ("text", "name", "written"),
    [
        ("a\nb ^id-1\n\nc", "id-1", "a\nb ^id-1"),
        ("- a ^x\n- b", "x", "- a ^x"),
        ("- a\n  - b ^x", "x", "- b ^x"),
        ("- a\n- b\n\n^list", "list", "- a\n- b"),
        ("a | b\n-|-\n^t", "t", "a | b\n-|-"),
        ("> a\n\n^q", "q", "> a"),
        ("> a ^q", "q", "> a ^q"),
        ("```\na\n```\n^c", "c", "```\na\n```"),
        ("a\n\n^alone", "alone", "^alone"),
        ("a ^Upper", "Upper", "a ^Upper"),
    ],
    ids=[
        "67 and 68 the whole paragraph",
        "67 a list item",
        "67 an item within an item",
        "68 a list, without the id",
        "67 a table",
        "67 a quote from below",
        "67 a quote from within",
        "67 code",
        "67 below nothing it could name",
        "69 the spelling is kept",
    ],
)
def test_block_ids(text: str, name: str, written: str) -> None:
    (block,) = parse_note(text).blocks
    assert (block.id, text[block.start : block.end]) == (name, written)


@pytest.mark.parametrize("text", ["a^b", "a ^b c", "a ^b_c", "`a ^b`", "a ^"])
def test_what_is_no_block_id(text: str) -> None:
    assert parse_note(text).blocks == ()


def test_a_section_has_its_block_id() -> None:
    assert [section.id for section in parse_note("a ^x\n\n- b\n\n^y").sections] == ["x", "y", None]


def test_a_byte_order_mark_is_no_part_of_the_first_block() -> None:
    note = parse_note("\ufeff# a\n#b")
    assert [(heading.start, heading.heading) for heading in note.headings] == [(1, "a")]
    assert [tag.tag for tag in note.tags] == ["#b"]


def test_nesting_beyond_the_limit_is_still_searched_for_links() -> None:
    assert _links(">" * 500 + " [[x]]") == ["x"]
    assert _links("- " * 500 + "[[x]]") == ["x"]
    assert _links("[^1]: " * 500 + "[[x]]") == ["x"]

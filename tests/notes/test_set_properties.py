"""A property is set or removed by the fewest characters, and what is not understood for certain is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.notes.frontmatter import find_frontmatter, read_properties
from bridge.notes.properties import merge_properties, remove_property, set_property

NOTE = "---\n# mine\ntitle: Old # keep\nStatus: draft\ntags:\n  - a\n  - b # x\nrating:\n---\nBody\n"


def properties(text: str) -> dict[str, Any]:
    block = find_frontmatter(text)
    return {} if block is None else read_properties(text[block.yaml_start : block.yaml_end]) or {}


@pytest.mark.parametrize(
    ("name", "value", "old", "new"),
    [
        ("status", "done", "Status: draft\n", "Status: done\n"),
        ("title", "New", "title: Old # keep", "title: New # keep"),
        ("title", None, "title: Old # keep", "title: # keep"),
        ("title", ["a: b", ""], "title: Old # keep\n", 'title:\n  - "a: b"\n  - ""\n'),
        ("rating", 5, "rating:\n", "rating: 5\n"),
        ("rating", [1, "x"], "rating:\n", "rating:\n  - 1\n  - x\n"),
        ("tags", ["z", "[[A]]"], "  - a\n  - b # x\n", '  - z\n  - "[[A]]"\n'),
        ("tags", [], "tags:\n  - a\n  - b # x\n", "tags: []\n"),
        ("due", "2024-05-01", "rating:\n", "rating:\ndue: 2024-05-01\n"),
        ("due", "5", "rating:\n", 'rating:\ndue: "5"\n'),
        ("done", True, "rating:\n", "rating:\ndone: true\n"),
        ("a: b", "x\ny", "rating:\n", 'rating:\n"a: b": "x\\ny"\n'),
    ],
)
def test_only_the_property_changes(name: str, value: Any, old: str, new: str) -> None:
    assert set_property(NOTE, name, value) == NOTE.replace(old, new)


def test_the_spelling_that_is_there_is_kept_and_the_same_value_changes_nothing() -> None:
    assert "Status" in set_property(NOTE, "STATUS", "done")
    assert set_property(NOTE, "status", "draft") == NOTE
    assert remove_property(NOTE, "nothing") == NOTE
    assert remove_property("Body\n", "status") == "Body\n"


@pytest.mark.parametrize(
    ("name", "gone"), [("status", "Status: draft\n"), ("tags", "tags:\n  - a\n  - b # x\n"), ("rating", "rating:\n")]
)
def test_a_property_that_is_removed_takes_its_lines_with_it(name: str, gone: str) -> None:
    assert remove_property(NOTE, name) == NOTE.replace(gone, "")


def test_a_note_without_properties_gets_them_with_its_own_line_endings() -> None:
    assert set_property("Body\r\n", "a", 1) == "---\r\na: 1\r\n---\r\nBody\r\n"
    assert set_property("\ufeffBody\n", "a", 1) == "\ufeff---\na: 1\n---\nBody\n"
    assert set_property("---\r\na: 1\r\n---\r\n", "b", ["x"]) == "---\r\na: 1\r\nb:\r\n  - x\r\n---\r\n"


@pytest.mark.parametrize(
    "text",
    [
        "---\na: |\n  long\n  text\n---\n",
        "---\na: {b: 1}\n---\n",
        "---\na: &x 1\nb: *x\n---\n",
        "---\na: [1\n---\n",
        "---\na: 1\na: 2\n---\n",
        '---\n{"a": 1}\n---\n',
    ],
)
def test_what_cannot_be_edited_for_certain_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameters, match="left as they are"):
        set_property(text, "a", "x")
    with pytest.raises(InvalidParameters, match="left as they are"):
        remove_property(text, "a")


@pytest.mark.parametrize(("name", "value"), [("", 1), (" a", 1), ("a\nb", 1), ("a", {"b": 1}), ("a", [["b"]])])
def test_what_no_property_can_be_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidParameters):
        set_property(NOTE, name, value)


_TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=20)
_SINGLE = st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), _TEXT)


@given(st.dictionaries(st.from_regex(r"[A-Za-z][A-Za-z0-9 _-]{0,8}[a-z]", fullmatch=True), _SINGLE, max_size=4), _TEXT)
def test_what_is_set_is_what_is_read_and_all_else_stays(values: dict[str, Any], body: str) -> None:
    text, expected = f"---\nfirst: 1\n---\n{body}", {"first": 1}
    for name, value in values.items():
        if name.lower() in {known.lower() for known in expected}:
            continue
        text = set_property(text, name, value)
        expected[name] = value
    assert properties(text) == expected
    assert text.endswith(f"---\n{body}")
    for name in list(expected)[1:]:
        text = remove_property(text, name)
    assert text == f"---\nfirst: 1\n---\n{body}"


def test_a_comment_stays_when_the_last_property_goes() -> None:
    assert remove_property("---\n# mine\nstatus: x\n---\nText\n", "status") == "---\n# mine\n---\nText\n"


def test_a_note_that_has_only_a_comment_gets_the_properties_of_another() -> None:
    merged = merge_properties("---\n# mine\n---\n", "---\nstatus: x\n---\n", "\n")
    assert merged == ("---\n# mine\nstatus: x\n---\n", ())

"""Sections and blocks of a note, as a reference names them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import Ambiguous, NotFound
from bridge.notes.markdown import parse_note
from bridge.notes.parts import MOST_CANDIDATES, find_part, has_part, parse_reference, strip_heading

NOTE = """\
# One [[link]]
text ^b1

## Two: *three* & four
- item ^Item-2
- other

```
# not a heading
```

### Deep
# One more
Setext
===
last"""


def part(text: str, reference: str) -> tuple[str, int, int]:
    found = find_part(text, parse_note(text), parse_reference(reference))
    return text[found.start : found.end], found.first_line, found.last_line


@pytest.mark.parametrize(
    ("reference", "first", "last"),
    [
        ("x#One [[link]]", 1, 12),
        ("x#one link", 1, 12),
        ("x#Two three four", 4, 12),
        ("x#Two: *three* & four", 4, 12),
        ("x#One link#Deep", 12, 12),
        ("x#one link#two three four#deep", 12, 12),
        ("x#One more", 13, 13),
        ("x#Setext", 14, 16),
        ("x#^b1", 2, 2),
        ("x#^B1", 2, 2),
        ("x#^item-2", 5, 5),
        ("x#Two three four#^Item-2", 5, 5),
    ],
)
def test_rules_65_to_69_a_part_is_whole_lines(reference: str, first: int, last: int) -> None:
    content, first_line, last_line = part(NOTE, reference)
    assert (first_line, last_line) == (first, last)
    assert content == "".join(NOTE.splitlines(keepends=True)[first - 1 : last])


@pytest.mark.parametrize(
    "reference", ["x#not a heading", "x#Two three", "x#Deep#One more", "x#^b2", "x#One more#^b1", "x#&"]
)
def test_a_missing_part_is_reported_with_the_parts_there_are(reference: str) -> None:
    with pytest.raises(NotFound, match="is not in the note 'x'") as refused:
        part(NOTE, reference)
    assert refused.value.data["error_type"] == "not_found"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_headings_that_are_there_twice_are_listed_with_their_lines(ending: str) -> None:
    text = ending.join(["# A", "## Same", "x", "# B", "## same", "## SAME", "y"])
    with pytest.raises(Ambiguous, match=r"3 times: lines 2 to 3, lines 5 to 5, lines 6 to 7") as refused:
        part(text, "x#sAME")
    assert refused.value.data["candidates"][0] == {"title": "Same", "start_line": 2, "end_line": 3}
    assert part(text, "x#SAME")[1:] == (6, 7), "one that is spelled exactly so wins"
    assert part(text, "x#A#same")[1:] == (2, 3)


def test_very_many_headings_are_counted_and_the_first_are_listed() -> None:
    with pytest.raises(Ambiguous, match="5000 times") as refused:
        part("# a\n## b\n" * 5000, "x#b")
    assert len(refused.value.data["candidates"]) == MOST_CANDIDATES
    with pytest.raises(NotFound, match="and 9980 more"):
        part("# a\n## b\n" * 5000, "x#c")


def test_very_many_headings_and_blocks_of_one_name_take_no_longer_than_others() -> None:
    with pytest.raises(Ambiguous, match="20000 times"):
        part("# a\nx ^b\n" * 20_000, "x#a#^b")


@pytest.mark.parametrize(
    ("heading", "stripped"),
    [("A  B", "a b"), ("**Bold**: [[x|y]]", "bold x y"), ("日本 #1", "日本 1"), ("a_b-c", "a_b-c")],
)
def test_rule_66_special_characters_and_case_of_headings_do_not_matter(heading: str, stripped: str) -> None:
    assert strip_heading(heading) == stripped


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["# a", "## a", "## b", "### c", "text", "```", "", "> # q", "x ^id"]), max_size=25))
def test_a_section_begins_with_its_heading_and_holds_none_as_high(lines: list[str]) -> None:
    text = "\n".join(lines)
    note = parse_note(text)
    for heading in note.headings:
        try:
            content, first, last = part(text, f"x#{heading.heading}")
        except Ambiguous:
            continue
        assert content.split("\n")[0].endswith(heading.heading)
        assert (last - first + 1) == content.count("\n") + (not content.endswith("\n"))
        inner = [other for other in parse_note(content).headings if other.start]
        assert all(other.level > heading.level for other in inner)


@pytest.mark.parametrize(
    "reference",
    ["x#One link", "x#One more#Setext", "x#one LINK#Two: three & four", "x#^b1", "x#Two three four#^ITEM-2", "x#Deep",
     "x#Nowhere", "x#Setext#Deep", "x#Deep#One link", "x#not a heading", "x#^nothing", "x#One link#Setext"],
)  # fmt: skip
def test_what_can_be_found_is_there_and_nothing_else(reference: str) -> None:
    note, wanted = parse_note(NOTE), parse_reference(reference)
    try:
        find_part(NOTE, note, wanted)
    except NotFound:
        assert not has_part(note, wanted)
    except Ambiguous:
        assert has_part(note, wanted)
    else:
        assert has_part(note, wanted)

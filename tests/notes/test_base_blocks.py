"""Bases in notes: found wherever a code block can be, and changed without a byte of what is around them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.notes.markdown import base_blocks, mentions_base
from bridge.notes.note import MOST_STEPS

YAML = "filters:\n  and:\n    - rating > 1\n"


def _within(first: str, rest: str, *, opening: str = "```base", closing: str = "```") -> str:
    lines = [opening, *YAML.splitlines(), closing]
    return "\n".join([first + lines[0], *(rest + line for line in lines[1:])]) + "\n"


@pytest.mark.parametrize(
    ("first", "rest"),
    [
        ("", ""),
        ("> ", "> "),
        (">", ">"),
        ("> > ", "> > "),
        ("> [!note] Books\n> ", "> "),
        ("- ", "  "),
        ("- \n  ", "  "),
        ("1. ", "   "),
        ("10) ", "    "),
        ("- [ ] ", "  "),
        ("* one\n\n  * two\n    ", "    "),
        ("- ", "\t"),
        ("> - ", ">   "),
        ("- > ", "  > "),
        ("[^1]: x\n\n    ", "    "),
        ("   ", "   "),
    ],
)
def test_a_base_is_found_and_changed_wherever_a_code_block_can_be(first: str, rest: str) -> None:
    note = f"# A\n\n{_within(first, rest)}\nafter\n"
    assert mentions_base(note)
    (block,) = base_blocks(note)
    assert [line.strip() for line in block.text.splitlines()] == [line.strip() for line in YAML.splitlines()]
    assert note[block.start :].startswith("```base") or first == "   "
    changed = block.written(note, block.text.replace("rating", "score"))
    assert changed == note.replace("rating", "score")


@pytest.mark.parametrize(
    "note",
    [
        "    ```base\n    x: 1\n    ```\n",
        "> text\n\n```yaml\n> ```base\n```\n",
        "%%\n```base\nx: 1\n```\n%%\n",
        "```bases\nx: 1\n```\n",
        "`base`\n",
    ],
    ids=["indented code", "in another block", "in a comment", "another language", "in a line"],
)
def test_what_is_no_base_is_not_taken_for_one(note: str) -> None:
    assert list(base_blocks(note)) == []


@pytest.mark.parametrize("note", ["```base", "> ```base", "> ```base\n", "```base\n```", "- ```base\n  ```\n"])
def test_an_empty_base_is_one(note: str) -> None:
    (block,) = base_blocks(note)
    assert block.text == ""
    assert block.written(note, "") == note


def test_several_bases_come_in_order_with_line_endings_of_windows() -> None:
    note = "".join(_within(mark, mark) + "\n" for mark in ("", "> ", "> > ")).replace("\n", "\r\n")
    blocks = list(base_blocks(note))
    assert [block.text for block in blocks] == [YAML] * 3
    for block in reversed(blocks):
        note = block.written(note, block.text.replace("rating", "score"))
    assert note.count("score > 1\r\n") == 3
    assert "rating" not in note


_PARTS = st.sampled_from([*"`~>- \t\r\n1.[^]:!ab", "base", "```base\n", "\n```", "> ", "\n> ", "\n- ", "\n  ", "x: 1"])


@given(st.lists(_PARTS, max_size=40).map("".join))
def test_any_note_stays_as_it_is_where_its_bases_do(note: str) -> None:
    blocks = list(base_blocks(note))
    assert not blocks or mentions_base(note)
    for block in reversed(blocks):
        assert block.written(note, block.text) == note
        assert 0 <= block.start <= block.end <= len(note)
        assert all(block.start <= start <= end <= block.end for start, end in block.lines)


@pytest.mark.parametrize("line", ["- " * 100_000, ">" * 200_000, "[" * 200_000, "[a]" * 60_000, "1" * 200_000])
def test_a_line_of_marks_is_looked_at_once(line: str) -> None:
    note = f"{line}\nbase\n{line}```base\n"
    assert len(note) < MOST_STEPS
    assert list(base_blocks(note)) == []

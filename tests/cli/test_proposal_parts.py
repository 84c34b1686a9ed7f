"""What is left out of a proposal is exactly what the person named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.proposal_parts import draw_parts, kept_hunks, new_text, parts_of, read_numbers
from bridge.contract.consent import FilePreview, Preview


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2", {2}),
        ("2 5-7", {2, 5, 6, 7}),
        ("1,3, 9", {1, 3, 9}),
        ("", set()),
        ("0", None),
        ("10", None),
        ("3-1", None),
        ("1-99", None),
        ("-1", None),
        ("two", None),
        ("٣", None),
        ("1-2-3", None),
        ("9" * 30, None),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, numbers: set[int] | None) -> None:
    assert read_numbers(text, 9) == numbers


@given(st.sets(st.integers(1, 50)), st.sampled_from([" ", ",", ", "]))
def test_every_list_of_numbers_reads_back(numbers: set[int], separator: str) -> None:
    assert read_numbers(separator.join(map(str, numbers)), 50) == numbers


def modified(name: str, hunks: int) -> FilePreview:
    """A file in which every tenth line changes."""
    diff = "".join(f"@@ -{at}0 +{at}0 @@\n-old\n+new\n" for at in range(1, hunks + 1))
    return FilePreview(path=name, change="modify", diff=diff)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.data())
def test_each_hunk_is_kept_or_left_out_as_it_was_numbered(hunks: list[int], data: st.DataObject) -> None:
    files = [modified(f"{number}.md", count) for number, count in enumerate(hunks)]
    parts = parts_of(Preview(files=tuple(files)))
    assert [(part.file.path, part.hunk) for part in parts] == [
        (f"{number}.md", hunk) for number, count in enumerate(hunks) for hunk in range(count)
    ]
    left_out = data.draw(st.sets(st.integers(1, len(parts))))
    kept = kept_hunks(parts, left_out)
    for number, part in enumerate(parts, 1):
        assert (part.hunk in kept.get(part.file.path, range(99))) is (number not in left_out)


@pytest.mark.parametrize("change", ["create", "delete"])
def test_a_file_that_is_made_or_removed_is_one_part(change: str) -> None:
    preview = Preview.model_validate({"files": [{"path": "a.md", "change": change, "diff": ""}]})
    parts = parts_of(preview)
    assert len(parts) == 1
    assert kept_hunks(parts, {1}) == {"a.md": []}
    assert kept_hunks(parts, set()) == {}


def test_files_that_hang_together_are_one_part_with_all_their_diffs() -> None:
    moved = FilePreview(path="a.md", change="move", new_path="b/a.md", unit="1")
    linked = modified("home.md", 2).model_copy(update={"unit": "1", "truncated": True})
    alone = FilePreview(path="c.md", change="move", new_path="d.md", unit="2")
    parts = parts_of(Preview(files=(modified("x.md", 1), moved, alone, modified("y.md", 1), linked)))
    assert [[file.path for file in part.files] for part in parts] == [["x.md"], ["a.md", "home.md"], ["c.md"], ["y.md"]]
    assert not any(part.has_text for part in parts if part.file.unit)
    assert kept_hunks(parts, {2}) == {"a.md": [], "home.md": []}
    assert kept_hunks(parts, {1, 3}) == {"x.md": [], "c.md": []}
    drawn = "\n".join(line.plain for line in draw_parts(parts, 80))
    assert "[2] These 2 files belong together:" in drawn
    assert "move a.md → b/a.md" in drawn
    assert drawn.index("modify home.md") < drawn.index("[3] move c.md")


@pytest.mark.parametrize("member", [{"truncated": True}, {"change": "mkdir"}, {"change": "move", "newPath": "b.md"}])
def test_what_cannot_be_chosen_is_no_part(member: dict[str, object]) -> None:
    wire = {"path": "a.md", "change": "modify", "diff": "@@ -1 +1 @@\n-a\n+b\n"} | member
    assert parts_of(Preview.model_validate({"files": [wire]})) == []


def test_the_new_side_of_a_hunk_is_its_lines_as_they_would_be() -> None:
    diff = "@@ -1,3 +1,3 @@\n a\r\n-b\r\n+c\r\n d\r\n@@ -9 +9 @@\n-x\n+y\n\\ No newline at end of file\n"
    first, second = parts_of(Preview(files=(FilePreview(path="a.md", change="modify", diff=diff),)))
    assert (new_text(first), new_text(second)) == ("a\nc\nd\n", "y\n")

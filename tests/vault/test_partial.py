"""Leaving hunks of a plan out."""

import dataclasses
import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.consent import FilePreview, Operation
from bridge.errors import InvalidParameters
from bridge.vault.diff import parse_hunks, unified_diff
from bridge.vault.person_edits import KeptHunks, PartialPlan, is_divisible, keep_hunks
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash, preview

OLD = b"".join(b"line %d\n" % number for number in range(1, 41))
NEW = OLD.replace(b"line 3\n", b"three\n").replace(b"line 20\n", b"").replace(b"line 39\n", b"line 39\nmore\n")
FIRST = OLD.replace(b"line 3\n", b"three\n")

OLDS: dict[str, bytes] = {}


def plan_of(*steps: tuple[str, str, bytes | None, bytes | None]) -> ChangePlan:
    """A plan of steps: kind, path, the bytes before and after."""
    changes: list[Change] = []
    previews: list[FilePreview] = []
    blobs: dict[str, bytes] = {}
    for kind, path, old, new in steps:
        before, after = (None if data is None else content_hash(data) for data in (old, new))
        changes.append(Change(ChangeKind(kind), path, before=before, after=after))
        previews.append(preview(changes[-1], old, new))
        if new is not None:
            blobs[after or ""] = new
        if old is not None:
            OLDS[before or ""] = old
    return ChangePlan(Operation.UPDATE, "Edit", tuple(changes), blobs, tuple(previews))


def keep(plan: ChangePlan, wanted: KeptHunks) -> PartialPlan:
    return keep_hunks(plan, wanted, lambda change: OLDS[change.before or ""])


def patched(old: str, diff: str, wanted: set[int]) -> str:
    """What a person with the diff and scissors would make of the old text. Knows nothing of our code."""
    lines, out, at = re.findall(r"[^\n]*\n|[^\n]+", old), [], 0
    for index, hunk in enumerate(re.split(r"^(?=@@ -)", diff, flags=re.MULTILINE)[1:]):
        head, *body = re.findall(r"[^\n]*\n", hunk)
        start, count = (int(number) for number in re.findall(r"\d+", head)[:2])
        start -= count > 0
        out += lines[at:start]
        texts = [
            (line[0], line[1:-1] if following[0] == "\\" else line[1:])
            for line, following in pairwise([*body, " "])
            if line[0] != "\\"
        ]
        out += [text for sign, text in texts if sign in ("+ " if index in wanted else "- ")]
        at = start + count
    return "".join(out + lines[at:])


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_what_is_kept_equals_the_old_file_patched_with_these_hunks_only(data: st.DataObject) -> None:
    words = [f"w{number}\n" for number in range(60)]
    old = "".join(words)
    edits = data.draw(st.lists(st.tuples(st.integers(0, 59), st.sampled_from(["", "new\n", "a\nb\n"])), max_size=6))
    lines = list(words)
    for place, text in edits:
        lines[place] = text
    new = "".join(lines)
    if data.draw(st.booleans()):
        new = new.removesuffix("\n") + data.draw(st.sampled_from(["", "tail", "\nmore\n"]))
    if data.draw(st.booleans()):
        old = old.removesuffix("\n")
    plan = plan_of(("modify", "A.md", old.encode(), new.encode()))
    count = len(list(parse_hunks(plan.previews[0].diff)))
    if count < 2:
        assert not is_divisible(plan)
        return
    wanted = data.draw(st.sets(st.integers(0, count - 1), min_size=1))
    part = keep(plan, {"A.md": wanted})
    result = part.plan.blobs[part.plan.changes[0].after or ""]
    assert result.decode() == patched(old, plan.previews[0].diff, wanted)
    shown = part.plan.previews[0]
    assert shown.diff == unified_diff(old.encode(), result, old_path="A.md", new_path="A.md").text
    assert (part.plan.digest == plan.digest) == (len(wanted) == count) == (part.left_out == ())


def test_a_part_of_one_file_is_a_plan_of_its_own_that_tells_what_is_missing() -> None:
    plan = plan_of(("modify", "A.md", OLD, NEW))
    part = keep(plan, {"A.md": [0]})
    (change,) = part.plan.changes
    assert part.plan.blobs == {content_hash(FIRST): FIRST}
    assert (change.before, change.after) == (content_hash(OLD), content_hash(FIRST))
    assert part.plan.digest != plan.digest
    assert (part.plan.previews[0].added, part.plan.previews[0].removed) == (1, 1)
    assert part.plan.summary == "Edit (in part)"
    (left,) = part.left_out
    assert (left.path, left.change, left.hunks, left.of) == ("A.md", "modify", (1, 2), 3)
    assert "-line 20" in left.diff
    assert "+more" in left.diff
    assert "three" not in left.diff


def test_keeping_everything_is_the_same_plan() -> None:
    plan = plan_of(("modify", "A.md", OLD, NEW), ("create", "B.md", None, b"new\n"))
    assert keep(plan, {"A.md": [0, 1, 2], "B.md": [0]}) == PartialPlan(plan, ())
    assert keep(plan, {}) == PartialPlan(plan, ())


FOLDERS = plan_of(
    ("mkdir", "New", None, None),
    ("mkdir", "New/Deep", None, None),
    ("create", "New/Deep/A.md", None, b"a\n"),
    ("create", "New/B.md", None, b"b\n"),
    ("mkdir", "Empty", None, None),
    ("delete", "Old/C.md", b"c\n", None),
    ("delete", "Old/In/D.md", b"", None),
    ("rmdir", "Old/In", None, None),
    ("rmdir", "Old", None, None),
)


@pytest.mark.parametrize(
    ("left_out", "missing"),
    [
        ({"New/Deep/A.md"}, {"New/Deep/A.md", "New/Deep"}),
        ({"New/B.md"}, {"New/B.md"}),
        ({"New/B.md", "New/Deep/A.md"}, {"New/B.md", "New/Deep/A.md", "New/Deep", "New"}),
        ({"Old/C.md"}, {"Old/C.md", "Old"}),
        ({"Old/In/D.md"}, {"Old/In/D.md", "Old/In", "Old"}),
    ],
)
def test_files_are_left_out_with_the_folders_that_are_there_for_them(left_out: set[str], missing: set[str]) -> None:
    part = keep(FOLDERS, {path: [] for path in left_out})
    assert set(FOLDERS.targets) - set(part.plan.targets) == missing
    assert {file.path for file in part.left_out} == left_out
    assert len(part.plan.previews) == len(part.plan.changes)


def test_a_binary_file_has_nothing_to_choose_and_is_kept() -> None:
    plan = plan_of(("modify", "x.bin", b"\0a", b"\0b"), ("modify", "A.md", OLD, NEW))
    part = keep(plan, {"x.bin": [], "A.md": []})
    assert part.plan.targets == ("x.bin",)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"None.md": [0]}, "no file of this change"),
        ({"A.md": [3]}, "3 hunks, counted from 0, and no hunk 3"),
        ({"A.md": [-1]}, "no hunk -1"),
        ({"A.md": [], "B.md": []}, "deny it instead"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused(wanted: KeptHunks, says: str) -> None:
    plan = plan_of(("mkdir", "C", None, None), ("modify", "A.md", OLD, NEW), ("create", "B.md", None, b"b\n"))
    with pytest.raises(InvalidParameters, match=says):
        keep(plan, wanted)


def test_what_was_not_shown_whole_cannot_be_chosen_from() -> None:
    plan = plan_of(("modify", "A.md", OLD, NEW), ("create", "B.md", None, b"x\n" * 600_000))
    with pytest.raises(InvalidParameters, match="not shown whole"):
        keep(plan, {"B.md": [0]})


def test_moves_reversals_and_single_parts_go_as_a_whole() -> None:
    digest = content_hash(b"")
    move = Change(ChangeKind.MOVE, "A.md", "B.md", digest, digest)
    moving = ChangePlan(Operation.UPDATE, "Move", (move,), {}, (preview(move, None, None),))
    undo = ChangePlan(Operation.UPDATE, "Undo", FOLDERS.changes, {}, FOLDERS.previews, reversal="undo")
    single = plan_of(("modify", "A.md", b"a\n", b"b\n"))
    for plan in (moving, undo, single):
        assert not is_divisible(plan)
        with pytest.raises(InvalidParameters, match="as a whole"):
            keep_hunks(plan, {}, lambda _change: b"")


def test_a_byte_order_mark_and_windows_endings_stay() -> None:
    old = b"\xef\xbb\xbf" + OLD.replace(b"\n", b"\r\n")
    new = old.replace(b"line 1\r\n", b"one\r\n").replace(b"line 40\r\n", b"forty")
    part = keep(plan_of(("modify", "A.md", old, new)), {"A.md": [0]})
    assert part.plan.blobs[part.plan.changes[0].after or ""] == old.replace(b"line 1\r\n", b"one\r\n")


def test_a_part_of_a_folder_that_goes_is_about_the_files_that_go() -> None:
    plan = plan_of(("delete", "Old/a.md", b"a\n", None), ("delete", "Old/b.md", b"b\n", None))
    plan = dataclasses.replace(
        plan,
        changes=(*plan.changes, Change(ChangeKind.RMDIR, "Old")),
        previews=(*plan.previews, preview(Change(ChangeKind.RMDIR, "Old"), None, None)),
        about=("Old/",),
    )
    assert plan.subjects == ("Old/",)
    assert keep(plan, {"Old/a.md": []}).plan.subjects == ("Old/b.md",)


def test_what_only_follows_still_does_in_a_part() -> None:
    plan = plan_of(("create", "New.md", None, b"n\n"), ("modify", "Links.md", OLD, NEW))
    shown = plan.previews[1].model_copy(update={"follows": True})
    plan = dataclasses.replace(plan, previews=(plan.previews[0], shown))
    part = keep(plan, {"Links.md": [0]}).plan
    assert part.follows == {"Links.md"}
    assert part.subjects == ("New.md",)

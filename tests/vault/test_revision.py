"""A person edits the text of a plan before allowing it."""

import dataclasses
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.vault.diff import parse_hunks
from bridge.vault.person_edits import HunkText, RevisedLines, is_editable, revise_hunk, revised_lines
from bridge.vault.plan import ChangePlan
from tests.vault.test_partial import OLDS, patched, plan_of

OLD = b"".join(b"line %d\n" % number for number in range(1, 41))
NEW = OLD.replace(b"line 3\n", b"three\n").replace(b"line 20\n", b"").replace(b"line 39\n", b"line 39\nmore\n")

LINE = st.sampled_from(["a", "b", "secret one", "secret two", "mine", "", " a", "ü"])
ENDING = st.sampled_from(["\n", "\r\n"])


@st.composite
def texts(draw: st.DrawFn, most: int = 24) -> bytes:
    """A file of few different lines, with endings of both kinds, perhaps a mark before it and no break after it."""
    lines = draw(st.lists(LINE, max_size=most))
    mixed = draw(st.booleans())
    usual = draw(ENDING)
    text = "".join(line + (draw(ENDING) if mixed else usual) for line in lines)
    if draw(st.booleans()):
        text = text.removesuffix("\n").removesuffix("\r")
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def revise(plan: ChangePlan, path: str, hunk: int, text: str) -> ChangePlan:
    return revise_hunk(plan, HunkText(path, hunk, text), lambda change: OLDS[change.before or ""]).plan


def new_side(hunk: str) -> str:
    """What the person sees of a hunk's new side."""
    return "".join(line[1:] for line in re.findall(r"[^\n]*\n", hunk)[1:] if line[0] in " +")


def written(plan: ChangePlan, path: str) -> bytes:
    (after,) = (change.after for change in plan.changes if change.path == path)
    return plan.blobs[after or ""]


@settings(max_examples=300)
@given(data=st.data())
def test_any_edit_of_any_hunk_leaves_all_bytes_outside_it_as_they_were_planned(data: st.DataObject) -> None:
    old, new = data.draw(texts()), data.draw(texts())
    assume(old != new)
    plan = plan_of(("modify", "a.md", old, new))
    assume(is_editable(plan))
    hunks = list(parse_hunks(plan.previews[0].diff))
    index = data.draw(st.integers(0, len(hunks) - 1))
    text = "".join(line + "\n" for line in data.draw(st.lists(LINE, max_size=6)))
    try:
        revised = revise(plan, "a.md", index, text)
    except InvalidParameters as refused:
        assert re.search("as it was|would be left", str(refused))  # noqa: PT017 (one of two honest refusals)
        return
    mark = b"\xef\xbb\xbf" if new.startswith(b"\xef\xbb\xbf") else b""
    lines = re.findall(rb"[^\n]*\n|[^\n]+", new[len(mark) :])
    start, count = (int(number) for number in re.findall(r"\d+", hunks[index].text)[2:4])
    start -= count > 0
    before, after = mark + b"".join(lines[:start]), b"".join(lines[start + count :])
    result = written(revised, "a.md")
    assert result.startswith(before)
    assert result.endswith(after)
    inner = result[len(before) : len(result) - len(after)].decode()
    assert inner.replace("\r\n", "\n") == text
    assert revised.digest != plan.digest
    assert patched(old.decode(), revised.previews[0].diff, {*range(99)}).encode() == result
    if b"\r\n" in new and not re.search(rb"(?<!\r)\n", new):
        assert not re.search(r"(?<!\r)\n", inner), "a file of Windows endings stays one"
    if b"\r" not in new:
        assert "\r" not in inner


@pytest.mark.slow
@settings(max_examples=300)
@given(data=st.data())
def test_the_report_never_holds_a_line_of_the_note_that_was_not_proposed(data: st.DataObject) -> None:
    old, new = data.draw(texts()), data.draw(texts())
    assume(old != new)
    plan = plan_of(("modify", "a.md", old, new))
    assume(is_editable(plan))
    proposed = {line[1:].strip() for line in re.findall(r"[^\n]*\n", plan.previews[0].diff)[2:] if line.startswith("+")}
    known = {line.strip() for line in old.decode("utf-8-sig").split("\n")} - proposed - {""}
    revised = plan
    for _ in range(data.draw(st.integers(1, 3))):
        count = len(list(parse_hunks(revised.previews[0].diff)))
        lines = data.draw(st.lists(LINE, max_size=8))
        try:
            revised = revise(
                revised, "a.md", data.draw(st.integers(0, count - 1)), "".join(f"{line}\n" for line in lines)
            )
        except InvalidParameters:
            continue
    report = revised_lines("a.md", old, (new, plan.previews[0]), written(revised, "a.md"))
    for line in report.diff.splitlines():
        assert line[1:].strip() not in known
        assert line[0] != "-" or line[1:].strip() in proposed


def report(plan: ChangePlan, revised: ChangePlan, old: bytes, path: str = "a.md") -> RevisedLines:
    return revised_lines(path, old, (written(plan, path), plan.previews[0]), written(revised, path))


def test_an_edit_of_the_proposed_line_is_told_and_an_edit_of_its_surroundings_is_counted() -> None:
    plan = plan_of(("modify", "a.md", OLD, NEW))
    shown = new_side(next(parse_hunks(plan.previews[0].diff)).text)
    revised = revise(plan, "a.md", 0, shown.replace("three", "THREE").replace("line 5", "line five"))
    assert report(plan, revised, OLD) == RevisedLines("a.md", "-three\n+THREE\n", 1)


def test_a_line_of_the_note_that_is_put_back_is_counted_and_not_quoted() -> None:
    plan = plan_of(("modify", "a.md", OLD, NEW))
    shown = new_side(next(parse_hunks(plan.previews[0].diff)).text)
    revised = revise(plan, "a.md", 0, shown.replace("three\n", "mine\nline 3\n"))
    assert report(plan, revised, OLD) == RevisedLines("a.md", "-three\n+mine\n", 1)


def test_a_new_file_is_edited_as_a_whole() -> None:
    plan = plan_of(("mkdir", "N", None, None), ("create", "N/a.md", None, b"# A\n\nold idea\n"))
    revised = revise(plan, "N/a.md", 0, "# A\n\nbetter idea")
    assert written(revised, "N/a.md") == b"# A\n\nbetter idea\n"
    assert [change.kind for change in revised.changes] == ["mkdir", "create"]
    told = revised_lines("N/a.md", b"", (b"# A\n\nold idea\n", plan.previews[1]), written(revised, "N/a.md"))
    assert told == RevisedLines("N/a.md", "-old idea\n+better idea\n", 0)


def test_a_plan_can_be_edited_again_and_again_and_its_summary_says_so_once() -> None:
    plan = plan_of(("modify", "a.md", OLD, NEW))
    first = revise(plan, "a.md", 0, "x\n")
    second = revise(first, "a.md", 0, "y\n")
    assert second.summary == "Edit (with the user's edits)"
    assert len({plan.digest, first.digest, second.digest}) == 3
    assert list(second.blobs) == [second.changes[0].after], "what nobody will write is let go of"


def test_the_other_files_of_a_plan_stay_as_they_are() -> None:
    plan = plan_of(("modify", "a.md", OLD, NEW), ("create", "b.md", None, b"b\n"))
    revised = revise(plan, "b.md", 0, "c\n")
    assert (written(revised, "a.md"), written(revised, "b.md")) == (NEW, b"c\n")
    assert revised.previews[0] is plan.previews[0]


@pytest.mark.parametrize(
    ("path", "hunk", "text", "says"),
    [
        ("b.md", 0, "x\n", "no file of this change"),
        ("a.md", 9, "x\n", "no hunk 9"),
        ("a.md", 0, "nul \x00\n", "NUL"),
        ("a.md", 0, "half \ud83d\n", "surrogate"),
        ("a.md", 0, "line 1\nline 2\nthree\nline 4\nline 5\nline 6\n", "as it was"),
        ("a.md", 0, "x" * 1_100_000, "shown whole"),
        ("gone.md", 0, "x\n", "cannot be edited"),
    ],
)
def test_what_cannot_be_written_or_shown_is_refused(path: str, hunk: int, text: str, says: str) -> None:
    plan = plan_of(("modify", "a.md", OLD, NEW), ("rmdir", "gone.md", None, None))
    with pytest.raises(InvalidParameters, match=says):
        revise(plan, path, hunk, text)


def test_a_change_of_which_nothing_is_left_is_refused() -> None:
    plan = plan_of(("modify", "a.md", b"a\n", b"b\n"))
    with pytest.raises(InvalidParameters, match="deny it instead"):
        revise(plan, "a.md", 0, "a\n")


def test_bytes_that_are_no_text_are_not_edited() -> None:
    plan = plan_of(("modify", "a.md", b"caf\xe9\na\n", b"caf\xe9\nb\n"))
    with pytest.raises(InvalidParameters, match="not UTF-8"):
        revise(plan, "a.md", 0, "x\n")


def test_moves_deletions_reversals_and_what_was_not_shown_whole_are_not_edited() -> None:
    plan = plan_of(("modify", "a.md", OLD, NEW))
    cut = plan.previews[0].model_copy(update={"truncated": True})
    assert is_editable(plan)
    for other in (
        plan_of(("delete", "a.md", OLD, None)),
        plan_of(("modify", "a.md", OLD, NEW), ("delete", "b.md", OLD, None)),
        plan_of(("modify", "a.md", OLD, NEW), ("move", "b.md", OLD, None)),
        plan_of(("mkdir", "Folder", None, None)),
        plan_of(("modify", "a.png", b"\x89PNG\x00", b"\x89PNG\x00\x00")),
        dataclasses.replace(plan, reversal="undo"),
        dataclasses.replace(plan, disposal="local"),
        dataclasses.replace(plan, previews=(cut,)),
        dataclasses.replace(plan, previews=(plan.previews[0].model_copy(update={"follows": True}),)),
    ):
        assert not is_editable(other)


def test_a_byte_order_mark_stays_whatever_the_person_does_with_it() -> None:
    old, new = b"\xef\xbb\xbfa\r\nb\r\n", b"\xef\xbb\xbfa\r\nc\r\n"
    plan = plan_of(("modify", "a.md", old, new))
    for text in ("\ufeffa\nd\n", "a\nd\n", "a\r\nd"):
        assert written(revise(plan, "a.md", 0, text), "a.md") == b"\xef\xbb\xbfa\r\nd\r\n"


def test_a_file_that_hangs_together_with_others_still_does_when_its_text_was_edited() -> None:
    plan = plan_of(("modify", "a.md", OLD, NEW), ("create", "b.md", None, b"b\n"), ("create", "c.md", None, b"c\n"))
    unit = [shown.model_copy(update={"unit": "" if shown.path == "c.md" else "1"}) for shown in plan.previews]
    revised = revise(dataclasses.replace(plan, previews=tuple(unit)), "a.md", 0, "mine\n")
    assert [shown.unit for shown in revised.previews] == ["1", "1", ""]

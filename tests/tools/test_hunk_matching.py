"""A diff made of two versions of a file turns the one into the other, or is refused: never anything else."""

import difflib
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import Conflict, InvalidParameters
from bridge.tools.core.apply_patch import apply_hunks, new_content
from bridge.tools.core.patch_text import parse_patch
from bridge.vault.diff import unified_diff

LINES = st.lists(st.sampled_from(["", "a", "b", "c", "- x", "+ y", "-- z", "\\ w", "@@", "é"]), max_size=9)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A small file of few different lines, so that hunks often fit in several places."""
    lines = draw(LINES)
    text = "".join(line + "\n" for line in lines)
    return (text.removesuffix("\n") if draw(st.booleans()) else text).encode()


@given(old=files(), new=files())
@settings(max_examples=300, deadline=None)
def test_our_own_diff_is_applied_exactly_or_refused(old: bytes, new: bytes) -> None:
    text = unified_diff(old, new, old_path="a.md", new_path="a.md").text
    if not text:
        return
    (patch,) = parse_patch(text, None)
    try:
        made = apply_hunks(old, patch.hunks, "a.md", lambda: None).data
    except Conflict:
        return
    assert made == new


@given(old=st.lists(st.integers(0, 99).map(str), min_size=1, max_size=40, unique=True), data=st.data())
@settings(max_examples=100, deadline=None)
def test_with_unique_lines_every_diff_of_difflib_is_applied(old: list[str], data: st.DataObject) -> None:
    new = [line for line in old if data.draw(st.booleans())] + data.draw(st.lists(st.just("new"), max_size=2))
    if old == new:
        return
    before, after = ["".join(line + "\n" for line in lines) for lines in (old, new)]
    halves = [text.splitlines(keepends=True) for text in (before, after)]
    text = "".join(difflib.unified_diff(halves[0], halves[1], "a/n.md", "b/n.md"))
    (patch,) = parse_patch(text, None)
    for ending in ("\n", "\r\n"):
        there = before.replace("\n", ending).encode()
        assert apply_hunks(there, patch.hunks, "n.md", lambda: None).data == after.replace("\n", ending).encode()


@given(text=st.text("ab-+@ \\\n", max_size=60))
@settings(max_examples=300, deadline=None)
def test_whatever_is_sent_is_a_patch_or_is_refused(text: str) -> None:
    try:
        patches = parse_patch(f"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n{text}", None)
    except InvalidParameters:
        return
    assert all(patch.hunks for patch in patches)


def test_regions_tell_where_the_bytes_differ() -> None:
    old = b"a\nb\nc\nd\n"
    for body in ("@@ -2 +2,2 @@\n-b\n+x\n+y\n", "@@ -4 +4 @@\n-d\n+e\n\\ No newline at end of file\n"):
        (patch,) = parse_patch(f"--- n.md\n+++ n.md\n{body}", None)
        edited = apply_hunks(old, patch.hunks, "n.md", lambda: None)
        assert bytes(_rebuilt(old, edited.data, edited.regions)) == edited.data


def _rebuilt(old: bytes, new: bytes, regions: object) -> Iterator[int]:
    """The new bytes from the old ones and the regions alone."""
    taken = 0
    assert isinstance(regions, tuple)
    for region in regions:
        yield from old[taken : region.old_start]
        yield from new[region.new_start : region.new_end]
        taken = region.old_end
    yield from old[taken:]


def test_a_new_file_ends_as_the_patch_says() -> None:
    (patch,) = parse_patch("--- /dev/null\n+++ n.md\n@@ -0,0 +1,2 @@\n+a\n+\n", None)
    assert new_content(patch.hunks) == b"a\n\n"

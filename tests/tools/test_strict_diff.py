"""A diff to the letter: unidiff and our own forgiving reading find the same in it; anything else is none."""

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import InvalidParameters
from bridge.tools.core.patch_text import read_forgivingly
from bridge.tools.core.strict_diff import read_strictly

lines = st.lists(st.sampled_from(["a", "b", "", "- x", "-- x", "++ y", "@@ z", "+1", " s", "\\ t"]), max_size=12)
names = st.sampled_from(["A.md", "sub/B c.md", "b/é.md"])


def _diff(name: str, old: list[str], new: list[str], style: str, context: int) -> list[str]:
    """A diff as `diff -u` or git writes it."""
    source, target = (f"a/{name}", f"b/{name}") if style != "plain" else (name, name)
    body = difflib.unified_diff(old, new, "/dev/null" if not old else source, target, n=context, lineterm="")
    head = [f"diff --git {source} {target}", "index 1234567..89abcde 100644"] if style == "git" else []
    return [*head, *body] if old != new else []


@pytest.mark.slow
@given(
    files=st.lists(st.tuples(names, lines, lines, st.sampled_from(["plain", "git", "prefixed"])), max_size=3),
    context=st.integers(0, 3),
)
@settings(max_examples=300, deadline=None)
def test_both_readers_find_the_same_in_a_diff_to_the_letter(
    files: list[tuple[str, list[str], list[str], str]], context: int
) -> None:
    patch = [line for name, old, new, style in files for line in _diff(name, old, new, style, context)]
    strict = read_strictly(patch)
    assert strict is not None
    assert strict == read_forgivingly(patch)


GOOD = ["--- a/A.md", "+++ b/A.md", "@@ -1,2 +1,2 @@", " a", "-b", "+c"]


def test_a_line_without_a_newline_is_known() -> None:
    sections = read_strictly([*GOOD, "\\ No newline at end of file"])
    assert sections is not None
    assert [line.ended for line in sections[0].hunks[0].lines] == [True, True, False]


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param([*GOOD, "+d"], id="a line beyond the counts"),
        pytest.param([*GOOD[:2], "@@ -1,3 +1,3 @@", *GOOD[3:]], id="counts too large"),
        pytest.param([*GOOD[:2], "@@", *GOOD[3:]], id="no counts"),
        pytest.param(GOOD[2:], id="no names"),
        pytest.param(["rename from A.md", *GOOD], id="a rename"),
        pytest.param(["old mode 100644", *GOOD], id="a mode"),
        pytest.param(["Here is the patch:", *GOOD], id="words"),
        pytest.param(["diff --git a/A.md b/A.md", "deleted file mode 100644", *GOOD], id="a deletion"),
        pytest.param(["*** Begin Patch", *GOOD], id="another form"),
    ],
)
def test_what_is_none_to_the_letter_is_left_to_the_forgiving_reader(patch: list[str]) -> None:
    assert read_strictly(patch) is None


def test_a_hunk_that_ends_a_file_twice_is_refused_by_both() -> None:
    patch = ["--- A.md", "+++ A.md", "@@ -1,2 +1,2 @@", "-a", "\\ No newline at end of file", " b", "+c"]
    for read in (read_strictly, read_forgivingly):
        with pytest.raises(InvalidParameters, match="only the last line"):
            read(patch)

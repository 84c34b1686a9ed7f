"""A diff to the letter: unidiff finds the same in it as our own reading, which forgives more."""

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unidiff.patch import PatchSet

from bridge.errors import InvalidParameters
from bridge.tools.core.patch_text import read_sections

lines = st.lists(st.sampled_from(["a", "b", "", "- x", "-- x", "++ y", "@@ z", "+1", " s", "\\ t"]), max_size=12)
names = st.sampled_from(["A.md", "sub/B c.md", "b/é.md"])


def _names(name: str, old: list[str], style: str) -> tuple[str, str]:
    """The names of a file in a diff, before and after."""
    source, target = (f"a/{name}", f"b/{name}") if style != "plain" else (name, name)
    return source if old else "/dev/null", target


def _diff(name: str, old: list[str], new: list[str], style: str, context: int) -> list[str]:
    """A diff as `diff -u` or git writes it."""
    body = difflib.unified_diff(old, new, *_names(name, old, style), n=context, lineterm="")
    head = [f"diff --git a/{name} b/{name}", "index 1234567..89abcde 100644"] if style == "git" else []
    return [*head, *body] if old != new else []


@pytest.mark.slow
@given(
    files=st.lists(st.tuples(names, lines, lines, st.sampled_from(["plain", "git", "prefixed"])), max_size=3),
    context=st.integers(0, 3),
)
@settings(max_examples=300, deadline=None)
def test_another_reader_finds_the_same_in_a_diff_to_the_letter(
    files: list[tuple[str, list[str], list[str], str]], context: int
) -> None:
    patch = [line for name, old, new, style in files for line in _diff(name, old, new, style, context)]
    sections = read_sections(patch)
    names = [_names(name, old, style) for name, old, new, style in files if old != new]
    assert [(section.source, section.target) for section in sections] == names
    assert [[[(line.sign, line.text) for line in hunk.lines] for hunk in section.hunks] for section in sections] == [
        [[(line.line_type, line.value.removesuffix("\n")) for line in hunk] for hunk in file]
        for file in PatchSet(line + "\n" for line in patch)
    ]


GOOD = ["--- a/A.md", "+++ b/A.md", "@@ -1,2 +1,2 @@", " a", "-b", "+c"]


def test_a_line_without_a_newline_is_known() -> None:
    (section,) = read_sections([*GOOD, "\\ No newline at end of file"])
    assert [line.ended for line in section.hunks[0].lines] == [True, True, False]


def test_a_hunk_that_ends_a_file_twice_is_refused() -> None:
    patch = ["--- A.md", "+++ A.md", "@@ -1,2 +1,2 @@", "-a", "\\ No newline at end of file", " b", "+c"]
    with pytest.raises(InvalidParameters, match="only the last line"):
        read_sections(patch)

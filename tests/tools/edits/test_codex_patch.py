"""What the hunks of `*** Begin Patch` make of a file, by the rules of the clients that write them."""

import pytest

from bridge.errors import Conflict, InvalidParameters
from bridge.tools.allow_edit import patched


@pytest.mark.parametrize(
    ("data", "patch", "after"),
    [
        ("a\nb\nc\n", "@@\n-b\n+B", "a\nB\nc\n"),
        ("a\nb\nc\n", "-b\n+B", "a\nB\nc\n"),
        ("a\nb\nc\n", "@@ a\n b\n-c\n+C", "a\nb\nC\n"),
        ("x\na\nx\nb\n", "@@ a\n-x\n+y", "x\na\ny\nb\n"),
        ("a\nb\na\nb\n", "@@\n-a\n+1\n@@\n-a\n+2", "1\nb\n2\nb\n"),
        ("a\nb\na\n", "@@\n-a\n+end\n*** End of File", "a\nb\nend\n"),
        ("a\n", "@@\n+b", "a\nb\n"),
        ("a\n\n", "@@\n+b", "a\nb\n"),
        ("a", "@@\n-a\n+b", "b\n"),
        ("a  \nb\n", "@@\n-a\n+A", "A\nb\n"),
        ("  a\nb\n", "@@\n-a\n+A", "A\nb\n"),
        ("a\r\nb\r\n", "@@\n-a\n+A", "A\nb\r\n"),
        ("a\nb\n", "@@\n-b\n+B\n ", "a\nB\n"),
        ("a\n\nb\n", "@@\n a\n\n-b\n+B", "a\n\nB\n"),
        ("a\nb\n", "\n@@\n-a\n+A\n", "A\nb\n"),
        ("a\nb\n", "@@\r\n-a\r\n+A\r\n", "A\nb\n"),
        ("", "@@\n+a", "a\n"),
        ("ä\n", "@@\n-ä\n+ö", "ö\n"),
    ],
)
def test_hunks_are_applied_one_after_the_other(data: str, patch: str, after: str) -> None:
    assert patched(data.encode(), patch, "Note.md").decode() == after


@pytest.mark.parametrize(
    ("data", "patch"),
    [
        ("a\nb\n", "@@\n-c\n+d"),
        ("a\nb\n", "@@ nowhere\n-a\n+b"),
        ("b\na\n", "@@ a\n-b\n+c"),
        ("a\nb\n", "@@\n-a\n+c\n*** End of File"),
        ("a\n", "@@\n-a\n-b\n+c"),
        ("\ufeffa\n", "@@\n-a\n+b"),
    ],
)
def test_a_hunk_that_does_not_fit_is_refused(data: str, patch: str) -> None:
    with pytest.raises(Conflict, match=r"does not fit 'Note\.md'"):
        patched(data.encode(), patch, "Note.md")


def test_a_line_of_no_hunk_is_refused() -> None:
    with pytest.raises(InvalidParameters, match="belongs to no hunk"):
        patched(b"a\n", "@@\n-a\n+b\n*** Something", "Note.md")


def test_a_patch_that_would_take_for_ever_is_refused() -> None:
    data = b"a\n" * 20_000
    patch = "@@\n" + "".join("-a\n" for _ in range(2_000)) + "-b\n+c"
    with pytest.raises(Conflict, match="too long"):
        patched(data, patch, "Note.md")

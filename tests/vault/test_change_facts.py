"""What a change does to links and properties is said in words."""

import sys
from types import FrameType
from typing import Any

import pytest

from bridge.vault.change_facts import MOST_FACTS, change_facts


@pytest.mark.parametrize(
    ("diff", "facts"),
    [
        (
            "@@ -4,1 +4,1 @@\n-See [[Old|the plan]].\n+See [[New|the plan]].\n",
            [("Link now points to ", "New", " instead of ", "Old")],
        ),
        ("@@ -4,1 +4,1 @@\n-[x](a.md)\n+[x](b.md)\n", [("Link now points to ", "b.md", " instead of ", "a.md")]),
        ("@@ -4,1 +4,1 @@\n-Text\n+Text [[A]]\n", [("New link to ", "A")]),
        ("@@ -4,1 +4,1 @@\n-Text [[A]] [[B]]\n+Text [[B]]\n", [("Link to ", "A", " removed")]),
        ("@@ -4,1 +4,1 @@\n-[[A]] text\n+text [[A]]\n", []),
        (
            "@@ -1,4 +1,4 @@\n ---\n-status: draft\n+status: done\n ---\n Text: no property\n",
            [("Property ", "status", " changed from ", "draft", " to ", "done")],
        ),
        ("@@ -3,3 +3,4 @@\n b: 1\n+due: 2026-01-01\n c: 2\n ---\n", [("Property ", "due", " set to ", "2026-01-01")]),
        ("@@ -1,3 +1,2 @@\n ---\n-a:\n ---\n", [("Property ", "a", " removed, it was ", "")]),
        ("@@ -8,1 +8,1 @@\n-Note: this\n+Note: that\n", []),
        ("@@ -8,3 +8,3 @@\n Text\n-a: 1\n+a: 2\n ---\n", []),
    ],
)
def test_links_and_properties_are_told_of(diff: str, facts: list[tuple[str, ...]]) -> None:
    assert list(change_facts(diff)[0]) == facts


def test_a_rewrite_is_left_to_the_diff() -> None:
    lines = "".join(f"+[[Note {number}]]\n" for number in range(MOST_FACTS + 1))
    assert change_facts(f"@@ -0,0 +1,{MOST_FACTS + 1} @@\n{lines}") == ((), 0)


@pytest.mark.parametrize(
    ("old", "new", "links"),
    [
        ("0 [[Old]]", "0 [[New]]", 1),
        ("[[A|a]] [[B|b]]", "[[C|a]] [[D|b]]", 2),
        ("[[A]] [[B]]", "[[C]] [[D]]", 2),
        ("[[A]] [[B]]", "[[C]]", 0),
        ("no link", "none", 0),
    ],
)
def test_links_that_lead_elsewhere_are_counted_where_each_is_known(old: str, new: str, links: int) -> None:
    assert change_facts(f"@@ -1,1 +1,1 @@\n-{old}\n+{new}\n")[1] == links


def test_lines_that_are_all_brackets_take_no_time() -> None:
    hostile = "[" * 39_000
    assert change_facts(f"@@ -1,1 +1,1 @@\n-{hostile}\n+{hostile}x\n") == ((), 0)


def steps(links: int) -> int:
    """Lines of the program that are run for a change of so many links, each to somewhere else."""
    before, after = ("".join(f"[[{side}{number}]]" for number in range(links)) for side in "ab")
    count = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    was = sys.gettrace()
    sys.settrace(trace)
    try:
        assert change_facts(f"@@ -1,1 +1,1 @@\n-{before}\n+{after}\n") == ((), 0)
    finally:
        sys.settrace(was)
    return count


def test_many_links_take_as_many_steps_and_not_their_square() -> None:
    assert steps(1200) < 3 * steps(600)

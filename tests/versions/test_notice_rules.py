"""When a person is told of what other programs do: each case is what was done, what was answered, and what is told."""

from typing import Any

import pytest

from bridge.versions.notices import QUIET_SECONDS, NoticeRules, Tally, lost_most_lines

THRESHOLD = 20
LONG = QUIET_SECONDS + 10


def did(number: int, ended: float, **counts: Any) -> Tally:
    """What an entry did by a time. It began with its number, in minutes."""
    return Tally(number, 60.0 * number, ended, **counts)


def emptied(*paths: str) -> dict[str, Any]:
    return {"changed": len(paths), "emptied": frozenset(paths)}


Step = tuple[float, list[Tally] | str, str | None]
"""A time, what there is then or what is answered, and what is told."""

CASES: dict[str, list[Step]] = {
    "few changes are nobody's business": [(100, [did(1, 90, changed=19)], None)],
    "many changes are told": [(100, [did(1, 90, changed=20)], "20 notes changed")],
    "changes, deletions and moves count together": [
        (100, [did(1, 90, changed=17, deleted=2, moved=1)], "17 notes changed, 2 deleted, 1 moved")
    ],
    "new files are not counted": [(100, [did(1, 90, made=500)], None)],
    "what are not all notes are files": [(100, [did(1, 90, deleted=500, notes=False)], "500 files deleted")],
    "thousands can be read": [(100, [did(1, 90, deleted=12500)], "12,500 notes deleted")],
    "one note that lost most of its lines is told": [
        (100, [did(1, 90, **emptied("Plan.md"))], "Plan.md lost most of its lines")
    ],
    "two are counted": [(100, [did(1, 90, **emptied("a.md", "b.md"))], "2 notes lost most of their lines")],
    "it is told beside other changes": [
        (100, [did(1, 90, changed=3, emptied=frozenset({"a.md"}))], "3 notes changed, a.md lost most of its lines")
    ],
    "what is still going on is waited for": [
        (100, [did(1, 99.9, deleted=500)], None),
        (101, [did(1, 100.9, moved=500)], None),
        (103, [did(1, 100.9, moved=500)], "500 notes moved"),
    ],
    "what never stops is counted all the same": [
        (100, [did(1, 100, deleted=50)], None),
        (103, [did(1, 103, deleted=80)], None),
        (106, [did(1, 106, deleted=90)], "90 notes deleted"),
        (107, [did(1, 107, deleted=95)], "90 notes deleted"),
        (111, [did(1, 111, deleted=99)], "99 notes deleted"),
    ],
    "one that is open counts on": [
        (100, [did(1, 90, changed=20)], "20 notes changed"),
        (110, [did(1, 108, changed=25)], "25 notes changed"),
        (120, [did(1, 108, changed=25)], "25 notes changed"),
    ],
    "it takes in another entry that does much, and leaves out one that does not": [
        (100, [did(1, 90, changed=20)], "20 notes changed"),
        (
            200,
            [did(3, 190, deleted=30), did(2, 150, changed=1), did(1, 90, changed=20)],
            "20 notes changed, 30 deleted",
        ),
    ],
    "one that is undone is told no more": [
        (100, [did(1, 90, changed=20)], "20 notes changed"),
        (110, [], None),
    ],
    "of two, the one that is undone is left out": [
        (100, [did(2, 95, deleted=20), did(1, 90, changed=20)], "20 notes changed, 20 deleted"),
        (110, [did(2, 95, deleted=20)], "20 notes deleted"),
    ],
    "what was answered is not told again": [
        (100, [did(1, 90, changed=20)], "20 notes changed"),
        (101, "fine", None),
        (102, [did(1, 90, changed=20)], None),
        (101 + LONG, [did(1, 90, changed=20)], None),
    ],
    "nothing is told in the ten minutes after an answer": [
        (100, [did(1, 90, changed=20)], "20 notes changed"),
        (101, "fine", None),
        (200, [did(2, 190, changed=500), did(1, 90, changed=20)], None),
        (300, [did(3, 290, **emptied("a.md")), did(1, 90, changed=20)], None),
    ],
    "and is not told afterwards": [
        (100, [did(1, 90, changed=20)], "20 notes changed"),
        (101, "fine", None),
        (200, [did(2, 190, changed=500), did(1, 90, changed=20)], None),
        (101 + LONG, [did(2, 190, changed=500), did(1, 90, changed=20)], None),
    ],
    "after them, something new is": [
        (100, [did(1, 90, changed=20)], "20 notes changed"),
        (101, "fine", None),
        (101 + LONG, [did(2, 100 + LONG - 5, changed=20)], "20 notes changed"),
    ],
    "after them, only what came then counts": [
        (100, [did(1, 90, changed=20)], "20 notes changed"),
        (101, "fine", None),
        (690, [did(1, 680, changed=100)], None),
        (720, [did(1, 715, changed=119)], None),
        (730, [did(1, 728, changed=120)], "20 notes changed"),
    ],
    "deletions are told in them too": [
        (100, [did(1, 90, changed=20)], "20 notes changed"),
        (101, "fine", None),
        (200, [did(2, 190, changed=30, deleted=19), did(1, 90, changed=20)], None),
        (210, [did(2, 205, changed=30, deleted=20), did(1, 90, changed=20)], "30 notes changed, 20 deleted"),
    ],
    "deletions that were answered do not count again": [
        (100, [did(1, 90, deleted=30)], "30 notes deleted"),
        (101, "fine", None),
        (110, [did(1, 105, deleted=49)], None),
        (120, [did(1, 115, deleted=50)], "20 notes deleted"),
    ],
    "each answer begins ten minutes anew": [
        (100, [did(1, 90, deleted=20)], "20 notes deleted"),
        (101, "fine", None),
        (400, [did(2, 390, deleted=20)], "20 notes deleted"),
        (401, "fine", None),
        (800, [did(3, 790, changed=500)], None),
    ],
    "an answer where nothing is told is none": [
        (100, "fine", None),
        (110, [did(1, 105, changed=20)], "20 notes changed"),
    ],
    "a clock that is set back holds nothing up": [
        (100, [did(1, 90, changed=20)], "20 notes changed"),
        (101, "fine", None),
        (50, [did(2, 5000, changed=20)], "20 notes changed"),
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_a_person_is_told(case: str) -> None:
    rules, told = NoticeRules(), False
    for at, what, expected in CASES[case]:
        if isinstance(what, str):
            if told:
                rules.answered(at)
            continue
        notice = rules.look(what, THRESHOLD, at)
        told = notice is not None
        assert (notice.message if notice else None) == expected, at


def test_nothing_is_told_where_the_person_wants_none() -> None:
    rules = NoticeRules()
    assert rules.look([did(1, 90, deleted=5000)], None, 100) is None
    assert rules.look([did(1, 90, deleted=5000)], 20, 101) is not None
    assert rules.look([did(1, 90, deleted=5000)], None, 102) is None


def test_it_must_be_looked_again_until_all_is_settled() -> None:
    rules = NoticeRules()
    rules.look([did(1, 100, changed=1)], THRESHOLD, 100)
    assert rules.waits
    rules.look([did(1, 100, changed=1)], THRESHOLD, 102)
    assert not rules.waits


TEN = b"".join(b"line %d\n" % number for number in range(10))


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (TEN, b"", True),
        (TEN, b"line 1\n", True),
        (TEN, b"line 1\nline 2\nline 3\nline 4\nline 5\n", False),
        (TEN, b"line 1\nline 2\nline 3\nline 4\n", True),
        (TEN, TEN + b"more\n", False),
        (TEN, TEN.replace(b"\n", b"\r\n"), False),
        (TEN, b"\t" + TEN.replace(b"\n", b"  \n\t"), False),
        (TEN, b"\n".join(sorted(TEN.splitlines(), reverse=True)), False),
        (TEN, b"quite another text\n" * 20, True),
        (b"one\n" * 9, b"", False),
        (b"one\n" * 10, b"one\n", True),
        (b"\n" * 50, b"", False),
        (b"", TEN, False),
        (b"\xff\xfe\n" * 10, b"\x00", True),
    ],
)
def test_a_note_has_lost_most_of_its_lines(before: bytes, after: bytes, *, lost: bool) -> None:
    assert lost_most_lines(before, after) is lost

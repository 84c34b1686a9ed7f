"""Obsidian's index beside ours: what differs is listed, and what only differs in time is kept apart."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.contract.session import MOST_DIFFERENCES, IndexComparison, ObsidianFacts
from bridge.index.comparison import compare, counts
from bridge.index.vault_index import VaultIndex
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot

NOTE = """---
tags: [first, Second]
up: "[[Ideas]]"
---
#body #body ![[Ideas]] [[ideas#Old Section|so]] [again](Ideas.md) [[#Here]]
[[Nowhere#there]] [[pa/th]] [[Nowhere]]
"""

Facts = Callable[..., ObsidianFacts]


@pytest.fixture
def index(vault: Path) -> Iterator[VaultIndex]:
    (vault / "Note.md").write_text(NOTE, encoding="utf-8")
    with VaultRoot(vault) as root:
        made = VaultIndex(VaultFiles(root), SystemClock())
        made.refresh()
        yield made
        made.close()


@pytest.fixture
def facts(vault: Path) -> Facts:
    """What Obsidian says of a note that is on disk; right for `Note.md` unless said otherwise."""

    def facts(path: str = "Note.md", **other: object) -> ObsidianFacts:
        state = (vault / path).stat()
        known: dict[str, object] = {
            "resolved": {"Ideas.md": 4, "Note.md": 1} if path == "Note.md" else {},
            "unresolved": {"Nowhere": 2, "pa/th": 1} if path == "Note.md" else {},
            "tags": ["#first", "#Second", "#body", "#body"] if path == "Note.md" else [],
            "mtime": round(state.st_mtime * 1000),
            "size": state.st_size,
        }
        return ObsidianFacts.model_validate(known | other)

    return facts


def in_short(found: IndexComparison) -> list[tuple[str, str, int, int]]:
    """The differences, in few words."""
    return [(one.kind, one.target, one.obsidian, one.bridge) for one in found.differences]


def test_links_embeds_and_links_in_properties_are_counted_together(index: VaultIndex) -> None:
    # Rules 44 and 57
    found = counts(index, "Note.md")
    assert found is not None
    assert found.resolved == {"Ideas.md": 4, "Note.md": 1}
    assert found.unresolved == {"Nowhere": 2, "pa/th": 1}
    assert tuple(found.tags) == ("#first", "#Second", "#body", "#body")
    assert counts(index, "Nothing.md") is None


def test_where_both_say_the_same_nothing_is_listed(index: VaultIndex, facts: Facts) -> None:
    found = compare(index, {path: facts(path) for path in ("Note.md", "Ideas.md", "Notes/Meeting.md")})
    assert (found.compared, found.links, found.tags) == (3, 8, 4)
    assert (found.differences, found.uncompared, found.more) == ((), (), 0)


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ({"resolved": {"Ideas.md": 4}}, ("link", "Note.md", 0, 1)),
        ({"resolved": {"Ideas.md": 5, "Note.md": 1}}, ("link", "Ideas.md", 5, 4)),
        ({"unresolved": {"Nowhere": 2, "pa": 1, "pa/th": 1}}, ("unresolved", "pa", 1, 0)),
        ({"tags": ["#first", "#Second", "#body"]}, ("tag", "#body", 1, 2)),
        ({"tags": ["#body", "#body", "#first", "#Second"]}, ("tag_order", "", 4, 4)),
    ],
)
def test_what_differs_is_listed_with_both_counts(
    index: VaultIndex, facts: Facts, other: dict[str, object], difference: tuple[str, str, int, int]
) -> None:
    found = compare(index, {"Note.md": facts(**other)})
    assert in_short(found) == [difference]
    assert found.differences[0].path == "Note.md"


def test_names_that_differ_in_unicode_form_only_are_the_same(index: VaultIndex, vault: Path, facts: Facts) -> None:
    (vault / "Note.md").write_text("[[Ubersicht\u0308]] #u\u0308ber", encoding="utf-8")
    found = compare(index, {"Note.md": facts(resolved={}, unresolved={"Ubersicht\u0308": 1}, tags=["#\u00fcber"])})
    assert found.differences == ()


def test_an_edit_that_the_index_has_not_seen_yet_is_taken_in_first(
    index: VaultIndex, vault: Path, facts: Facts
) -> None:
    (vault / "Note.md").write_text("[[Ideas]] and more", encoding="utf-8")
    found = compare(index, {"Note.md": facts(resolved={"Ideas.md": 1}, unresolved={}, tags=[])})
    assert (found.compared, found.differences, found.uncompared) == (1, (), ())


def test_what_is_not_the_same_version_is_no_difference(index: VaultIndex, vault: Path, facts: Facts) -> None:
    earlier = facts(resolved={})
    unread = facts("Ideas.md", tags=None)
    unsaved = facts("Notes/Meeting.md", resolved={"Ideas.md": 1})
    (vault / "Note.md").write_text("changed since", encoding="utf-8")
    index.refresh()
    files = {"Note.md": earlier, "Ideas.md": unread, "Notes/Meeting.md": unsaved}
    found = compare(index, files, unsaved={"Notes/Meeting.md"})
    assert (found.compared, found.differences) == (0, ())
    assert {one.path: one.reason for one in found.uncompared} == {
        "Note.md": "changed",
        "Ideas.md": "unread",
        "Notes/Meeting.md": "unsaved",
    }


@pytest.mark.parametrize(("mtime", "reason"), [(0.4, None), (-0.9, None), (3, "changed")])
def test_times_are_compared_as_exactly_as_obsidian_keeps_them(
    index: VaultIndex, vault: Path, facts: Facts, mtime: float, reason: str | None
) -> None:
    os.utime(vault / "Ideas.md", ns=(0, 1_700_000_000_500_000_000))
    found = compare(index, {"Ideas.md": facts("Ideas.md", mtime=1_700_000_000_500 + mtime)})
    assert [one.reason for one in found.uncompared] == ([reason] if reason else [])


def test_notes_that_only_one_of_the_two_knows_are_listed(index: VaultIndex) -> None:
    known = ["Note.md", "Ideas.md", "Notes/Meeting.md", "Gone.md"]
    found = compare(index, {}, known=known)
    assert [(one.path, one.obsidian, one.bridge) for one in found.differences] == [
        ("Gone.md", 1, 0),
        ("Notes/Windows.md", 0, 1),
    ]


def test_what_is_no_note_and_what_is_gone_is_passed_over(index: VaultIndex, facts: Facts) -> None:
    found = compare(index, {"Board.canvas": facts(), "Gone.md": facts(), "../Note.md": facts()})
    assert (found.compared, found.differences, found.uncompared) == (0, (), ())


def test_an_answer_has_an_end(index: VaultIndex, facts: Facts) -> None:
    many = {f"{number}.md": 1 for number in range(MOST_DIFFERENCES + 7)}
    found = compare(index, {"Note.md": facts(unresolved=many)})
    assert len(found.differences) == MOST_DIFFERENCES
    assert found.more == 9

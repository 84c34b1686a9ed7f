"""What clients were allowed to change themselves, compared with what was then done."""

import json
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bridge.contract.consent import Operation
from bridge.records.folder import UserFolder
from bridge.vault.plan import Change, ChangeKind, ChangePlan, content_hash
from bridge.versions.allowed_edits import FILE, MOST, AllowedEdits, Compared, comparison_words
from bridge.versions.states import Effect, Entry, Version

NOW = 1_000_000.0


@dataclass
class Stopped:
    """A clock that stands still."""

    at: float = NOW

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.at, UTC)

    def monotonic(self) -> float:
        return self.at


@dataclass
class Past:
    """The states that files had."""

    states: dict[str, list[Version]] = field(default_factory=dict)

    def versions(self, path: str) -> list[Version]:
        return self.states.get(path, [])


def digest(data: bytes) -> bytes:
    return bytes.fromhex(content_hash(data))


def writing(path: str, data: bytes) -> ChangePlan:
    change = Change(ChangeKind.MODIFY, path, before="0" * 64, after=content_hash(data))
    return ChangePlan(Operation.UPDATE, "", (change,), {content_hash(data): data})


def deleting(path: str) -> ChangePlan:
    return ChangePlan(Operation.DELETE, "", (Change(ChangeKind.DELETE, path, before="0" * 64),), {})


def entry(*effects: Effect, began: float = NOW + 1) -> Entry:
    return Entry(1, began, began, unattended=False, effects=effects)


@pytest.fixture
def edits(tmp_path: Path) -> AllowedEdits:
    return AllowedEdits(UserFolder(tmp_path / "state" / "vault" / "edits"), Stopped())


@pytest.mark.parametrize(
    ("written", "as_allowed"),
    [(b"a\nb\n", True), (b"a\r\nb\r\n", True), (b"a\nb", False), (b"", False)],
)
def test_only_line_endings_may_differ(edits: AllowedEdits, written: bytes, *, as_allowed: bool) -> None:
    edits.note(writing("A.md", b"a\nb\n"), "Ada")
    compared = edits.compare(entry(Effect("A.md", b"x", digest(written))), Past().versions)
    assert compared == (Compared(("Ada",), ("A.md",), ()) if as_allowed else Compared(("Ada",), (), ("A.md",)))


def test_a_deletion_that_was_allowed_is_one(edits: AllowedEdits) -> None:
    edits.note(deleting("A.md"), "Ada")
    assert edits.compare(entry(Effect("A.md", b"x", None)), Past().versions) == Compared(("Ada",), ("A.md",), ())
    assert edits.compare(entry(Effect("A.md", b"x", b"y")), Past().versions) == Compared(("Ada",), (), ("A.md",))


def test_a_move_that_was_allowed_is_one(edits: AllowedEdits) -> None:
    name = content_hash(b"a")
    move = Change(ChangeKind.MOVE, "A.md", "B.md", before=name, after=name)
    edits.note(ChangePlan(Operation.UPDATE, "", (move,), {}), "Ada")
    effect = Effect("A.md", digest(b"a"), digest(b"a"), new_path="B.md")
    assert edits.compare(entry(effect), Past().versions) == Compared(("Ada",), ("A.md", "B.md"), ())


def test_a_state_between_counts(edits: AllowedEdits) -> None:
    """The client wrote what was allowed, and the person typed on."""
    edits.note(writing("A.md", b"a\n"), "Ada")
    past = Past({"A.md": [Version(NOW + 9, None, digest(b"typed"), 5), Version(NOW + 1, NOW + 9, digest(b"a\n"), 2)]})
    compared = edits.compare(entry(Effect("A.md", b"x", digest(b"typed"))), past.versions)
    assert compared == Compared(("Ada",), ("A.md",), ())


def test_a_state_from_before_the_yes_does_not(edits: AllowedEdits) -> None:
    edits.note(writing("A.md", b"a\n"), "Ada")
    past = Past({"A.md": [Version(NOW - 100, NOW - 50, digest(b"a\n"), 2)]})
    assert edits.compare(entry(Effect("A.md", b"x", b"y")), past.versions) == Compared(("Ada",), (), ("A.md",))


@pytest.mark.parametrize("began", [NOW - 10, NOW + 3600])
def test_what_came_before_or_much_later_is_not_compared(edits: AllowedEdits, began: float) -> None:
    edits.note(writing("A.md", b"a"), "Ada")
    assert edits.compare(entry(Effect("A.md", b"x", b"y"), began=began), Past().versions) is None
    assert edits.compare(entry(Effect("B.md", b"x", b"y")), Past().versions) is None


def test_it_outlives_a_restart_and_stays_bounded(tmp_path: Path) -> None:
    folder = UserFolder(tmp_path / "state" / "vault" / "edits")
    plan = ChangePlan(
        Operation.UPDATE, "", tuple(Change(ChangeKind.MODIFY, f"{n}.md", after="0" * 64) for n in range(MOST + 5)), {}
    )
    AllowedEdits(folder, Stopped()).note(plan, "Ada")
    after = AllowedEdits(folder, Stopped())
    assert after.compare(entry(Effect("4.md", b"x", bytes(32))), Past().versions) is None
    assert after.compare(entry(Effect("5.md", b"x", bytes(32))), Past().versions) == Compared(("Ada",), ("5.md",), ())


@pytest.mark.parametrize(
    ("forgotten", "left"),
    [("A", ["AB.md"]), ("A/x.md", ["A/y.md", "AB.md"]), ("B", ["A/x.md", "A/y.md", "AB.md"]), (None, [])],
)
def test_what_is_forgotten_is_forgotten_here_too(tmp_path: Path, forgotten: str | None, left: list[str]) -> None:
    folder = UserFolder(tmp_path / "state" / "vault" / "edits")
    edits = AllowedEdits(folder, Stopped())
    for path in ("A/x.md", "A/y.md", "AB.md"):
        edits.note(writing(path, b"a"), "Ada")
    edits.forget(forgotten)
    assert [one["path"] for one in json.loads(folder.read(FILE) or b"")] == left
    assert [edit.path for edit in AllowedEdits(folder, Stopped())._edits] == left


def test_a_damaged_file_is_said_and_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = UserFolder(tmp_path / "state" / "vault" / "edits")
    folder.write(FILE, b"{")
    with caplog.at_level(logging.WARNING):
        edits = AllowedEdits(folder, Stopped())
    assert "is not known any more" in caplog.text
    edits.note(writing("A.md", b"a"), "Ada")


@pytest.mark.parametrize(
    ("compared", "sentence"),
    [
        (None, ""),
        (Compared(("Ada",), ("A.md", "B.md"), ()), ", as you allowed Ada"),
        (Compared(("Ada", "Bob"), ("A.md",), ()), ", A.md as you allowed Ada and Bob"),
        (Compared(("Ada",), ("A.md",), ("B.md",)), ", otherwise than you allowed Ada: B.md"),
    ],
)
def test_the_sentence_says_what_is_known(compared: Compared | None, sentence: str) -> None:
    assert comparison_words(compared, ("A.md", "B.md")) == sentence

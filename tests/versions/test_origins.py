"""Who changed a file without the bridge: what is typed in Obsidian is told apart by the bytes that were saved."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.contract.consent import Operation
from bridge.vault.paths import parse_path
from bridge.vault.plan import PlanBuilder
from bridge.versions.grouping import BELIEVED_SECONDS, ObsidianWrite
from bridge.versions.states import Origin
from tests.versions.recorded_vault import RecordedVault, all_bytes, digest

LATE = [False, True]
"""Whether Obsidian says what it wrote after that was seen, or before."""


class Obsidian:
    """Writes as Obsidian does, and says so, sooner or later than it is seen."""

    def __init__(self, vault: RecordedVault, *, late: bool) -> None:
        self.vault, self.late = vault, late

    def types(self, path: str, text: str) -> None:
        """An editor saves a note."""
        self._does(lambda: self.vault.write(path, text), ObsidianWrite(path, digest(text.encode()), typed=True))

    def writes(self, path: str, text: str) -> None:
        """A plugin writes, or Obsidian itself."""
        self._does(lambda: self.vault.write(path, text), ObsidianWrite(path, digest(text.encode())))

    def deletes(self, path: str) -> None:
        place = self.vault.folder / path

        def remove() -> None:
            if place.is_dir():
                for file in sorted(place.rglob("*"), reverse=True):
                    file.rmdir() if file.is_dir() else file.unlink()
                place.rmdir()
            else:
                place.unlink()

        self._does(remove, ObsidianWrite(path, None))

    def moves(self, path: str, to: str) -> None:
        self._does(
            lambda: (self.vault.folder / path).rename(self.vault.folder / to), ObsidianWrite(to, None, source=path)
        )

    def _does(self, act: Callable[[], object], write: ObsidianWrite) -> None:
        if not self.late:
            self.vault.recorder.hear([write])
        act()
        self.vault.look()
        if self.late:
            self.vault.recorder.hear([write])


@pytest.fixture(params=LATE, ids=["said before", "said afterwards"])
def obsidian(recorded: RecordedVault, request: pytest.FixtureRequest) -> Obsidian:
    return Obsidian(recorded, late=request.param)


def history(recorded: RecordedVault) -> list[tuple[str, dict[str, str]]]:
    """Who did what, oldest first."""
    origins = [entry.origin.value for entry in reversed(recorded.entries)]
    return list(zip(origins, recorded.done(), strict=True))


@pytest.mark.slow
def test_an_hour_of_typing_is_one_entry_a_note_and_hour(recorded: RecordedVault, obsidian: Obsidian) -> None:
    for number in range(240):
        obsidian.types("a.md", f"{'word ' * number}\n")
        obsidian.types("b.md" if number % 3 else "Folder/c.md", f"{'other ' * number}\n")
        recorded.clock.move(20)
    done = history(recorded)
    assert {origin for origin, _ in done} == {"typed"}
    assert len(done) == 6, "three notes, and each goes on into a second hour"
    assert all(len(what) == 1 for _, what in done)


def test_undo_of_typing_goes_back_to_what_was_there_before(recorded: RecordedVault, obsidian: Obsidian) -> None:
    before = all_bytes(recorded.folder)
    for number in range(30):
        obsidian.types("a.md", f"{number}\n")
        recorded.clock.move(60)
    (entry,) = recorded.entries
    recorded.undo(entry)
    assert all_bytes(recorded.folder) == before


def test_another_programs_change_ends_the_fold_and_each_is_taken_back_by_itself(
    recorded: RecordedVault, obsidian: Obsidian
) -> None:
    obsidian.types("a.md", "typed\n")
    recorded.clock.move(20)
    recorded.write("a.md", "from elsewhere\n")
    recorded.look()
    recorded.clock.move(20)
    obsidian.types("a.md", "typed again\n")
    assert history(recorded) == [(who, {"a.md": "changed"}) for who in ("typed", "program", "typed")]
    for text in ("from elsewhere\n", "typed\n", "one\n"):
        recorded.undo(recorded.entries[2 - ["from elsewhere\n", "typed\n", "one\n"].index(text) - 2])
        assert (recorded.folder / "a.md").read_text() == text
        break
    recorded.undo(recorded.entries[1])
    assert (recorded.folder / "a.md").read_text() == "typed\n"


def test_typing_in_one_note_goes_on_while_programs_change_others(recorded: RecordedVault, obsidian: Obsidian) -> None:
    for number in range(10):
        obsidian.types("a.md", f"{number}\n")
        recorded.write("b.md", f"{number}\n")
        recorded.look()
        recorded.clock.move(2)
    assert sorted(history(recorded)) == [("program", {"b.md": "changed"}), ("typed", {"a.md": "changed"})]


def test_a_fast_program_between_two_saves_keeps_its_own_bytes(recorded: RecordedVault, obsidian: Obsidian) -> None:
    """Nothing lies between them but milliseconds, so all are of one burst; each entry still has its bytes."""
    recorded.recorder.hear([ObsidianWrite("nothing.md", digest(b""))])
    for text, who in (("1\n", "program"), ("2\n", "typed"), ("3\n", "program"), ("4\n", "typed"), ("5\n", "typed")):
        if who == "typed":
            obsidian.types("a.md", text)
        else:
            recorded.write("a.md", text)
            recorded.look()
    assert [who for who, _ in history(recorded)] == ["program", "typed", "program", "typed"]
    for expected in ("3\n", "2\n", "1\n", "one\n"):
        newest = recorded.entries[["3\n", "2\n", "1\n", "one\n"].index(expected)]
        recorded.undo(newest)
        assert (recorded.folder / "a.md").read_text() == expected


def test_what_plugins_write_is_obsidians_and_never_folded_into_typing(
    recorded: RecordedVault, obsidian: Obsidian
) -> None:
    obsidian.types("a.md", "typed\n")
    obsidian.writes("a.md", "typed\nby a plugin\n")
    obsidian.writes("new.md", "by a plugin\n")
    obsidian.types("a.md", "typed\nby a plugin\nmore\n")
    assert history(recorded) == [
        ("typed", {"a.md": "changed"}),
        ("obsidian", {"a.md": "changed", "new.md": "made"}),
        ("typed", {"a.md": "changed"}),
    ]


MOVES: dict[str, tuple[Callable[[Obsidian], None], dict[str, str]]] = {
    "deletes a note": (lambda obsidian: obsidian.deletes("a.md"), {"a.md": "gone"}),
    "deletes a folder": (lambda obsidian: obsidian.deletes("Folder"), {"Folder/c.md": "gone"}),
    "moves a note": (lambda obsidian: obsidian.moves("a.md", "Folder/z.md"), {"a.md": "Folder/z.md"}),
    "moves a folder": (lambda obsidian: obsidian.moves("Folder", "Other"), {"Folder/c.md": "Other/c.md"}),
    "makes a note": (lambda obsidian: obsidian.writes("new.md", "new\n"), {"new.md": "made"}),
}


@pytest.mark.parametrize("what", MOVES)
def test_what_obsidian_does_to_files_is_obsidians(recorded: RecordedVault, obsidian: Obsidian, what: str) -> None:
    before = all_bytes(recorded.folder)
    act, expected = MOVES[what]
    act(obsidian)
    assert history(recorded) == [("obsidian", expected)]
    recorded.undo(recorded.entries[0])
    assert all_bytes(recorded.folder) == before


LIES: dict[str, ObsidianWrite] = {
    "of other bytes": ObsidianWrite("a.md", digest(b"typed\n"), typed=True),
    "of another note": ObsidianWrite("b.md", digest(b"from elsewhere\n"), typed=True),
    "of the folder above": ObsidianWrite("", digest(b"from elsewhere\n"), typed=True),
    "that it is gone": ObsidianWrite("a.md", None, typed=True),
    "that it was moved here": ObsidianWrite("a.md", None, source="b.md", typed=True),
    "of a place outside": ObsidianWrite("../a.md", digest(b"from elsewhere\n"), typed=True),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_is_said_is_believed_only_of_the_bytes_on_the_disk(
    recorded: RecordedVault, obsidian: Obsidian, lie: str
) -> None:
    def say() -> None:
        recorded.recorder.hear([LIES[lie]])

    obsidian._does(lambda: recorded.write("a.md", "from elsewhere\n"), LIES[lie])
    say()
    assert history(recorded) == [("program", {"a.md": "changed"})]


def test_bytes_that_were_typed_once_are_anothers_the_second_time(recorded: RecordedVault, obsidian: Obsidian) -> None:
    obsidian.types("a.md", "typed\n")
    recorded.write("a.md", "elsewhere\n")
    recorded.look()
    recorded.write("a.md", "typed\n")
    recorded.look()
    assert [who for who, _ in history(recorded)] in (["typed", "program"], ["typed"])
    assert Origin.TYPED not in {entry.origin for entry in recorded.entries[:-1]}


@pytest.mark.parametrize("late", LATE)
def test_what_is_said_long_before_or_after_is_not_believed(recorded: RecordedVault, *, late: bool) -> None:
    write = ObsidianWrite("a.md", digest(b"typed\n"), typed=True)
    if not late:
        recorded.recorder.hear([write])
        recorded.clock.move(BELIEVED_SECONDS + 1)
    recorded.write("a.md", "typed\n")
    recorded.look()
    if late:
        recorded.clock.move(BELIEVED_SECONDS + 1)
        recorded.recorder.maintain()
        recorded.recorder.hear([write])
    assert [who for who, _ in history(recorded)] == ["program"]


def test_several_saves_that_are_seen_before_anything_is_said_of_them_are_all_typing(
    recorded: RecordedVault,
) -> None:
    texts = [f"{number}\n" for number in range(5)]
    for text in texts:
        recorded.write("a.md", text)
        recorded.look()
    recorded.recorder.hear(ObsidianWrite("a.md", digest(text.encode()), typed=True) for text in texts)
    assert history(recorded) == [("typed", {"a.md": "changed"})]
    recorded.undo(recorded.entries[0])
    assert (recorded.folder / "a.md").read_text() == "one\n"


def test_a_note_that_is_seen_while_it_is_being_saved_is_typed_all_the_same(
    recorded: RecordedVault, obsidian: Obsidian
) -> None:
    """Obsidian writes in place: first the note is empty, and then it may be there in part."""
    obsidian.types("a.md", "typed\n")
    for number in range(10):
        for part in ("", "typed", "typed\n"):
            recorded.write("a.md", part)
            recorded.look()
            recorded.clock.move(0.01)
        obsidian.types("a.md", f"typed\nand {number}\n")
        recorded.clock.move(30)
    assert history(recorded) == [("typed", {"a.md": "changed"})]
    recorded.undo(recorded.entries[0])
    assert (recorded.folder / "a.md").read_text() == "one\n"


def test_a_program_that_empties_a_note_is_none_that_saves_it(recorded: RecordedVault, obsidian: Obsidian) -> None:
    obsidian.types("a.md", "typed\n")
    recorded.write("a.md", "")
    recorded.look()
    recorded.clock.move(10)
    obsidian.types("a.md", "typed anew\n")
    assert [who for who, _ in history(recorded)] == ["typed", "program", "typed"]


def test_the_bridges_own_write_ends_the_fold_of_its_note_alone(recorded: RecordedVault, obsidian: Obsidian) -> None:
    obsidian.types("a.md", "typed\n")
    obsidian.types("b.md", "typed\n")
    builder = PlanBuilder(recorded.root)
    builder.modify(parse_path("a.md"), b"typed\n", b"typed\nby an agent\n")
    recorded.apply(builder.build(Operation.UPDATE, "Edit"), "edit-1")
    obsidian.types("a.md", "typed\nby an agent\nand on\n")
    obsidian.types("b.md", "typed on\n")
    assert history(recorded) == [
        ("typed", {"a.md": "changed"}),
        ("typed", {"b.md": "changed"}),
        ("typed", {"a.md": "changed"}),
    ]
    recorded.undo(recorded.entries[0])
    assert (recorded.folder / "a.md").read_text() == "typed\nby an agent\n"


def test_what_was_held_back_until_it_was_clear_is_let_go(recorded: RecordedVault) -> None:
    recorded.recorder.hear([ObsidianWrite("nothing.md", digest(b""))])
    for number in range(20):
        recorded.write("a.md", f"{number} of a burst\n")
        recorded.look()
    held = [number for number in range(20) if recorded.recorder.is_held(digest(f"{number} of a burst\n".encode()))]
    assert held == list(range(20))
    recorded.clock.move(BELIEVED_SECONDS + 1)
    recorded.recorder.maintain()
    held = [number for number in range(20) if recorded.recorder.is_held(digest(f"{number} of a burst\n".encode()))]
    assert held == [19]


def test_typing_is_left_out_where_the_vault_goes_back_to_a_time(recorded: RecordedVault, obsidian: Obsidian) -> None:
    then = recorded.clock.now().timestamp()
    recorded.clock.move(60)
    obsidian.types("a.md", "typed\n")
    recorded.write("b.md", "from elsewhere\n")
    recorded.look()
    found = recorded.restoring.earlier_plan(then)
    recorded.apply(found.build("then"), "restore-1")
    assert (recorded.folder / "a.md").read_text() == "typed\n"
    assert (recorded.folder / "b.md").read_text() == "two\n"


def test_typing_is_taken_back_too_where_the_person_says_so(recorded: RecordedVault, obsidian: Obsidian) -> None:
    before = (recorded.folder / "a.md").read_bytes()
    then = recorded.clock.now().timestamp()
    recorded.clock.move(60)
    recorded.write("a.md", "from elsewhere\n")
    recorded.look()
    recorded.clock.move(60)
    obsidian.types("a.md", "typed\n")
    (left,) = recorded.restoring.earlier_plan(then).left
    assert (left.path, (recorded.folder / "a.md").read_text()) == ("a.md", "typed\n")
    recorded.apply(recorded.restoring.earlier_plan(then, typed=True).build("then"), "restore-1")
    assert (recorded.folder / "a.md").read_bytes() == before


def test_a_full_disk_while_it_becomes_clear_changes_nothing(
    recorded: RecordedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded.write("a.md", "typed\n")
    recorded.look()
    failing = itertools.chain([OSError(28, "No space left on device")], itertools.repeat(None))

    def fail(*_arguments: object) -> None:
        if (error := next(failing)) is not None:
            raise error

    monkeypatch.setattr(recorded.recorder._db, "set_origin", fail)
    recorded.recorder.hear([ObsidianWrite("a.md", digest(b"typed\n"), typed=True)])
    assert history(recorded) == [("program", {"a.md": "changed"})]
    recorded.write("a.md", "typed on\n")
    recorded.look()
    assert Path(recorded.folder / "a.md").read_text() == "typed on\n"
    assert recorded.recorder.fault is None

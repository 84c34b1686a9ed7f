"""What other programs did is recorded, with the bytes from before, and what the bridge itself did is not."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.versions.database import NAME, Database
from bridge.versions.states import KeepRules, Unknown
from tests.versions.recorded_vault import RecordedVault, all_bytes, digest, overwriting


def append(file: Path) -> None:
    with file.open("ab") as opened:
        opened.write(b"more")


def test_the_first_look_is_a_beginning_and_no_change(recorded: RecordedVault) -> None:
    assert recorded.entries == []
    kept = recorded.recorder.kept()
    assert (kept.files, kept.whole, kept.fault) == (3, 3, None)
    assert kept.since is not None


WAYS: dict[str, tuple[Callable[[Path], object], dict[str, str]]] = {
    "written in place": (lambda vault: (vault / "a.md").write_text("1\n"), {"a.md": "changed"}),
    "truncated": (lambda vault: os.truncate(vault / "a.md", 0), {"a.md": "changed"}),
    "appended to": (lambda vault: append(vault / "a.md"), {"a.md": "changed"}),
    "replaced by another file": (
        lambda vault: ((vault / ".tmp").write_text("1\n"), (vault / ".tmp").replace(vault / "a.md")),
        {"a.md": "changed"},
    ),
    "made": (lambda vault: (vault / "new.md").write_text("new\n"), {"new.md": "made"}),
    "copied": (lambda vault: shutil.copy(vault / "a.md", vault / "copy.md"), {"copy.md": "made"}),
    "deleted": (lambda vault: (vault / "a.md").unlink(), {"a.md": "gone"}),
    "moved": (lambda vault: (vault / "a.md").rename(vault / "Folder" / "z.md"), {"a.md": "Folder/z.md"}),
    "deleted with its folder": (lambda vault: shutil.rmtree(vault / "Folder"), {"Folder/c.md": "gone"}),
    "moved with its folder": (
        lambda vault: (vault / "Folder").rename(vault / "Other"),
        {"Folder/c.md": "Other/c.md"},
    ),
    "touched": (lambda vault: os.utime(vault / "a.md", (1, 1)), {}),
}


@pytest.mark.parametrize("down", [False, True], ids=["while it runs", "while it is down"])
@pytest.mark.parametrize("lost", [False, True], ids=["with its index", "with another index"])
@pytest.mark.parametrize("way", WAYS)
def test_whatever_was_done_is_an_entry_and_is_taken_back_byte_for_byte(
    recorded: RecordedVault, way: str, *, down: bool, lost: bool
) -> None:
    before = all_bytes(recorded.folder)
    act, expected = WAYS[way]
    if down:
        recorded.stop()
    act(recorded.folder)
    if down:
        if lost:
            shutil.rmtree(recorded.cache or "")
        recorded.start()
    recorded.look()
    assert recorded.done() == ([expected] if expected else [])
    for entry in recorded.entries:
        assert entry.unattended is down
        recorded.undo(entry)
    assert all_bytes(recorded.folder) == before
    recorded.look()
    assert recorded.done() == ([expected] if expected else [])


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfwith a mark\n",
        b"lines\r\nof Windows\r\n",
        b"no line break",
        b"",
        b"\xff\xfe not UTF-8 \x00",
        b"x" * 9_000_000,
    ],
    ids=["byte order mark", "CRLF", "no last line break", "empty", "no text", "nine megabytes"],
)
def test_exactly_the_bytes_come_back(recorded: RecordedVault, data: bytes) -> None:
    recorded.write("exact.md", data)
    recorded.look()
    recorded.clock.move(3600)
    recorded.write("exact.md", b"another program was here\n")
    recorded.look()
    recorded.undo(recorded.entries[0])
    assert (recorded.folder / "exact.md").read_bytes() == data


def test_changes_close_together_are_one_entry_and_later_ones_another(recorded: RecordedVault) -> None:
    recorded.write("a.md", "1\n")
    recorded.look()
    (recorded.folder / "b.md").unlink()
    recorded.look()
    recorded.clock.move(60)
    recorded.write("Folder/c.md", "3\n")
    recorded.look()
    assert recorded.done() == [{"a.md": "changed", "b.md": "gone"}, {"Folder/c.md": "changed"}]


def test_an_hour_of_saves_of_one_note_is_a_handful_of_entries(recorded: RecordedVault) -> None:
    for number in range(300):
        recorded.write("a.md", f"{'word ' * number}\n")
        recorded.look()
        recorded.clock.move(12)
    assert len(recorded.entries) <= 3
    assert recorded.recorder.bytes_of(digest(b"one\n")) == b"one\n"


def test_what_comes_back_to_what_it_was_is_no_change(recorded: RecordedVault) -> None:
    recorded.write("a.md", "1\n")
    recorded.look()
    recorded.write("a.md", "one\n")
    recorded.look()
    assert recorded.entries == []


def test_what_the_bridge_writes_is_known_and_what_came_shortly_before_is_not_lost(recorded: RecordedVault) -> None:
    recorded.apply(overwriting(recorded, "a.md", "ours\n"), "ours-1")
    recorded.look()
    assert recorded.entries == []
    recorded.write("a.md", "theirs\n")
    recorded.apply(overwriting(recorded, "a.md", "ours again\n"), "ours-2")
    recorded.look()
    assert recorded.done() == [{"a.md": "changed"}]
    effect = recorded.entries[0].effects[0]
    assert (effect.before, effect.after) == (digest(b"ours\n"), digest(b"theirs\n"))


def test_a_change_of_the_bridges_own_ends_the_entry_that_others_are_added_to(recorded: RecordedVault) -> None:
    recorded.write("a.md", "theirs\n")
    recorded.look()
    recorded.apply(overwriting(recorded, "a.md", "ours\n"), "ours-1")
    recorded.write("a.md", "theirs again\n")
    recorded.look()
    first, second = reversed(recorded.entries)
    assert (first.effects[0].after, second.effects[0].before) == (digest(b"theirs\n"), digest(b"ours\n"))


def test_a_change_of_the_bridges_own_that_nobody_heard_of_is_none_of_others(recorded: RecordedVault) -> None:
    recorded.hears = False
    recorded.apply(overwriting(recorded, "a.md", "ours\n"), "ours-1")
    recorded.restart()
    recorded.look()
    assert recorded.entries == []
    recorded.write("a.md", "theirs\n")
    recorded.look()
    assert recorded.entries[0].effects[0].before == digest(b"ours\n")


def test_an_attachment_is_kept_and_comes_back(recorded: RecordedVault) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + os.urandom(200_000)
    recorded.write("picture.png", picture)
    recorded.look()
    assert recorded.recorder.bytes_of(digest(picture)) == picture
    recorded.clock.move(3600)
    recorded.write("picture.png", picture[:100_000] + b"!" + picture[100_001:])
    recorded.look()
    recorded.undo(recorded.entries[0])
    assert (recorded.folder / "picture.png").read_bytes() == picture


def test_an_attachment_whose_bytes_were_not_known_is_listed_and_refused(recorded: RecordedVault) -> None:
    recorded.rules = KeepRules(megabytes=50)
    recorded.recorder.maintain()
    picture = b"\x89PNG\r\n\x1a\n" + os.urandom(20_000_000)
    recorded.write("large.png", picture)
    recorded.look()
    recorded.clock.move(60)
    (recorded.folder / "large.png").unlink()
    recorded.look()
    entry = recorded.entries[0]
    assert entry.effects[0].before is Unknown.BYTES
    assert not recorded.restoring.can_undo(entry)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="nothing is closed to this user")
def test_a_folder_that_cannot_be_read_is_not_deleted(recorded: RecordedVault) -> None:
    (recorded.folder / "Folder").chmod(0)
    recorded.look()
    (recorded.folder / "Folder").chmod(0o700)
    assert recorded.entries == []


def test_a_file_that_a_cloud_moved_out_is_not_deleted(recorded: RecordedVault) -> None:
    (recorded.folder / "a.md").rename(recorded.folder / ".a.md.icloud")
    recorded.look()
    assert recorded.entries == []
    (recorded.folder / ".a.md.icloud").rename(recorded.folder / "a.md")
    recorded.look()
    assert recorded.entries == []


def test_a_vault_that_is_gone_is_not_deleted(recorded: RecordedVault) -> None:
    recorded.folder.rename(recorded.folder.with_name("Elsewhere"))
    recorded.folder.mkdir()
    recorded.recorder.record_gone(["a.md", "b.md"])
    assert recorded.entries == []
    recorded.folder.rmdir()
    recorded.folder.with_name("Elsewhere").rename(recorded.folder)
    recorded.look()
    assert recorded.entries == []


def test_another_vault_in_the_same_place_is_not_recorded_until_the_person_says_so(recorded: RecordedVault) -> None:
    recorded.stop()
    mine = recorded.folder.with_name("Mine")
    recorded.folder.rename(mine)
    recorded.write("other.md", "another vault\n")
    recorded.start()
    recorded.look()
    assert recorded.entries == []
    assert "another vault" in (recorded.recorder.kept().fault or "")
    assert recorded.recorder.bytes_of(digest(b"one\n")) == b"one\n"
    recorded.stop()
    shutil.rmtree(recorded.folder)
    mine.rename(recorded.folder)
    recorded.start()
    recorded.look()
    assert (recorded.entries, recorded.recorder.kept().fault) == ([], None)


def test_all_notes_that_were_deleted_while_it_was_down_are_deletions(recorded: RecordedVault) -> None:
    recorded.stop()
    for path in all_bytes(recorded.folder):
        (recorded.folder / path).unlink()
    recorded.start()
    recorded.look()
    assert recorded.done() == [{"a.md": "gone", "b.md": "gone", "Folder/c.md": "gone"}]
    recorded.undo(recorded.entries[0])
    assert len(all_bytes(recorded.folder)) == 3


def test_folders_that_are_left_out_are_not_recorded(recorded: RecordedVault) -> None:
    recorded.rules = KeepRules(megabytes=50, left_out=("Folder",))
    recorded.write("Folder/c.md", "3\n")
    recorded.look()
    recorded.clock.move(7200)
    recorded.recorder.maintain()
    recorded.write("Folder/d.md", "4\n")
    recorded.look()
    assert recorded.entries == []
    assert recorded.recorder.bytes_of(digest(b"three\n")) is None


def test_what_happens_while_recording_is_off_is_nobodys_entry(recorded: RecordedVault) -> None:
    recorded.rules = KeepRules(megabytes=50, on=False)
    recorded.recorder.maintain()
    recorded.write("a.md", "1\n")
    recorded.look()
    recorded.rules = KeepRules(megabytes=50)
    recorded.recorder.maintain()
    recorded.look()
    assert recorded.entries == []
    recorded.write("a.md", "2\n")
    recorded.look()
    assert recorded.entries[0].effects[0].before == digest(b"1\n")


def test_what_is_too_old_goes(recorded: RecordedVault) -> None:
    recorded.write("a.md", "1\n")
    recorded.look()
    recorded.clock.move(15 * 86400)
    recorded.recorder.maintain()
    assert recorded.entries == []
    assert recorded.recorder.bytes_of(digest(b"one\n")) is None
    assert recorded.recorder.bytes_of(digest(b"1\n")) == b"1\n"


def test_one_note_is_forgotten_and_everything_is(recorded: RecordedVault) -> None:
    for path in ("a.md", "b.md"):
        recorded.write(path, "secret no more\n")
    recorded.look()
    assert recorded.recorder.forget("a.md")
    assert not recorded.recorder.forget("a.md")
    assert recorded.done() == [{"b.md": "changed"}]
    assert recorded.recorder.bytes_of(digest(b"one\n")) is None
    recorded.recorder.forget_everything()
    assert recorded.entries == []
    recorded.look()
    assert recorded.entries == []
    assert recorded.recorder.kept().whole == 3


def test_forgotten_bytes_are_not_left_on_the_disk(recorded: RecordedVault) -> None:
    secret = os.urandom(3000)
    recorded.write("secret.md", secret)
    recorded.look()
    recorded.clock.move(60)
    recorded.write("secret.md", "gone\n")
    recorded.look()
    recorded.recorder.maintain()
    assert any(secret[:500] in file.read_bytes() for file in recorded.store.iterdir())
    recorded.recorder.forget("secret.md")
    assert not any(secret[:500] in file.read_bytes() for file in recorded.store.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="Windows has no modes")
def test_nobody_else_can_read_what_is_kept(recorded: RecordedVault) -> None:
    assert {file.stat().st_mode & 0o777 for file in recorded.store.iterdir()} == {0o600}
    assert NAME in {file.name for file in recorded.store.iterdir()}


def test_a_disk_that_fails_stops_the_recording_with_a_word_and_nothing_else(
    recorded: RecordedVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Database, "put_file", full)
        recorded.write("a.md", "1\n")
        recorded.look()
        assert recorded.index.file("a.md") is not None
        assert recorded.index.texts.entry("a.md") is not None
        recorded.apply(overwriting(recorded, "b.md", "ours\n"), "ours-1")
        assert "full" in (recorded.recorder.kept().fault or "")
    recorded.look()
    assert recorded.recorder.kept().fault is None
    assert recorded.done() == [{"a.md": "changed"}]
    recorded.undo(recorded.entries[0])
    assert (recorded.folder / "a.md").read_bytes() == b"one\n"


def test_a_file_that_cannot_be_used_is_said_and_begun_anew_when_the_person_says_so(recorded: RecordedVault) -> None:
    recorded.stop()
    (recorded.store / NAME).write_bytes(b"no database" * 1000)
    recorded.start()
    recorded.look()
    assert "--forget-everything" in (recorded.recorder.kept().fault or "")
    recorded.recorder.forget_everything()
    recorded.look()
    assert recorded.recorder.kept().fault is None
    recorded.write("a.md", "1\n")
    recorded.look()
    assert recorded.done() == [{"a.md": "changed"}]


HOSTILE = [
    "it's.md",
    'quo"te.md',
    "drop;table.md",
    "ﬁ.md",
    "e\u0301.md",
    "100%_.md",
    "[[x]].md",
    "?*.md",
    "a\u202eb.md",
]


@pytest.mark.skipif(os.name != "posix", reason="Windows has fewer names")
@pytest.mark.parametrize("name", HOSTILE)
def test_files_with_hostile_names_come_back_too(recorded: RecordedVault, name: str) -> None:
    recorded.write(name, "what it was\n")
    recorded.look()
    if recorded.index.file(name) is None:
        pytest.skip("the index does not know such names")
    recorded.clock.move(3600)
    (recorded.folder / name).unlink()
    recorded.look()
    assert recorded.done()[-1] == {name: "gone"}
    recorded.undo(recorded.entries[0])
    assert (recorded.folder / name).read_bytes() == b"what it was\n"

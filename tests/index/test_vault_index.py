"""The index answers as the disk is: after a build, after changes of any kind, and after a restart."""

import contextlib
import errno
import itertools
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.consent import Operation
from bridge.index.indexer import Batch, Indexer
from bridge.index.knowledge import NoteResolver
from bridge.index.tree import FileReading, NotAFile
from bridge.index.vault_index import VaultIndex
from bridge.journal.journal import Cause
from bridge.journal.ledger import Ledger
from bridge.vault.folder import Folder
from bridge.vault.paths import parse_path
from bridge.vault.plan import PlanBuilder, content_hash
from tests.index.index_world import World

SHARED_MEMORY = Path("/dev", "shm")
Change = Callable[[Callable[[PlanBuilder], object]], None]

NOTE = """---
aliases: [The Hub, Höhle]
tags: [work, Area/Deep]
up: "[[Other]]"
count: 123456789012345678901234567890
ratio: .nan
---
# Hub of *things*

A [[other|word]] and ![[Pictures/fox.png]], a [page](Sub/Deep%20note.md#Part), #work #area/deep #Lone. ^block-1
"""

FILES: dict[str, str | bytes] = {
    "Hub.md": NOTE,
    "Other.md": "Back to [[hub]] and [[Nowhere]]. #WORK\n",
    "Sub/Deep note.md": b"\xef\xbb\xbf# Deep\r\n\r\n[[Hub#Hub of things]] #area\r\n",
    "Sub/Broken.md": "---\n<%* nothing %>: [\n---\n[[Other]]\n",
    "Sub/Not text.md": b"# \xff\xfe broken \xc3\n\n[[Oth\xffer]] #t\xffag\n",
    "Sub/Upper.MD": "#lone [[Sub/deep NOTE]]",
    "Board.canvas": '{"nodes":[{"id":"1","type":"file","file":"Hub.md"},{"id":"2","type":"text","text":"[[Other]]"}]}',
    "Pictures/fox.png": b"\x89PNG\r\n\x1a\n\0\0",
    "plain.txt": "just text\n",
    ".hidden.md": "[[Hub]]",
    ".obsidian/app.json": "{}",
    ".trash/Old.md": "[[Hub]]",
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    folder, cache = tmp_path / "Vault", tmp_path / "cache"
    folder.mkdir()
    cache.mkdir(mode=0o700)
    world = World(folder, cache)
    for path, content in FILES.items():
        world.write(path, content)
    (folder / "Empty" / "Inner").mkdir(parents=True)
    world.index.refresh()
    yield world
    world.close()


def test_a_first_build_knows_what_a_full_reading_knows(world: World) -> None:
    assert world.wrong == []
    assert [file.path for file in world.index.files()][:3] == ["Board.canvas", "Hub.md", "Other.md"]
    assert "Empty/Inner" in world.index.folders()
    assert {link.source for link in world.index.backlinks("Other.md")} == {"Hub.md", "Sub/Broken.md", "Board.canvas"}


def test_nothing_hidden_is_known(world: World) -> None:
    assert not [file.path for file in world.index.files() if "/." in f"/{file.path}"]
    assert world.index.file(".hidden.md") is None
    assert world.index.note(".trash/Old.md") is None


def test_tags_are_counted_in_the_casing_of_the_first_note(world: World) -> None:
    assert [tuple(tag) for tag in world.index.tags()][:2] == [("#work", 3, 2), ("#Area/Deep", 2, 1)]
    assert world.index.tagged("AREA") == ["Hub.md", "Sub/Deep note.md"]
    assert world.index.tagged("#area/deep") == ["Hub.md"]
    assert world.index.tagged("are") == []


def test_aliases_mind_neither_case_nor_unicode_form(world: World) -> None:
    assert world.index.with_alias("the hub") == ["Hub.md"]
    assert world.index.with_alias("HO\N{COMBINING DIAERESIS}HLE") == ["Hub.md"]
    assert world.index.with_alias("Hub") == []


@pytest.mark.parametrize("name", ["no such", "a\0b", "\udcff", "", "/", "Sub"])
def test_what_is_not_there_is_not_known(world: World, name: str) -> None:
    assert world.index.file(name) is None
    assert world.index.note(name) is None
    assert world.index.links_from(name) == []
    assert world.index.with_alias(name) == []
    assert world.index.tagged(name) == []


def test_a_restart_reads_nothing_anew_and_answers_the_same(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    age(world.folder)
    world.index.refresh()
    world.reopen()
    monkeypatch.setattr("bridge.index.indexer.read", None)
    assert world.index.status().indexed == 6
    assert world.index.status().indexing
    world.index.refresh()
    assert world.wrong == []


def test_changes_while_it_was_stopped_are_found(world: World) -> None:
    world.index.close()
    world.write("Hub.md", "# New hub\n[[Sub/New]]")
    world.write("Sub/New.md", "#fresh")
    (world.folder / "Other.md").unlink()
    (world.folder / "Sub" / "Broken.md").rename(world.folder / "Empty" / "Mended.md")
    world.open()
    world.index.refresh()
    assert world.wrong == []
    assert world.reported == []


def test_other_programs_changes_are_taken_in_when_reported(world: World) -> None:
    world.write("Hub.md", "changed [[Other]]")
    world.write("New folder/A.md", "#a")
    world.write("New folder/Deeper/B.md", "#b")
    (world.folder / "Other.md").unlink()
    world.report("Hub.md", "New folder", "Other.md", ".obsidian/app.json", "no such")
    assert world.wrong == []
    assert sorted(world.reported) == [
        ("Hub.md", "modified"),
        ("New folder/A.md", "created"),
        ("New folder/Deeper/B.md", "created"),
        ("Other.md", "deleted"),
    ]


def test_a_folder_that_is_moved_takes_its_files_along(world: World) -> None:
    (world.folder / "Sub").rename(world.folder / "Elsewhere")
    world.report("Sub", "Elsewhere")
    assert world.wrong == []
    assert ("Sub/Deep note.md", "deleted") in world.reported
    assert ("Elsewhere/Deep note.md", "created") in world.reported


def test_a_file_in_the_place_of_a_folder_and_the_other_way_round(world: World) -> None:
    (world.folder / "plain.txt").unlink()
    world.write("plain.txt/inner.md", "x")
    (world.folder / "Empty" / "Inner").rmdir()
    (world.folder / "Empty").rmdir()
    world.write("Empty", "now a file")
    world.report("plain.txt", "Empty")
    assert world.wrong == []
    (world.folder / "Empty").unlink()
    world.write("Empty/again.md", "x")
    world.index.refresh()
    assert world.wrong == []


def test_lost_reports_are_made_up_for_by_a_sweep(world: World) -> None:
    world.write("Sub/Quiet.md", "[[Hub]]")
    (world.folder / "Pictures" / "fox.png").unlink()
    (world.folder / "Pictures").rmdir()
    world.index.refresh()
    assert world.wrong == []
    assert sorted(world.reported) == [("Pictures/fox.png", "deleted"), ("Sub/Quiet.md", "created")]


def test_a_change_in_the_same_instant_with_the_same_size_is_found(world: World) -> None:
    place = world.write("Hub.md", "aaaa [[Other]]")
    world.index.refresh()
    state = place.stat()
    place.write_text("bbbb [[Hubbb]]", encoding="utf-8")
    os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))
    world.index.refresh()
    assert world.wrong == []


def test_a_touched_file_is_as_it_was(world: World) -> None:
    os.utime(world.folder / "Hub.md")
    world.index.refresh()
    assert world.wrong == []


def test_files_swapped_for_each_other_are_found(world: World) -> None:
    first, second = world.write("one.md", "#first"), world.write("two.md", "#other")
    for place in (first, second):
        os.utime(place, ns=(10**18, 10**18))
    world.index.refresh()
    first.rename(world.folder / "three.md")
    second.rename(first)
    (world.folder / "three.md").rename(second)
    world.index.refresh()
    assert world.wrong == []


# -- our own writes -------------------------------------------------------------------------------------------------


@pytest.fixture
def change(world: World) -> Iterator[Change]:
    """Makes a change as tools make it: by the ledger, which informs the index before it returns."""
    ledger = Ledger(world.root, clock=world.clock, keep_backups=lambda: True, on_applied=world.index.applied)
    numbers = itertools.count()

    def change(make: Callable[[PlanBuilder], object]) -> None:
        builder = PlanBuilder(world.root)
        make(builder)
        plan = builder.build(Operation.UPDATE, "A change")
        ledger.apply(plan, Cause(f"test-{next(numbers)}", "test", "Ada", "session"))

    yield change
    ledger.close()


def test_our_own_writes_are_known_before_the_call_returns(world: World, change: Change) -> None:
    old = (world.folder / "Hub.md").read_bytes()
    change(lambda plan: plan.modify(parse_path("Hub.md"), old, b"mine [[Other]] #mine"))
    assert world.wrong == []
    change(lambda plan: plan.create(parse_path("New/Deep/Note.md"), b"[[Hub]]"))
    assert world.wrong == []
    other = (world.folder / "Other.md").read_bytes()
    change(lambda plan: plan.delete(parse_path("Other.md"), other))
    assert world.wrong == []
    assert world.reported == []


def test_what_is_reported_while_we_write_waits_until_all_is_written(
    world: World, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings: list[str] = []

    def reading(ingest: Indexer, folder: Folder, path: str, births: Mapping[str, int]) -> FileReading | NotAFile:
        readings.append(path)
        return read(ingest, folder, path, births)

    read = Indexer._read_file
    monkeypatch.setattr(Indexer, "_read_file", reading)

    def make(plan: PlanBuilder) -> None:
        for name, data in old.items():
            plan.modify(parse_path(name), data, b"mine [[Hub]]")

    old = {name: (world.folder / name).read_bytes() for name in ("Hub.md", "Other.md")}
    builder = PlanBuilder(world.root)
    make(builder)
    with world.index.writing(builder.build(Operation.UPDATE, "A change")):
        world.report("Hub.md", "Other.md")
        assert readings == []
        change(make)
    world.report()
    assert sorted(readings) == ["Hub.md", "Other.md"], "each is read once"
    assert world.wrong == []


def test_what_was_reported_during_a_write_that_failed_is_looked_at_afterwards(world: World) -> None:
    builder = PlanBuilder(world.root)
    builder.modify(parse_path("Hub.md"), (world.folder / "Hub.md").read_bytes(), b"mine")
    with contextlib.suppress(OSError), world.index.writing(builder.build(Operation.UPDATE, "A change")):
        (world.folder / "Hub.md").write_bytes(b"somebody else's [[Other]]")
        world.report("Hub.md")
        assert world.reported == []
        raise OSError(errno.ENOSPC, "full")
    world.report()
    assert world.wrong == []
    assert world.reported == [("Hub.md", "modified")]


def test_our_own_writes_are_not_taken_in_again_when_the_system_reports_them(
    world: World, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(lambda plan: plan.create(parse_path("Deep/New.md"), b"new"))
    monkeypatch.setattr("bridge.index.tree.parse_file", None)
    monkeypatch.setattr("bridge.index.index_state.IndexState.commit", None)
    world.report("Deep", "Deep/New.md")
    assert world.wrong == []
    assert world.reported == []


def test_our_own_moves_keep_when_a_file_was_made(world: World, change: Change) -> None:
    made = world.index.file("Hub.md")
    old = (world.folder / "Hub.md").read_bytes()
    change(lambda plan: plan.modify(parse_path("Hub.md"), old, b"mine"))
    change(lambda plan: plan.move(parse_path("Hub.md"), parse_path("Sub/Moved.md"), content_hash(b"mine")))
    moved = world.index.file("Sub/Moved.md")
    assert made is not None
    assert moved is not None
    assert moved.created_ns == made.created_ns
    assert moved.mtime_ns > made.mtime_ns
    assert world.wrong == []


def test_a_large_note_that_we_write_is_read_after_the_call(
    world: World, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.index.indexer.LARGE", 1000)
    change(lambda plan: plan.create(parse_path("Large.md"), b"[[Hub]] " * 500))
    assert world.index.names.resolve("large", "Hub.md") == "Large.md"
    assert world.index.status().indexing
    assert world.index.links_from("Large.md") == []
    world.index._indexer.take_noted()
    assert world.wrong == []


def test_what_was_read_just_before_we_wrote_it_is_not_taken_in(
    world: World, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sweep has read the old text, and comes to take it in after our write."""
    old = world.write("Hub.md", "theirs").read_bytes()
    wrote: list[str] = []
    batches = Indexer._batches

    def interrupted(ingest: Indexer, *arguments: Any) -> Iterator[Batch]:
        for batch in batches(ingest, *arguments):
            if not wrote and "Hub.md" in batch:
                wrote.append("Hub.md")
                change(lambda plan: plan.modify(parse_path("Hub.md"), old, b"ours [[Other]]"))
            yield batch

    monkeypatch.setattr(Indexer, "_batches", interrupted)
    world.index.refresh()
    assert wrote
    assert world.wrong == []


def test_a_file_keeps_when_it_was_made_over_changes_and_restarts(world: World) -> None:
    made = {file.path: file.created_ns for file in world.index.files()}
    for path in ("Hub.md", "Other.md"):
        (world.folder / path).unlink()
        os.utime(world.write(path, "made anew"), ns=(2**62, 2**62))
    world.report("Hub.md")
    world.index.refresh()
    world.reopen()
    world.index.refresh()
    assert {file.path: file.created_ns for file in world.index.files()} == made


@pytest.mark.skipif(not os.access(SHARED_MEMORY, os.W_OK), reason="other disks know no such times")
@pytest.mark.parametrize("seconds", [1 << 40, -(1 << 40)])
def test_a_file_with_a_time_beyond_all_calendars_is_known_like_any_other(tmp_path: Path, seconds: int) -> None:
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY) as place:
        world = World(Path(place).resolve(), tmp_path)
        os.utime(world.write("Odd.md", "An odd [[Tea]] #odd"), (seconds, seconds))
        world.write("Tea.md", "Hot")
        world.index.refresh()
        world.reopen()
        assert world.index.tagged("odd") == ["Odd.md"]
        world.reported.clear()
        world.index.refresh()
        assert world.reported == []
        assert [link.source for link in world.index.backlinks("Tea.md")] == ["Odd.md"]
        assert NoteResolver(world.index).resolve("Odd").modified.year in {1677, 2262}
        world.close()


# -- a file that fails ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("garbage", [b"", b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_made_anew(world: World, garbage: bytes) -> None:
    world.index.close()
    assert world.cache is not None
    for name in ("index.sqlite-wal", "index.sqlite-shm"):
        (world.cache / name).unlink(missing_ok=True)
    (world.cache / "index.sqlite").write_bytes(garbage)
    world.open()
    world.index.refresh()
    assert world.wrong == []


def test_a_file_damaged_in_its_middle_is_made_anew_while_it_is_asked(world: World) -> None:
    for number in range(300):
        world.write(f"Many/Note {number}.md", f"[[Hub]] #tag{number}")
    world.index.refresh()
    world.index.close()
    assert world.cache is not None
    file = world.cache / "index.sqlite"
    data = bytearray(file.read_bytes())
    for page in range(4096 * 3, len(data), 4096):
        data[page : page + 2000] = b"\x5a" * 2000
    file.write_bytes(data)
    world.open()
    assert world.index.links_named(["hub"]) is not None
    world.index.refresh()
    assert world.wrong == []
    world.reopen()
    world.index.refresh()
    assert world.wrong == []


@pytest.mark.parametrize("statement", ["UPDATE meta SET value = '0' WHERE name = 'version'", "DROP TABLE links"])
def test_another_form_of_the_file_is_made_anew(world: World, statement: str) -> None:
    world.index.close()
    assert world.cache is not None
    with sqlite3.connect(world.cache / "index.sqlite") as connection:
        connection.execute(statement)
    connection.close()
    world.open()
    world.index.refresh()
    assert world.wrong == []


def test_another_vaults_index_is_not_taken(world: World, tmp_path: Path) -> None:
    other = tmp_path / "Other vault"
    other.mkdir()
    second = World(other, world.cache)
    second.write("Only.md", "x")
    second.index.refresh()
    assert second.wrong == []
    second.close()


@pytest.mark.skipif(os.name == "nt", reason="open files cannot be removed there")
def test_the_cache_may_go_while_it_is_used_and_between_starts(world: World) -> None:
    assert world.cache is not None
    for place in sorted(world.cache.rglob("*"), reverse=True):
        if place.is_dir():
            place.rmdir()
        else:
            place.unlink()
    world.write("New.md", "#after")
    world.index.refresh()
    assert world.wrong == []
    world.cache.rmdir()
    world.reopen()
    world.index.refresh()
    assert world.wrong == []


def test_a_place_that_is_no_folder_is_done_without(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    other = World(world.folder, tmp_path / "file")
    other.index.refresh()
    assert other.wrong == []
    other.close()
    assert "made anew at every start" in caplog.text


@pytest.mark.skipif(os.name == "nt", reason="permissions are POSIX")
def test_only_the_user_can_read_the_file(world: World) -> None:
    assert world.cache is not None
    modes = {place.stat().st_mode & 0o777 for place in world.cache.glob("index.sqlite*")}
    assert modes == {0o600}


# -- hard files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "\N{FOX FACE} fox.md",
        "a#b^c|d[e]f.md",
        "\u05e9\u05dc\u05d5\u05dd \u202e.md",
        "Cafe\N{COMBINING ACUTE ACCENT}.md",
        "%20 & 'quotes' \".md",
        "x" * 200 + ".md",
        "_.md",
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="other names are allowed there")
def test_names_of_any_kind(world: World, name: str) -> None:
    world.write(f"Odd/{name}", "[[Hub]] #odd")
    world.report(f"Odd/{name}")
    world.write("Odd/other.md", "x")
    world.index.refresh()
    assert world.wrong == []
    world.reopen()
    world.index.refresh()
    assert world.wrong == []


@pytest.mark.skipif(os.name == "nt", reason="one file there")
def test_twins_in_case_and_unicode_form_are_two_files(world: World) -> None:
    world.write("Twin.md", "#one")
    world.write("twin.md", "#two")
    world.write("Caf\N{LATIN SMALL LETTER E WITH ACUTE}.md", "#three")
    world.write("Cafe\N{COMBINING ACUTE ACCENT}.md", "#four")
    if len(list(world.folder.glob("[Tt]win.md"))) < 2:
        pytest.skip("this disk takes them for one")
    world.report("Twin.md", "twin.md")
    world.index.refresh()
    assert world.wrong == []


@pytest.mark.skipif(os.name == "nt", reason="names there are Unicode")
def test_names_that_are_no_unicode_are_passed_over(world: World) -> None:
    place = os.fsencode(world.folder) + b"/bad\xff.md"
    try:
        with open(place, "wb") as file:  # noqa: PTH123 - a path of bytes
            file.write(b"[[Hub]]")
    except OSError:
        pytest.skip("this disk refuses such names")
    world.index.refresh()
    world.report("bad\udcff.md")
    assert not [file for file in world.index.files() if "bad" in file.path]
    Path(os.fsdecode(place)).unlink()
    assert world.wrong == []


def test_a_file_that_cannot_be_read_is_known_by_its_name(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Folder.read_with_state

    def refusing(folder: Folder, name: str, *, limit: int | None = None) -> tuple[bytes, os.stat_result]:
        if name == "Closed.md":
            raise PermissionError(errno.EACCES, "Permission denied", name)
        return read(folder, name, limit=limit)

    world.write("Closed.md", "[[Hub]]")
    with monkeypatch.context() as closed:
        closed.setattr(Folder, "read_with_state", refusing)
        world.index.refresh()
        assert world.index.file("Closed.md") is not None
        assert world.index.links_from("Closed.md") == []
        assert not world.index.status().indexing
    world.index.refresh()
    assert world.wrong == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
def test_links_and_pipes_are_no_files(world: World) -> None:
    os.mkfifo(world.folder / "pipe.md")
    (world.folder / "link.md").symlink_to("Hub.md")
    (world.folder / "loop").symlink_to(".", target_is_directory=True)
    world.report("pipe.md", "link.md", "loop")
    world.index.refresh()
    assert {"pipe.md", "link.md"}.isdisjoint(file.path for file in world.index.files())
    assert "loop" not in world.index.folders()


@pytest.mark.slow
def test_a_large_note_is_read_whole(world: World) -> None:
    world.write("Large.md", "word [[Hub]] #tag\n" * 60_000)
    world.report("Large.md")
    assert len(world.index.links_from("Large.md")) == 60_000
    assert len(world.index.backlinks("Hub.md")) > 60_000
    assert next(iter(world.index.tags())).uses >= 60_000


def test_a_note_beyond_all_measure_is_known_by_its_name(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.index.tree.LARGEST_NOTE", 1000)
    monkeypatch.setattr("bridge.index.tree.LARGEST_NOTE", 1000)
    world.write("Huge.md", "[[Hub]]\n" * 1000)
    world.report("Huge.md")
    assert world.index.file("Huge.md") is not None
    assert world.index.links_from("Huge.md") == []
    assert not world.index.status().indexing


def test_many_files_in_one_folder(world: World) -> None:
    for number in range(1500):
        world.write(f"Flat/{number}.md", f"[[{number + 1}]]")
    world.index.refresh()
    assert len(world.index.files()) == 1500 + 9
    assert [link.source for link in world.index.backlinks("Flat/700.md")] == ["Flat/699.md"]
    assert world.progress[0][0] == 0
    assert world.progress[-1][0] == world.progress[-1][1] >= 1500


def test_a_file_that_grows_while_it_is_read_is_read_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Folder.read_with_state
    grown: list[str] = []

    def growing(folder: Folder, name: str, *, limit: int | None = None) -> tuple[bytes, os.stat_result]:
        if name == "Grows.md" and not grown:
            grown.append(name)
            data, state = original(folder, name, limit=limit)
            world.write("Grows.md", "short, and then longer [[Hub]]")
            return data, state
        return original(folder, name, limit=limit)

    world.write("Grows.md", "short")
    monkeypatch.setattr(Folder, "read_with_state", growing)
    world.report("Grows.md")
    world.index.refresh()
    assert grown
    assert world.wrong == []


def age(folder: Path) -> None:
    """Let all files be as old as files mostly are."""
    for place in folder.rglob("*"):
        if place.is_file():
            os.utime(place, ns=(10**18, 10**18))


def test_an_index_in_memory_answers_the_same(world: World, indexed: Callable[[Path], VaultIndex]) -> None:
    index = indexed(world.folder)
    assert [file.path for file in index.files()] == [file.path for file in world.index.files()]
    world.write("Later.md", "[[Hub]] #later")
    assert index.tagged("later") == ["Later.md"]

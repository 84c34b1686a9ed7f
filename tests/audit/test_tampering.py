"""Whoever edits the log in the vault is found out; what the bridge does itself is not taken for that."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from bridge.audit.files import GENERATIONS, pack
from bridge.audit.verify import HEAD_FILE, KEY_FILE
from bridge.records.folder import MemoryFolder
from tests.audit.audit_world import FaultyDisk, World, open_world

pytestmark = pytest.mark.slow

Lines = list[bytes]
COUNT = 12


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_world(tmp_path) as world:
        for number in range(COUNT):
            world.add(tool=("grep", "read")[number % 2], parameters={"number": number})
        yield world


def tamper(world: World, change: Callable[[Lines], Lines]) -> None:
    """Change the lines of the live file as an editor would."""
    lines = world.file.read_bytes().split(b"\n")[:-1]
    world.file.write_bytes(b"".join(line + b"\n" for line in change(lines)))


def without(at: int) -> Callable[[Lines], Lines]:
    return lambda lines: lines[:at] + lines[at + 1 :]


def test_a_log_that_nobody_touched_is_whole(world: World) -> None:
    found = world.service.verify()
    assert found["whole"]
    assert (found["records"], found["faults"], found["lost"], found["unverified"]) == (COUNT, [], 0, 0)
    assert found["head"]["seq"] == COUNT


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: [lines[0].replace(b"grep", b"read"), *lines[1:]], [("altered", 1)]),
        (
            lambda lines: [*lines[:4], lines[4].replace(b'"duration":12.5', b'"duration":2.5'), *lines[5:]],
            [("altered", 5)],
        ),
        (without(0), [("missing", 1)]),
        (without(6), [("missing", 7)]),
        (lambda lines: lines[:3] + lines[9:], [("missing", 4)]),
        (lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]], [("missing", 4)]),
        (lambda lines: [*lines[:3], lines[2], *lines[3:]], [("out_of_order", 3)]),
        (
            lambda lines: [*lines[:3], b'{"seq":4,"timestamp":"2026-01-31T10:30:00.000Z"}', *lines[3:]],
            [("foreign", None)],
        ),
        (lambda lines: [*lines[:3], b"", *lines[3:]], [("foreign", None)]),
        (lambda lines: lines[:-1], [("missing", COUNT)]),
        (lambda lines: lines[:-5], [("missing", COUNT - 4)]),
        (lambda _lines: [], [("missing", 1)]),
        (lambda lines: [*lines[:-1], lines[-1].replace(b"read", b"grep")], [("altered", COUNT)]),
    ],
)
def test_a_change_is_found_and_its_place_is_reported(
    world: World, change: Callable[[Lines], Lines], told: list[tuple[str, int | None]]
) -> None:
    tamper(world, change)
    assert world.broken() == told
    assert not world.service.verify()["whole"]


def test_a_log_that_was_taken_away_is_missing(world: World) -> None:
    world.file.unlink()
    assert world.broken() == [("missing", 1)]
    assert "records 1 to 12 are missing at the end" in world.service.verify()["faults"][0]["message"]


def test_what_was_cut_off_while_the_bridge_was_stopped_is_missing_for_ever(world: World) -> None:
    world.log.seal()
    tamper(world, lambda lines: lines[:-2])
    world.restart()
    assert world.broken() == [("missing", COUNT - 1)]
    world.add(3)
    world.restart()
    assert world.broken() == [("missing", COUNT - 1)]
    assert world.found(limit=3) == [COUNT + 3, COUNT + 2, COUNT + 1]


def test_lines_behind_the_kept_head_count_when_they_fit(world: World) -> None:
    world.log.seal()
    world.add(3)
    world.log = world.reopened()
    assert world.service.verify()["whole"]
    world.add()
    assert world.found(limit=1) == [COUNT + 4]
    with world.file.open("ab") as file:
        file.write(b'{"seq":17,"timestamp":"2026-01-31T10:30:00.000Z","chain":"' + b"0" * 32 + b'"}\n')
    world.log = world.reopened()
    assert world.broken() == [("altered", 17)]
    world.add()
    assert world.broken() == [("altered", 17)]


def test_without_the_key_nobody_can_make_a_line_that_fits(world: World, tmp_path: Path) -> None:
    """The same records, written by a bridge with another key."""
    with open_world(tmp_path / "other") as other:
        for number in range(COUNT):
            other.add(tool=("grep", "read")[number % 2], parameters={"number": number})
        world.file.write_bytes(other.file.read_bytes())
    assert len(world.broken()) == COUNT


def test_a_record_cannot_bring_a_number_or_a_code_of_its_own(world: World) -> None:
    world.log.append({"seq": 99, "chain": "0" * 32, "kind": "execution"})
    assert world.found(limit=1) == [COUNT + 1]
    assert world.service.verify()["whole"]


def test_records_that_a_full_disk_lost_are_reported_and_are_no_tampering(world: World) -> None:
    disk = world.disk
    assert isinstance(disk, FaultyDisk)
    disk.full = True
    world.add(2)
    disk.full, disk.breaks_off = False, True
    world.add()
    disk.breaks_off = False
    world.add()
    found = world.service.verify()
    assert (found["whole"], found["lost"], found["records"]) == (True, 3, COUNT + 1)
    assert world.service.stats()["lost"] == 3
    assert world.service.stats()["records"] == COUNT + 1


@pytest.mark.slow
def test_a_torn_end_is_cut_off_and_a_whole_line_without_its_break_is_kept(world: World) -> None:
    world.log.seal()
    whole = world.file.read_bytes()
    world.add()
    longer = world.file.read_bytes()
    for size in range(len(whole) + 1, len(longer)):
        world.file.write_bytes(longer[:size])
        world.log = world.reopened()
        assert world.service.verify()["whole"]
        kept = size == len(longer) - 1
        world.add()
        assert world.found(limit=1) == [COUNT + 1 + kept]
        assert world.service.verify()["whole"]


def test_a_log_from_before_there_was_a_key_is_not_vouched_for_and_not_accused(world: World) -> None:
    world.key_store = MemoryFolder()
    world.log = world.reopened()
    found = world.service.verify()
    assert (found["whole"], found["unverified"], found["records"]) == (True, COUNT, 0)
    world.add(2)
    world.restart()
    world.add()
    found = world.service.verify()
    assert (found["whole"], found["unverified"], found["records"], found["lost"]) == (True, COUNT, 3, 0)
    assert world.found(limit=2) == [COUNT + 3, COUNT + 2]
    tamper(world, without(COUNT))
    assert world.broken() == [("missing", 1)]
    tamper(world, lambda lines: [b"{}", b"{}", *lines])
    assert len(world.broken()) == 3


def test_without_the_kept_head_the_log_goes_on_where_it_ends(world: World) -> None:
    world.log.seal()
    key_store = MemoryFolder()
    key_store.write(KEY_FILE, world.key_store.read(KEY_FILE) or b"")
    key_store.write(HEAD_FILE, b"")
    world.key_store = key_store
    world.log = world.reopened()
    world.add()
    assert world.found(limit=1) == [COUNT + 1]
    assert world.service.verify()["whole"]


def test_a_generation_that_was_changed_or_taken_away_is_found(tmp_path: Path) -> None:
    with open_world(tmp_path, max_size=4_000) as world:
        world.fill(3)
        assert world.service.verify()["whole"]
        middle = world.logs / GENERATIONS[1]
        kept = middle.read_bytes()
        middle.unlink()
        assert [kind for kind, _ in world.broken()] == ["missing"]
        middle.write_bytes(kept[:-1])
        assert [kind for kind, _ in world.broken()] == ["unreadable", "missing"]
        middle.write_bytes(bytes([*kept[:60], kept[60] ^ 1, *kept[61:]]))
        assert [kind for kind, _ in world.broken()] == ["unreadable", "missing"]
        middle.write_bytes(pack(b"{}\n") + kept)
        assert world.broken() == [("foreign", None)]
        middle.write_bytes(kept)
        assert world.service.verify()["whole"]


@st.composite
def tamperings(draw: st.DrawFn) -> Callable[[Lines], Lines]:
    """One edit, removal, insertion, exchange or cut."""
    at = draw(st.integers(0, COUNT - 1))
    other = draw(st.integers(0, COUNT - 1))
    junk = draw(st.binary(max_size=40).filter(lambda data: b"\n" not in data))

    def edit(lines: Lines) -> Lines:
        place = draw(st.integers(0, len(lines[at]) - 1))
        end = draw(st.integers(place, min(place + 5, len(lines[at]))))
        return [*lines[:at], lines[at][:place] + junk + lines[at][end:], *lines[at + 1 :]]

    def exchange(lines: Lines) -> Lines:
        moved = list(lines)
        moved[at], moved[other] = moved[other], moved[at]
        return moved

    ways: dict[str, Callable[[Lines], Lines]] = {
        "edit": edit,
        "remove": lambda lines: lines[: min(at, other)] + lines[max(at, other) + 1 :],
        "insert": lambda lines: [*lines[:at], junk, *lines[at:]],
        "repeat": lambda lines: [*lines[:at], lines[other], *lines[at:]],
        "exchange": exchange,
        "cut": lambda lines: lines[:at],
    }
    return ways[draw(st.sampled_from(sorted(ways)))]


@pytest.fixture(scope="module", params=["fresh", "cleared", "shortened"])
def sealed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A log of twelve lines; its first may be a sign-off."""
    with open_world(tmp_path_factory.mktemp("log")) as world:
        if request.param == "fresh":
            world.add(COUNT)
        elif request.param == "cleared":
            world.add(3)
            world.log.clear("Ada")
            world.add(COUNT - 1)
        else:
            world.add(3, timestamp="2025-01-01T00:00:00.000Z")
            world.add(COUNT - 1)
            world.log.retain()
        assert len(world.lines()) == COUNT
        world.log.seal()
        yield world


@examples(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(change=tamperings(), stopped=st.booleans())
def test_any_single_change_is_found(sealed: World, change: Any, stopped: bool) -> None:
    before = sealed.file.read_bytes()
    log = sealed.log
    assert sealed.service.verify()["whole"]
    try:
        tamper(sealed, change)
        assume(sealed.file.read_bytes() != before)
        if stopped:
            sealed.log = sealed.reopened()
        assert not sealed.service.verify()["whole"]
    finally:
        sealed.log = log
        sealed.file.write_bytes(before)

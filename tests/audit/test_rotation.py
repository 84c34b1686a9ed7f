"""The log as it grows and grows old: rotated, packed, shortened, cleared. It verifies all the time."""

import errno
import gzip
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bridge.audit.files import GENERATIONS, KEPT, NAME, ROTATED, pack_pieces
from bridge.audit.rotation import TEMPORARY
from tests.audit.audit_world import PATCH, FaultyDisk, World, open_world
from tests.patience import PATIENCE

SIZE = 4_000
"""Bytes of a file, about seven records."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_world(tmp_path, max_size=SIZE) as world:
        yield world


def whole(world: World) -> bool:
    found = world.service.verify()
    assert not found["faults"]
    assert found["records"] == world.service.stats()["records"]
    return bool(found["whole"])


def seqs(world: World) -> list[int]:
    return [record["seq"] for record in world.log.query(limit=10_000)]


def test_a_full_file_is_rotated_and_packed_so_that_any_tool_reads_it(world: World) -> None:
    world.fill(2)
    assert world.names() == [GENERATIONS[1], GENERATIONS[0], NAME]
    last = seqs(world)[0]
    assert seqs(world) == list(range(last, 0, -1))
    text = b"".join(gzip.decompress((world.logs / name).read_bytes()) for name in world.names()[:-1])
    assert text.count(b"\n") + len(world.lines()) == last
    assert all(len(gzip.decompress((world.logs / name).read_bytes())) <= SIZE for name in world.names()[:-1])
    assert whole(world)


NOTHING = {"files": [], "tool": "find", "success": False, "result": {"error": "no"}}
"""Of a call that changed nothing."""


def add_reads(world: World, count: int) -> None:
    read = {name: value for name, value in (PATCH | NOTHING).items() if name != "files"}
    for _ in range(count):
        world.log.append(read)
        if (world.logs / ROTATED).exists():
            world.log.tidy()


def kinds(world: World) -> list[str]:
    """What there is besides calls that changed nothing, oldest first."""
    found = [record for record in reversed(world.log.query(limit=10_000)) if record.get("tool") != "find"]
    return [record.get("event") or record["kind"] for record in found]


def gaps(world: World) -> list[int]:
    """How many records went at each place, the newest first."""
    return [record["records"] for record in world.log.query(kind="log") if record["event"] == "thinned"]


def test_what_floods_is_taken_out_and_decisions_and_changes_stay(world: World) -> None:
    world.add(3)
    world.log.append({"kind": "decision", "tool": "apply_patch", "outcome": "allow", "decision": "allow_once"})
    add_reads(world, 200)
    world.add()
    add_reads(world, 200)
    world.log.append({"kind": "settings", "by": "Ada", "changes": {}})
    add_reads(world, 400)
    assert world.names() == [KEPT, *reversed(GENERATIONS), NAME]
    assert kinds(world) == ["execution"] * 3 + ["decision", "execution", "settings"]
    assert whole(world)
    told = world.service.verify()["droppedEarly"]
    assert told["records"] == 806 - len(seqs(world)) == sum(gaps(world)) > 400
    assert told["since"] == told["until"] == "2026-01-31T10:30:00.000Z"
    lines = [line for name in world.names() for line in _text(world, name)]
    assert len(lines) < 200
    world.restart()
    assert whole(world)
    add_reads(world, 50)
    assert whole(world)


def test_what_was_kept_goes_when_it_is_too_old_and_not_before(world: World) -> None:
    for day in range(6):
        world.add(tool=f"day {day * 10}")
        add_reads(world, 150)
        world.clock.moment += timedelta(days=10)
    world.log = world.reopened()
    world.log.retain()
    changes = [record["tool"] for record in world.log.query(limit=10_000) if record.get("files")]
    assert changes == ["day 50", "day 40", "day 30"]
    assert whole(world)
    add_reads(world, 300)
    assert whole(world)
    assert [record["tool"] for record in world.log.query(limit=10_000) if record.get("files")] == changes
    cleared = world.service.stats()["records"]
    assert world.log.clear("Ada") == {"cleared": cleared}
    assert whole(world)


def test_what_somebody_changed_in_the_log_is_still_seen_when_it_was_thinned(world: World) -> None:
    world.add()
    add_reads(world, 12)
    oldest = world.logs / GENERATIONS[-1]
    while not oldest.exists():
        add_reads(world, 1)
    altered = b"\n".join(_text(world, oldest.name)).replace(b'"find"', b'"grep"', 1) + b"\n"
    oldest.write_bytes(b"".join(bytes(piece) for piece in pack_pieces([altered])))
    assert [kind for kind, _ in world.broken()] == ["altered"]
    add_reads(world, 300)
    assert oldest.read_bytes() != altered
    assert [kind for kind, _ in world.broken()] == ["altered"]


@pytest.mark.parametrize("line", [b"", b"A change that nobody made\n"])
def test_a_kept_file_that_somebody_edits_is_found_out(world: World, line: bytes) -> None:
    world.add(4)
    add_reads(world, 200)
    lines = _text(world, KEPT)
    changed = line + b"".join(one + b"\n" for one in lines[1 if not line else 0 :])
    (world.logs / KEPT).write_bytes(b"".join(bytes(piece) for piece in pack_pieces([changed])))
    assert not world.service.verify()["whole"]


class StubbornDisk(FaultyDisk):
    """Takes nothing away while it is told so."""

    stubborn = False

    def before(self, operation: str, name: str) -> None:
        if self.stubborn and operation == "unlink" and name == GENERATIONS[-1]:
            raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_crash_before_a_thinned_generation_is_taken_away_costs_nothing(tmp_path: Path) -> None:
    disk = StubbornDisk()
    with open_world(tmp_path, disk=disk, max_size=SIZE) as world:
        world.add()
        while not (world.logs / GENERATIONS[-1]).exists():
            add_reads(world, 1)
        disk.stubborn = True
        while not (world.logs / KEPT).exists():
            add_reads(world, 1)
        assert world.names() == [KEPT, *reversed(GENERATIONS), ROTATED, NAME]
        assert world.log.fault is not None
        assert whole(world)
        disk.stubborn = False
        world.log.tidy()
        assert whole(world)
        assert world.names() == [KEPT, *reversed(GENERATIONS), NAME]
        assert kinds(world).count("execution") == 1


def _text(world: World, name: str, data: bytes | None = None) -> list[bytes]:
    data = (world.logs / name).read_bytes() if data is None else data
    return (gzip.decompress(data) if name.endswith(".gz") else data).splitlines()


def test_a_file_that_is_not_packed_yet_is_searched_and_not_rotated_over(world: World) -> None:
    world.add(60)
    assert world.names() == [ROTATED, NAME]
    assert seqs(world) == list(range(60, 0, -1))
    assert whole(world)
    world.log.tidy()
    assert world.names() == [GENERATIONS[0], NAME]
    assert whole(world)


def test_queries_reach_through_all_generations(world: World) -> None:
    world.add(tool="first", client="Ada")
    world.fill(4)
    assert [record["tool"] for record in world.log.query(client="Ada")] == ["first"]
    assert world.found(before="4", limit=2) == [3, 2]


def test_what_is_too_old_goes_generation_by_generation_and_then_line_by_line(world: World) -> None:
    for _ in range(4):
        world.fill(1)
        world.clock.moment += timedelta(days=10)
    last = seqs(world)[0]
    world.log.retain()
    *young, oldest = world.log.query(limit=10_000)
    assert oldest["event"] == "retention"
    assert len(world.names()) == 4
    assert [record["seq"] for record in (*young, oldest)] == list(range(last, oldest["seq"] - 1, -1))
    assert oldest["head"]["seq"] == oldest["records"] == oldest["seq"]
    assert whole(world)
    # Of the live file the old lines go, too.
    world.add()
    world.settings["auditLogRetentionDays"] = 7
    world.log = world.reopened()
    world.log.retain()
    assert world.names() == [NAME]
    assert [record.get("event") for record in world.log.query()] == [None, "retention"]
    assert seqs(world) == [last + 1, last]
    assert whole(world)
    # Nothing is young enough.
    world.clock.moment += timedelta(days=300)
    world.log = world.reopened()
    world.log.retain()
    (record,) = world.log.query()
    assert (record["seq"], record["records"]) == (last + 1, 1)
    assert whole(world)
    world.add()
    world.restart()
    assert whole(world)


class BusyDisk(FaultyDisk):
    """Lets something happen while the shortened log is being written."""

    meanwhile: Callable[[], None] | None = None

    def before(self, operation: str, name: str) -> None:
        if operation == "create" and name == TEMPORARY and self.meanwhile:
            happen, self.meanwhile = self.meanwhile, None
            happen()


@pytest.mark.parametrize(("count", "dropped"), [(0, True), (1, True), (30, False)])
@pytest.mark.parametrize("generations", [0, 2])
def test_what_is_appended_while_the_log_is_shortened_is_kept(
    tmp_path: Path, generations: int, count: int, dropped: bool
) -> None:
    disk = BusyDisk()
    with open_world(tmp_path, disk=disk, max_size=SIZE) as world:
        world.fill(generations)
        world.add(2)
        world.clock.moment += timedelta(days=60)
        last = seqs(world)[0]
        disk.meanwhile = lambda: world.add(count)
        world.log.retain()
        assert seqs(world)[:count] == list(range(last + count, last, -1))
        assert (seqs(world)[-1] == last) is dropped
        assert whole(world)
        world.log.tidy()
        world.log.retain()
        assert whole(world)


def test_nothing_is_dropped_when_the_log_is_kept_for_ever_or_everything_is_young(world: World) -> None:
    world.add(3)
    before = world.file.read_bytes()
    world.log.retain()
    world.settings["auditLogRetentionDays"] = None
    world.clock.moment += timedelta(days=1_000)
    world.log = world.reopened()
    world.log.retain()
    assert world.file.read_bytes() == before


def test_a_clock_that_jumps_ahead_does_not_empty_the_log(world: World) -> None:
    world.add(5)
    world.log.retain()
    world.clock.moment += timedelta(days=365)
    world.log.retain()
    assert len(world.lines()) == 5
    assert whole(world)


def test_a_line_from_the_future_does_not_keep_the_old_ones_before_and_behind_it(world: World) -> None:
    world.add()
    world.clock.moment = datetime(2099, 1, 1, tzinfo=UTC)
    world.add()
    world.clock.moment = datetime(2026, 2, 1, tzinfo=UTC)
    world.add()
    world.clock.moment = datetime(2026, 6, 1, tzinfo=UTC)
    world.add()
    world.log.retain()
    assert [record.get("event") for record in world.log.query()] == [None, "retention"]
    assert whole(world)


def test_a_clock_that_is_set_back_drops_nothing(world: World) -> None:
    world.add(2)
    world.clock.moment = datetime(1970, 1, 1, tzinfo=UTC)
    world.add(2)
    world.log.retain()
    assert len(world.lines()) == 4
    assert whole(world)


def test_clearing_leaves_a_record_of_who_when_and_how_many(world: World) -> None:
    world.secrets.add("run-token-0123456789")
    world.fill(3)
    last = seqs(world)[0]
    assert world.log.clear("Ada run-token-0123456789") == {"cleared": last}
    assert world.names() == [NAME]
    (record,) = world.log.query()
    assert (record["event"], record["by"], record["records"]) == ("cleared", "Ada [REDACTED]", last)
    assert record["seq"] == record["head"]["seq"] == last
    assert record["timestamp"] == "2026-01-31T10:30:00.000Z"
    assert whole(world)
    world.add()
    assert seqs(world) == [last + 1, last]
    world.log.clear("Bob")
    world.restart()
    (record,) = world.log.query()
    assert [earlier["by"] for earlier in record["earlier"]] == ["Ada [REDACTED]"]
    assert record["records"] == 1
    assert whole(world)


def test_an_empty_log_can_be_cleared(world: World) -> None:
    assert world.log.clear("Ada") == {"cleared": 0}
    world.add()
    assert whole(world)
    world.restart()
    assert whole(world)


def test_a_full_disk_stops_the_upkeep_and_not_the_log(world: World) -> None:
    disk = world.disk
    assert isinstance(disk, FaultyDisk)
    world.add(60)
    disk.full = True
    world.log.tidy()
    assert world.log.fault is not None
    assert world.log.fault.startswith("The audit log cannot be tidied: No space left")
    disk.full = False
    assert whole(world)
    world.log.tidy()
    assert world.names() == [GENERATIONS[0], NAME]
    assert not (world.logs / TEMPORARY).exists()
    assert whole(world)


def test_records_are_appended_by_many_threads_while_the_log_is_packed_shortened_and_read(world: World) -> None:
    start = threading.Barrier(6)
    done = threading.Event()

    def write() -> None:
        start.wait(PATIENCE)
        world.add(60)

    def key_store() -> None:
        start.wait(PATIENCE)
        while not done.is_set():
            world.log.tidy()
            world.log.seal()
            world.log.retain()

    def read() -> None:
        start.wait(PATIENCE)
        while not done.is_set():
            assert world.service.verify()["faults"] == []
            found = world.log.query(limit=50)
            assert [record["seq"] for record in found] == sorted({record["seq"] for record in found}, reverse=True)
            world.service.stats()

    with ThreadPoolExecutor(6) as pool:
        writing = [pool.submit(write) for _ in range(4)]
        others = [pool.submit(key_store), pool.submit(read)]
        wait(writing, PATIENCE)
        done.set()
    for work in (*writing, *others):
        work.result()
    assert world.log.fault is None
    assert seqs(world)[0] == 240
    assert whole(world)

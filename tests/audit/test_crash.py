"""A kill at any moment leaves a log that verifies, and costs at most the record that was just being written."""

import os
import warnings
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from bridge.records.folder import MemoryFolder, RecordFolder
from bridge.vault.disk import Disk, FolderHandle
from tests.audit.audit_world import World, open_world

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a real kill needs a process that forks")

SIZE = 1_400
"""Bytes of a file, two records."""
MOST_OPERATIONS = 400


class FolderKeep(MemoryFolder):
    """Keeps key and head in a folder; every write counts as a moment at which the process may die."""

    def __init__(self, folder: Path, before: Callable[[], None] = lambda: None) -> None:
        self.folder = folder
        self.before = before
        folder.mkdir(exist_ok=True)

    def read(self, name: str) -> bytes | None:
        file = self.folder / name
        return file.read_bytes() if file.exists() else None

    def write(self, name: str, data: bytes) -> None:
        self.before()
        (self.folder / "new").write_bytes(data)
        self.before()
        (self.folder / "new").replace(self.folder / name)


class HastyDisk(Disk):
    """Does not wait for the drive: the system outlives the process."""

    def fsync(self, fd: int) -> None:  # noqa: ARG002 (the signature is Disk's)
        self.before("fsync", "")

    def sync_folder(self, at: FolderHandle) -> None:  # noqa: ARG002 (the signature is Disk's)
        self.before("sync_folder", "")


class DyingDisk(HastyDisk):
    """Ends the process at the nth change; of a write, half is written."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.left = at

    def count(self) -> None:
        self.left -= 1
        if not self.left:
            os._exit(9)

    def before(self, operation: str, name: str) -> None:  # noqa: ARG002 (the signature is Disk's)
        if operation != "write":
            self.count()

    def write(self, fd: int, data: memoryview) -> int:
        self.left -= 1
        if not self.left:
            os.write(fd, data[: len(data) // 2])
            os._exit(9)
        return os.write(fd, data)


def writing(world: World, told: Callable[[], None]) -> None:
    """Records, sealed every third, across rotations and the loss of the oldest generation."""
    for number in range(16):
        world.add()
        told()
        if number % 3 == 2:
            world.log.seal()
            world.log.tidy()


def shortening(world: World, told: Callable[[], None]) -> None:
    """Old records go, of generations and of the live file, and new ones come."""
    for _ in range(5):
        world.add()
        told()
        world.log.tidy()
    world.clock.moment += timedelta(days=20)
    world.add()
    told()
    world.clock.moment += timedelta(days=20)
    world.log.retain()
    world.clock.moment += timedelta(days=20)
    world.log = world.reopened()
    world.add()
    told()
    world.log.retain()
    world.log.seal()


def clearing(world: World, told: Callable[[], None]) -> None:
    """Everything goes, twice."""
    for _ in range(2):
        for _ in range(5):
            world.add()
            told()
        world.log.tidy()
        world.log.clear("Ada")
        world.log.seal()


@pytest.mark.long
@pytest.mark.parametrize("work", [writing, shortening, clearing])
def test_a_kill_at_any_operation_costs_at_most_the_record_that_was_being_written(
    tmp_path: Path, work: Callable[[World, Callable[[], None]], None]
) -> None:
    for at in range(1, MOST_OPERATIONS):
        place = tmp_path / str(at)
        place.mkdir()
        ended, acknowledged = run_until_death(place, work, at)
        assert_whole(place, FolderKeep(place / "keep"), acknowledged)
        if ended:
            return
    pytest.fail("the work never ended")


def run_until_death(place: Path, work: Callable[[World, Callable[[], None]], None], at: int) -> tuple[bool, int]:
    """Whether the work came to its end, and how many records it was told were written."""
    reading, writing_end = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the child only calls the system and exits
        child = os.fork()
    if child:
        os.close(writing_end)
        with os.fdopen(reading, "rb") as told:
            acknowledged = len(told.read())
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, acknowledged
    try:
        disk = DyingDisk(at)
        key_store = FolderKeep(place / "keep", disk.count)
        with open_world(place / "vault", key_store=key_store, disk=disk, max_size=SIZE) as world:
            work(world, lambda: acknowledge(writing_end))
            os._exit(0 if world.log.fault is None else 1)
    finally:
        os._exit(1)


def acknowledge(pipe: int) -> None:
    os.write(pipe, b".")


def assert_whole(place: Path, key_store: RecordFolder, acknowledged: int) -> None:
    with open_world(place / "vault", key_store=key_store, disk=HastyDisk(), max_size=SIZE) as world:
        for tidied in (False, True):
            if tidied:
                world.log.tidy()
            found = world.service.verify()
            assert found["faults"] == []
            assert found["lost"] == 0
            assert found["unverified"] == 0
            assert not tidied or found["records"] == world.service.stats()["records"]
            assert found["head"]["seq"] - acknowledged in {0, 1}
            assert found["head"]["total"] == found["head"]["seq"]
        world.add(3)
        world.restart()
        assert world.service.verify()["faults"] == []
        assert world.found(limit=1) == [found["head"]["seq"] + 3]

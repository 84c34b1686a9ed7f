"""An audit log in an empty vault, with a clock and a disk that do as they are told. For the tests of this room."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from bridge.audit.files import GENERATIONS, KEPT, MAX_SIZE, NAME, ROTATED
from bridge.audit.log import AuditLog
from bridge.audit.service import AuditService
from bridge.policy.redaction import Secrets
from bridge.records.folder import MemoryFolder, RecordFolder
from bridge.settings.model import Settings
from bridge.vault.disk import Disk
from bridge.vault.folder import Folder
from bridge.vault.root import VaultRoot

PATCH: dict[str, Any] = {
    "kind": "execution",
    "tool": "apply_patch",
    "executionId": "patch-abc123",
    "client": "Claude Code",
    "userId": "s1",
    "parameters": {"path": "Notes/My plan.md", "api_key": "hunter2", "patches": [{"startLine": 1}]},
    "result": {"path": "Notes/My plan.md", "linesChanged": 3},
    "success": True,
    "duration": 12.5,
    "files": [{"path": "Notes/My plan.md", "change": "modify", "before": "ab" * 32, "after": "cd" * 32}],
}


class StandingClock:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 31, 10, 30, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return 0.0


class FaultyDisk(Disk):
    """A disk that is full, or breaks off in the middle of a line, when it is told to."""

    full = False
    breaks_off = False

    def write(self, fd: int, data: memoryview) -> int:
        if self.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(fd, data[:20] if self.breaks_off else data)


class World:
    """An audit log in an empty vault."""

    def __init__(
        self, state: Folder, disk: Disk, folder: Path, *, key_store: RecordFolder, max_size: int = MAX_SIZE
    ) -> None:
        self.state = state
        self.disk = disk
        self.folder = folder / ".vault-bridge"
        self.logs = self.folder / "logs"
        self.file = self.logs / NAME
        self.settings: dict[str, Any] = {}
        self.clock = StandingClock()
        self.secrets = Secrets()
        self.key_store = key_store
        self.max_size = max_size
        self.log = self.reopened()

    def reopened(self) -> AuditLog:
        """The log as a bridge finds it that starts now."""
        return AuditLog(
            self.state,
            clock=self.clock,
            settings=lambda: Settings.parse(self.settings),
            secrets=self.secrets,
            key_store=self.key_store,
            max_size=self.max_size,
        )

    def restart(self) -> None:
        """Stop and start the bridge."""
        self.log.seal()
        self.log = self.reopened()

    @property
    def service(self) -> AuditService:
        return AuditService(self.log, self.state)

    def lines(self) -> list[Any]:
        """The records, without what ties them together."""
        records = [orjson.loads(line) for line in self.file.read_bytes().splitlines()]
        return [{name: value for name, value in record.items() if name != "chain"} for record in records]

    def add(self, count: int = 1, **changes: Any) -> None:
        for _ in range(count):
            self.log.append(PATCH | changes)

    def fill(self, generations: int) -> None:
        """Add records until so many generations were rotated and packed."""
        for _ in range(generations):
            while not (self.logs / ROTATED).exists():
                self.add()
            self.log.tidy()

    def found(self, **filters: Any) -> list[int]:
        """The numbers of the records found."""
        return [record["seq"] for record in self.log.query(**filters)]

    def names(self) -> list[str]:
        """The files there are, oldest first."""
        there = {path.name for path in self.logs.iterdir()}
        return [name for name in (KEPT, *reversed(GENERATIONS), ROTATED, NAME) if name in there]

    def broken(self) -> list[tuple[str, int | None]]:
        """The kinds of faults that are found, and which record each names."""
        return [(fault["kind"], fault["seq"]) for fault in self.service.verify()["faults"]]


@contextmanager
def open_world(
    folder: Path, *, key_store: RecordFolder | None = None, disk: Disk | None = None, max_size: int = MAX_SIZE
) -> Iterator[World]:
    """A world in a folder, which is made when it is missing."""
    folder.mkdir(exist_ok=True)
    disk = disk or FaultyDisk()
    with VaultRoot(folder, disk) as root, root.state() as state:
        yield World(state, disk, folder, key_store=key_store or MemoryFolder(), max_size=max_size)

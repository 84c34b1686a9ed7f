"""A pool of real worker processes, patterns on it, and a vault to search."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.index.texts.grep import Grep
from bridge.index.texts.patterns import Patterns, pattern_workers
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from bridge.workers.pool import WorkerPool
from tests.patience import PATIENCE


@pytest.fixture
def clock() -> SystemClock:
    return SystemClock()


@pytest.fixture
def soon(clock: SystemClock) -> float:
    """A deadline no test should reach."""
    return clock.monotonic() + PATIENCE


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    """Kept warm for a whole file of tests."""
    pool = pattern_workers(SystemClock())
    yield pool
    pool.close()


@pytest.fixture
def patterns(pool: WorkerPool) -> Patterns:
    return Patterns(pool)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """An empty vault."""
    folder = tmp_path / "Notes"
    folder.mkdir()
    return folder


@pytest.fixture
def grep(notes: Path, clock: SystemClock) -> Iterator[Grep]:
    with VaultRoot(notes) as root:
        grep = Grep(VaultFiles(root), clock)
        yield grep
        grep.close()

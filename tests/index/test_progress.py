"""How far a build is, reported often enough and not more."""

import pytest

from bridge.clock import SystemClock
from bridge.index.indexer import EVERY_SECONDS, FEW, Progress


class Hands(SystemClock):
    """A clock that is set by hand."""

    time = 0.0

    def monotonic(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Hands:
    return Hands()


def test_it_reports_the_beginning_the_end_and_now_and_then(clock: Hands) -> None:
    reported: list[tuple[int, int]] = []
    progress = Progress(clock, lambda done, total: reported.append((done, total)))
    progress.begin(1000)
    for _ in range(100):
        clock.time += EVERY_SECONDS / 5
        progress.step(10)
    assert reported[0] == (0, 1000)
    assert reported[-1] == (1000, 1000)
    assert 20 <= len(reported) <= 23
    assert (progress.done, progress.total) == (1000, 1000)


def test_small_things_are_not_reported(clock: Hands) -> None:
    reported: list[tuple[int, int]] = []
    progress = Progress(clock, lambda done, total: reported.append((done, total)))
    progress.begin(FEW)
    progress.step(FEW)
    assert reported == []

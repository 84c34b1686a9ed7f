"""A program that floods the record of changes pushes out its own versions, and none of yours."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.versions.states import KeepRules
from tests.versions.recorded_vault import RecordedVault, digest

DAY = 86_400.0
MINE = b"what the person had written\n" * 20
YOURS = b"and something else\n" * 20


def flood(recorded: RecordedVault, names: list[str], rounds: int, *, apart: float) -> None:
    """Write random bytes into files, several times over."""
    for _ in range(rounds):
        for name in names:
            recorded.write(name, os.urandom(150_000).hex())
        recorded.look()
        recorded.clock.move(apart)


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[RecordedVault]:
    """A vault with a note of the person's that a program overwrote three days ago."""
    rules = KeepRules(megabytes=10)
    recorded = RecordedVault(tmp_path / "Vault", tmp_path / "store", cache=tmp_path / "cache", rules=rules)
    recorded.write("Mine.md", MINE)
    recorded.write("Yours.md", YOURS)
    recorded.look()
    recorded.clock.move(DAY)
    recorded.write("Mine.md", "what a program made of it\n")
    recorded.look()
    recorded.clock.move(3 * DAY)
    yield recorded
    recorded.stop()


@pytest.mark.slow
@pytest.mark.parametrize("apart", [11.0, 700.0])
@pytest.mark.parametrize(
    "names",
    [["Junk.md"], [f"Junk {number}.md" for number in range(8)], ["Junk.md", "Yours.md"]],
    ids=["one file", "many files", "the person's files too"],
)
def test_a_flood_leaves_what_the_person_had_made(mine: RecordedVault, names: list[str], apart: float) -> None:
    flood(mine, names, 96 // len(names), apart=apart)
    assert mine.recorder.bytes_of(digest(MINE)) == MINE
    assert digest(MINE) in [version.digest for version in mine.recorder.versions("Mine.md")]
    if "Yours.md" in names:
        assert mine.recorder.bytes_of(digest(YOURS)) is not None
    assert mine.recorder.kept().bytes <= 10 * 1024 * 1024


@pytest.mark.slow
def test_what_the_person_makes_after_a_flood_is_kept(mine: RecordedVault) -> None:
    flood(mine, ["Junk.md"], 96, apart=11.0)
    later = b"written after the flood\n"
    mine.write("Later.md", later)
    mine.look()
    mine.clock.move(3600.0)
    mine.write("Later.md", "overwritten\n")
    mine.look()
    assert mine.recorder.bytes_of(digest(later)) == later


@pytest.mark.slow
def test_bytes_that_were_the_persons_stay_when_a_program_writes_them_again(mine: RecordedVault) -> None:
    for text in (MINE, b"junk\n", MINE, b"more junk\n"):
        mine.write("Mine.md", text)
        mine.look()
        mine.clock.move(700.0)
    flood(mine, ["Junk.md"], 96, apart=11.0)
    assert mine.recorder.bytes_of(digest(MINE)) == MINE

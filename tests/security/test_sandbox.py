"""A program in a sandbox can reach, change and see only what it was given.

Each row of the page's table is tried, in each sandbox of this system and without one, by the user of the tests and,
where that is root, by an ordinary user too. Landlock alone must fail: it is not to be called a sandbox.
"""

from pathlib import Path

import pytest

from bridge.sandbox.sandbox import NO_SANDBOX, SandboxKind, probe, probe_one
from tests.sandbox.rows import OUTLIVING, REACHING, Row
from tests.sandbox.users import begin, needs_linux, place, succeeded

__all__ = ["begin", "place"]  # fixtures

SEPARATE = [SandboxKind.NAMESPACES, SandboxKind.BUBBLEWRAP]
pytestmark = [pytest.mark.slow, needs_linux]


@pytest.mark.parametrize("kind", SEPARATE)
def test_no_attempt_gets_out_of_a_sandbox(begin: list[str], kind: SandboxKind, place: Path) -> None:
    assert succeeded(begin, kind, place, "reach") == []


@pytest.mark.parametrize("kind", SEPARATE)
def test_with_the_network_a_program_has_the_internet_and_nothing_else_besides(
    begin: list[str], kind: SandboxKind, place: Path
) -> None:
    found = succeeded(begin, kind, place, "network")
    assert {name for name in found if not name.startswith(("socket AF_INET ", "socket AF_INET6 "))} == set()
    assert "socket AF_INET SOCK_STREAM" in found


@pytest.mark.parametrize("kind", SEPARATE)
def test_nothing_outlives_its_time_in_a_sandbox(begin: list[str], kind: SandboxKind, place: Path) -> None:
    assert succeeded(begin, kind, place, "stay") == []


@pytest.mark.parametrize("row", [row for row in REACHING if row.without.startswith("yes")], ids=lambda row: row.what)
def test_without_a_sandbox_a_program_does_what_the_table_says(begin: list[str], row: Row, place: Path) -> None:
    assert row.shows in succeeded(begin, SandboxKind.NONE, place, "reach")


def test_without_a_sandbox_what_does_not_end_its_supervisor_is_ended_all_the_same(
    begin: list[str], place: Path
) -> None:
    assert set(succeeded(begin, SandboxKind.NONE, place, "stay")) <= {OUTLIVING.shows}


def test_with_landlock_alone_some_attempts_succeed_and_it_is_not_called_a_sandbox(
    begin: list[str], place: Path
) -> None:
    found = succeeded(begin, SandboxKind.LANDLOCK, place, "reach")
    assert {"chmod", "see that a file is there"} <= set(found)
    landlock = probe_one(SandboxKind.LANDLOCK)
    assert landlock is not None
    assert (landlock.confines, landlock.sentence, landlock.lacks) == (False, NO_SANDBOX.sentence, NO_SANDBOX.lacks)


def test_what_is_used_here_is_the_best_that_works() -> None:
    assert probe() == next(found for kind in SandboxKind if (found := probe_one(kind)) is not None)

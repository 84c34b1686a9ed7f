"""A program that exceeds its memory or disk limit is ended, however it does so, even with empty files.

So it is in each sandbox of this system and without one, for the user of the tests and for an ordinary one.
"""

from pathlib import Path

import pytest

from bridge.sandbox.profile import Profile
from bridge.sandbox.sandbox import SandboxKind
from tests.sandbox.conftest import Run, given, python, run, sandbox
from tests.sandbox.users import begin, needs_linux, place, succeeded

__all__ = ["begin", "given", "place", "run", "sandbox"]  # fixtures
pytestmark = [pytest.mark.slow, needs_linux]
KINDS = [kind for kind in SandboxKind if kind is not SandboxKind.SEATBELT]


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_ended_for_what_it_takes(begin: list[str], kind: SandboxKind, place: Path) -> None:
    assert succeeded(begin, kind, place, "take") == []


async def test_memory_that_is_no_file_cannot_be_made(run: Run, given: Path) -> None:
    argv, read = python("import os\nos.memfd_create('x')")
    ran = await run(argv, Profile(read=read, write=(given,)))
    assert "Function not implemented" in ran.stderr

"""Over real vaults, the index answers every question as a full reading of all files does."""

import contextlib
from pathlib import Path

import pytest

from tests.index.index_world import World

pytestmark = pytest.mark.slow


def test_no_answer_differs(real_vault: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    with contextlib.closing(World(real_vault, tmp_path / "cache")) as world:
        world.index.refresh()
        assert world.wrong == []
        world.reopen()
        world.index.refresh()
        assert world.wrong == []

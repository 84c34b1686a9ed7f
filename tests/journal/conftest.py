"""The small vault, for every test of this room."""

from pathlib import Path

import pytest

from tests.journal.small_vault import SmallVault


@pytest.fixture
def small(tmp_path: Path) -> SmallVault:
    """A vault of five files."""
    return SmallVault(tmp_path / "Vault")

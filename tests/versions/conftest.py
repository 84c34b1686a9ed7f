"""Vaults that are recorded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.versions.recorded_vault import RecordedVault


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[RecordedVault]:
    """A small vault that has been looked at once."""
    recorded = RecordedVault(tmp_path / "Vault", tmp_path / "store", cache=tmp_path / "cache")
    for path, text in {"a.md": "one\n", "b.md": "two\n", "Folder/c.md": "three\n"}.items():
        recorded.write(path, text)
    recorded.look()
    yield recorded
    recorded.stop()

"""Where the index is kept: for this user only, for this vault only, and nowhere when that cannot be."""

import os
from pathlib import Path

import platformdirs
import pytest

from bridge.records.folder import cache_folder


def test_it_is_private_and_of_one_vault(tmp_path: Path) -> None:
    one, other = cache_folder(tmp_path / "One"), cache_folder(tmp_path / "Other")
    assert one is not None
    assert other is not None
    assert one != other
    assert one == cache_folder(tmp_path / "One")
    assert os.name == "nt" or one.stat().st_mode & 0o777 == 0o700


def test_it_is_in_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VAULT_BRIDGE_STATE")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / "cache" / name)
    folder = cache_folder(tmp_path / "Vault")
    assert folder is not None
    assert folder.is_relative_to(tmp_path / "cache" / "vault-bridge")


def test_where_it_cannot_be_made_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    monkeypatch.setenv("VAULT_BRIDGE_STATE", str(tmp_path / "file"))
    assert cache_folder(tmp_path / "Vault") is None
    assert "cannot be kept" in caplog.text

"""A settings file in the vault proposes what opens this computer, and a person here confirms it."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.errors import ExecutionFailed
from bridge.records.folder import RunFolder
from bridge.settings.model import GUARDED, Settings
from bridge.settings.store import Confirmations, SettingsStore
from bridge.vault.folder import Folder
from bridge.vault.root import VaultRoot


@pytest.fixture
def own(vault: Path) -> RunFolder:
    """The user's own folder for this vault."""
    return RunFolder(vault, kind="settings", durable=True)


def _opened(state: Folder, own: RunFolder) -> SettingsStore:
    return SettingsStore(state, confirmations=Confirmations(own))


def _opening() -> list[Any]:
    fields = Settings.model_fields
    return [(fields[name].alias or "", value) for name, values in GUARDED.items() for value in values]


@pytest.mark.parametrize(("key", "value"), _opening())
def test_a_synced_file_only_proposes(vault: Path, own: RunFolder, key: str, value: Any) -> None:
    with VaultRoot(vault) as root, root.state() as state:
        (vault / ".vault-bridge" / "settings.json").write_bytes(orjson.dumps({key: value, "grepMaxMatches": 7}))
        store = _opened(state, own)
        assert store.current.to_wire()[key] == Settings().to_wire()[key]
        assert store.current.grep_max_matches == 7, "what opens nothing holds"
        assert [fault for fault in store.faults if key in fault and "confirmed" in fault]
        settings, _warnings = store.update({key: value}, confirms=True)
        assert settings.to_wire()[key] == value
        assert store.faults == []
        assert _opened(state, own).current.to_wire()[key] == value, "and so it stays"


def _put_back(store: SettingsStore, key: str) -> None:
    store.update({key: Settings().to_wire()[key]})


def _reset(store: SettingsStore, _key: str) -> None:
    store.reset("network")


@pytest.mark.parametrize(("key", "value"), _opening())
def test_what_was_taken_back_here_does_not_come_back_with_the_file(
    vault: Path, own: RunFolder, key: str, value: Any
) -> None:
    with VaultRoot(vault) as root, root.state() as state:
        for take_back in (_put_back, _reset):
            store = _opened(state, own)
            store.update({key: value}, confirms=True)
            take_back(store, key)
            (vault / ".vault-bridge" / "settings.json").write_bytes(orjson.dumps({key: value}))
            assert _opened(state, own).current.to_wire()[key] == Settings().to_wire()[key]


def test_a_client_that_may_change_settings_only_proposes(vault: Path, own: RunFolder) -> None:
    with VaultRoot(vault) as root, root.state() as state:
        store = _opened(state, own)
        settings, warnings = store.update({"allowTerminal": True})
        assert not settings.allow_terminal
        assert any("not confirmed" in warning for warning in warnings)


def test_what_another_computer_has_confirmed_is_not_confirmed_here(vault: Path, own: RunFolder, tmp_path: Path) -> None:
    with VaultRoot(vault) as root, root.state() as state:
        _opened(state, own).update({"allowTerminal": True}, confirms=True)
        elsewhere = RunFolder(vault, tmp_path / "elsewhere", kind="settings")
        assert not _opened(state, elsewhere).current.allow_terminal


def test_a_damaged_file_confirms_nothing(own: RunFolder, caplog: pytest.LogCaptureFixture) -> None:
    own.write("confirmed.json", b"{")
    assert not Confirmations(own).holds("allowTerminal", value=True)
    assert "nothing counts as confirmed" in caplog.text


def test_what_cannot_be_written_down_is_not_confirmed(own: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_name: str, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    confirmations = Confirmations(own)
    monkeypatch.setattr(own, "write", full)
    with pytest.raises(ExecutionFailed, match="No space"):
        confirmations.confirm({"allowTerminal": True})
    assert not confirmations.holds("allowTerminal", value=True)

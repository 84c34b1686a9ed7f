"""Settings are changed wholly or not at all, and are on disk before they are in force."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from bridge.contract.consent import ConsentMode
from bridge.errors import ExecutionFailed, InvalidParameters, StartError
from bridge.settings import Settings
from bridge.toolkit.settings_store import SettingsStore
from bridge.vault.folder import Disk, Folder
from bridge.vault.root import VaultRoot


@pytest.fixture
def state(vault: Path) -> Iterator[Folder]:
    root = VaultRoot(vault)
    with root.state() as folder:
        yield folder
    root.close()


def on_disk(vault: Path) -> object:
    return orjson.loads((vault / ".vault-bridge" / "settings.json").read_bytes())


def test_a_new_vault_has_the_defaults_and_no_file(vault: Path, state: Folder) -> None:
    store = SettingsStore(state)
    assert store.current == Settings()
    assert store.is_new
    assert not (vault / ".vault-bridge" / "settings.json").exists()


def test_a_patch_is_merged_deeply_and_only_it_is_stored(vault: Path, state: Folder) -> None:
    store = SettingsStore(state)
    store.update({"rateLimits": {"grep": 5}})
    settings, _ = store.update({"rateLimits": {"read": 7}, "developerMode": True})
    assert settings.rate_limits == {"grep": 5, "read": 7}
    assert on_disk(vault) == {"rateLimits": {"grep": 5, "read": 7}, "developerMode": True}
    assert SettingsStore(state).current == settings
    assert not store.is_new


def test_a_wrong_patch_changes_nothing(vault: Path, state: Folder) -> None:
    store = SettingsStore(state)
    store.update({"findMaxResults": 7})
    with pytest.raises(InvalidParameters, match="grepContextLines"):
        store.update({"findMaxResults": 9, "grepContextLines": -1})
    assert store.current.find_max_results == 7
    assert on_disk(vault) == {"findMaxResults": 7}


@pytest.mark.parametrize("key", ["ollamaApiKey", "encryptedKeys"])
def test_keys_are_not_settings(state: Folder, key: str) -> None:
    with pytest.raises(InvalidParameters, match=r"keys\.set"):
        SettingsStore(state).update({key: "sk-secret"})


def test_risky_values_are_accepted_with_a_warning(state: Folder) -> None:
    assert SettingsStore(state).update({"allowTerminal": True})[1] != []


def test_a_section_goes_back_to_its_defaults(state: Folder) -> None:
    store = SettingsStore(state)
    store.update({"findMaxResults": 7, "globalRateLimit": 10})
    settings = store.reset("performance")
    assert (settings.find_max_results, settings.global_rate_limit) == (7, 200)
    assert store.reset() == Settings()
    with pytest.raises(InvalidParameters, match="Sections: tools"):
        store.reset("nonsense")


def test_a_tools_mode_is_set_and_taken_back(state: Folder) -> None:
    store = SettingsStore(state)
    store.set_mode("grep", ConsentMode.NEVER_ALLOW)
    assert store.current.consent_mode == {"grep": "never_allow"}
    store.set_mode("grep", None)
    assert store.current.consent_mode == {}


def test_listeners_hear_of_a_change_once_it_is_in_force(state: Folder) -> None:
    store = SettingsStore(state)
    heard: list[bool] = []
    store.on_change(lambda settings: heard.append(settings == store.current))
    store.update({"developerMode": True})
    assert heard == [True]


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"nonsense": 1}', b'{"developerMode": "yes"}', b"\xff"])
def test_a_broken_file_stops_the_start_and_is_left_alone(vault: Path, state: Folder, content: bytes) -> None:
    file = vault / ".vault-bridge" / "settings.json"
    file.write_bytes(content)
    with pytest.raises(StartError, match=r"Mend .vault-bridge/settings.json"):
        SettingsStore(state)
    assert file.read_bytes() == content


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_the_file_is_for_its_owner_only(vault: Path, state: Folder) -> None:
    SettingsStore(state).update({"developerMode": True})
    assert stat.S_IMODE((vault / ".vault-bridge" / "settings.json").stat().st_mode) == 0o600


def test_a_full_disk_leaves_the_old_settings_in_force(vault: Path) -> None:
    class Full(Disk):
        full = False

        def write(self, fd: int, data: memoryview) -> int:
            if self.full:
                raise OSError(28, "No space left on device")
            return super().write(fd, data)

    disk = Full()
    root = VaultRoot(vault, disk)
    with root.state() as folder:
        store = SettingsStore(folder)
        store.update({"findMaxResults": 7})
        disk.full = True
        with pytest.raises(ExecutionFailed, match="disk is full"):
            store.update({"findMaxResults": 8})
        assert store.current.find_max_results == 7
    root.close()
    assert on_disk(vault) == {"findMaxResults": 7}
    assert [path.name for path in (vault / ".vault-bridge").iterdir() if path.suffix == ".tmp"] == []

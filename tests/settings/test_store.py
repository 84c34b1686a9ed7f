"""Settings are changed wholly or not at all, and are on disk before they are in force."""

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from bridge.contract.consent import ConsentMode
from bridge.errors import ExecutionFailed, InvalidParameters
from bridge.settings.model import Settings, SettingsChange
from bridge.settings.store import SettingsStore
from bridge.vault.folder import Disk, Folder
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE


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
    store.on_change(lambda change: heard.append(change.after == store.current))
    store.update({"developerMode": True})
    assert heard == [True]


BROKEN = [b"{", b"[]", b'{"findMaxResults": "many"}', b'{"developerMode": "yes"}', b"\xff", b"{}" + b" " * 2_000_000]


def kept_aside(vault: Path) -> list[bytes]:
    return [path.read_bytes() for path in (vault / ".vault-bridge").glob("settings.broken-*.json")]


@pytest.mark.parametrize("content", BROKEN)
def test_a_file_broken_at_the_start_is_kept_aside_and_the_last_good_one_serves(
    vault: Path, state: Folder, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    strict = {"consentMode": {"grep": "never_allow"}}
    SettingsStore(state).update(strict)
    (vault / ".vault-bridge" / "settings.json").write_bytes(content)
    store = SettingsStore(state)
    assert store.current.consent_mode == {"grep": "never_allow"}
    assert kept_aside(vault) == [content]
    assert on_disk(vault) == strict
    (fault,) = store.faults
    assert "settings.broken-" in fault
    assert "last good" in fault
    assert fault in caplog.text
    assert SettingsStore(state).current.consent_mode == {"grep": "never_allow"}, "and after one more start"


@pytest.mark.parametrize("copy", [None, b"{", b'{"findMaxResults": 0}'])
def test_without_a_good_copy_the_defaults_serve(vault: Path, state: Folder, copy: bytes | None) -> None:
    (vault / ".vault-bridge" / "settings.json").write_bytes(b"{")
    if copy is not None:
        (vault / ".vault-bridge" / "settings.last-good.json").write_bytes(copy)
    store = SettingsStore(state)
    assert store.current == Settings()
    assert not store.is_new
    assert "the defaults" in store.faults[0]
    assert kept_aside(vault) == [b"{"]


def test_keys_that_are_no_settings_are_named_ignored_and_kept(
    vault: Path, state: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    file = vault / ".vault-bridge" / "settings.json"
    file.write_bytes(b'{"findMaxResult": 5, "grepContextLines": 3}')
    store = SettingsStore(state)
    assert (store.current.find_max_results, store.current.grep_context_lines) == (50, 3)
    assert "'findMaxResult' (did you mean 'findMaxResults'?)" in store.faults[0]
    assert store.faults[0] in caplog.text
    store.update({"developerMode": True})
    assert on_disk(vault) == {"findMaxResult": 5, "grepContextLines": 3, "developerMode": True}
    with pytest.raises(InvalidParameters, match="findMaxResult"):
        store.update({"findMaxResult": 7})
    assert store.reset() == Settings()
    assert on_disk(vault) == {"findMaxResult": 5}


def test_a_hand_edit_is_read_live_and_listeners_hear_of_it(vault: Path, state: Folder) -> None:
    store = SettingsStore(state)
    heard: list[int] = []
    store.on_change(lambda change: heard.append(change.after.find_max_results))
    file = vault / ".vault-bridge" / "settings.json"
    for number in (7, 8):
        file.write_text(f'{{"findMaxResults": {number}}}', encoding="utf-8")
        assert store.current.find_max_results == number
    assert heard == [7, 8]
    store.update({"developerMode": True})
    assert on_disk(vault) == {"findMaxResults": 8, "developerMode": True}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"findMaxResults": 1', "line 1"),
        (b'{"findMaxResults": 0}', "findMaxResults"),
        (b'{"findMaxResult": 5}', "did you mean 'findMaxResults'"),
        (None, "it is gone"),
    ],
)
def test_a_faulty_hand_edit_is_refused_whole_and_named_until_it_is_mended(
    vault: Path, state: Folder, content: bytes | None, says: str
) -> None:
    store = SettingsStore(state)
    store.update({"findMaxResults": 7})
    file = vault / ".vault-bridge" / "settings.json"
    good = file.read_bytes()
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    assert store.current.find_max_results == 7
    assert says in store.faults[0]
    file.write_bytes(good)
    assert store.faults == []


def test_a_faulty_file_that_is_deleted_before_anything_was_set_is_no_fault_any_more(vault: Path, state: Folder) -> None:
    store = SettingsStore(state)
    file = vault / ".vault-bridge" / "settings.json"
    file.write_bytes(b"{ my edit")
    assert "line 1" in store.faults[0]
    file.unlink()
    assert store.faults == []
    assert store.is_new


def test_a_change_over_a_faulty_hand_edit_keeps_that_aside(vault: Path, state: Folder) -> None:
    store = SettingsStore(state)
    store.update({"findMaxResults": 7})
    (vault / ".vault-bridge" / "settings.json").write_bytes(b"{ my edit")
    store.update({"developerMode": True})
    assert kept_aside(vault) == [b"{ my edit"]
    assert on_disk(vault) == {"findMaxResults": 7, "developerMode": True}
    assert store.faults == []


def test_a_listener_may_look_from_another_thread(state: Folder) -> None:
    store = SettingsStore(state)
    seen: list[Settings] = []

    def look(_change: SettingsChange) -> None:
        other = threading.Thread(target=lambda: seen.append(store.current))
        other.start()
        other.join(PATIENCE)

    store.on_change(look)
    settings, _ = store.update({"findMaxResults": 7})
    assert seen == [settings]


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


def test_listeners_hear_who_changed_what(vault: Path, state: Folder) -> None:
    store = SettingsStore(state)
    heard: list[SettingsChange] = []
    store.on_change(heard.append)
    store.update({"findMaxResults": 7}, by="Obsidian")
    store.set_mode("grep", ConsentMode.NEVER_ALLOW, "Person")
    store.reset("toolSpecific", by="CLI")
    (vault / ".vault-bridge" / "settings.json").write_text('{"developerMode": true}', encoding="utf-8")
    assert store.current.developer_mode
    assert [change.by for change in heard] == ["Obsidian", "Person", "CLI", None]
    assert heard[0].differences() == {"findMaxResults": {"from": 50, "to": 7}}
    assert [change.modes() for change in heard] == [{}, {"grep": ConsentMode.NEVER_ALLOW}, {}, {}]


def test_warnings_are_about_the_keys_that_were_set(state: Folder) -> None:
    store = SettingsStore(state)
    assert len(store.update({"allowTerminal": True, "globalRateLimit": 900}, confirms=True)[1]) == 2
    assert store.update({"findMaxResults": 7})[1] == []
    limits = store.update({"rateLimits": {"grep": 500}})[1], store.update({"rateLimits": {"find": 500}})[1]
    assert [len(texts) for texts in limits] == [1, 1], "one limit is warned of, not each that was ever set"


def test_settings_without_effect_are_named_at_the_start_and_kept(
    vault: Path, state: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    (vault / ".vault-bridge" / "settings.json").write_bytes(b'{"shareUsageStatistics": true}')
    store = SettingsStore(state)
    assert "no effect in this version: shareUsageStatistics" in caplog.text
    store.update({"findMaxResults": 7})
    assert on_disk(vault) == {"shareUsageStatistics": True, "findMaxResults": 7}

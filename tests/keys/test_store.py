"""API keys are kept, had and cleared; and where they cannot be had, the person hears why and nothing is overwritten."""

import base64
import errno
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import keyring.errors
import pytest

from bridge.contract.keys import KeptIn, Provider
from bridge.errors import BridgeError, ExecutionFailed, InvalidParameters, NotFound
from bridge.keys.store import KeyFault, KeyStore
from bridge.records.folder import UserFolder
from bridge.settings.store import SettingsStore
from tests.keys.machines import Machine, Ring

KEY = "sk-Very/Secret+Key=0123"
OLLAMA = "http://localhost:11434"
BRAVE = "https://api.search.brave.com"

Open = Callable[[], SettingsStore]


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def everything_in(*folders: Path) -> bytes:
    return b"\n".join(path.read_bytes() for folder in folders for path in files(folder))


def code_of(keys: KeyStore, provider: Provider = Provider.OLLAMA, server: str = OLLAMA) -> str | None:
    with pytest.raises(KeyFault) as found:
        keys.get(provider, server)
    assert KEY not in str(found.value)
    return found.value.code


@pytest.mark.parametrize("kind", ["machine", "bare"])
def test_a_key_is_kept_over_a_restart_and_nowhere_in_the_clear(
    request: pytest.FixtureRequest, kind: str, vault: Path, open_settings: Open
) -> None:
    machine: Machine = request.getfixturevalue(kind)
    status = machine.keys(open_settings()).set(Provider.OLLAMA, f" {KEY}\n")
    assert (status.is_set, status.fault) == (True, None)
    assert status.kept_in is (KeptIn.KEYRING if machine.ring else KeptIn.FILE)
    assert machine.keys(open_settings()).get(Provider.OLLAMA, OLLAMA) == KEY
    kept = everything_in(vault, machine.folder.parent)
    assert KEY.encode() not in kept
    assert base64.b64encode(KEY.encode()).rstrip(b"=") not in kept
    assert KEY not in str(machine.ring and machine.ring.kept)


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_without_a_keyring_the_master_key_is_in_a_file_for_this_user_alone(
    bare: Machine, settings: SettingsStore
) -> None:
    bare.keys(settings).set(Provider.OLLAMA, KEY)
    (file,) = files(bare.folder)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_with_a_keyring_no_file_is_written(machine: Machine, settings: SettingsStore) -> None:
    machine.keys(settings).set(Provider.OLLAMA, KEY)
    assert files(machine.folder.parent) == []


def test_a_key_is_known_to_be_hidden_before_anybody_has_it_as_it_is_and_in_a_url(
    machine: Machine, open_settings: Open
) -> None:
    machine.keys(open_settings()).set(Provider.OLLAMA, KEY)
    assert set(machine.learned) == {KEY, "sk-Very%2FSecret%2BKey%3D0123"}
    machine.learned.clear()
    machine.keys(open_settings()).get(Provider.OLLAMA, OLLAMA)
    assert set(machine.learned) == {KEY, "sk-Very%2FSecret%2BKey%3D0123"}


@pytest.mark.parametrize(
    "key", ["", "short", " " * 20, "two words of it", "line\nbreak-in-it", "ключ-ключ-ключ", "x" * 4097]
)
def test_what_is_no_key_is_refused_and_not_repeated(machine: Machine, settings: SettingsStore, key: str) -> None:
    keys = machine.keys(settings)
    with pytest.raises(InvalidParameters) as found:
        keys.set(Provider.OLLAMA, key)
    assert not key.strip() or key not in str(found.value)
    assert not keys.has(Provider.OLLAMA)
    assert machine.learned == []


def test_a_key_that_is_not_set_is_not_found(machine: Machine, settings: SettingsStore) -> None:
    with pytest.raises(NotFound, match="keys set brave"):
        machine.keys(settings).get(Provider.BRAVE, BRAVE)


# -- a key goes to the server that it was set for, and to no other -----------------------------------------------------


def test_a_key_is_given_for_no_other_server(machine: Machine, settings: SettingsStore) -> None:
    keys = machine.keys(settings)
    keys.set(Provider.OLLAMA, KEY)
    assert code_of(keys, server="https://evil.example") == "key_damaged"


def test_who_changes_the_address_in_the_settings_does_not_get_the_key(
    machine: Machine, settings: SettingsStore
) -> None:
    keys = machine.keys(settings)
    keys.set(Provider.OLLAMA, KEY)
    settings.update({"ollamaWebSearchEndpoint": "https://evil.example"})
    fault = keys.status(Provider.OLLAMA).fault
    assert fault is not None
    assert "https://evil.example" in fault
    settings.update({"ollamaWebSearchEndpoint": f"{OLLAMA}/"})
    assert keys.get(Provider.OLLAMA, OLLAMA) == KEY


def test_a_key_that_is_copied_to_another_name_does_not_open(machine: Machine, settings: SettingsStore) -> None:
    keys = machine.keys(settings)
    keys.set(Provider.OLLAMA, KEY)
    settings.store_keys({"brave": settings.current.encrypted_keys["ollama"]})
    assert code_of(keys, Provider.BRAVE, BRAVE) == "key_damaged"


# -- another machine, a wrong master key, a locked keyring -------------------------------------------------------------


def test_in_a_synced_vault_without_the_master_key_nothing_opens_and_nothing_is_overwritten(
    machine: Machine, other: Machine, settings: SettingsStore
) -> None:
    machine.keys(settings).set(Provider.OLLAMA, KEY)
    before = settings.current.encrypted_keys
    there = other.keys(settings)
    assert code_of(there) == "master_key_missing"
    assert there.status(Provider.OLLAMA).is_set
    for provider in (Provider.OLLAMA, Provider.BRAVE):
        with pytest.raises(KeyFault, match="another machine"):
            there.set(provider, "another-key-of-mine")
    with pytest.raises(KeyFault, match="another machine"):
        there.rotate()
    assert settings.current.encrypted_keys == before
    assert other.ring is not None
    assert other.ring.kept == {}, "no new master key"
    assert machine.keys(settings).get(Provider.OLLAMA, OLLAMA) == KEY


def test_there_the_key_can_be_cleared_and_set_anew(machine: Machine, other: Machine, settings: SettingsStore) -> None:
    machine.keys(settings).set(Provider.OLLAMA, KEY)
    there = other.keys(settings)
    assert not there.clear(Provider.OLLAMA).is_set
    there.set(Provider.OLLAMA, "another-key-of-mine")
    assert there.get(Provider.OLLAMA, OLLAMA) == "another-key-of-mine"
    assert code_of(machine.keys(settings)) == "master_key_missing"


def test_under_a_wrong_master_key_of_the_same_name_nothing_opens(
    machine: Machine, ring: Ring, settings: SettingsStore
) -> None:
    keys = machine.keys(settings)
    keys.set(Provider.OLLAMA, KEY)
    (account,) = ring.kept
    ring.kept[account] = base64.b64encode(bytes(32)).decode()
    assert code_of(keys) == "key_damaged"
    for damaged in ("", "not base64!", "AAAA"):
        ring.kept[account] = damaged
        assert code_of(keys) == "key_damaged"


def test_a_locked_keyring_is_said_and_no_file_is_used_instead(
    machine: Machine, ring: Ring, settings: SettingsStore
) -> None:
    keys = machine.keys(settings)
    ring.fault = keyring.errors.KeyringLocked()
    with pytest.raises(KeyFault, match="locked"):
        keys.set(Provider.OLLAMA, KEY)
    assert files(machine.folder.parent) == []
    assert not keys.has(Provider.OLLAMA)
    ring.fault = None
    keys.set(Provider.OLLAMA, KEY)
    ring.fault = keyring.errors.KeyringLocked()
    assert code_of(keys) == "keyring_locked"
    assert "locked" in str(keys.status(Provider.OLLAMA).fault)
    ring.fault = None
    assert keys.get(Provider.OLLAMA, OLLAMA) == KEY


def test_a_keyring_that_never_answers_ends_in_an_error(machine: Machine, ring: Ring, settings: SettingsStore) -> None:
    machine.keys(settings).set(Provider.OLLAMA, KEY)
    keys = machine.keys(settings, patience=0.01)
    ring.held = threading.Event()
    try:
        assert code_of(keys) == "keyring_silent"
        assert keys.has(Provider.OLLAMA), "whether there is one can be said without it"
    finally:
        ring.held.set()


def test_where_the_keyring_is_not_there_today_no_second_master_key_is_made(
    machine: Machine, ring: Ring, settings: SettingsStore
) -> None:
    machine.keys(settings).set(Provider.OLLAMA, KEY)
    machine.ring = None  # logged in over ssh, without a desktop
    with pytest.raises(KeyFault):
        machine.keys(settings).set(Provider.BRAVE, KEY)
    assert files(machine.folder.parent) == []
    machine.ring = ring
    machine.keys(settings).set(Provider.BRAVE, KEY)
    assert len(ring.kept) == 1


def test_what_else_stands_among_the_keys_breaks_nothing(machine: Machine, settings: SettingsStore) -> None:
    settings.store_keys({"ollama": "sk-plain", "elsewhere": "v9:of-a-later-version"})
    keys = machine.keys(settings)
    assert code_of(keys) == "key_damaged"
    keys.set(Provider.OLLAMA, KEY)
    keys.rotate()
    assert settings.current.encrypted_keys["elsewhere"] == "v9:of-a-later-version"


@pytest.mark.skipif(os.name == "nt", reason="symlinks are POSIX")
def test_a_folder_that_leads_elsewhere_is_not_used(bare: Machine, settings: SettingsStore, tmp_path: Path) -> None:
    bare.folder.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (bare.folder / "keys").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(KeyFault, match="cannot be used"):
        bare.keys(settings).set(Provider.OLLAMA, KEY)
    assert files(tmp_path / "elsewhere") == []


# -- clearing and sealing anew -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["machine", "bare"])
def test_with_the_last_key_the_master_key_goes(
    request: pytest.FixtureRequest, kind: str, settings: SettingsStore
) -> None:
    machine: Machine = request.getfixturevalue(kind)
    keys = machine.keys(settings)
    keys.set(Provider.OLLAMA, KEY)
    keys.set(Provider.BRAVE, KEY)
    keys.clear(Provider.OLLAMA)
    assert keys.get(Provider.BRAVE, BRAVE) == KEY
    keys.clear(Provider.BRAVE)
    assert settings.current.encrypted_keys == {}
    assert files(machine.folder) == []
    assert not machine.ring or machine.ring.kept == {}
    assert machine.changes == 4
    assert not keys.clear(Provider.BRAVE).is_set
    assert machine.changes == 4, "nothing changed"


@pytest.mark.parametrize("kind", ["machine", "bare"])
def test_after_rotating_all_keys_open_and_the_old_copies_do_not(
    request: pytest.FixtureRequest, kind: str, settings: SettingsStore
) -> None:
    machine: Machine = request.getfixturevalue(kind)
    keys = machine.keys(settings)
    keys.set(Provider.OLLAMA, KEY)
    keys.set(Provider.BRAVE, "another-key-of-mine")
    stolen = dict(settings.current.encrypted_keys)
    assert [status.fault for status in keys.rotate()] == [None] * len(Provider)
    assert keys.get(Provider.OLLAMA, OLLAMA) == KEY
    assert keys.get(Provider.BRAVE, BRAVE) == "another-key-of-mine"
    settings.store_keys(stolen)
    assert code_of(keys) == "master_key_missing"


def test_where_there_is_no_key_there_is_nothing_to_rotate(
    machine: Machine, ring: Ring, settings: SettingsStore
) -> None:
    with pytest.raises(NotFound):
        machine.keys(settings).rotate()
    assert ring.kept == {}


def test_when_the_settings_cannot_be_written_the_old_keys_stay_and_no_master_key_is_left(
    machine: Machine, ring: Ring, settings: SettingsStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = machine.keys(settings)

    def full(*_args: object, **_named: object) -> None:
        raise ExecutionFailed("The disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(settings, "store_keys", full)
        with pytest.raises(ExecutionFailed, match="full"):
            keys.set(Provider.OLLAMA, KEY)
        assert ring.kept == {}
    keys.set(Provider.OLLAMA, KEY)
    kept = dict(ring.kept)
    monkeypatch.setattr(settings, "store_keys", full)
    with pytest.raises(ExecutionFailed, match="full"):
        keys.rotate()
    assert ring.kept == kept
    assert keys.get(Provider.OLLAMA, OLLAMA) == KEY


def test_resetting_the_settings_leaves_the_keys(machine: Machine, settings: SettingsStore) -> None:
    keys = machine.keys(settings)
    keys.set(Provider.OLLAMA, KEY)
    settings.reset("apis")
    settings.reset()
    assert keys.get(Provider.OLLAMA, OLLAMA) == KEY


def test_every_fault_is_a_failure_that_people_can_read(machine: Machine, ring: Ring, settings: SettingsStore) -> None:
    ring.fault = OSError("no bus")
    with pytest.raises(BridgeError):
        machine.keys(settings).set(Provider.OLLAMA, KEY)


def test_a_master_key_whose_file_cannot_be_removed_is_a_fault_that_says_so(
    bare: Machine, settings: SettingsStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = bare.keys(settings)
    keys.set(Provider.BRAVE, KEY)

    def refuse(_folder: UserFolder, *_names: str) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(UserFolder, "remove", refuse)
    with pytest.raises(KeyFault, match=os.strerror(errno.EACCES)) as found:
        keys.clear(Provider.BRAVE)
    assert found.value.code == "folder_unusable"
    assert not keys.has(Provider.BRAVE)

"""The keyring of the system: what it says, and what becomes of one that is locked, fails or never answers."""

import threading

import keyring.errors
import pytest

from bridge.keys.store import KeyFault, NoKeyring
from tests.keys.machines import Machine, Ring
from tests.patience import PATIENCE


def test_what_is_kept_is_found_until_it_is_removed(machine: Machine) -> None:
    ring = machine.keyring()
    assert ring.get("a") is None
    ring.set("a", "secret")
    assert ring.get("a") == "secret"
    ring.remove("a")
    ring.remove("a")
    assert ring.get("a") is None


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (keyring.errors.KeyringLocked("of sk-secret"), "keyring_locked"),
        (keyring.errors.PasswordSetError("of sk-secret"), "keyring_failed"),
        (keyring.errors.KeyringError("of sk-secret"), "keyring_failed"),
    ],
)
def test_a_keyring_that_does_not_give_says_why_in_our_words(
    machine: Machine, ring: Ring, error: Exception, code: str
) -> None:
    ring.fault = error
    with pytest.raises(KeyFault) as found:
        machine.keyring().get("a")
    assert found.value.code == code
    assert "sk-secret" not in str(found.value)


@pytest.mark.parametrize("error", [keyring.errors.NoKeyringError(), keyring.errors.InitError()])
def test_one_that_could_not_be_opened_at_all_is_none(machine: Machine, ring: Ring, error: Exception) -> None:
    ring.fault = error
    with pytest.raises(NoKeyring):
        machine.keyring().get("a")


def test_one_that_never_answers_is_left_alone_until_it_does(machine: Machine, ring: Ring) -> None:
    ring.held = threading.Event()
    system = machine.keyring(patience=0.01)
    try:
        for _ in range(3):
            with pytest.raises(KeyFault, match="does not answer"):
                system.get("a")
        assert ring.uses == 1, "no further thread waits for it"
    finally:
        ring.held.set()
    for waiting in [thread for thread in threading.enumerate() if thread.name == "keyring"]:
        assert waiting.daemon
        waiting.join(PATIENCE)
    assert machine.keyring().get("a") is None


def test_a_keyring_that_crashes_in_its_own_way_is_not_taken_for_a_missing_one(machine: Machine, ring: Ring) -> None:
    ring.fault = RuntimeError("D-Bus")
    with pytest.raises(KeyFault) as found:
        machine.keyring().get("a")
    assert found.value.code == "keyring_failed"

"""Clients with a credential of their own."""

from datetime import UTC, datetime, timedelta

import pytest

from bridge.clock import SystemClock
from bridge.contract.identity import Capability, Preset
from bridge.errors import ExecutionFailed, InvalidParameters, NotFound
from bridge.identity.store import FILE, MOST_CLIENTS, ClientStore
from tests.identities import PrivateFiles


class Clock(SystemClock):
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


@pytest.fixture
def files() -> PrivateFiles:
    return PrivateFiles()


@pytest.fixture
def store(files: PrivateFiles) -> ClientStore:
    return ClientStore(files, clock=Clock())


def test_a_new_client_may_call_tools_and_nothing_else(store: ClientStore) -> None:
    client, token = store.add("Claude Code")
    assert client.capabilities == (Capability.CALL,)
    held = store.authenticate(token)
    assert held is not None
    assert (held.id, held.name, held.capabilities) == (client.client_id, "Claude Code", frozenset({Capability.CALL}))


def test_the_file_holds_no_token_and_gives_none(store: ClientStore, files: PrivateFiles) -> None:
    _, token = store.add("Claude Code")
    stolen = files.held[FILE].decode()
    assert token not in stolen
    assert token.split("_", 2)[2] not in stolen
    kept = next(part for part in stolen.split('"') if part.startswith("sha256:"))
    assert store.authenticate(kept) is None
    assert store.authenticate(f"vb_{store.list()[0].client_id}_{kept}") is None


@pytest.mark.parametrize("token", ["", "vb", "vb_", "vb__", "vb_000000000000_x", "x" * 10_000, "vb_\udcff_é"])
def test_what_is_no_token_of_ours_is_nobodys(store: ClientStore, token: str) -> None:
    store.add("Claude Code")
    assert store.authenticate(token) is None


def test_a_token_with_another_clients_id_is_nobodys(store: ClientStore) -> None:
    _, one = store.add("One")
    other, _ = store.add("Other")
    assert store.authenticate(f"vb_{other.client_id}_{one.split('_', 2)[2]}") is None


def test_a_revoked_client_is_gone_at_once(store: ClientStore) -> None:
    client, token = store.add("Claude Code")
    held = store.authenticate(token)
    assert held is not None
    assert store.current(held) == held
    store.revoke(client.client_id)
    assert store.current(held) is None
    assert store.authenticate(token) is None
    with pytest.raises(NotFound, match="no client"):
        store.revoke(client.client_id)


def test_a_renamed_client_is_the_same_client(store: ClientStore) -> None:
    client, token = store.add("Claude")
    store.rename(client.client_id, "Claude at work")
    held = store.authenticate(token)
    assert held is not None
    assert (held.id, held.name) == (client.client_id, "Claude at work")
    store.rename(client.client_id, "claude at work")  # its own name, spelled otherwise


def test_more_than_calling_is_there_only_once_it_was_given(store: ClientStore) -> None:
    client, token = store.add("Approver")
    store.allow(client.client_id, Capability.ANSWER)
    held = store.authenticate(token)
    assert held is not None
    assert held.capabilities == {Capability.CALL, Capability.ANSWER}


@pytest.mark.parametrize("name", ["", " Claude", "Claude\n", "a\u202eb", "x" * 81])
def test_a_name_that_could_mislead_or_cannot_be_shown_is_refused(store: ClientStore, name: str) -> None:
    with pytest.raises(InvalidParameters, match="printable"):
        store.add(name)


@pytest.mark.parametrize("name", ["Claude", "CLAUDE", "\uff23laude"])
def test_two_clients_never_have_one_name(store: ClientStore, name: str) -> None:
    store.add("Claude")
    with pytest.raises(InvalidParameters, match="already"):
        store.add(name)


def test_clients_are_still_there_after_a_restart(store: ClientStore, files: PrivateFiles) -> None:
    _, token = store.add("Claude Code")
    again = ClientStore(files, clock=Clock())
    assert again.list() == store.list()
    assert again.authenticate(token) == store.authenticate(token)


@pytest.mark.parametrize("data", [b"", b"[]", b'{"version": 2}', b'{"version": 1, "clients": [{}]}', b"\xff"])
def test_a_damaged_file_lets_nobody_in_and_is_not_overwritten(files: PrivateFiles, data: bytes) -> None:
    files.held[FILE] = data
    store = ClientStore(files, clock=Clock())
    assert store.fault is not None
    assert store.list() == []
    with pytest.raises(ExecutionFailed, match="Fix the file"):
        store.add("Claude Code")
    assert files.held[FILE] == data


@pytest.mark.parametrize("taken", ["host", "shared", "", "../x", "0123456789AB"])
def test_no_record_stands_for_the_person_or_for_the_shared_credential(
    store: ClientStore, files: PrivateFiles, taken: str
) -> None:
    client, token = store.add("Claude Code")
    files.held[FILE] = files.held[FILE].replace(client.client_id.encode(), taken.encode())
    again = ClientStore(files, clock=Clock())
    assert again.fault is not None
    assert again.authenticate(token.replace(client.client_id, taken)) is None


def test_a_full_disk_changes_nothing(store: ClientStore, files: PrivateFiles) -> None:
    client, token = store.add("Claude Code")
    files.full = True
    with pytest.raises(ExecutionFailed, match="cannot be written"):
        store.revoke(client.client_id)
    assert store.authenticate(token) is not None
    held = store.authenticate(token)
    assert held is not None
    store.seen(held, "claude/1")  # no reason to fail


def test_when_a_client_was_seen_is_written_at_most_once_a_minute(files: PrivateFiles) -> None:
    clock = Clock()
    store = ClientStore(files, clock=clock)
    _, token = store.add("Claude Code")
    held = store.authenticate(token)
    assert held is not None
    store.seen(held, "claude-code/2.1")
    before = files.written
    clock.moment += timedelta(seconds=30)
    store.seen(held, "claude-code/2.1")
    assert files.written == before
    clock.moment += timedelta(seconds=31)
    store.seen(held, "claude-code/2.1")
    assert files.written == before + 1
    assert store.list()[0].calls_itself == "claude-code/2.1"


def test_listeners_hear_of_every_change_of_what_clients_are_and_may_do() -> None:
    heard: list[int] = []
    store = ClientStore(PrivateFiles(), clock=Clock(), on_change=lambda: heard.append(len(heard)))
    client, _ = store.add("One")
    store.rename(client.client_id, "Two")
    store.allow(client.client_id, Capability.ANSWER)
    store.revoke(client.client_id)
    assert len(heard) == 4


def test_there_is_an_end_to_how_many_clients_there_are(store: ClientStore) -> None:
    for number in range(MOST_CLIENTS):
        store.add(f"Client {number}")
    with pytest.raises(InvalidParameters, match="revoke one"):
        store.add("One more")


def test_a_clients_preset_is_kept_and_can_be_changed(store: ClientStore, files: PrivateFiles) -> None:
    first, _ = store.add("One", Preset.AGENT)
    second, token = store.add("Two")
    assert (first.preset, second.preset) == (Preset.AGENT, None)
    assert store.choose(second.client_id, preset=Preset.MINIMAL).preset is Preset.MINIMAL
    again = ClientStore(files, clock=Clock())
    assert [client.preset for client in again.list()] == [Preset.AGENT, Preset.MINIMAL]
    known = again.authenticate(token)
    assert known is not None
    assert known.preset == "minimal"

"""The vault that is meant is found, and so is its bridge, or it is said what to do."""

import os
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.client import BridgeNotRunning, BridgeUnseen, VaultNotFound, find_endpoint, find_vault


@pytest.fixture
def other(tmp_path: Path) -> Path:
    (tmp_path / "Other").mkdir()
    return tmp_path / "Other"


def test_the_vault_named_is_taken_before_the_environments_and_that_before_the_one_we_stand_in(
    vault: Path, other: Path
) -> None:
    environ = {"VAULT_BRIDGE_VAULT": str(other)}
    assert find_vault(vault, environ=environ, start=other) == vault.resolve()
    assert find_vault(environ=environ, start=vault) == other.resolve()
    assert find_vault(environ={}, start=vault) == vault.resolve()


def test_home_is_meant_by_a_tilde(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(vault.parent))
    monkeypatch.setenv("USERPROFILE", str(vault.parent))
    assert find_vault(f"~/{vault.name}") == vault.resolve()


@pytest.mark.parametrize("mark", [".obsidian", ".vault-bridge"])
def test_a_vault_is_known_by_its_folders_from_anywhere_within(tmp_path: Path, mark: str) -> None:
    (tmp_path / "V" / mark).mkdir(parents=True)
    (tmp_path / "V" / "a" / "b").mkdir(parents=True)
    assert find_vault(environ={}, start=tmp_path / "V" / "a" / "b") == (tmp_path / "V").resolve()


def test_no_vault_is_an_error_that_says_how_to_name_one(tmp_path: Path) -> None:
    with pytest.raises(VaultNotFound, match="--vault"):
        find_vault(environ={}, start=tmp_path)
    with pytest.raises(VaultNotFound, match="no folder"):
        find_vault(tmp_path / "missing")


BEACON = {"url": "ws://127.0.0.1:1/ws", "http": "http://127.0.0.1:1", "pid": 1, "version": "1"}


def publish(vault: Path, discovery: Any, endpoint: Any = None) -> None:
    (vault / ".vault-bridge").mkdir()
    (vault / ".vault-bridge" / "bridge.json").write_bytes(
        discovery if isinstance(discovery, bytes) else orjson.dumps(discovery)
    )
    run = vault.parent / "run"
    run.mkdir()
    if endpoint is not None:
        for name in ("agent", "host"):
            (run / f"{name}.json").write_bytes(orjson.dumps(endpoint | {"token": name}))


@pytest.mark.parametrize("role", ["agent", "host"])
def test_the_token_is_that_of_the_role(vault: Path, role: str) -> None:
    publish(vault, BEACON | {"runDir": str(vault.parent / "run")}, BEACON)
    assert find_endpoint(vault, role).token == role


@pytest.mark.parametrize(
    ("discovery", "endpoint"),
    [
        (b"{", None),
        ([], None),
        (BEACON, None),
        (BEACON | {"runDir": "/nowhere"}, None),
        (BEACON | {"runDir": "nul\0"}, None),
        (BEACON | {"runDir": "{run}"}, BEACON | {"vault": "nul\0"}),
        (BEACON | {"runDir": "{run}"}, BEACON | {"vault": "/nowhere"}),
        (BEACON | {"runDir": "{run}"}, None),
        (BEACON | {"runDir": "{run}"}, {"url": 5}),
        (BEACON | {"runDir": "{run}"}, BEACON | {"url": "ws://evil.example/ws"}),
        (BEACON | {"runDir": "{run}"}, BEACON | {"url": "ws://127.0.0.1.evil.example:1/ws"}),
        (BEACON | {"runDir": "{run}"}, BEACON | {"url": "ws://127.0.0.1:1@evil.example/ws"}),
        (BEACON | {"runDir": "{run}"}, BEACON | {"url": "ws://127.0.0.1:1\\@evil.example/ws"}),
    ],
)
def test_a_vault_that_nobody_serves_says_how_to_serve_it(vault: Path, discovery: Any, endpoint: Any) -> None:
    if isinstance(discovery, dict) and discovery.get("runDir") == "{run}":
        discovery = discovery | {"runDir": str(vault.parent / "run")}
    publish(vault, discovery, endpoint)
    with pytest.raises(BridgeNotRunning, match="vault-bridge serve --vault"):
        find_endpoint(vault)


def test_a_vault_that_was_never_served_says_the_same(vault: Path) -> None:
    with pytest.raises(BridgeNotRunning, match="vault-bridge serve --vault"):
        find_endpoint(vault)


def test_what_cannot_be_read_is_not_taken_for_a_vault_that_nobody_serves(vault: Path) -> None:
    publish(vault, BEACON | {"runDir": str(vault.parent / "run")})
    (vault.parent / "run" / "agent.json").mkdir()
    with pytest.raises(BridgeUnseen, match=r"cannot be seen: .*agent\.json"):
        find_endpoint(vault)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_program_that_has_no_descriptors_left_says_so(vault: Path) -> None:
    import resource  # noqa: PLC0415 - Windows has none

    publish(vault, BEACON | {"runDir": str(vault.parent / "run")}, BEACON)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        with pytest.raises(BridgeUnseen, match="Too many open files"):
            find_endpoint(vault)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no numbered owners")
def test_what_another_user_put_there_is_not_believed(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(vault, BEACON | {"runDir": str(vault.parent / "run")}, BEACON)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(BridgeNotRunning):
        find_endpoint(vault)


@pytest.mark.parametrize("name", ["x" * 5000, "nul\0"])
def test_a_name_that_no_folder_can_have_is_no_vault(name: str) -> None:
    with pytest.raises(VaultNotFound, match="no folder"):
        find_vault(name)


def test_the_bridge_of_the_vault_that_this_one_was_copied_from_is_not_its_bridge(vault: Path, other: Path) -> None:
    run = str(vault.parent / "run")
    publish(other, BEACON | {"runDir": run}, BEACON | {"vault": str(vault.resolve())})
    with pytest.raises(BridgeNotRunning, match="vault-bridge serve --vault"):
        find_endpoint(other)
    (vault / ".vault-bridge").mkdir()
    (other / ".vault-bridge" / "bridge.json").rename(vault / ".vault-bridge" / "bridge.json")
    assert find_endpoint(vault).token == "agent"

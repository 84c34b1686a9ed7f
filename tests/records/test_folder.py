"""The run folder is the user's own, and nothing of it is half written or readable by others."""

import os
import stat
import sys
from pathlib import Path

import pytest

from bridge.errors import StartError
from bridge.records.folder import RunFolder

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits or owners like these")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix_only
def test_the_folder_and_its_files_are_for_their_user_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        run = RunFolder(tmp_path / "Vault", tmp_path / "state")
        run.write("agent.json", b"{}")
    finally:
        os.umask(before)
    assert (mode(run.path), mode(run.path.parent), mode(run.path / "agent.json")) == (0o700, 0o700, 0o600)


@posix_only
def test_a_folder_that_others_could_look_into_is_closed(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "Vault", tmp_path / "state")
    run.path.chmod(0o755)
    RunFolder(tmp_path / "Vault", tmp_path / "state")
    assert mode(run.path) == 0o700


def test_each_vault_has_its_own_and_the_same_again(tmp_path: Path) -> None:
    state = tmp_path / "state"
    first = RunFolder(tmp_path / "A", state)
    assert RunFolder(tmp_path / "A", state).path == first.path
    assert RunFolder(tmp_path / "B", state).path != first.path


def test_the_environment_may_name_the_users_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_BRIDGE_STATE", str(tmp_path / "elsewhere"))
    assert RunFolder(tmp_path / "Vault").path.is_relative_to(tmp_path / "elsewhere")


@posix_only
@pytest.mark.parametrize("which", ["run", "leaf"])
def test_a_link_in_its_place_is_refused(tmp_path: Path, which: str) -> None:
    run = RunFolder(tmp_path / "Vault", tmp_path / "state")
    place = run.path if which == "leaf" else run.path.parent
    run.path.rmdir()
    if which == "run":
        place.rmdir()
    (tmp_path / "theirs").mkdir()
    place.symlink_to(tmp_path / "theirs", target_is_directory=True)
    with pytest.raises(StartError, match="link"):
        RunFolder(tmp_path / "Vault", tmp_path / "state")
    assert list((tmp_path / "theirs").iterdir()) == []


@posix_only
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(StartError, match="another user"):
        RunFolder(tmp_path / "Vault", tmp_path / "state")


def test_a_file_in_its_place_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("", encoding="utf-8")
    with pytest.raises(StartError, match="VAULT_BRIDGE_STATE"):
        RunFolder(tmp_path / "Vault", tmp_path / "state")


def test_a_file_is_replaced_whole_and_leaves_nothing_behind(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "Vault", tmp_path / "state")
    run.write("agent.json", b"old and long")
    run.write("agent.json", b"new")
    assert run.read("agent.json") == b"new"
    assert [path.name for path in run.path.iterdir()] == ["agent.json"]
    run.remove("agent.json", "never.json")
    assert run.read("agent.json") is None


@posix_only
def test_a_link_among_the_files_is_replaced_not_followed(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "Vault", tmp_path / "state")
    (run.path / "agent.json").symlink_to(tmp_path / "theirs")
    run.write("agent.json", b"token")
    assert not (tmp_path / "theirs").exists()


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "Vault", tmp_path / "state")
    (run.path / "agent.json").mkdir()
    (run.path / "agent.json" / "x").mkdir()
    with pytest.raises(OSError, match=r"agent\.json"):
        run.write("agent.json", b"token")
    assert [path.name for path in run.path.iterdir()] == ["agent.json"]


def test_what_a_killed_bridge_left_half_written_is_swept_away(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "Vault", tmp_path / "state")
    (run.path / ".agent.json.0a0a0a0a.tmp").write_bytes(b"{")
    run.write("host.json", b"{}")
    run.sweep()
    assert [path.name for path in run.path.iterdir()] == ["host.json"]


def test_what_stays_is_kept_beside_what_goes_with_the_bridge(tmp_path: Path) -> None:
    run, kept = RunFolder(tmp_path, tmp_path), RunFolder(tmp_path, tmp_path, kind="audit", durable=True)
    kept.write("audit.key", b"secret")
    assert kept.read("audit.key") == b"secret"
    assert (run.path.parent.name, kept.path.parent.name) == ("run", "audit")
    assert run.path.name == kept.path.name
    if os.name == "posix":
        assert stat.S_IMODE((kept.path / "audit.key").stat().st_mode) == 0o600
        assert stat.S_IMODE(kept.path.stat().st_mode) == 0o700

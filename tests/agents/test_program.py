"""Where the command lies is written down for the plugin, in the user's own folder."""

import json
import stat
import sys
from pathlib import Path

import pytest

from bridge import __version__
from bridge.agents import program
from bridge.agents.program import NAME, find_program, remember_program


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VAULT_BRIDGE_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


def installed(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / NAME
    command.write_bytes(b"")
    return command


def test_the_command_is_looked_for_in_order_and_a_folder_of_its_name_is_none(tmp_path: Path) -> None:
    (tmp_path / "a" / NAME).mkdir(parents=True)
    second = installed(tmp_path / "b")
    installed(tmp_path / "c")
    assert find_program(tmp_path / name for name in ("none", "a", "b", "c")) == second
    assert find_program([tmp_path / "none"]) is None


def test_where_it_lies_is_written_for_its_user_only(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = installed(tmp_path / "bin")
    monkeypatch.setattr(program, "_folders", lambda: [tmp_path / "bin"])
    remember_program()
    note = state / "program" / "last" / "program.json"
    assert json.loads(note.read_bytes()) == {"program": str(command), "version": __version__}
    if sys.platform != "win32":
        assert (stat.S_IMODE(note.stat().st_mode), stat.S_IMODE(note.parent.stat().st_mode)) == (0o600, 0o700)


def test_a_place_that_cannot_be_written_stops_nothing(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path / "bin")
    monkeypatch.setattr(program, "_folders", lambda: [tmp_path / "bin"])
    state.write_text("a file where the folder should be", encoding="utf-8")
    remember_program()
    assert state.is_file()


def test_without_a_command_nothing_is_written(state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_folders", lambda: [tmp_path])
    remember_program()
    assert not state.exists()

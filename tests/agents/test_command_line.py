"""The command that other programs start."""

import sys
from pathlib import Path

import pytest

from bridge.agents import program as module
from bridge.agents.machine import ConfigurationRefused
from bridge.agents.program import NAME, command_line


def installed(folder: Path) -> Path:
    folder.mkdir(parents=True)
    program = folder / NAME
    program.touch(mode=0o755)
    return program


def test_the_installation_that_runs_is_named_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = installed(tmp_path / "venv" / "bin"), installed(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(other.parent))
    assert command_line(own) == (str(own),)


@pytest.mark.skipif(sys.platform == "win32", reason="pipx makes links on POSIX only")
def test_a_link_that_leads_to_it_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = installed(tmp_path / "share" / "pipx" / "venvs" / "vault-bridge" / "bin")
    link = tmp_path / "bin" / NAME
    link.parent.mkdir()
    link.symlink_to(own)
    monkeypatch.setenv("PATH", str(link.parent))
    assert command_line(own) == (str(link),)


def test_without_a_command_python_starts_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "installed_program", lambda: None)
    assert command_line() == (sys.executable, "-m", "bridge")


@pytest.mark.parametrize("place", ["cache/uv/archive-v0/x1/bin", "cache/uv/environments-v2/x/bin", "pipx/.cache/x/bin"])
def test_an_installation_for_one_run_is_refused(place: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationRefused, match="Install it to stay"):
        command_line(installed(tmp_path / place))

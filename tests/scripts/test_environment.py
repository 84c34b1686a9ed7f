"""The environment is made once, and again when the project's definition changes."""

import asyncio
import sys
from pathlib import Path

import pytest

from scripts.lib import entry, environment

FAST = "Adding the faster search engine"
MEANING = "Adding search by meaning"
PDF = "Adding the faster reader of PDF files"
DRAWN = "Adding the text in pictures"
RUN = ["Installing Vault Bridge", FAST, MEANING, PDF]
DEV = ["Updating pip", "Installing Vault Bridge and its tools for testing", FAST, MEANING, PDF, DRAWN]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A project whose environment exists; what pip is asked to do is noted instead of done."""
    asked: list[str] = []
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    (tmp_path / ".venv").mkdir()
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(environment, "version_of", lambda _command: (3, 12))
    monkeypatch.setattr(environment, "_pip", lambda title, _arguments: asked.append(title))
    return asked


def test_what_is_installed_is_not_installed_again(project: list[str]) -> None:
    environment.prepare(dev=False)
    environment.prepare(dev=False)
    assert project == RUN


def test_a_changed_definition_is_installed_anew(project: list[str]) -> None:
    environment.prepare(dev=False)
    (environment.ROOT / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    environment.prepare(dev=False)
    assert project == RUN + RUN


def test_the_environment_for_testing_serves_for_running_too(project: list[str]) -> None:
    environment.prepare(dev=True)
    environment.prepare(dev=False)
    assert project == DEV


def test_the_environment_for_running_does_not_serve_for_testing(project: list[str]) -> None:
    environment.prepare(dev=False)
    environment.prepare(dev=True)
    assert project == RUN + DEV


@pytest.mark.parametrize("missing", [FAST, MEANING, PDF, DRAWN])
def test_without_a_build_of_what_is_optional_the_rest_is_installed_all_the_same(
    missing: str, project: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pip(title: str, _arguments: list[str]) -> None:
        project.append(title)
        if title == missing:
            raise environment.SetupError("No matching distribution")

    monkeypatch.setattr(environment, "_pip", pip)
    environment.prepare(dev=True)
    environment.prepare(dev=True)
    assert project == DEV
    assert "no build of it" in capsys.readouterr().out


def test_a_setup_that_fails_ends_with_its_message_and_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_arguments: object) -> int:
        raise environment.SetupError("pip could not")

    monkeypatch.setattr("sys.argv", ["start"])
    with pytest.raises(SystemExit) as ended:
        entry.main(fails)
    assert (ended.value.code, capsys.readouterr().err) == (1, "pip could not\n")


async def test_a_program_takes_over_where_the_user_stands_and_its_exit_code_counts(tmp_path: Path) -> None:
    program = "import os, sys; print(os.getcwd()); sys.exit(7)"
    become = f"import sys; from scripts.lib import environment; environment.become([sys.executable, '-c', {program!r}])"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", become),
        cwd=tmp_path,
        env=environment.variables({"PYTHONPATH": str(environment.ROOT)}),
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    assert (process.returncode, said.decode().strip()) == (7, str(tmp_path))

"""The scripts find a Python that fits, whatever `python3` is."""

import os
import sys
from pathlib import Path

import pytest

from scripts.lib.interpreters import NoPythonError, find_python, version_of

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the interpreters here are stood in for by shell scripts")


def fake_python(path: Path, answer: str) -> Path:
    """A program that answers the question for its version as the test wants, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose own Python is too old, with an empty folder on its PATH, which is returned."""
    monkeypatch.setattr(sys, "executable", str(fake_python(tmp_path / "old" / "python3", "echo 3 9")))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    return tmp_path / "bin"


def test_the_running_python_is_taken_when_it_fits() -> None:
    assert find_python() == [sys.executable]


def test_the_newest_that_fits_is_taken_from_the_path(nothing_installed: Path) -> None:
    fake_python(nothing_installed / "python3.11", "echo 3 11")
    newer = fake_python(nothing_installed / "python3.12", "echo 3 12")
    assert find_python() == [str(newer)]


def test_a_shim_that_does_not_run_is_passed_over(nothing_installed: Path) -> None:
    fake_python(nothing_installed / "python3.13", "echo 'not installed' >&2; exit 127")
    works = fake_python(nothing_installed / "python3.11", "echo 3 11")
    assert find_python() == [str(works)]


@pytest.mark.usefixtures("nothing_installed")
def test_a_version_managed_by_pyenv_is_found(tmp_path: Path) -> None:
    works = fake_python(tmp_path / "pyenv" / "versions" / "3.12.1" / "bin" / "python", "echo 3 12")
    assert find_python() == [str(works)]


def test_without_any_the_message_says_what_to_install(nothing_installed: Path) -> None:
    fake_python(nothing_installed / "python3", "echo 3 14")
    with pytest.raises(NoPythonError, match=r"needs Python 3\.11, 3\.12 or 3\.13.*\nInstall one"):
        find_python()


def test_what_is_not_a_python_has_no_version(tmp_path: Path) -> None:
    assert version_of([str(tmp_path / "missing")]) is None
    assert version_of([str(fake_python(tmp_path / "liar", "echo hello"))]) is None

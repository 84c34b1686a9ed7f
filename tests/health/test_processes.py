"""The doctor starts each process that does a part of the work, and says what cannot start and what to do."""

import json
import shutil
import sys
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from bridge.custom import process
from bridge.health import programs, reinstalling
from bridge.health.finding import Finding
from bridge.health.installation import PACKAGES
from bridge.health.reinstalling import DISTRIBUTION, install_again
from bridge.index.vectors.embedder import packaged_model
from bridge.pictures.reader import recognition_files
from bridge.workers import pool


def levels(found: list[Finding]) -> list[str]:
    return [finding.level for finding in found]


@pytest.mark.slow
def test_every_worker_is_started(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    start = pool.Worker.start

    def noted(worker: pool.Worker) -> None:
        start(worker)
        started.append(str(worker._process.args[-1]))  # type: ignore[index]

    monkeypatch.setattr(pool.Worker, "start", noted)
    found = list(programs.check_workers(vault))
    assert levels(found) == ["ok"]
    files = Path(process.__file__).parents[1].rglob("*.py")
    modules = {file.stem for file in files if " answer_requests(" in file.read_text("utf-8")} - {"frames"}
    there = {program.rpartition(".")[2] for program in started}
    if packaged_model() is None:
        modules -= {"packaged"}
    if recognition_files() is None:
        modules -= {"recognition"}
    assert there == modules, "each worker's program is started, and a new one belongs among them"


@pytest.mark.slow
def test_one_that_cannot_start_is_named_with_what_it_cannot_do_and_the_next_step(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = pool._PROGRAM.replace(
        "importlib.import_module", 'sys.modules["lxml_html_clean"] = None; importlib.import_module'
    )
    monkeypatch.setattr(pool, "_PROGRAM", broken)
    (page,) = (finding for finding in programs.check_workers(vault) if finding.level == "fail")
    assert page.what.startswith("The process for page cannot start (")
    assert "lxml" in page.what
    assert page.what.endswith(": pages of the web can only be fetched as `raw`")
    assert page.remedy == install_again()


@pytest.mark.slow
def test_the_user_s_own_tools_are_tried(vault: Path) -> None:
    found = list(programs.check_programs(vault))
    assert levels(found) == ["ok"] * (2 if shutil.which("node") else 1)


@pytest.mark.slow
def test_what_keeps_the_user_s_own_tools_from_running_is_named(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_source", lambda _name: "throw new Error('no tea')")
    found = list(programs.check_programs(vault))
    assert set(levels(found)) == {"fail"}
    assert found[0].what.startswith("Own tools in python cannot run: The tool could not be started")
    assert all(finding.remedy for finding in found)


def test_packages_of_a_part_are_named_as_they_are_imported() -> None:
    assert len(set(PACKAGES)) == len(PACKAGES)


class Installed(Distribution):
    """A distribution that was installed from somewhere."""

    def __init__(self, url: str | None) -> None:
        self._url = url

    def read_text(self, filename: str) -> str | None:
        """The note that pip leaves about where it had it from."""
        return json.dumps({"url": self._url}) if self._url and filename == "direct_url.json" else None

    def locate_file(self, path: Any) -> Any:
        """Nowhere."""
        raise NotImplementedError(path)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "start").touch()
    return tmp_path


def test_it_is_installed_again_in_the_way_in_which_it_was(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reinstalling, "distribution", lambda _name: Installed(checkout.as_uri()))
    monkeypatch.setattr(sys, "prefix", str(checkout / ".venv"))
    start = checkout / "scripts" / "start"
    assert install_again().endswith(f"delete the folder {checkout / '.venv'}, and run `python3 {start}`")
    monkeypatch.setattr(sys, "prefix", str(checkout / "environment"))
    assert install_again("semantic").endswith(f'-m pip install --force-reinstall "{checkout}[semantic]"`')
    monkeypatch.setattr(sys, "prefix", str(checkout / "pipx" / "venvs" / DISTRIBUTION))
    assert install_again().endswith(f"`pipx reinstall {DISTRIBUTION}`")


def test_where_nobody_knows_what_it_was_installed_from_its_name_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reinstalling, "distribution", lambda _name: Installed(None))
    assert install_again().endswith(f'--force-reinstall "{DISTRIBUTION}"`')

    def none(_name: str) -> Distribution:
        raise PackageNotFoundError

    monkeypatch.setattr(reinstalling, "distribution", none)
    assert DISTRIBUTION in install_again()

"""A release goes out only with one version everywhere and with the plugin in it."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

import bridge
from scripts.lib.bundle import wheel_name
from scripts.lib.release import PLUGIN, ROOT, built_faults, main, repository_faults, version_faults

FILES = (
    *("bridge/__init__.py", "manifest.json", "versions.json", "package.json", "CHANGELOG.md"),
    "obsidian-plugin/package.json",
)
VERSION = bridge.__version__


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that name the version, as they are when it is released."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text(f"{changelog.read_text('utf-8')}\n## [{VERSION}] - 2026-01-05\n", encoding="utf-8")
    return tmp_path


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


def test_a_version_that_every_file_names_can_be_released(checkout: Path) -> None:
    assert list(version_faults(VERSION, checkout)) == []


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_names_another_version_is_named(checkout: Path, name: str) -> None:
    edit(checkout / name, VERSION, "9.9.9")
    (fault,) = version_faults(VERSION, checkout)
    assert fault.startswith(name)


@pytest.mark.parametrize("tag", [f"v{VERSION}", "1.2", "1.2.3-beta", ""])
def test_a_tag_that_obsidian_would_not_take_is_refused(checkout: Path, tag: str) -> None:
    assert "no other tag" in next(version_faults(tag, checkout))


def test_the_app_version_in_the_list_of_versions_is_that_of_the_manifest(checkout: Path) -> None:
    (checkout / "versions.json").write_text(json.dumps({VERSION: "0.0.1"}), encoding="utf-8")
    (fault,) = version_faults(VERSION, checkout)
    assert fault.startswith("versions.json")


def test_packages_that_are_missing_or_lack_the_plugin_are_named(tmp_path: Path) -> None:
    wheel = tmp_path / wheel_name(VERSION)
    assert [fault.endswith("was not built.") for fault in built_faults(VERSION, tmp_path)] == [True, True]
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in PLUGIN[1:]:
            archive.writestr(f"bridge/plugin_files/{name}", "")
    assert next(built_faults(VERSION, tmp_path)) == f"{wheel.name} lacks the plugin's main.js."


def test_the_command_says_what_is_wrong_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["9.9.9"]) == 1
    assert "manifest.json has version" in capsys.readouterr().err


def test_the_plugin_names_the_repository_that_is_released_from(tmp_path: Path) -> None:
    package = tmp_path / "obsidian-plugin" / "package.json"
    package.parent.mkdir()
    package.write_text("{}", encoding="utf-8")
    address = "https://example.org/ada/bridge"
    assert "no address" in next(repository_faults(address, tmp_path))
    package.write_text(json.dumps({"repository": {"type": "git", "url": f"git+{address}.git"}}), encoding="utf-8")
    assert list(repository_faults(address, tmp_path)) == []

"""The workflows run the project's own scripts, on every system and Python that it promises."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml12

from bridge.plugin.install import FILES
from scripts.lib.checking import WORKFLOWS

ROOT = Path(__file__).resolve().parents[2]


def load(name: str) -> dict[str, Any]:
    loaded: Any = yaml12.parse_yaml((ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


TESTS, RELEASE = load("test"), load("release")


def commands(workflow: dict[str, Any]) -> str:
    return "\n".join(step.get("run", "") for job in workflow["jobs"].values() for step in job.get("steps", ()))


def test_every_workflow_is_checked_against_the_schema() -> None:
    there = {file.relative_to(ROOT).as_posix() for file in (ROOT / ".github" / "workflows").iterdir()}
    assert set(WORKFLOWS) == there


def test_every_python_that_is_promised_is_tested_on_every_system() -> None:
    strategies = [TESTS["jobs"][job]["strategy"] for job in ("test", "installation")]
    assert strategies[0] == strategies[1], "what is tested is installed as users do, too"
    matrix = strategies[0]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    least, beyond = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", project["requires-python"]).groups()  # type: ignore[union-attr]
    assert matrix["python"] == [f"3.{minor}" for minor in range(int(least), int(beyond))]
    assert {system.partition("-")[0] for system in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert not TESTS["jobs"]["test"]["strategy"]["fail-fast"]


@pytest.mark.parametrize("workflow", [TESTS, RELEASE], ids=["test", "release"])
def test_what_they_run_is_in_the_repository(workflow: dict[str, Any]) -> None:
    scripts = re.findall(r"(?:scripts|\.ci)/[\w-]+", commands(workflow))
    assert scripts
    assert all((ROOT / script).is_file() for script in scripts)


@pytest.mark.parametrize("workflow", [TESTS, RELEASE], ids=["test", "release"])
def test_only_the_job_that_publishes_may_do_more_than_read(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    assert [name for name, job in workflow["jobs"].items() if "permissions" in job] in ([], ["release"])


def test_a_release_is_tested_checked_and_has_what_obsidian_downloads() -> None:
    release = RELEASE["jobs"]["release"]
    assert RELEASE["jobs"]["test"]["uses"] == "./.github/workflows/test.yml"
    assert release["needs"] == "test"
    said = commands(RELEASE)
    assert (
        said.index("check-release") < said.index("build-plugin") < said.index("--built dist") < said.index("gh release")
    )
    published = next(line for line in said.splitlines() if line.startswith("gh release create"))
    assert all(f"bridge/plugin_files/{name}" in published for name in FILES)
    assert "dist/*" in published

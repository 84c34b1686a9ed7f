"""`vault-bridge log`: exporting, checking and clearing, on a vault that nobody serves."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.app import Bridge
from bridge.cli.main import app
from bridge.client import connect

pytestmark = pytest.mark.slow

Run = Callable[..., Result]


@pytest.fixture
async def logged(vault: Path) -> Path:
    """A vault with a log of two calls."""
    async with Bridge(vault), connect(vault, name="=Robot", role="host") as agent:
        await agent.call("apply_patch", path="Ideas.md", patches=[])
        await agent.call("grep", pattern="x")
    return vault


@pytest.fixture
def run(logged: Path) -> Run:
    def run(*words: str, code: int = 0, keys: str | None = None) -> Result:
        result = CliRunner().invoke(app, ["log", *words, "--vault", str(logged)], input=keys)
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def file(logged: Path) -> Path:
    return logged / ".vault-bridge" / "logs" / "tools.log"


def test_a_whole_log_is_said_to_be_whole(run: Run) -> None:
    assert "The log is whole" in run("--verify").stderr
    assert json.loads(run("--verify", "--json").stdout)["whole"]


def test_an_edited_log_exits_with_1_and_says_where(run: Run, file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines, 1) if b'"execution"' in line)
    file.write_bytes(file.read_bytes().replace(b'"execution"', b'"nothing"', 1))
    said = run("--verify", code=1).stderr
    assert f"tools.log, line {place}: record {place} was altered" in said
    assert json.loads(run("--verify", "--json", code=1).stdout)["faultCount"] == 1


def test_an_export_is_written_to_standard_output_or_a_new_file(run: Run, logged: Path, tmp_path: Path) -> None:
    found: list[dict[str, Any]] = json.loads(run("--export", "json", "--kind", "execution").stdout)
    assert [record["tool"] for record in found] == ["apply_patch", "grep"]
    target = tmp_path / "log.csv"
    assert "records are in" in run("--export", "csv", "--output", str(target)).stderr
    with target.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["client"] for row in rows if row["kind"] == "execution"} == {"'=Robot"}
    assert "exists already" in run("--export", "csv", "--output", str(target), code=1).stderr
    assert list((logged / ".vault-bridge" / "exports").iterdir()) == []


def test_clearing_is_asked_about_and_leaves_a_record(run: Run) -> None:
    before = len(json.loads(run("--json").stdout))
    assert "Nothing was removed" in run("--clear", keys="n\n", code=1).stderr
    assert len(json.loads(run("--json").stdout)) == before
    run("--clear", "--yes")
    (record,) = json.loads(run("--json").stdout)
    assert (record["kind"], record["event"], record["by"]) == ("log", "cleared", "Command line")
    assert record["records"] == before
    assert "The log is whole" in run("--verify").stderr


@pytest.mark.parametrize("words", [("--verify", "--clear"), ("--output", "x"), ("--export", "xml")])
def test_what_does_not_go_together_is_bad_usage(run: Run, words: tuple[str, ...]) -> None:
    run(*words, code=2)

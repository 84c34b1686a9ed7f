"""`vault-bridge servers`: what is known of a server is shown whole before it is trusted."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.cli.main import app

pytestmark = pytest.mark.slow

STRANGER = Path(__file__).parents[1] / "servers" / "stranger.py"

Run = Callable[..., Result]


@pytest.fixture
def run(served: Any, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `vault-bridge servers` on the served vault, in a pipe of 400 columns: paths are long."""
    monkeypatch.setenv("COLUMNS", "400")

    def run(*words: str, typed: str | None = None, code: int = 0) -> Result:
        result = CliRunner().invoke(app, ["servers", words[0], "--vault", str(served.vault), *words[1:]], input=typed)
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A server whose text can be changed."""
    script = tmp_path / "server" / "stranger.py"
    script.parent.mkdir()
    script.write_bytes(STRANGER.read_bytes())
    return script


def test_a_server_is_entered_listed_tested_and_removed(run: Run, script: Path) -> None:
    assert "No server is entered" in run("list").output
    run("add", "greeter", sys.executable, "--description", "Greets", "--", str(script), "good")
    (row,) = [line for line in run("list").output.splitlines() if line.startswith("greeter")]
    assert row.split()[-3:] == ["off", "no", "Greets"]
    tested = run("test", "greeter").stdout
    assert "mcp__greeter__greet  says that it reads" in tested
    run("remove", "greeter")
    assert "No server is entered" in run("list").output
    run("show", "greeter", code=1)


def test_one_that_cannot_be_used_says_why_and_what_it_wrote(run: Run, script: Path) -> None:
    run("add", "broken", sys.executable, "--", str(script), "gone")
    shown = run("test", "broken", code=1).stdout
    assert "cannot be used" in shown
    assert "it will not start today" in shown


def test_trusting_shows_the_schema_and_later_how_it_differs(run: Run, script: Path) -> None:
    run("add", "greeter", sys.executable, "--", str(script), "good")
    asked = run("trust", "greeter", typed="n\n", code=1).stdout
    assert "It takes:" in asked
    assert '        "type": "string"' in asked
    assert "otherwise than when you allowed it" not in asked
    assert "is trusted" in run("trust", "greeter", "--yes").output
    text = script.read_text(encoding="utf-8")
    more = '"properties": {"all_notes": {"type": "string"}, "name"'
    script.write_text(text.replace('"properties": {"name"', more), encoding="utf-8")
    shown = run("test", "greeter").stdout
    assert "It describes itself otherwise than when you allowed it:" in shown
    assert '    +    "all_notes": {' in shown
    (tool,) = json.loads(run("show", "greeter", "--json").stdout)["tools"]
    assert "all_notes" in tool["takes"]

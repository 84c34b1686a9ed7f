"""`vault-bridge custom`: tools of one's own from files, tried and timed, changed in an editor, and taken away."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.cli.main import app

pytestmark = pytest.mark.slow

Run = Callable[..., Result]
SCHEMA = {"type": "object", "properties": {"number": {"type": "number"}}, "required": ["number"]}


@pytest.fixture
def run(served: Any, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on the served vault, in a pipe of 160 columns."""
    monkeypatch.setenv("COLUMNS", "160")

    def run(*words: str, typed: str | None = None, code: int = 0) -> Result:
        result = CliRunner().invoke(app, [*words, "--vault", str(served.vault)], input=typed)
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def double(run: Run, tmp_path: Path) -> str:
    """A tool that is stored, and allowed to run."""
    run("settings", "set", "allowCustomTools=true", "requireSandbox=never")
    (tmp_path / "double.py").write_text("print('seen')\nreturn 2 * parameters['number']\n", encoding="utf-8")
    (tmp_path / "double.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    files = (str(tmp_path / "double.py"), "--parameters", str(tmp_path / "double.json"))
    said = run("custom", "add", "double", *files, "--environment", "python", "--description", "Doubles").output
    assert "double is stored" in said
    return "double"


def test_without_any_it_says_how_to_begin_and_where_tools_can_run(run: Run) -> None:
    said = run("custom", "list").output
    assert "`vault-bridge custom add` stores one" in said
    assert "browser: not here. Obsidian is not connected" in said
    assert "`vault-bridge settings set allowCustomTools=true` allows them" in said


def test_a_tool_is_listed_tried_and_timed(run: Run, double: str) -> None:
    row = next(line for line in run("custom", "list").stdout.splitlines() if line.startswith("double"))
    assert row.split()[:5] == ["double", "python", "on", "30000", "ms"]
    said = run("custom", "test", double, "number=4").stdout
    assert said.startswith("8\n")
    assert "  seen\n" in said
    assert "Execution time: " in said
    result = json.loads(run("custom", "test", double, "--arguments", '{"number": 5}', "--json").stdout)
    assert (result["success"], result["result"]) == (True, 10)
    assert "must be of type number" in run("custom", "test", double, "--arguments", '{"number": "x"}', code=1).output


def test_a_failure_is_shown_with_an_exit_code_of_one(run: Run, double: str) -> None:
    run("custom", "update", double, "-", typed="raise KeyError('gone')\n")
    said = run("custom", "test", double, "number=4", code=1).stdout
    assert "KeyError: 'gone'" in said
    assert "Execution time: " in said


def test_it_is_changed_switched_and_taken_away(run: Run, double: str) -> None:
    run("custom", "update", double, "--timeout", "5000", "--description", "Doubles a number", "--returns", "a number")
    run("custom", "disable", double)
    (tool,) = json.loads(run("custom", "list", "--json").stdout)["tools"]
    assert (tool["timeout"], tool["enabled"], tool["returns"]) == (5000, False, "a number")
    assert tool["createdAt"] <= tool["updatedAt"]
    assert "double is switched on" in run("custom", "enable", double).output
    assert "double is gone" in run("custom", "remove", double).output
    assert json.loads(run("custom", "list", "--json").stdout)["tools"] == []
    assert "There is no tool 'double'" in run("custom", "test", double, code=1).output


@pytest.mark.skipif(sys.platform == "win32", reason="the editor is a script")
def test_its_code_is_edited_in_the_person_s_editor(
    run: Run, double: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f'#!{sys.executable}\nimport sys\nopen(sys.argv[1], "a").write("# more\\n")\n', encoding="utf-8")
    os.chmod(editor, 0o700)  # noqa: PTH101 - as a person does it
    monkeypatch.setenv("VISUAL", str(editor))
    assert "double is changed" in run("custom", "edit", double).output
    (tool,) = json.loads(run("custom", "list", "--json").stdout)["tools"]
    assert tool["code"].endswith("# more\n")
    monkeypatch.setenv("VISUAL", "true")
    assert "Nothing was changed" in run("custom", "edit", double).output


@pytest.mark.parametrize(
    ("words", "typed", "said", "code"),
    [
        (("x", "missing.py", "--description", "d"), None, "Cannot read 'missing.py'", 2),
        (("x", "-", "--description", "d", "--parameters", "-"), "{}", "cannot be both", 2),
        (("x", "-", "--description", "d", "--environment", "deno"), "return 1", "environment", 1),
        (("x", "-", "--description", "d", "--environment", "python"), "return (", "cannot be read: SyntaxError", 1),
        (
            ("read", "-", "--description", "d", "--environment", "python"),
            "return 1",
            "There is a tool 'read' already",
            1,
        ),
    ],
)
def test_a_mistake_is_said_in_plain_words(
    run: Run, words: tuple[str, ...], typed: str | None, said: str, code: int
) -> None:
    assert said in run("custom", "add", *words, typed=typed, code=code).output

"""Templates at the command line: listed, shown, run, kept from a file, edited, removed."""

import asyncio
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.cli.main import app
from bridge.client import token_storage
from tests.people import person_at

pytestmark = pytest.mark.slow

Command = Callable[..., Result]
TEMPLATE = {
    "name": "note",
    "title": "A \x1b[31mnote",
    "parameters": [{"name": "title"}, {"name": "lines", "type": "list", "default": []}],
    "calls": [
        {
            "name": "made",
            "tool": "write_file",
            "arguments": {
                "path": {"$text": [{"$param": "title"}, ".md"]},
                "content": {"$each": [{"$param": "lines"}, {"$item": ""}]},
            },
        }
    ],
}
TEMPLATE["calls"][0]["arguments"]["content"] = {"$text": ["# ", {"$param": "title"}, "\n", {"$param": "lines"}]}  # type: ignore[index]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's folders are of this test, and the screen is wide."""
    monkeypatch.setenv(token_storage.CONFIG_VARIABLE, str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def run(served: Any) -> Command:
    """Runs `vault-bridge` on the vault."""

    def run(*words: str, code: int = 0, keys: str | None = None) -> Result:
        result = CliRunner().invoke(app, [*words, "--vault", str(served.vault)], input=keys)
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A template in a file."""
    place = tmp_path / "note.json"
    place.write_text(json.dumps(TEMPLATE), encoding="utf-8")
    return place


def names(run: Command) -> set[str]:
    return {info["template"]["name"] for info in json.loads(run("templates", "list", "--json").stdout)}


@pytest.mark.parametrize("running", [True, False])
def test_what_came_along_is_listed_and_shown_whether_a_bridge_runs_or_not(
    run: Command, served: Any, *, running: bool
) -> None:
    if not running:
        served.stop()
    listed = run("templates", "list").stdout
    assert "archive-project" in listed
    assert "came along" in listed
    shown = run("templates", "show", "archive-project").stdout
    assert "project (text, required)  The note, by name, path or wikilink" in shown
    assert "2. moved: move" in shown
    assert "no template 'nothing'" in run("templates", "show", "nothing", code=1).stderr


def test_one_is_kept_from_a_file_and_removed_again(run: Command, file: Path) -> None:
    run("templates", "add", str(file))
    assert "note" in names(run)
    listed = run("templates", "list").stdout
    assert "yours" in listed
    assert "\x1b" not in listed
    assert "already" in run("templates", "add", str(file), code=1).stderr
    run("templates", "add", str(file), "--replace")
    run("templates", "remove", "note", code=1, keys="n\n")
    run("templates", "remove", "note", keys="y\n")
    assert "note" not in names(run)


def test_what_is_shown_as_json_can_be_added_again(run: Command, tmp_path: Path) -> None:
    shown = json.loads(run("templates", "show", "weekly-review", "--json").stdout)
    place = tmp_path / "mine.json"
    place.write_text(json.dumps(shown | {"title": "Mine"}), encoding="utf-8")
    run("templates", "add", str(place))
    assert json.loads(run("templates", "show", "weekly-review", "--json").stdout)["title"] == "Mine"
    assert "is there again" in run("templates", "remove", "weekly-review", "--yes").stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [("{", "not JSON"), ("[" * 100_000, ""), ("[]", "template"), ('{"name": "../x"}', "name"), ("\udcff", "")],
)
def test_what_is_no_template_is_refused_with_a_sentence(run: Command, tmp_path: Path, content: str, said: str) -> None:
    place = tmp_path / "bad.json"
    place.write_bytes(content.encode("utf-8", "surrogateescape"))
    result = CliRunner().invoke(app, ["templates", "add", str(place), "--vault", str(tmp_path)])
    assert result.exit_code != 0
    result = run("templates", "add", str(place), code=2 if said in {"not JSON", ""} else 1)
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_running_one_asks_and_writes(run: Command, served: Any, file: Path) -> None:
    served.host("settings.update", patch={"enabledTools": ["*"]})
    run("templates", "add", str(file))
    assert "Missing: title" in run("templates", "run", "note", code=2).stderr
    assert "no parameter 'titel'" in run("templates", "run", "note", "titel=x", code=2).stderr

    async def running() -> tuple[Result, list[dict[str, Any]]]:
        async with person_at(served.vault) as person:
            person.answer = "allow_once"
            result = await asyncio.to_thread(
                run, "templates", "run", "note", "title=Fruit", "lines=- apple\n", "lines=- pear\n"
            )
            return result, person.asked

    result, asked = served.run(running())
    assert "All calls were made; 1 file changed" in result.stdout
    assert len(asked) == 1
    assert (served.vault / "Fruit.md").read_text(encoding="utf-8") == "# Fruit\n- apple\n- pear\n"


def test_one_is_edited_in_the_persons_editor_and_mistakes_can_be_mended(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = tmp_path / "steps.py"
    steps.write_text(
        "import json, pathlib, sys\n"
        "file = pathlib.Path(sys.argv[1])\n"
        "text = file.read_text(encoding='utf-8')\n"
        "broken = text.startswith('{!')\n"
        "mended = lambda: json.dumps(json.loads(text.replace('{!', '{', 1)) | {'title': 'Edited'})\n"
        "made = mended() if broken else '{!' + text[1:]\n"
        "file.write_text(made, encoding='utf-8')\n",
        encoding="utf-8",
    )
    command = f'"{sys.executable}" "{steps}"' if sys.platform == "win32" else shlex.join([sys.executable, str(steps)])
    monkeypatch.setenv("VISUAL", command)
    edited = run("templates", "edit", "collect-tasks", keys="y\n")
    assert "not JSON" in edited.stderr
    assert json.loads(run("templates", "show", "collect-tasks", "--json").stdout)["title"] == "Edited"
    run("templates", "edit", "collect-tasks", code=1, keys="n\n")


@pytest.mark.parametrize(("key", "made"), [("y", True), ("n", False)])
def test_at_a_terminal_it_is_answered_there(
    served: Any, terminal: Callable[..., Any], run: Command, file: Path, key: str, *, made: bool
) -> None:
    run("settings", "enable", "templates", "write_file")
    run("templates", "add", str(file))
    screen = terminal("templates", "run", "note", "title=Tea", "--vault", str(served.vault))
    screen.see("Your answer")
    screen.type(key + "\r")
    assert (screen.end() == 0) is made
    assert (served.vault / "Tea.md").exists() is made

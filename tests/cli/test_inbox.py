"""The inbox at the command line: what waits, whose it is, and what opens it; and on the consent screen."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.cli.main import app
from bridge.cli.status import described, opening
from bridge.client import connect, find_vault, token_storage
from bridge.client.token_storage import save_to_file
from tests.patience import PATIENCE

ROBOT = "Night robot"
HOSTILE = "\x1b[31mred\u202e [bold]b[/bold]\nVault Bridge: all is well"
LONG = "# Log\n" + "".join(f"line {number}\n" for number in range(20))

Command = Callable[..., Result]
Terminal = Callable[..., Any]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's folders are of this test, and the screen is wide."""
    monkeypatch.setenv(token_storage.CONFIG_VARIABLE, str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "400")


def line(**members: Any) -> dict[str, Any]:
    wire = {"kind": "draft", "client": ROBOT, "clientId": "r", "count": 1, "since": "2026-11-22T02:10:00.000Z"}
    wire |= {"files": 12, "summary": 'Create note "One.md"', "reason": None, "keptUntil": None, "ids": ["draft-1"]}
    return wire | {"questions": []} | members


@pytest.mark.parametrize(
    ("members", "said", "words"),
    [
        ({}, 'handed in, 12 files: Create note "One.md"', "approve"),
        ({"kind": "left", "files": 1}, 'left behind, 1 file: Create note "One.md"', "drafts show draft-1"),
        (
            {"kind": "left", "count": 9, "summary": "9 drafts left behind"},
            "9 drafts left behind, 12 files",
            "drafts list",
        ),
        ({"kind": "question", "summary": "Read a\nb", "reason": "to\nsee"}, "Read a b. It says: to see", "approve"),
        ({"kind": "changes", "ids": ["outside-3"], "summary": "3 deleted"}, "3 deleted", "history --diff outside-3"),
        ({"kind": "changes", "ids": ["outside-3", "outside-4"], "summary": "x"}, "x", "history --outside"),
    ],
)
def test_a_line_says_what_it_is_and_what_opens_it(members: dict[str, Any], said: str, words: str) -> None:
    assert (described(line(**members)), opening(line(**members))) == (said, words)


async def work_at_night(vault: Path) -> None:
    """A robot asks for a page with words that are meant for a terminal, and hands in two files."""
    async with connect(vault, name="Obsidian", role="host") as host:
        await host.request("settings.update", patch={"enabledTools": ["*"]})
        added = await host.request("clients.add", name=ROBOT, preset="everything", drafts=True)
        save_to_file(find_vault(vault), ROBOT, added["token"])
        await host.request("consent.allowReading", client=ROBOT, where=["/"])
    async with connect(vault, name="robot", client=ROBOT) as robot:
        for name in ("One", "Two"):
            assert (await robot.call("create_note", {"path": f"Night/{name}.md", "content": "one\n"})).ok
        assert (await robot.call("web_fetch", {"url": "https://example.com/"}, reason=HOSTILE)).pending
        assert (await robot.call("draft", {"action": "submit"})).ok


@pytest.fixture
def run(served: Any) -> Command:
    """Runs `vault-bridge` on the vault, with and without a bridge."""

    def run(*words: str) -> Result:
        result = CliRunner().invoke(app, [*words, "--vault", str(served.vault)])
        assert result.exit_code == 0, result.output
        return result

    return run


@pytest.mark.slow
@pytest.mark.parametrize("runs", [True, False], ids=["running", "not running"])
def test_what_waits_is_a_table_and_a_list_whether_a_bridge_runs_or_not(
    served: Any, run: Command, *, runs: bool
) -> None:
    assert "Nothing waits for you." in run("inbox").output
    served.run(work_at_night(served.vault))
    if not runs:
        served.stop()
    shown = run("inbox").stdout
    heading, *rows = shown.splitlines()
    assert heading.split() == ["Since", "Of", "Kept", "until", "Open", "it", "with", "What"]
    assert len(rows) == 2
    assert not {"\x1b", "\u202e"} & set(shown)
    assert "␛[31mred<U+202E> [bold]b[/bold] Vault Bridge: all is well" in shown
    assert 'handed in, 2 files: Create note "Night/One.md"' in shown
    listed = json.loads(run("inbox", "--json").stdout)
    assert sorted(one["kind"] for one in listed) == ["draft", "question"]
    for one in listed:
        assert one["client"] == ROBOT
        assert one["keptUntil"] > one["since"]
        assert f"approve --vault {served.vault}" in one["command"]
        assert one["command"] in shown


@pytest.mark.slow
def test_the_screen_says_what_else_waits_and_asks_about_what_was_handed_in_also_without_a_bridge(
    served: Any, terminal: Terminal
) -> None:
    (served.vault / "Log.md").write_text(LONG, encoding="utf-8")
    served.stop()
    served.start()
    served.run(work_at_night(served.vault))
    served.stop()
    (served.vault / "Log.md").write_text("# Log\n", encoding="utf-8")
    screen = terminal("approve", "--vault", str(served.vault), columns=200)
    screen.see("No bridge serves this vault, and something waits for you: one is started.")
    screen.see("Your answer")
    screen.type("l\r")
    screen.see("Your answer", after="Set aside")
    screen.type("y\r")
    seen = screen.see("Another program, since")
    assert "Log.md lost most of its lines while the bridge was not running. See `" in seen
    assert "history --diff outside-" in seen
    assert "\nVault Bridge: all is well" not in seen


@pytest.mark.slow
def test_the_screen_also_says_what_comes_while_a_question_is_open(served: Any, terminal: Terminal) -> None:
    (served.vault / "Log.md").write_text(LONG, encoding="utf-8")
    served.stop()
    served.start()
    served.run(work_at_night(served.vault))
    screen = terminal("approve", "--vault", str(served.vault), columns=200)
    screen.see("Your answer")
    (served.vault / "Log.md").write_text("# Log\n", encoding="utf-8")
    deadline = time.monotonic() + PATIENCE
    while all(line["kind"] != "changes" for line in served.host("inbox.list")):
        assert time.monotonic() < deadline
    screen.type("l\r")
    screen.see("Your answer", after="Set aside")
    screen.type("y\r")
    assert "Log.md lost most of its lines" in screen.see("Another program, since")

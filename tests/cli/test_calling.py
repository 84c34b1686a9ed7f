"""`vault-bridge call`: an agent in one command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from bridge.cli.main import app
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

Terminal = Callable[..., Any]
TICKET = "6d1f4d2e-8f0b-4f6e-9d55-0d3c9f0f7a11"
"""A random UUID, which is itself the right to ask again from another connection."""
PATCHES = json.dumps([{"startLine": 3, "endLine": 3, "newContent": "## New Section"}])


def call(vault: Path, *words: str, code: int = 0, keys: bytes = b"") -> Result:
    result = CliRunner().invoke(app, ["call", *words, "--vault", str(vault)], input=keys)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def open_vault(served: Any) -> Any:
    """A served vault in which reads are not asked about."""
    served.host("settings.update", patch={"developerMode": True})
    return served


def test_a_result_is_printed_as_text_or_as_json(open_vault: Any) -> None:
    shown = call(open_vault.vault, "read", "path=Ideas.md").stdout
    assert shown == "# Ideas\n\n## Old Section\n\nOld content here.\n[Lines 1-5 of 5]\n"
    result = json.loads(call(open_vault.vault, "read", "path=Ideas.md", "startLine=1", "endLine=1", "--json").stdout)
    assert result["success"]
    assert result["data"]["path"] == "Ideas.md"


def test_a_picture_is_in_the_json_and_the_terminal_says_so(open_vault: Any) -> None:
    Image.new("RGB", (30, 20), "red").save(open_vault.vault / "Cat.png")
    shown = call(open_vault.vault, "read", "path=Cat.png")
    assert "30 by 20 pixels" in shown.stdout
    assert "with --json it is in `parts`" in shown.stderr
    result = json.loads(call(open_vault.vault, "read", "path=Cat.png", "--json").stdout)
    assert [part["type"] for part in result["parts"]] == ["image"]


def test_what_a_note_holds_is_inert_also_in_a_pipe(open_vault: Any) -> None:
    (open_vault.vault / "evil.md").write_bytes("a\tb\x1b]0;owned\x07\u202e\r\nc\rd\n".encode())
    shown = call(open_vault.vault, "read", "path=evil.md").stdout
    assert shown == "a\tb␛]0;owned␇<U+202E>\nc␍d\n[Lines 1-2 of 2]\n"
    as_json = call(open_vault.vault, "read", "path=evil.md", "--json").stdout
    assert "\u202e" not in as_json
    assert json.loads(as_json)["data"]["content"] == "a\tb\x1b]0;owned\x07\u202e\r\nc\rd\n"


def test_a_value_comes_from_a_file_or_from_standard_input(open_vault: Any, tmp_path: Path) -> None:
    (tmp_path / "pattern").write_text("TODO", encoding="utf-8")
    for word, keys in ((f"pattern=@{tmp_path / 'pattern'}", b""), ("pattern=-", b"TODO")):
        assert "call Ada" in call(open_vault.vault, "grep", word, keys=keys).stdout


def test_a_failure_is_told_on_standard_error(open_vault: Any) -> None:
    failed = call(open_vault.vault, "read", "path=nowhere.md", code=1)
    assert failed.stdout == ""
    assert "nowhere.md" in failed.stderr
    result = json.loads(call(open_vault.vault, "read", "path=nowhere.md", "--json", code=1).stdout)
    assert result["errorType"] == "not_found"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Name a tool"),
        (["grep"], "Missing: pattern"),
        (["grep", "pattern"], "is not key=value"),
        (["grep", "pattern=x", "contextLines=many"], "'contextLines' takes an integer"),
        (["grep", "patern=x"], "Did you mean 'pattern'?"),
    ],
)
def test_bad_usage_lists_the_parameters(served: Any, words: list[str], said: str) -> None:
    refused = call(served.vault, *words, code=2)
    assert said in refused.stderr
    assert refused.stdout == ""


def test_a_tool_that_is_unknown_or_disabled_is_left_to_the_bridge(served: Any) -> None:
    assert "Did you mean 'grep'" in call(served.vault, "grap", "pattern=x", code=1).stderr
    served.host("settings.update", patch={"enabledTools": ["find"]})
    assert "vault-bridge settings enable grep" in call(served.vault, "grep", "pattern=x", code=1).stderr


def test_a_script_with_nobody_to_ask_is_refused_at_once(served: Any) -> None:
    refused = call(served.vault, "apply_patch", "path=Ideas.md", f"patches={PATCHES}", "--json", code=1)
    assert json.loads(refused.stdout)["data"]["code"] == "no_ui"


def test_a_ticket_is_given_when_nobody_decides_in_time_and_fetched_later(served: Any) -> None:
    words = ["apply_patch", "path=Ideas.md", f"patches={PATCHES}", "--wait", "0", "--call-id", TICKET]
    ticket = call(served.vault, *words, code=1).stderr
    assert f"vault-bridge call --call-id {TICKET} --vault {served.vault}" in ticket
    pending = json.loads(call(served.vault, "--call-id", TICKET, "--wait", "0", "--json", code=1).stdout)
    assert pending["status"] == "pending"
    (question,) = served.pending(1)
    answer = {"requestId": question["requestId"], "decision": "allow_once", "planDigest": question["planDigest"]}
    served.host("consent.respond", **answer)
    for again in (["--call-id", TICKET], words):
        assert "Ideas.md" in call(served.vault, *again).stdout
    assert len(served.host("history.list")) == 1


@pytest.mark.slow
def test_who_takes_a_ticket_is_told_soon_that_nobody_is_there(served: Any) -> None:
    words = ["apply_patch", "path=Ideas.md", f"patches={PATCHES}", "--wait", "3600", "--call-id", TICKET]
    for again in (words, ["--call-id", TICKET, "--wait", "3600"]):
        said = call(served.vault, *again, code=1).stderr.splitlines()
        assert said[0].startswith("Nobody is there to be asked: neither Obsidian with the plugin nor ")
        assert said[1].startswith("Nobody has decided yet; the question stays open until ")
    served.pending(1)


@pytest.mark.slow
def test_a_person_who_calls_is_told_what_is_waited_for(served: Any, terminal: Terminal) -> None:
    agent = terminal("call", "apply_patch", "path=Ideas.md", f"patches={PATCHES}", "--vault", str(served.vault))
    agent.see("nobody can be asked yet")
    person = terminal("approve", "--once", "--vault", str(served.vault))
    person.see("Your answer")
    person.type("y\r")
    assert person.end() == 0
    assert agent.end() == 0
    assert "Ideas.md" in agent.text()
    assert "Waiting for consent" not in agent.text()


@pytest.mark.slow
def test_ctrl_c_withdraws_the_call(served: Any, terminal: Terminal) -> None:
    agent = terminal("call", "apply_patch", "path=Ideas.md", f"patches={PATCHES}", "--vault", str(served.vault))
    agent.see("Waiting for consent")
    served.pending(1)
    agent.interrupt()
    assert agent.end() == 1
    served.pending(0)


def test_the_client_names_itself_and_its_reason(served: Any) -> None:
    words = ["apply_patch", "path=Ideas.md", f"patches={PATCHES}", "--wait", "0"]
    call(served.vault, *words, "--name", "Claude Code", "--reason", "fix the heading", code=1)
    (question,) = served.pending(1)
    assert (question["callsItself"], question["reason"]) == ("Claude Code", "fix the heading")
    assert not question["verified"]


def test_without_a_bridge_it_says_how_to_start_one(vault: Path) -> None:
    assert "vault-bridge serve --vault" in call(vault, "grep", "pattern=x", code=1).stderr


@pytest.mark.slow
def test_the_log_can_be_followed(open_vault: Any, terminal: Terminal) -> None:
    screen = terminal("log", "--follow", "--tool", "grep", "--vault", str(open_vault.vault))
    open_vault.call("grep", pattern="first").result(PATIENCE)
    screen.see("“first”")
    open_vault.call("grep", client="Second", pattern="x").result(PATIENCE)
    screen.see("Second")
    screen.interrupt()
    assert screen.end() == 0


def test_arguments_as_json_are_the_bridges_to_judge(open_vault: Any) -> None:
    moved = '{"source": "Ideas", "destination": "Thoughts", "what": "file"}'
    asked = call(open_vault.vault, "move", "--arguments", moved, "--wait", "0", code=1)
    assert "the question stays open" in asked.output
    refused = call(open_vault.vault, "read", "--arguments", '{"pth": "Ideas.md"}', code=1)
    assert "'pth'" in refused.output

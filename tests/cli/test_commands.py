"""The commands that need no bridge of their own: they say the same whether one runs or not."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge import __version__
from bridge.cli.family import CommandLine
from bridge.cli.main import COMMANDS, app
from bridge.client import Connection, ConnectionLost, ProtocolFailure
from bridge.errors import BridgeError
from bridge.rpc.frames import STOPPED
from tests.journal.small_vault import SmallVault
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

Run = Callable[..., Result]
PATCHES = json.dumps([{"startLine": 3, "endLine": 3, "newContent": "## New Section"}])


@pytest.fixture(params=["running", "not running"])
def changed(request: pytest.FixtureRequest, served: Any) -> Iterator[Path]:
    """A vault in which an agent has changed a note; its bridge runs on, or has ended."""
    call = served.patch("## New Section")
    (question,) = served.pending(1)
    answer = {"requestId": question["requestId"], "decision": "allow_once", "planDigest": question["planDigest"]}
    served.host("consent.respond", **answer)
    assert call.result(PATIENCE).ok
    if request.param == "not running":
        served.stop()
    yield served.vault
    assert (served.vault / ".vault-bridge" / "bridge.json").exists() is (request.param == "running")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process, in a pipe of 120 columns."""
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str, vault: Path | None = None, code: int = 0, keys: str | None = None) -> Result:
        named = ["--vault", str(vault)] if vault else []
        result = CliRunner().invoke(app, [*words, *named], input=keys)
        assert result.exit_code == code, result.output
        return result

    return run


def test_the_history_names_what_was_changed(changed: Path, run: Run) -> None:
    heading, row = run("history", vault=changed).stdout.splitlines()
    assert heading.split() == ["Change", "Time", "By", "Lines", "What"]
    assert re.fullmatch(r"patch-\w+ +[\d:\- ]+ +“Robot” \(not verified\) +\+1 -1 +Edit Ideas\.md.*", row)
    (entry,) = json.loads(run("history", "--json", vault=changed).stdout)
    assert entry["files"] == ["Ideas.md"]


@pytest.mark.parametrize("name", ["Ideas.md", "Ideas", "[[ideas]]"])
def test_the_history_of_one_note_is_told_by_its_name(changed: Path, run: Run, name: str) -> None:
    (entry,) = json.loads(run("history", name, "--json", vault=changed).stdout)
    assert entry["files"] == ["Ideas.md"]
    assert "Nothing in Meeting has been changed" in run("history", "Meeting", vault=changed).stderr
    assert "Note not found: Nihil" in run("history", "Nihil", vault=changed, code=1).stderr


def test_undo_and_redo_need_no_question(changed: Path, run: Run) -> None:
    note = changed / "Ideas.md"
    new = note.read_bytes()
    undone = run("undo", vault=changed)
    assert b"## Old Section" in note.read_bytes()
    assert "Ideas.md" in undone.stdout
    assert "undone" in run("history", vault=changed).stdout
    assert json.loads(run("redo", "--json", vault=changed).stdout)["success"]
    assert note.read_bytes() == new
    (entry,) = json.loads(run("history", "--json", vault=changed).stdout)
    run("undo", entry["executionId"], vault=changed)
    assert run("undo", vault=changed, code=1).stderr == "Nothing to undo.\n"


def test_an_undo_over_a_later_edit_is_refused(changed: Path, run: Run) -> None:
    (changed / "Ideas.md").write_bytes(b"mine now\n")
    refused = run("undo", vault=changed, code=1)
    assert refused.stdout == ""
    assert "Ideas.md" in refused.stderr
    assert (changed / "Ideas.md").read_bytes() == b"mine now\n"


def test_the_log_tells_decisions_and_calls(changed: Path, run: Run) -> None:
    shown = run("log", vault=changed).stdout
    assert re.search(r"“Robot” \(not verified\) changed “Ideas\.md”; you allowed it, once\n", shown)
    records = json.loads(run("log", "--tool", "apply_patch", "--json", vault=changed).stdout)
    assert [record["kind"] for record in records] == ["decision", "execution"]
    (record,) = json.loads(run("log", "--kind", "execution", "--json", vault=changed).stdout)
    assert record["tool"] == "apply_patch"
    assert "nothing like that" in run("log", "--tool", "grep", vault=changed).stderr


def test_a_preview_shows_the_diff_and_writes_nothing(changed: Path, run: Run) -> None:
    before = (changed / "Ideas.md").read_bytes()
    patches = PATCHES.replace("New", "Newer")
    shown = run("preview", "apply_patch", "path=Ideas.md", f"patches={patches}", vault=changed).stdout
    assert " 3   - ## New Section" in shown
    assert "   3 + ## Newer Section" in shown
    plan = json.loads(
        run("preview", "apply_patch", "path=Ideas.md", f"patches={patches}", "--json", vault=changed).stdout
    )["plan"]
    assert plan["files"][0]["path"] == "Ideas.md"
    refused = run("preview", "apply_patch", "path=Nowhere.md", f"patches={patches}", vault=changed, code=1)
    assert "Nowhere.md" in refused.stderr
    assert (changed / "Ideas.md").read_bytes() == before


def test_the_tools_are_listed_and_described(changed: Path, run: Run) -> None:
    listed = run("tools", vault=changed).stdout
    assert re.search(r"^apply_patch +high +every time ", listed, re.MULTILINE)
    assert "pattern  (string, required)" in run("tools", "grep", vault=changed).stdout
    assert "delete_note" in run("tools", "delete_note", vault=changed, code=1).stderr
    functions = json.loads(run("tools", "--format", "openai", vault=changed).stdout)
    assert functions[0]["type"] == "function"
    assert "@param pattern {string} [required]" in run("tools", "--format", "text", vault=changed).stdout
    assert isinstance(json.loads(run("tools", "--format", "text", "--json", vault=changed).stdout), str)


def test_settings_are_shown_set_and_reset(changed: Path, run: Run) -> None:
    assert "consentTimeout = 300" in run("settings", "get", vault=changed).stdout
    run("settings", "set", "consentTimeout=60", "consentMode.grep=never_allow", vault=changed)
    assert run("settings", "get", "consentTimeout", vault=changed).stdout == "60\n"
    assert run("settings", "get", "consentMode.grep", vault=changed).stdout == "never_allow\n"
    run("settings", "set", "consentMode.grep", "always_ask", vault=changed)
    assert json.loads(run("settings", "get", "consentMode", "--json", vault=changed).stdout) == {"grep": "always_ask"}
    assert run("settings", "get", "consentMode.apply_patch", vault=changed).stdout == "always_ask\n", "though not set"
    assert int(run("settings", "get", "rateLimits.grep", vault=changed).stdout) > 1
    warned = run("settings", "set", "globalRateLimit=999", vault=changed)
    assert "Warning: globalRateLimit" in warned.stderr
    run("settings", "reset", "tools", vault=changed)
    assert run("settings", "get", "consentTimeout", vault=changed).stdout == "300\n"


def test_a_setting_and_a_member_of_it_are_not_set_at_once(vault: Path, run: Run) -> None:
    said = run("settings", "set", "consentTimeout=60", "consentTimeout.grep=1", vault=vault, code=2).stderr
    assert "consentTimeout.grep" in said


def test_null_brings_a_setting_and_a_tool_back_to_their_defaults(changed: Path, run: Run) -> None:
    run("settings", "set", "consentMode.grep=never_allow", "rateLimits.grep=3", vault=changed)
    run("settings", "set", "consentMode.grep=null", "rateLimits.grep=null", vault=changed)
    for members in ("consentMode", "rateLimits"):
        assert "grep" not in json.loads(run("settings", "get", "--json", vault=changed).stdout)[members]
    run("settings", "set", "webSearchDefaultFreshness=week", vault=changed)
    run("settings", "set", "webSearchDefaultFreshness=null", vault=changed)
    assert json.loads(run("settings", "get", "webSearchDefaultFreshness", "--json", vault=changed).stdout) is None


@pytest.mark.parametrize("setting", ["allowAllDomains", "developerMode", "allowMcpServers"])
def test_what_opens_something_is_set_with_a_warning(changed: Path, run: Run, setting: str) -> None:
    assert f"Warning: {setting} is on" in run("settings", "set", f"{setting}=true", vault=changed).stderr
    assert "Warning" not in run("settings", "set", f"{setting}=false", vault=changed).stderr


def test_tools_are_enabled_and_disabled(changed: Path, run: Run) -> None:
    def enabled() -> list[str]:
        return list(json.loads(run("settings", "get", "enabledTools", "--json", vault=changed).stdout))

    run("settings", "preset", "minimal", vault=changed)
    assert enabled() == ["find", "grep", "read"]
    run("settings", "enable", "apply_patch", "grep", vault=changed)
    assert enabled() == ["find", "grep", "read", "apply_patch"]
    run("settings", "disable", "grep", vault=changed)
    assert enabled() == ["find", "read", "apply_patch"]
    run("settings", "preset", "everything", vault=changed)
    run("settings", "enable", "grep", vault=changed)
    assert enabled() == ["*"]
    assert "preset" in run("settings", "disable", "grep", vault=changed, code=1).stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["settings", "set", "consentTimout=60"], 1, "did you mean 'consentTimeout'"),
        (["settings", "set", "consentTimeout=-1"], 1, "consentTimeout"),
        (["settings", "set", "consentTimeout"], 2, "is not KEY=VALUE"),
        (["settings", "get", "consentTimout"], 2, "did you mean 'consentTimeout'"),
        (["settings", "reset", "nonsense"], 1, "section"),
        (["settings", "preset", "nonsense"], 2, "minimal"),
        (["preview", "apply_patch", "pth=Ideas.md"], 2, "Did you mean 'path'?"),
        (["preview", "grep"], 2, "Missing: pattern"),
        (["history", "--limit", "0"], 2, "--limit"),
        (["history", "--nonsense"], 2, "No such option"),
        (["undo", "nowhere"], 1, "nowhere"),
    ],
)
def test_what_is_wrong_is_said_with_the_right_exit_code(
    served: Any, run: Run, words: list[str], code: int, said: str
) -> None:
    result = run(*words, vault=served.vault, code=code)
    assert said in result.stderr
    assert result.stdout == ""


def test_the_status_tells_how_things_stand(served: Any, run: Run) -> None:
    served.patch("x")
    served.pending(1)
    shown = run("status", vault=served.vault).stdout
    assert "Open     unnamed 'Robot': Edit Ideas.md" in shown
    facts = json.loads(run("status", "--json", vault=served.vault).stdout)
    assert facts["running"]
    assert facts["tools"] == ["find", "grep", "read", "apply_patch", "await_decision"]
    served.stop()
    assert "vault-bridge serve" in run("status", vault=served.vault, code=1).stderr
    assert json.loads(run("status", "--json", vault=served.vault, code=1).stdout) == {"running": False}


def test_a_vault_that_nobody_named_is_bad_usage(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "--vault" in run("history", code=2).stderr
    assert "nowhere" in run("history", vault=tmp_path / "nowhere", code=2).stderr


def test_the_vault_one_stands_in_is_found(served: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(served.vault / "Notes")
    assert "Nothing has been changed" in run("history").stderr


def test_the_environment_names_the_vault(served: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_BRIDGE_VAULT", str(served.vault))
    assert run("history", "--json").stdout == "[]\n"


@pytest.mark.slow
def test_two_commands_at_once_do_not_disturb_each_other(vault: Path) -> None:
    """Neither has a bridge: one starts its own, and the other uses that or waits for its turn."""
    command = [sys.executable, "-m", "bridge", "history", "--json", "--vault", str(vault)]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - our own program
        for _ in range(2)
    ]
    ends = [process.communicate(timeout=PATIENCE) for process in both]
    assert [process.returncode for process in both] == [0, 0], ends
    assert [stdout for stdout, _ in ends] == [b"[]\n", b"[]\n"]


@pytest.mark.parametrize("error", [ConnectionLost("gone"), ProtocolFailure(STOPPED, "Stopped")], ids=str)
def test_a_question_is_asked_again_when_the_bridge_that_was_asked_ends(vault: Path, error: BridgeError) -> None:
    errors = [error]

    async def ask(bridge: Connection) -> Any:
        if errors:
            raise errors.pop()
        return await bridge.request("history.list")

    assert CommandLine(vault).ask_with(ask) == []


def test_a_question_that_is_refused_is_not_asked_again(vault: Path) -> None:
    asked = 0

    async def ask(bridge: Connection) -> Any:
        nonlocal asked
        asked += 1
        return await bridge.request("history.diff", executionId="no-such")

    with pytest.raises(ProtocolFailure):
        CommandLine(vault).ask_with(ask)
    assert asked == 1


@pytest.mark.parametrize("name", [*COMMANDS, "settings"])
def test_every_command_teaches_by_examples(run: Run, name: str) -> None:
    shown = run(name, "--help").stdout
    assert "Examples:\n" in shown
    assert f"  vault-bridge {name}" in shown


def test_the_version_says_which_program_this_is(run: Run) -> None:
    assert run("--version").stdout == f"vault-bridge {__version__} (Vault Bridge for Obsidian)\n"


def test_an_unknown_command_is_bad_usage(run: Run) -> None:
    assert "No such command" in run("nonsense", code=2).stderr


def test_several_changes_are_listed_and_undone_as_a_whole(changed: Path, run: Run) -> None:
    first = json.loads(run("history", "--json", vault=changed).stdout)[0]["executionId"]
    shown = run("undo", "--since", "1h", "--yes", vault=changed)
    assert re.search(r"undo .* “Robot” \(not verified\): Edit Ideas\.md", shown.stdout)
    assert "Would undo 1 change in 1 file." in shown.stderr
    assert shown.stdout.endswith("Undid 1 change in 1 file.\n")
    assert "There is nothing to undo." in run("undo", "--since", "1h", vault=changed, code=1).stderr
    run("redo", first, vault=changed)
    (changed / "Ideas.md").write_text("by hand\n")
    kept = run("undo", "--since", "1h", "--yes", vault=changed, code=1)
    assert re.search(r"keep .*'Ideas\.md' was edited since", kept.stdout)
    assert (changed / "Ideas.md").read_text() == "by hand\n"


def test_what_an_undo_leaves_out_is_named_before_and_after_and_in_the_history(served: Any, run: Run) -> None:
    vault = served.vault
    served.stop()
    small = SmallVault(vault, {})
    small.clock.moment = datetime.now(UTC)
    with small.ledger() as ledger:
        small.apply(ledger, ("create", "One.md", b"night\n"), ("create", "Two.md", b"night\n"))
    (vault / "Two.md").write_text("mine\n")
    said = "Two.md stays: it was edited since"
    shown = run("undo", "--tool", "apply_patch", vault=vault, keys="n\n", code=1)
    assert "but Two.md stays: it was edited since" in " ".join(shown.stdout.split())
    assert "1 file stays as it is." in shown.stderr
    undone = run("undo", vault=vault, code=1)
    assert "Two.md stays as it is: it was edited since" in undone.stdout
    assert ((vault / "One.md").exists(), (vault / "Two.md").read_text()) == (False, "mine\n")
    listed = run("history", vault=vault).stdout
    assert f"(undone, but {said})" in " ".join(re.sub(r"\s*\n[^\S\n]*", " ", listed).split())


def test_what_a_change_did_is_shown_also_when_it_is_undone(changed: Path, run: Run) -> None:
    change = json.loads(run("history", "--json", vault=changed).stdout)[0]["executionId"]
    applied = run("history", "--diff", change, vault=changed).stdout
    run("undo", vault=changed)
    assert run("history", "--diff", change, vault=changed).stdout == applied
    assert re.search(r"^ *\d+ +\+ ", applied, re.MULTILINE)


def test_the_log_is_filtered_by_time_and_by_how_a_call_ended(changed: Path, run: Run) -> None:
    assert "Ideas.md" in run("log", "--since", "1h", vault=changed).stdout
    assert (
        run("log", "--since", "1h", "--code", "timed_out", vault=changed).stderr == "The log holds nothing like that.\n"
    )
    assert "30m, 1h, 2d or 1w" in run("log", "--since", "never", vault=changed, code=2).stderr

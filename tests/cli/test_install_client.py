"""`vault-bridge install-client`, against the real bridge of a vault."""

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.agents.machine import Machine
from bridge.agents.table import BY_ID
from bridge.cli import install_client as module
from bridge.cli.main import app
from bridge.cli.printer import Printer
from bridge.client.discovery import VAULT_VARIABLE

pytestmark = pytest.mark.slow

PATCH = json.dumps([{"startLine": 1, "endLine": 1, "newContent": "# Changed"}])


@pytest.fixture(autouse=True)
def _program(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No program is on the PATH, and the command is the one of an installation."""
    monkeypatch.setattr(module, "this_machine", lambda: Machine("linux", home, {"PATH": ""}))
    monkeypatch.setattr(module, "command_line", lambda: ("/opt/vault-bridge",))


def run(*words: str, vault: Path | None = None, answer: str | None = None) -> Result:
    named = ["--vault", str(vault)] if vault else []
    return CliRunner().invoke(app, ["install-client", *words, *named], input=answer)


def test_it_shows_the_change_asks_writes_and_takes_it_back(vault: Path, home: Path) -> None:
    file = home / ".claude.json"
    file.write_text('{"a": 1}\n', encoding="utf-8")
    refused = run("claude-code", vault=vault, answer="n\n")
    assert refused.exit_code == 1
    assert '"/opt/vault-bridge"' in refused.stdout
    assert "Nothing was changed." in refused.stderr
    assert file.read_text("utf-8") == '{"a": 1}\n'
    done = run("claude-code", vault=vault, answer="y\n")
    assert done.exit_code == 0, done.output
    assert "Claude Code is connected to" in done.stderr
    assert json.loads(file.read_text("utf-8"))["mcpServers"]["vault-bridge"]["command"] == "/opt/vault-bridge"
    listed = CliRunner().invoke(app, ["clients", "list", "--json", "--vault", str(vault)])
    assert [client["name"] for client in json.loads(listed.stdout)] == ["Claude Code"]
    assert "already" in run("claude-code", vault=vault).stderr
    assert "as Claude Code" in run(vault=vault).stdout
    asked = CliRunner().invoke(app, ["tools", "--client", "Claude Code", "--json", "--vault", str(vault)])
    assert asked.exit_code == 0, asked.output
    gone = run("claude-code", "--remove", "--yes", vault=vault)
    assert gone.exit_code == 0, gone.output
    assert "was revoked" in gone.stderr
    assert file.read_text("utf-8") == '{"a": 1}\n'
    assert [path.name for path in home.rglob("*") if path.is_file()] == [".claude.json"]
    left = CliRunner().invoke(app, ["clients", "list", "--json", "--vault", str(vault)])
    assert json.loads(left.stdout) == []


def test_a_person_at_a_terminal_is_walked_through_it(
    vault: Path, home: Path, monkeypatch: pytest.MonkeyPatch, served: Any
) -> None:
    (home / ".claude.json").write_text("{}", encoding="utf-8")
    listed = run(vault=vault)
    assert (listed.exit_code, "Connect which one" in listed.output) == (0, False)
    monkeypatch.setattr(Printer, "watched", property(lambda _printer: True))
    assert "Connect which one" not in run(vault=vault).output  # nobody can answer: what it reads is no terminal
    monkeypatch.setattr(module, "_can_answer", lambda: True)
    for nothing in ("\n", "emacs\n\n", "claude-code\nn\n"):
        refused = run(vault=vault, answer=nothing).stderr
        assert "Nothing was changed." in refused
        assert ("'emacs' is none of claude-code." in refused) is ("emacs" in nothing)
        assert (home / ".claude.json").read_text("utf-8") == "{}"
    for folder in ("Notes", "Journal"):
        (vault / folder).mkdir(exist_ok=True)
    done = run(vault=vault, answer="Claude Code\ny\nno\nNotes, ../Elsewhere\nNotes, Journal/\n")
    assert done.exit_code == 0, done.output
    assert '"/opt/vault-bridge"' in done.stdout
    for said in (
        "The vault has no folder 'no'.",
        "The vault has no folder '../Elsewhere'.",
        "Claude Code is connected to",
        "Claude Code may read every note in the folder Notes/ and the folder Journal/, with any tool that only reads",
        "Ask it, for example:",
        "vault-bridge approve",
    ):
        assert said in done.stderr
    assert [grant["where"] for grant in served.host("consent.grants") if grant["what"] == "reading"] == [
        ["Notes/", "Journal/"]
    ]
    assert "no program here that is not connected" in run(vault=vault).stderr


def test_json_holds_the_facts_and_asks_nobody(vault: Path, home: Path) -> None:
    assert run("cursor", "--json", vault=vault).exit_code == 2
    shown = json.loads(run("cursor", "--json", "--dry-run", vault=vault).stdout)
    assert (shown["done"], shown["client"], shown["name"]) == (False, "Cursor", "vault-bridge")
    assert shown["files"][0]["change"] == "create"
    assert not list(home.iterdir())
    done = json.loads(run("cursor", "--json", "--yes", vault=vault).stdout)
    assert (done["done"], done["addedClient"], done["backup"]) == (True, True, None)
    rows = {row["agent"]: row for row in json.loads(run("--json", vault=vault).stdout)}
    assert (rows["cursor"]["here"], rows["cursor"]["client"], rows["codex"]["here"]) == (True, "Cursor", False)


@pytest.mark.usefixtures("home")
def test_a_program_is_connected_so_that_it_works_in_drafts_also_when_it_was_connected_before(vault: Path) -> None:
    def works_in_drafts() -> bool:
        listed = CliRunner().invoke(app, ["clients", "list", "--json", "--vault", str(vault)])
        (client,) = json.loads(listed.stdout)
        return bool(client["drafts"])

    run("cursor", "--yes", vault=vault)
    assert not works_in_drafts()
    run("cursor", "--yes", "--drafts", vault=vault)
    assert works_in_drafts()


def test_a_mistake_in_a_file_is_told_with_its_place(vault: Path, home: Path) -> None:
    (home / ".claude.json").write_text('{"a": }', encoding="utf-8")
    failed = run("claude-code", "--yes", vault=vault)
    assert failed.exit_code == 1
    assert "line 1, column 7" in failed.stderr
    assert "line 1, column 7" in run("--json", vault=vault).stdout


def test_the_vault_is_the_only_one_that_obsidian_knows(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VAULT_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    known = [vault.resolve()]
    monkeypatch.setattr(module, "known_vaults", lambda: known)
    assert json.loads(run("codex", "--json", "--dry-run").stdout)["vault"] == str(vault.resolve())
    known.append(tmp_path.resolve())
    several = run("codex", "--json", "--dry-run")
    assert several.exit_code == 2
    assert str(vault.resolve()) in several.stderr
    known.clear()
    none = run("codex", "--dry-run")
    assert (none.exit_code, "Obsidian knows no vault" in none.stderr) == (2, True)
    listed = run()
    assert listed.exit_code == 0
    rows = [line.split() for line in listed.stdout.splitlines()]
    assert {row[-1] for row in rows if row[0] in BY_ID} == {"-"}, "whether one is connected is not known"
    assert "Obsidian knows no vault" in listed.output
    assert {row["client"] for row in json.loads(run("--json").stdout)} == {None}


def test_every_command_that_the_skill_teaches_works_as_it_says(served: Any, home: Path) -> None:
    assert run("claude-code", "--yes", vault=served.vault).exit_code == 0
    served.host("settings.update", patch={"developerMode": True, "enabledTools": ["*"]})
    skill = (home / ".claude" / "skills" / "vault-bridge" / "SKILL.md").read_text("utf-8")
    lines = {
        words[1]: words[1:]
        for line in re.findall(r"[`\n](/opt/vault-bridge .*?)[`\n]", skill)
        if (words := shlex.split(line))
    }
    for command, rest, shown in (
        ("call", ["search", "pattern=TODO", "--reason", "why"], "call Ada"),
        ("call", ["read", "path=Ideas.md"], "# Ideas"),
        ("tools", [], "set_properties"),
        ("tools", ["read"], "startLine"),
        ("preview", ["apply_patch", "path=Ideas.md", f"patches={PATCH}"], "# Changed"),
        ("history", [], ""),
    ):
        words = [word for word in lines[command] if word not in {"TOOL", "KEY=VALUE...", "--reason", "why"}]
        done = CliRunner().invoke(app, [words[0], *rest, *words[1:]])
        assert done.exit_code == 0, done.output
        assert shown in done.output
    waiting = [*lines["call"][:5], "apply_patch", "path=Ideas.md", f"patches={PATCH}", "--wait", "0", "--json"]
    ticket = CliRunner().invoke(app, waiting)
    assert ticket.exit_code == 1
    again = [*lines["call"][:5], "--call-id", json.loads(ticket.stdout)["callId"], "--wait", "0", "--json"]
    assert json.loads(CliRunner().invoke(app, again).stdout)["callId"] == json.loads(ticket.stdout)["callId"]


@pytest.mark.parametrize(("typed", "code"), [("2\n", 0), ("3\n", 2), ("0\n", 2)])
def test_of_several_vaults_the_person_chooses_one(
    typed: str, code: int, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "known_vaults", lambda: [tmp_path.resolve(), vault.resolve()])
    monkeypatch.setattr(Printer, "watched", property(lambda _printer: True))
    chosen = run("codex", "--dry-run", answer=typed)
    assert chosen.exit_code == code, chosen.output
    assert (str(vault.resolve()) in chosen.stdout) == (code == 0)


def test_an_entry_and_a_link_are_printed_and_nothing_is_written(vault: Path, home: Path) -> None:
    entry = run("--print", vault=vault)
    assert json.loads(entry.stdout)["mcpServers"]["vault-bridge"]["args"][-1] == "My agent"
    assert re.search(r"""clients add ["']My agent["'] --save""", entry.stderr)
    codex = tomllib.loads(run("codex", "--print", vault=vault).stdout)["mcp_servers"]["vault-bridge"]
    assert (codex["args"][-1], codex["required"]) == ("Codex", True)
    assert run("cursor", "--link", vault=vault).stdout.startswith("cursor://anysphere.cursor-deeplink/mcp/install?")
    assert run("vscode", "--link", vault=vault).stdout.startswith("vscode:mcp/install?")
    assert run("codex", "--link", vault=vault).exit_code == 2
    assert run("emacs", vault=vault).exit_code == 2
    assert run("--remove", vault=vault).exit_code == 2
    assert not list(home.iterdir())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project that the person is in."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    "where",
    [
        ("claude-code", ".mcp.json", "mcpServers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
        ("gemini", ".gemini/settings.json", "mcpServers"),
    ],
    ids=lambda where: where[0],
)
def test_a_project_has_an_entry_of_its_own_without_a_token(
    vault: Path, home: Path, project: Path, where: tuple[str, str, str]
) -> None:
    program, file, key = where
    done = run(program, "--scope", "project", "--yes", vault=vault)
    assert done.exit_code == 0, done.output
    text = (project / file).read_text("utf-8")
    entry = json.loads(text)[key]["vault-bridge"]
    assert entry["command"] == "/opt/vault-bridge"
    assert "vb_" not in text, "no token is in a file that others may share"
    assert [path for path in home.rglob("*") if path.is_file()] == [], "nothing of the user's own, no skill either"
    everywhere = run(program, "--yes", vault=vault)
    assert everywhere.exit_code == 0, everywhere.output
    gone = run(program, "--scope", "project", "--remove", "--yes", vault=vault)
    assert gone.exit_code == 0, gone.output
    assert not (project / file).exists()
    assert "was revoked" not in gone.stderr, "the program is that client everywhere else"
    gone = run(program, "--remove", "--yes", vault=vault)
    assert "was revoked" in gone.stderr


def test_a_program_without_a_file_in_projects_says_so(vault: Path) -> None:
    refused = run("claude-desktop", "--scope", "project", vault=vault)
    assert refused.exit_code == 2
    assert "no configuration of its own in a project" in refused.stderr

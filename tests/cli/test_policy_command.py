"""What decides a call is told at the command line, and taken back there."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bridge.cli.main import app

Run = Callable[..., str]


@pytest.fixture
def run(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, [*words, "--vault", str(vault)])
        assert result.exit_code == code, result.output
        return result.output

    return run


def test_a_call_is_explained_with_the_rule(run: Run, vault: Path) -> None:
    assert "You would be asked." in run("policy", "explain", "read", "path=Ideas.md")
    (vault / ".vault-bridge" / "permissions.json").write_text('{"Ideas.md": "-??"}', encoding="utf-8")
    told = run("policy", "explain", "read", "path=Ideas.md")
    assert "It would be refused." in told
    assert "file:Ideas.md" in told
    run("clients", "add", "Robot")
    answer = json.loads(run("policy", "explain", "read", "path=Notes/Meeting.md", "--client", "Robot", "--json"))
    assert (answer["outcome"], answer["class"]) == ("ask", "always")


def test_what_was_said_is_listed_and_taken_back(run: Run, vault: Path) -> None:
    assert "Nothing" in run("policy", "grants")
    file = vault / ".vault-bridge" / "permissions.json"
    file.write_text('{"Journal/": "r--"}', encoding="utf-8")
    listed = run("policy", "grants")
    assert "denied" in listed
    assert "if unused" in listed
    grants: list[dict[str, Any]] = json.loads(run("policy", "grants", "--json"))
    denied = next(grant["grantId"] for grant in grants if grant["operation"] == "write")
    assert "Taken back." in run("policy", "revoke", denied)
    assert '"r?-"' in file.read_text(encoding="utf-8")
    assert "policy grants" in run("policy", "revoke", "s-none", code=1)


def test_auto_approve_holds_until_the_bridge_stops(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_BRIDGE_VAULT", str(served.vault))

    def run(*words: str) -> Any:
        result = CliRunner().invoke(app, [*words, "--json"])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    run("clients", "add", "Robot")
    assert run("policy", "auto-approve", "create", "--client", "Robot")["grant"]["client"] == "Robot"
    assert [grant["kind"] for grant in run("policy", "grants")] == ["auto"]
    run("policy", "auto-approve", "create", "--client", "Robot", "--off")
    assert run("policy", "grants") == []

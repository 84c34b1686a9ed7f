"""What decides a call is told at the command line, and taken back there."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bridge.cli.layout import local_time
from bridge.cli.main import app
from tests.patience import PATIENCE

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
    grants: list[dict[str, Any]] = json.loads(run("policy", "grants", "--json"))
    listed = run("policy", "grants")
    for grant in grants:
        assert grant["grantId"] in listed
        assert grant["sentence"].split(",")[0] in listed
    denied = next(grant["grantId"] for grant in grants if grant["what"] == "changing")
    assert "Taken back." in run("policy", "revoke", denied)
    assert '"r?-"' in file.read_text(encoding="utf-8")
    assert "policy grants" in run("policy", "revoke", "s-none", code=1)


def test_an_answer_is_one_row_with_its_sentence_what_is_used_of_it_and_its_end(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULT_BRIDGE_VAULT", str(served.vault))
    monkeypatch.setenv("COLUMNS", "160")
    served.host("settings.update", patch={"enabledTools": ["*"]})
    with served.agent() as begin:
        added = begin("add_tag", name="Ideas", tag="new")
        (question,) = served.pending(1)
        adding = next(option for option in question["options"] if option["what"] == "adding" and option["suggested"])
        answer = {"decision": adding["decision"], "option": adding["optionId"], "planDigest": question["planDigest"]}
        served.host("consent.respond", requestId=question["requestId"], **answer)
        assert added.result(PATIENCE).ok
        assert begin("add_tag", name="Meeting", tag="new").result(PATIENCE).ok
        (grant,) = served.host("consent.grants")
        heading, *rows = CliRunner().invoke(app, ["policy", "grants"]).stdout.splitlines()
        assert heading.split() == ["Id", "Said", "Files", "Ends", "What", "holds"]
        assert rows[0].startswith(f"{grant['grantId']}  allowed  {grant['usedFiles']} of {adding['mostFiles']}")
        assert grant["usedFiles"] > 0
        assert local_time(adding["expires"]) in rows[0]
        start = heading.index("What holds")
        assert " ".join(row[start:].strip() for row in rows) == adding["sentence"]
        assert "Taken back." in CliRunner().invoke(app, ["policy", "revoke", grant["grantId"]]).output
        assert served.host("consent.grants") == []


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


def test_auto_approve_says_how_far_it_reaches_and_how_to_take_it_back(
    served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULT_BRIDGE_VAULT", str(served.vault))
    said = " ".join(CliRunner().invoke(app, ["policy", "auto-approve", "update"]).output.split())
    (grant,) = served.host("consent.grants")
    assert said == (
        f"{grant['sentence']} Tools that ask every time still do. "
        f"`vault-bridge policy revoke {grant['grantId']}` takes it back."
    )
    assert said.startswith("Any program may change any file without asking, with any content, until")
    assert "asked again" in CliRunner().invoke(app, ["policy", "auto-approve", "update", "--off"]).output
    assert served.host("consent.grants") == []

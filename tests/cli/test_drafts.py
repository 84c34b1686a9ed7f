"""The drafts of agents at the command line: listed, shown with what they would do, discarded."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.cli.main import app
from bridge.client import connect, find_vault, token_storage
from bridge.client.token_storage import save_to_file
from tests.people import let_read, person_at

pytestmark = pytest.mark.slow

Command = Callable[..., Result]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's folders are of this test, and the screen is wide."""
    monkeypatch.setenv(token_storage.CONFIG_VARIABLE, str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture(params=["running", "not running"])
def draft(request: pytest.FixtureRequest, served: Any) -> Iterator[str]:
    """The draft of a client, in which a note is moved and another made; its bridge runs on, or has ended."""
    vault = served.vault
    served.host("settings.update", patch={"enabledTools": ["*"]})
    added = served.host("clients.add", name="Claude Code")
    save_to_file(find_vault(vault), "Claude Code", added["token"])

    async def stage() -> str:
        async with person_at(vault) as person, connect(vault, name="claude-code", client="Claude Code") as agent:
            await let_read(person, agent.call("read", path="Ideas.md"))
            begun: Any = await agent.call("draft", action="begin")
            await agent.call("move_file", source="Ideas.md", destination="Archive/Ideas.md")
            made: Any = await agent.call("create_note", path="New.md", content="new \x1b[31m text\n")
            assert made.raw["metadata"]["staged"], made.raw
            return str(begun.raw["data"]["draft"])

    draft_id = served.run(stage())
    if request.param == "not running":
        served.stop()
    yield draft_id
    assert (vault / "Ideas.md").exists()
    assert not (vault / "New.md").exists()


@pytest.fixture
def run(served: Any) -> Command:
    """Runs `vault-bridge` on the vault."""

    def run(*words: str, code: int = 0, keys: str | None = None) -> Result:
        result = CliRunner().invoke(app, [*words, "--vault", str(served.vault)], input=keys)
        assert result.exit_code == code, result.output
        return result

    return run


def test_a_draft_is_listed_with_its_client_and_its_size(run: Command, draft: str) -> None:
    row = run("drafts", "list").stdout.splitlines()[1]
    assert row.startswith(draft)
    assert "Claude Code" in row
    (listed,) = json.loads(run("drafts", "list", "--json").stdout)
    assert (listed["draftId"], len(listed["steps"])) == (draft, 2)
    assert row.split()[-3:] == ["2", str(len(listed["files"])), "open"]


def test_a_draft_is_shown_with_its_steps_and_every_diff_and_no_live_control_character(run: Command, draft: str) -> None:
    shown = run("drafts", "show", draft).stdout
    assert f"{draft} of Claude Code, since " in shown
    assert "1. Move Ideas.md" in shown
    assert "move Ideas.md → Archive/Ideas.md" in shown
    assert "create New.md" in shown
    assert "\x1b" not in shown
    wire = json.loads(run("drafts", "show", draft, "--json").stdout)
    assert {file["path"] for file in wire["preview"]["files"]} >= {"Ideas.md", "New.md"}


def test_a_conflict_is_said_with_its_place(run: Command, draft: str, served: Any) -> None:
    (served.vault / "New.md").write_text("mine\n", encoding="utf-8")
    said = " ".join(run("drafts", "show", draft).stdout.split())
    assert "Other changes conflict with it. You choose when you are asked about it:" in said
    assert "in the vault: │ mine" in said
    assert "New.md, line 1: has been created by somebody else meanwhile; not chosen yet" in said
    (served.vault / "New.md").unlink()


def test_discarding_asks_first_and_writes_nothing(run: Command, draft: str) -> None:
    assert "It stays." in run("drafts", "discard", draft, keys="n\n", code=1).stderr
    assert draft in run("drafts", "list").stdout
    assert f"{draft} is discarded" in run("drafts", "discard", draft, keys="y\n").stderr
    assert "No agent is drafting." in run("drafts", "list").stderr


def test_discarding_without_a_question_is_for_scripts(run: Command, draft: str) -> None:
    assert json.loads(run("drafts", "discard", draft, "--yes", "--json").stdout) == {"draftId": draft}


@pytest.mark.parametrize("command", ["show", "discard"])
def test_a_draft_that_is_not_there_is_no_success(run: Command, served: Any, command: str) -> None:
    del served
    assert "There is no draft 'draft-0'" in run("drafts", command, "draft-0", code=1).stderr

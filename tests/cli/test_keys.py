"""`vault-bridge keys`: a key is typed unseen or piped in, and what is said never holds it."""

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.cli.main import app

pytestmark = pytest.mark.slow

KEY = "sk-of-mine-0123456789"

Run = Callable[..., Result]


@pytest.fixture
def run(served: Any, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `vault-bridge keys` on the served vault, in a pipe of 160 columns."""
    monkeypatch.setenv("COLUMNS", "160")

    def run(*words: str, typed: str | None = None, code: int = 0) -> Result:
        result = CliRunner().invoke(app, ["keys", *words, "--vault", str(served.vault)], input=typed)
        assert result.exit_code == code, result.output
        return result

    return run


def test_a_key_is_piped_in_listed_encrypted_anew_and_cleared(run: Run) -> None:
    said = run("set", "brave", typed=f"{KEY}\n").output
    assert "Brave Search is kept, encrypted" in said
    assert "in a file that only you can read" in said
    assert KEY not in said
    rows = run("status").stdout.splitlines()
    assert [row.split()[:3] for row in rows[1:]] == [
        ["Ollama", "none", "http://localhost:11434"],
        ["Brave", "Search", "set"],
        ["Google", "none", "https://www.googleapis.com"],
    ]
    assert "Encrypted again: Brave Search." in run("rotate").output
    statuses = json.loads(run("status", "--json").stdout)
    assert [status["isSet"] for status in statuses] == [False, True, False]
    assert KEY not in json.dumps(statuses)
    assert "no key for Brave Search any more" in run("clear", "brave").output
    assert "There is no API key" in run("rotate", code=1).output


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
def test_a_key_that_is_typed_is_not_shown(served: Any, terminal: Callable[..., Any]) -> None:
    screen = terminal("keys", "set", "ollama", "--vault", str(served.vault))
    screen.see("API key for ollama:")
    screen.type(f"{KEY}\r")
    assert screen.end() == 0
    assert "is kept, encrypted" in screen.text()
    assert KEY not in screen.raw


def test_a_key_as_an_argument_is_refused_and_not_repeated(run: Run) -> None:
    said = run("set", "ollama", KEY, typed="", code=2).output
    assert "not given as an argument" in said
    assert KEY not in said


@pytest.mark.parametrize("typed", ["", "\n", "short\n", f"two {KEY}\n"])
def test_what_is_no_key_is_refused(run: Run, typed: str) -> None:
    said = run("set", "ollama", typed=typed, code=1).output
    assert "An API key has 8 to 4,096" in said
    assert KEY not in said


def test_a_key_that_cannot_be_used_is_said_with_the_reason(run: Run, served: Any) -> None:
    run("set", "ollama", typed=KEY)
    served.host("settings.update", patch={"ollamaWebSearchEndpoint": "https://elsewhere.example"})
    said = run("status").output
    assert "cannot be used" in said
    assert "keys set ollama" in said


def test_a_service_that_cannot_be_asked_is_said_with_the_reason(run: Run, served: Any) -> None:
    said = run("test", "brave", code=1).output
    assert "Refused. Brave Search needs an API key" in said
    served.host("settings.update", patch={"ollamaWebSearchEndpoint": "http://127.0.0.1:1"})
    tested = json.loads(run("test", "ollama", "--json", code=1).stdout)
    assert (tested["provider"], tested["outcome"]) == ("ollama", "unreachable")

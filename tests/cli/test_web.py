"""`vault-bridge web` and `policy sites`: what is said, and that it is cleared."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bridge.cli.main import app
from bridge.contract.identity import Capability
from bridge.identity.caller import Caller, Client
from bridge.policy.targets import url_target

pytestmark = pytest.mark.slow

Run = Callable[..., Result]
ROBOT = Caller(Client("agent-1", "Claude Code", frozenset({Capability.CALL})), "connection-1")


@pytest.fixture
def run(served: Any, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `vault-bridge` on the served vault, in a pipe of 160 columns."""
    monkeypatch.setenv("COLUMNS", "160")

    def run(*words: str, code: int = 0) -> Result:
        result = CliRunner().invoke(app, [*words, "--vault", str(served.vault)])
        assert result.exit_code == code, result.output
        return result

    return run


def test_a_client_that_has_read_is_listed_and_cleared(run: Run, served: Any) -> None:
    assert "No client has read from the web" in run("web", "readers").output
    served._bridge.core.trust.web_readers.mark(ROBOT, [url_target("https://sea.example/a")])
    (row,) = run("web", "readers").stdout.splitlines()[1:]
    assert row.startswith("Claude Code")
    assert row.rstrip().endswith("sea.example")
    assert "Cleared." in run("web", "clear", "claude code").output
    assert "has not read from the web" in run("web", "clear", "Claude Code", code=1).output


def test_the_cache_and_the_sites_are_told_of(run: Run) -> None:
    assert "0 pages, 0 bytes" in run("web", "cache").output
    assert "Removed 0 pages" in run("web", "cache", "--clear").output
    sites = json.loads(run("policy", "sites", "--json").stdout)
    assert [site["site"] for site in sites] == ["localhost", "127.0.0.1"]
    assert "everybody" in run("policy", "sites").stdout

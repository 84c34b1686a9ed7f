"""`vault-bridge install`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bridge.cli import install_client as module
from bridge.cli.main import app

BUILT = {"main.js": b"x", "manifest.json": b'{"id": "vault-bridge-consent", "version": "0.2.0"}', "styles.css": b""}


@pytest.fixture(autouse=True)
def _built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_built_plugin", lambda: BUILT)


def test_it_says_what_it_did_and_what_to_do_next(vault: Path) -> None:
    done = CliRunner().invoke(app, ["install", "--vault", str(vault)])
    assert done.exit_code == 0
    assert "Version 0.2.0 of the plugin is in .obsidian/plugins/vault-bridge-consent." in done.output
    assert "reload it" in done.output
    (vault / ".obsidian" / "community-plugins.json").write_text('["a"]', encoding="utf-8")
    manifest = vault / ".obsidian" / "plugins" / "vault-bridge-consent" / "manifest.json"
    manifest.write_text('{"version": "0.1.0"}', encoding="utf-8")
    again = CliRunner().invoke(app, ["install", "--vault", str(vault)])
    assert "in place of version 0.1.0" in again.output
    assert "community-plugins.json.1.bak" in again.output


def test_json_has_the_facts(vault: Path) -> None:
    done = CliRunner().invoke(app, ["install", "--no-enable", "--json", "--vault", str(vault)])
    assert json.loads(done.stdout) == {
        "folder": ".obsidian/plugins/vault-bridge-consent",
        "version": "0.2.0",
        "previous": None,
        "enabled": False,
        "backup": None,
        "former": None,
    }
    plain = CliRunner().invoke(app, ["install", "--no-enable", "--vault", str(vault)])
    assert "Enable it in Obsidian" in plain.output


def test_a_folder_that_is_no_vault_fails_with_what_to_do(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["install", "--vault", str(tmp_path)])
    assert done.exit_code == 1
    assert "Open it in Obsidian" in done.stderr

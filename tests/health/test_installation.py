"""What can be wrong with the plugin in a vault is named."""

import json
from pathlib import Path

import pytest

from bridge import __version__
from bridge.health.finding import Finding
from bridge.health.installation import check_plugin
from bridge.plugin.install import install

BUILT = {
    "main.js": b"// built",
    "manifest.json": json.dumps({"id": "vault-bridge-consent", "version": __version__}).encode(),
    "styles.css": b"",
}


def found(vault: Path) -> Finding:
    (finding,) = check_plugin(vault)
    return finding


def folder(vault: Path) -> Path:
    return vault / ".obsidian" / "plugins" / "vault-bridge-consent"


def test_a_vault_without_the_plugin_is_well(vault: Path) -> None:
    assert (found(vault).level, "vault-bridge install" in found(vault).what) == ("ok", True)


def test_a_folder_that_obsidian_never_opened_is_no_fault_of_the_plugin(tmp_path: Path) -> None:
    assert found(tmp_path).level == "ok"


def test_what_was_installed_and_enabled_is_well(vault: Path) -> None:
    install(vault, BUILT)
    assert (found(vault).level, found(vault).what) == ("ok", f"Version {__version__}, enabled")


@pytest.mark.parametrize("missing", ["main.js", "styles.css", "manifest.json"])
def test_a_missing_file_is_named(vault: Path, missing: str) -> None:
    install(vault, BUILT)
    (folder(vault) / missing).unlink()
    assert (found(vault).level, missing in found(vault).what) == ("fail", True)


def test_another_version_is_named(vault: Path) -> None:
    install(vault, BUILT | {"manifest.json": b'{"id": "vault-bridge-consent", "version": "0.0.1"}'})
    assert (found(vault).level, "0.0.1" in found(vault).what) == ("warn", True)


def test_a_plugin_that_is_not_enabled_is_reported(vault: Path) -> None:
    install(vault, BUILT, enable=False)
    assert (found(vault).level, "not enabled" in found(vault).what) == ("warn", True)


def test_a_broken_list_of_plugins_is_reported(vault: Path) -> None:
    install(vault, BUILT)
    (vault / ".obsidian" / "community-plugins.json").write_text("{", encoding="utf-8")
    assert (found(vault).level, "list of enabled plugins" in found(vault).what) == ("warn", True)

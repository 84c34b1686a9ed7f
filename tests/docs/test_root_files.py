"""The files at the root say what Obsidian's review wants, and agree with each other."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import bridge
from bridge.plugin.install import AUTHOR, FORMER_ID, PLUGIN_ID

ROOT = Path(__file__).resolve().parents[2]


def load(name: str) -> dict[str, Any]:
    loaded = json.loads((ROOT / name).read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_every_file_that_has_a_version_has_the_same() -> None:
    manifest = load("manifest.json")
    assert manifest["version"] == load("package.json")["version"] == bridge.__version__
    assert load("versions.json")[bridge.__version__] == manifest["minAppVersion"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", bridge.__version__)


def test_the_manifest_has_the_members_that_are_required_and_no_others() -> None:
    required = {"id", "name", "version", "minAppVersion", "description", "author", "isDesktopOnly"}
    assert required <= set(load("manifest.json")) <= required | {"authorUrl", "fundingUrl"}


def test_the_bridge_knows_the_plugin_by_its_manifest() -> None:
    manifest = load("manifest.json")
    assert (manifest["id"], manifest["author"]) == (PLUGIN_ID, AUTHOR)
    assert manifest["id"] != FORMER_ID


def test_the_id_is_lowercase_and_speaks_neither_of_obsidian_nor_of_a_plugin() -> None:
    manifest = load("manifest.json")
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", manifest["id"])
    assert "obsidian" not in manifest["id"]
    assert not manifest["id"].endswith("plugin")
    assert not re.search("obsidian|plugin", manifest["name"], re.IGNORECASE)
    assert not re.search(r"^obsi|dian$", manifest["name"], re.IGNORECASE)


@pytest.mark.parametrize(
    "rule",
    [
        r"(?s).{10,250}",
        r"[A-Z].*\.",
        r"[A-Za-z0-9.,!?'\" -]*",
        r"(?i)(?!.*(obsidian|plugin)).*",
    ],
)
def test_the_description_keeps_the_rules_of_the_review(rule: str) -> None:
    assert re.fullmatch(rule, load("manifest.json")["description"])


def test_the_licence_is_one_that_machines_recognise() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("MIT License\n\nCopyright (c) ")
    assert 'THE SOFTWARE IS PROVIDED "AS IS"' in licence


def test_the_changelog_begins_with_what_is_unreleased() -> None:
    headings = re.findall(r"^## .*$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "## [Unreleased]"

"""Other people's programs are fetched whole, whatever npm the tests run under."""

import json
from pathlib import Path

import pytest

from tests.mcp.clients import node

pytestmark = pytest.mark.slow


def test_the_settings_of_an_npm_around_the_tests_do_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "package.json").write_text(json.dumps({"private": True, "scripts": {"postinstall": "echo yes > made"}}))
    monkeypatch.setenv("npm_config_ignore_scripts", "true")
    folder = node.installed(here, tmp_path / "fetched")
    assert (folder / "made").read_text("utf-8").strip() == "yes"

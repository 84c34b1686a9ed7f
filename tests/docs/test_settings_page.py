"""`docs/settings.md` has every setting there is, and no other; its rows are made by `scripts/write-reference`."""

import re
from pathlib import Path
from typing import Any

from bridge.settings.model import schema
from bridge.toolkit.registry import EVERYTHING
from bridge.tools import specs

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
PROPERTIES: dict[str, dict[str, Any]] = schema()["properties"]
OFFERED: dict[str, dict[str, Any]] = schema(offered=True)["properties"]
SECTIONS = {str(described["section"]) for described in OFFERED.values()}


def test_no_row_is_about_a_setting_that_there_is_not() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(PROPERTIES)


def test_every_section_has_its_heading() -> None:
    assert set(re.findall(r"^## .* \(`(\w+)`\)$", PAGE, re.MULTILINE)) == SECTIONS


def test_settings_without_effect_are_listed_apart() -> None:
    _, apart = PAGE.split("\n## Settings without effect in this version\n")
    assert set(re.findall(r"^\| `(\w+)` \| `", apart, re.MULTILINE)) == PROPERTIES.keys() - OFFERED.keys()


def test_every_preset_is_named() -> None:
    assert all(f"`{name}`" in PAGE for name in {EVERYTHING}.union(*(spec.presets for spec in specs())))

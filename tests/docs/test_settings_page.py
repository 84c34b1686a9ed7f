"""`docs/settings.md` has every setting there is, with its default and its bounds, and of no other."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bridge.settings.model import Settings, schema
from bridge.toolkit.registry import EVERYTHING
from bridge.tools import specs

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
PROPERTIES: dict[str, dict[str, Any]] = schema()["properties"]
DEFAULTS = Settings().to_wire()
OFFERED: dict[str, dict[str, Any]] = schema(offered=True)["properties"]
SECTIONS = {str(described["section"]) for described in OFFERED.values()}


def row(key: str, described: dict[str, Any]) -> str:
    """The line of the table for one setting."""
    default = json.dumps(DEFAULTS[key])
    kinds = [described, *described.get("anyOf", [])]
    low, high, options = (
        next((kind[name] for kind in kinds if name in kind), None) for name in ("minimum", "maximum", "enum")
    )
    if options:
        bounds = ", ".join(json.dumps(option) for option in options)
    elif low is None and high is None:
        bounds = ""
    else:
        bounds = f"{low:,} to {high:,}" if high is not None else f"{low:,} or more"
    bounds = f"{bounds} {described.get('unit', '')}".strip()
    if none := described.get("none"):
        bounds = f"{bounds}; null: {none.lower()}".removeprefix("; ")
    return f"| `{key}` | `{default}` | {bounds} | {described['description']} |"


@pytest.mark.parametrize("key", PROPERTIES)
def test_a_setting_has_its_row(key: str) -> None:
    assert row(key, PROPERTIES[key]) in PAGE.splitlines()


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

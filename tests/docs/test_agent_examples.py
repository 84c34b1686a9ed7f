"""The examples of the tools for models in `docs/tools.md` run on the sample vault."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bridge.testing import sandbox
from bridge.toolkit.tool import AGENT
from bridge.tools import specs
from scripts.lib.demo import copy_sample

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
CHAPTER = PAGE.split("\n## The tools for models\n", 1)[1].split("\n## ", 1)[0]
SPECS = {spec.name: spec for spec in specs()}
MERGED = [spec.name for spec in SPECS.values() if AGENT in spec.presets and "vault" not in spec.presets]


def example(tool: str) -> dict[str, Any]:
    section = re.split(r"^## ", PAGE.split(f"\n## `{tool}`\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    found: dict[str, Any] = json.loads(re.findall(r"^```json\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[0])
    return found


@pytest.mark.parametrize("tool", MERGED)
async def test_an_example_runs(tmp_path: Path, tool: str) -> None:
    async with sandbox(folder=copy_sample(tmp_path)) as vault:
        result = await vault.succeed(tool, **example(tool))
        assert result.data


def test_the_table_has_every_tool_for_models_and_what_each_replaces() -> None:
    rows = [re.findall(r"`(\w+)`", line) for line in CHAPTER.splitlines() if line.startswith("| [")]
    named = {tool: {*rest} for tool, *rest in rows}
    assert named == {spec.name: {*spec.replaces} for spec in SPECS.values() if AGENT in spec.presets}

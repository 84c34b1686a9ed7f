"""`docs/tools.md` has every tool, with its class, its risk and its parameters, and no other."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.identity.caller import PERSON
from bridge.journal.ledger import Ledger
from bridge.toolkit.tool import ToolSpec
from bridge.tools import providers
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")


@pytest.fixture
def tools(vault: Path, indexed: Any) -> Iterator[dict[str, ToolSpec]]:
    """Every listed tool of the bridge, by name."""
    root = VaultRoot(vault)
    history = Ledger.__new__(Ledger)  # not asked anything here
    services = ToolServices(VaultFiles(root), indexed(vault), history)
    found = [tool.spec for provider in providers(services) for tool in provider.tools(PERSON)]
    yield {tool.name: tool for tool in found if tool.listed}
    root.close()


def section(name: str) -> list[str]:
    found = re.search(rf"^## `{name}`$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return found[1].splitlines() if found else []


def facts(tool: ToolSpec) -> str:
    """The line of the table with which a section begins."""
    can = "yes" if tool.can_bypass else "no"
    mode, kind = tool.default_mode.value, tool.consent_class.value
    return f"| {tool.operation.value} | {tool.risk.value} | `{mode}` | {kind} | {can} | {tool.default_rate} |"


def rows(schema: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """A line for each parameter, nested ones by their path."""
    for name, member in schema.get("properties", {}).items():
        need = "required" if name in schema.get("required", []) else "optional"
        yield f"| `{prefix}{name}` | {member['type']}, {need} | {member.get('description', '')} |"
        yield from rows(member.get("items", {}), f"{prefix}{name}[].")


def test_every_tool_has_its_section_and_every_section_its_tool(tools: dict[str, ToolSpec]) -> None:
    assert re.findall(r"^## `(\w+)`$", PAGE, re.MULTILINE) == list(tools)


def test_a_section_has_the_facts_of_its_tool(tools: dict[str, ToolSpec]) -> None:
    for name, tool in tools.items():
        assert facts(tool) in section(name), name


def test_a_section_has_every_parameter_and_no_other(tools: dict[str, ToolSpec]) -> None:
    for name, tool in tools.items():
        shown = [line for line in section(name) if line.startswith("| `") and line != facts(tool)]
        assert shown == list(rows(tool.parameters.json_schema)), name

"""`docs/tools.md` has every tool, and no other; the tables of each are made by `scripts/write-reference`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.clock import SystemClock
from bridge.drafts.store import Drafts
from bridge.identity.caller import PERSON
from bridge.journal.ledger import Ledger
from bridge.sandbox.sandbox import Programs
from bridge.toolkit.tool import ToolSpec
from bridge.tools import draft_provider, providers, terminal_provider, web_provider
from bridge.tools.servers import McpLoaderTool
from bridge.tools.services import ToolServices
from bridge.tools.templates.templates import TemplateStore
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from bridge.web.search import WebSearch
from tests.web_servers import LocalWeb, web_services

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")


@pytest.fixture
def tools(vault: Path, indexed: Any) -> Iterator[dict[str, ToolSpec]]:
    """Every listed tool of the bridge, by name."""
    root = VaultRoot(vault)
    history = Ledger.__new__(Ledger)  # not asked anything here
    services = ToolServices(VaultFiles(root), indexed(vault), history)
    drafts = Drafts.__new__(Drafts)
    made = [
        *providers(services),
        draft_provider(drafts, TemplateStore.__new__(TemplateStore), SystemClock()),
        web_provider(web_services(LocalWeb(), vault), WebSearch.__new__(WebSearch)),
        terminal_provider(services.storage, Programs([], vault, lambda: True), drafts, lambda: True),
    ]
    found = [tool.spec for provider in made for tool in provider.tools(PERSON)]
    found.append(McpLoaderTool.spec)  # there where servers are entered
    yield {tool.name: tool for tool in found if tool.listed}
    root.close()


def test_every_tool_has_its_section_and_every_section_its_tool(tools: dict[str, ToolSpec]) -> None:
    assert re.findall(r"^## `(\w+)`$", PAGE, re.MULTILINE) == list(tools)

"""The list of tools, and what each says of itself."""

import asyncio
from typing import Any

import pytest

from bridge.index.texts.grep import Grep
from bridge.toolkit.schema import parameters_schema
from bridge.tools.core import CoreProvider
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot

FACES = {
    "find": ("read", "safe", "session_allow", "always", "tool", 100),
    "grep": ("read", "low", "session_allow", "always", "tool", 60),
    "read": ("read", "low", "session_allow", "always", "tool", 100),
    "apply_patch": ("update", "high", "always_ask", "never", "target", 10),
    "history_undo": ("update", "high", "always_ask", "never", "target", 10),
    "history_redo": ("update", "high", "always_ask", "never", "target", 10),
}


def test_the_core_tools_and_the_histories_are_those_of_the_page_in_its_order(bench: Any) -> None:
    assert {
        name: (
            tool.operation,
            tool.risk,
            tool.default_mode,
            tool.consent_class,
            tool.covers,
            tool.default_rate,
        )
        for name, tool in bench.tools.items()
        if name in FACES
    } == FACES
    assert [name for name in bench.tools if name in FACES] == list(FACES)


@pytest.mark.parametrize("name", FACES)
def test_every_parameter_is_described_in_a_schema_of_its_own(bench: Any, name: str) -> None:
    tool = bench.tools[name]
    assert tool.name == name
    assert tool.title
    assert tool.description.endswith(".")

    def members(schema: dict[str, Any]) -> list[dict[str, Any]]:
        inner = list(schema.get("properties", {}).values())
        return inner + [deeper for member in inner for deeper in members(member.get("items", member))]

    schema = parameters_schema(tool.parameters)
    assert "$ref" not in str(schema)
    assert members(schema)
    assert all(member.get("description") and member.get("type") for member in members(schema))


@pytest.mark.parametrize(
    ("name", "parameters", "required"),
    [
        ("find", ["pattern", "includeHidden", "maxResults"], ["pattern"]),
        ("grep", ["pattern", "filePattern", "contextLines", "maxMatches"], ["pattern"]),
        ("read", ["path", "startLine", "endLine", "maxBytes"], ["path"]),
        ("apply_patch", ["path", "patches", "patch"], []),
    ],
)
def test_parameters_have_seed_ls_names(bench: Any, name: str, parameters: list[str], required: list[str]) -> None:
    schema = parameters_schema(bench.tools[name].parameters)
    assert (list(schema["properties"]), schema.get("required", [])) == (parameters, required)


def test_stopping_the_provider_ends_its_worker_processes(bench: Any, indexed: Any) -> None:
    with VaultRoot(bench.folder) as root:
        services = ToolServices(files=VaultFiles(root), everything=indexed(bench.folder), history=bench.history)
        provider = CoreProvider(services, Grep(services.files, services.clock))
        asyncio.run(provider.initialize())
        provider._grep.compile("(?=a)a", bench.clock.monotonic() + 20)
        (worker,) = provider._grep._pool._idle
        asyncio.run(provider.shutdown())
        assert not worker.usable

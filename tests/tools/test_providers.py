"""The list of tools, and what each says of itself."""

import asyncio
import re
from typing import Any

import pytest

from bridge.audit.records import phrase
from bridge.identity.caller import PERSON
from bridge.toolkit.tool import ToolSpec
from bridge.tools import providers, specs
from bridge.tools.core.grep import GrepTool
from bridge.tools.services import ToolServices
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from tests.patience import PATIENCE

FACES = {
    "find": ("read", "safe", "session_allow", "always", "tool", 100),
    "grep": ("read", "low", "session_allow", "always", "tool", 60),
    "read": ("read", "low", "session_allow", "always", "tool", 100),
    "apply_patch": ("update", "high", "always_ask", "never", "target", 10),
    "history_undo": ("update", "high", "always_ask", "never", "target", 10),
    "history_redo": ("update", "high", "always_ask", "never", "target", 10),
}


def test_the_core_tools_and_the_histories_are_those_of_the_page_in_its_order(disk_bench: Any) -> None:
    assert {
        name: (
            tool.spec.operation,
            tool.spec.risk,
            tool.spec.default_mode,
            tool.spec.consent_class,
            tool.spec.covers,
            tool.spec.default_rate,
        )
        for name, tool in disk_bench.tools.items()
        if name in FACES
    } == FACES
    assert [name for name in disk_bench.tools if name in FACES] == list(FACES)


@pytest.mark.parametrize("name", FACES)
def test_every_parameter_is_described_in_a_schema_of_its_own(disk_bench: Any, name: str) -> None:
    tool = disk_bench.tools[name]
    assert tool.name == name
    assert tool.spec.title
    assert tool.spec.description.endswith(".")

    def members(schema: dict[str, Any]) -> list[dict[str, Any]]:
        inner = list(schema.get("properties", {}).values())
        return inner + [deeper for member in inner for deeper in members(member.get("items", member))]

    schema = tool.spec.parameters.json_schema
    assert "$ref" not in str(schema)
    assert members(schema)
    assert all(member.get("description") and member.get("type") for member in members(schema))


READ_LINES = ["startLine", "endLine", "lineOffset"]


@pytest.mark.parametrize(
    ("name", "parameters", "required"),
    [
        ("find", ["pattern", "folder", "includeHidden", "maxResults", "details"], []),
        ("grep", ["pattern", "filePattern", "contextLines", "maxMatches"], ["pattern"]),
        ("read", ["path", "paths", *READ_LINES, "maxBytes", "lineNumbers", "outline", "show", "info", "cursor"], []),
        ("apply_patch", ["path", "patches", "patch"], []),
    ],
)
def test_parameters_have_camel_case_names(
    disk_bench: Any, name: str, parameters: list[str], required: list[str]
) -> None:
    schema = disk_bench.tools[name].spec.parameters.json_schema
    assert (list(schema["properties"]), schema.get("required", [])) == (parameters, required)


def test_stopping_the_provider_ends_its_worker_processes(disk_bench: Any, indexed: Any) -> None:
    with VaultRoot(disk_bench.folder) as root:
        index, history = indexed(disk_bench.folder), disk_bench.history
        _agent, core, *_others = providers(ToolServices(files=VaultFiles(root), everything=index, history=history))
        (grep,) = [tool._grep for tool in core.tools(PERSON) if isinstance(tool, GrepTool)]
        asyncio.run(core.start(lambda: None))
        grep.compile("(?=a)a", disk_bench.clock.monotonic() + PATIENCE)
        (worker,) = grep._pool._idle
        asyncio.run(core.stop())
        assert not worker.usable


@pytest.mark.parametrize("spec", specs(), ids=lambda spec: spec.name)
def test_a_tool_is_named_in_sentence_case_and_its_use_is_worded_for_the_log(spec: ToolSpec) -> None:
    assert spec.title == spec.title.capitalize()
    verb, _, rest = spec.action.partition(" ")
    assert re.fullmatch(r"[a-z]+/[a-z]+", verb), spec.action
    named = re.findall(r"\{(\w+)", rest)
    assert set(named) <= {"files", "count", *spec.parameters.json_schema["properties"]}, spec.action
    assert "  " not in phrase(spec.action, lambda _name: None, past=True)

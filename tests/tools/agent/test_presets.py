"""Which tools a client has: its preset, the setting `enabledTools`, and a list that the person made by hand."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bridge.contract.consent import ConsentClass, Operation, RiskLevel
from bridge.contract.identity import Capability, Preset
from bridge.drafts.store import Drafts
from bridge.identity.caller import CHAT_ID, PERSON, SHARED, Caller, Client
from bridge.testing import sandbox
from bridge.testing.sandbox import Sandbox
from bridge.toolkit.parameters import JsonSchemaParameters
from bridge.toolkit.registry import ALL, EnabledTools, ToolRegistry, enabled_tools, refusal
from bridge.toolkit.schema import describe
from bridge.toolkit.tool import AGENT, MINIMAL, VAULT, CallContext, Output, ReadEffect, ReadTool, ToolSpec
from bridge.tools import specs
from bridge.tools.drafts import DraftTool
from tests.tools.agent.test_first_tries import TASKS

MOST_TOOLS = 16
MOST_BYTES = 13_600
"""Of `tools.list` in MCP form as compact JSON: 3,400 tokens, at four bytes a token."""

AGENT_TOOLS = {spec.name for spec in specs() if AGENT in spec.presets}
VAULT_TOOLS = {spec.name for spec in specs() if VAULT in spec.presets}
IN_MORE_CALLS = {"edit_tasks", "edit_canvas", "find_related", "context_pack", "chain"}
"""What the listed tools do in more calls than one: `edit` (twice), `search`, `search` and `draft`."""
MINIMAL_TOOLS = {spec.name for spec in specs() if MINIMAL in spec.presets}


def client(preset: str | None) -> Caller:
    return Caller(Client("a" * 12, "Robot", frozenset({Capability.CALL}), preset), "connection")


def had(vault: Sandbox, preset: str | None, enabled: list[str] | None = None) -> EnabledTools:
    if enabled is not None:
        vault.settings.update({"enabledTools": enabled})
    return enabled_tools(vault.registry, client(preset), vault.settings.current)


def shown(vault: Sandbox, tools: EnabledTools) -> set[str]:
    """But for what everybody has."""
    return {tool.name for tool in vault.registry.tools(PERSON) if tools.shows(tool.spec) and not tool.spec.own}


def callable_names(vault: Sandbox, tools: EnabledTools) -> set[str]:
    return {tool.name for tool in vault.registry.tools(PERSON) if tool.spec.is_governed and tools.calls(tool.spec)}


@asynccontextmanager
async def everything() -> AsyncIterator[Sandbox]:
    """A vault with all tools there are."""
    async with sandbox() as vault:
        await vault.add(DraftTool(Drafts.__new__(Drafts)))  # not asked anything here
        yield vault


async def test_the_preset_for_models_is_small() -> None:
    async with everything() as vault:
        listed = describe(vault.registry, client(AGENT), vault.settings.current, "mcp")
        assert isinstance(listed, list)
        assert len(listed) <= MOST_TOOLS
        size = len(json.dumps([tool.to_wire() for tool in listed], separators=(",", ":"), ensure_ascii=False).encode())
        assert size <= MOST_BYTES, size


def test_with_it_every_job_of_the_other_tools_can_be_done() -> None:
    replaced = {name for spec in specs() if AGENT in spec.presets for name in spec.replaces}
    assert replaced >= VAULT_TOOLS - AGENT_TOOLS - IN_MORE_CALLS
    assert {tool for _task, tool, *_ in TASKS} <= AGENT_TOOLS


@pytest.mark.parametrize("enabled", [sorted(MINIMAL_TOOLS), sorted(VAULT_TOOLS), sorted(AGENT_TOOLS), [ALL]])
async def test_a_clients_preset_takes_the_place_of_a_named_set(enabled: list[str]) -> None:
    async with everything() as vault:
        assert shown(vault, had(vault, "agent", enabled)) == AGENT_TOOLS
        assert shown(vault, had(vault, "minimal", enabled)) == MINIMAL_TOOLS
        assert shown(vault, had(vault, "vault", enabled)) == VAULT_TOOLS
        assert shown(vault, had(vault, "everything", enabled)) >= VAULT_TOOLS | AGENT_TOOLS
        without = shown(vault, had(vault, None, enabled))
        assert without == ({*enabled} if enabled != [ALL] else shown(vault, had(vault, "everything")))


async def test_every_tool_can_be_called_listed_or_not_but_by_who_may_only_find_and_read() -> None:
    async with everything() as vault:
        tools = had(vault, "agent", sorted(MINIMAL_TOOLS))
        assert callable_names(vault, tools) == AGENT_TOOLS | VAULT_TOOLS
        tools = had(vault, "minimal")
        assert callable_names(vault, tools) == {
            *(*MINIMAL_TOOLS, "read_file", "read_note", "list_files"),
            *("resolve_note", "is_available", "get_file_info", "note_info", "get_metadata"),
        }


async def test_from_a_list_made_by_hand_nothing_comes_back_under_any_name() -> None:
    by_hand = ["find", "read", "add_tag", "create_note", "edit_file"]
    async with sandbox({"A.md": "x\n"}) as vault:
        for preset in (None, "agent", "vault", "everything"):
            tools = had(vault, preset, by_hand)
            assert shown(vault, tools) == callable_names(vault, tools) == {*by_hand}
        assert callable_names(vault, had(vault, "minimal", by_hand)) == {"find", "read"}, "a preset narrows the list"
        for tool, arguments in (
            ("edit", {"path": "A.md", "append": "x"}),
            ("set_properties", {"path": "A.md", "add_tags": ["x"]}),
            ("write_file", {"path": "B.md", "content": "x"}),
            ("create_note", {"path": "b.txt", "kind": "file", "content": "x"}),
            ("create_note", {"path": "B", "kind": "folder"}),
            ("read_note", {"name": "A"}),
        ):
            refused = await vault.call(tool, **arguments)
            assert refused.data["code"] == "tool_disabled", tool
        await vault.succeed("create_note", path="B.md", content="x")
        await vault.succeed("add_tag", name="A", tag="x")


async def test_the_refusal_names_every_command_that_is_needed() -> None:
    async with everything() as vault:
        tasks = "`vault-bridge settings enable tasks`"
        preset = "`vault-bridge clients update Robot --preset agent`"
        for named, enabled, commands in (
            (None, ["read"], [tasks]),
            ("agent", ["read"], [tasks]),
            ("minimal", [ALL], [preset]),
            ("minimal", ["read", "tasks"], [preset]),
            ("minimal", ["read"], [tasks, preset]),
        ):
            tools = had(vault, named, enabled)
            text = refusal("tasks", tools, client(named)).message
            assert [each for each in (tasks, preset) if each in text] == commands, (named, enabled)
            assert " and ".join(commands) in text
        chat = Caller(Client(CHAT_ID, "Chat", frozenset({Capability.CALL}), "minimal"), "connection")
        assert (
            "`vault-bridge settings set chatTools=agent`"
            in refusal("tasks", had(vault, "minimal", [ALL]), chat).message
        )


async def test_a_tool_that_is_enabled_as_the_refusal_says_can_be_called() -> None:
    async with everything() as vault:
        assert "tasks" not in callable_names(vault, had(vault, "minimal", ["read"]))
        assert "tasks" in callable_names(vault, had(vault, "agent", ["read", "tasks"]))


async def test_who_chose_a_tool_for_models_by_hand_has_all_of_it() -> None:
    async with sandbox({"A.md": "x\n"}) as vault:
        vault.settings.update({"enabledTools": ["edit"]})
        await vault.succeed("edit", path="A.md", append="y\n")
        assert (await vault.call("modify_note", path="A.md", operation="append", content="z")).data[
            "code"
        ] == "tool_disabled"


async def test_a_tool_of_no_named_set_is_there_where_the_setting_has_it() -> None:
    async with sandbox() as vault:
        await vault.add(Forecast())
        assert "forecast" in shown(vault, had(vault, "agent", [ALL]))
        assert "forecast" not in shown(vault, had(vault, "everything", sorted(VAULT_TOOLS)))
        by_hand = shown(vault, had(vault, "agent", ["read", "forecast"]))
        assert by_hand == {"read", "forecast"}


async def test_the_shared_credential_and_the_person_keep_the_setting() -> None:
    async with sandbox() as vault:
        vault.settings.update({"enabledTools": ["read", "grep"]})
        for caller in (Caller(SHARED, "c"), PERSON):
            tools = enabled_tools(vault.registry, caller, vault.settings.current)
            assert shown(vault, tools) == {"read", "grep"}


def test_presets_are_those_that_clients_can_have() -> None:
    registry = ToolRegistry()
    declared = {preset for spec in specs() for preset in spec.presets} | {*registry.presets(PERSON)}
    assert {*map(str, Preset)} == declared


class Forecast(ReadTool[dict[str, Any]]):
    """A tool of another server, which belongs to no named set."""

    spec = ToolSpec(
        name="forecast",
        title="Forecast",
        description="Tomorrow's weather.",
        parameters=JsonSchemaParameters({"type": "object"}),
        operation=Operation.READ,
        risk=RiskLevel.LOW,
        consent_class=ConsentClass.SESSION,
    )

    def prepare(self, params: dict[str, Any], context: CallContext) -> ReadEffect:
        del params, context
        return ReadEffect((), "")

    def run(self, params: dict[str, Any], context: CallContext) -> Output:
        del params, context
        return Output(None, "")

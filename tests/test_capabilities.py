"""A bridge works without each of its capabilities, and says plainly what it lacks."""

import ast
import inspect
import textwrap
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bridge.app import CAPABILITIES, Bridge
from bridge.capabilities.acting import OwnEditors, OwnTools, RestoringOthers, Terminal
from bridge.capabilities.core import Capability
from bridge.capabilities.outside import Chat, OtherServers, Web
from bridge.capabilities.searching import DrawnText, PdfFiles, SearchByMeaning
from bridge.client import Connection, connect
from bridge.client.errors import ProtocolFailure
from bridge.errors import BridgeError
from bridge.ports import Late, Signal
from tests.people import Person, person_at, until_read

SWITCHED_ON = {"enabledTools": ["*"], "allowTerminal": True, "allowMcpServers": True, "allowCustomTools": True}


class Lacks(NamedTuple):
    """What a bridge lacks without a capability.

    Attributes:
        tools: The tools that are not there.
        methods: Methods that say so, with parameters.
    """

    tools: frozenset[str]
    methods: dict[str, dict[str, Any]]


LACKS: dict[type[Capability], Lacks] = {
    SearchByMeaning: Lacks(
        frozenset(), {"semantic.rebuild": {}, "semantic.allow": {"endpoint": "https://models.example.com"}}
    ),
    PdfFiles: Lacks(frozenset(), {}),
    DrawnText: Lacks(frozenset(), {}),
    Web: Lacks(
        frozenset({"web_search", "web_fetch"}),
        {"cache.stats": {}, "cache.clear": {}, "search.services": {}, "keys.test": {"provider": "brave"}},
    ),
    Terminal: Lacks(frozenset({"run_terminal_command"}), {}),
    OtherServers: Lacks(frozenset(), {"servers.list": {}}),
    OwnTools: Lacks(frozenset(), {"custom.list": {}}),
    RestoringOthers: Lacks(frozenset({"restore", "restore_all", "mend_links"}), {"versions.notice": {}}),
    OwnEditors: Lacks(frozenset({"allow_edit"}), {}),
    Chat: Lacks(frozenset(), {"chat.list": {}, "chat.models": {}, "chat.send": {"text": "Hello"}}),
}
"""By capability. Each tool and method is checked to be there in a whole bridge."""


def test_each_capability_that_can_be_left_out_is_left_out_below() -> None:
    assert set(LACKS) == set(CAPABILITIES)


@pytest.mark.parametrize("capability", CAPABILITIES, ids=lambda capability: capability.__name__)
def test_no_capability_knows_another(capability: type[Capability]) -> None:
    code = textwrap.dedent(inspect.getsource(capability))
    named = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    assert named & {other.__name__ for other in CAPABILITIES} == set()


LEFT_OUT = "is not part of this bridge"


@asynccontextmanager
async def served(vault: Path, capabilities: Sequence[type[Capability]]) -> AsyncIterator[tuple[Person, Connection]]:
    """A person and an agent at a bridge of these capabilities, in which everything is switched on."""
    async with Bridge(vault, capabilities=capabilities), person_at(vault) as person:
        person.answer = "allow_once"
        await person.host.request("settings.update", patch=SWITCHED_ON)
        async with connect(vault, name="agent") as agent:
            await until_read(agent)
            yield person, agent


async def missing_methods(person: Person, methods: dict[str, dict[str, Any]]) -> set[str]:
    """Those of the methods that say that they are not part of the bridge."""
    missing: set[str] = set()
    for method, params in methods.items():
        try:
            await person.host.request(method, **params)
        except ProtocolFailure as failure:
            if LEFT_OUT in str(failure):
                missing.add(method)
    return missing


async def missing_tools(person: Person, agent: Connection, tools: frozenset[str]) -> set[str]:
    """Those of the tools that neither the person's own program nor an agent has."""
    missing = set(tools)
    for client in (person.host, agent):
        answers = {tool: (await client.call(tool, {})).raw["text"] for tool in tools}
        missing &= {tool for tool, text in answers.items() if "Unknown tool" in text}
    return missing


@pytest.mark.parametrize("left_out", CAPABILITIES, ids=lambda one: one.__name__)
async def test_a_bridge_works_without_it_and_says_what_it_lacks(vault: Path, left_out: type[Capability]) -> None:
    lacks = LACKS[left_out]
    async with served(vault, [one for one in CAPABILITIES if one is not left_out]) as (person, agent):
        assert "TODO" in (await agent.call("grep", {"query": "TODO"})).or_raise().raw["text"]
        assert (await agent.call("search_notes", {"query": "Meeting"})).ok
        written = (await agent.call("create_note", {"path": "New.md", "content": "New\n"})).or_raise()
        assert (await person.host.request("history.undo", executionId=written.raw["executionId"]))["success"]
        assert await missing_tools(person, agent, lacks.tools) == lacks.tools
        assert await missing_methods(person, lacks.methods) == lacks.methods.keys()
        assert (await person.host.request("vault.status"))["notes"]
        assert (await person.host.request("bridge.faults"))["faults"] == []
        assert await person.host.request("history.list")
        assert (await person.host.request("policy.explain", name="grep", arguments={"query": "x"}))["outcome"]
        assert (await person.host.request("versions.forget", everything=True))["found"]
        await person.host.request("web.sites")


async def test_a_whole_bridge_lacks_nothing_of_that(vault: Path) -> None:
    async with served(vault, CAPABILITIES) as (person, agent):
        for lacks in LACKS.values():
            assert not await missing_tools(person, agent, lacks.tools)
            assert not await missing_methods(person, lacks.methods)


async def test_a_bridge_of_nothing_but_its_core_finds_and_writes(vault: Path) -> None:
    async with served(vault, ()) as (_person, agent):
        assert (await agent.call("search_notes", {"query": "Meeting"})).ok
        assert (await agent.call("create_note", {"path": "New.md", "content": "New\n"})).ok
    assert (vault / "New.md").read_bytes() == b"New\n"


def test_a_signal_reaches_all_listeners_in_order_and_raises_the_first_failure() -> None:
    heard: list[str] = []
    signal: Signal[[str]] = Signal()

    def fail(what: str) -> None:
        raise ValueError(what)

    signal.on(lambda what: heard.append(f"1 {what}"))
    signal.on(fail)
    signal.on(lambda what: heard.append(f"2 {what}"))
    signal.on(lambda _what: heard.remove("nothing"))
    with pytest.raises(ValueError, match="word"):
        signal("word")
    assert heard == ["1 word", "2 word"]


def test_what_is_given_late_is_made_once_and_missed_until_then() -> None:
    made: list[int] = []
    late: Late[int] = Late("The answer")
    with pytest.raises(BridgeError, match="The answer is not part of this bridge"):
        late.get()
    assert not late.is_given

    def make() -> int:
        made.append(42)
        return 42

    late.fill_with(make)
    assert (late.is_given, late.made, made) == (True, None, [])
    assert (late.get(), late.get(), late.made, made) == (42, 42, 42, [42])

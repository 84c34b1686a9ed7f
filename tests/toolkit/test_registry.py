"""Providers come and go; a name is taken once."""

from collections.abc import Callable
from typing import Any

import pytest

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, Operation, RiskLevel
from bridge.identity.caller import PERSON
from bridge.toolkit.parameters import ModelParameters
from bridge.toolkit.registry import StaticProvider, ToolProvider, ToolRegistry
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, Tool, ToolSpec


def tool(called: str) -> Tool[Any]:
    class Named(ReadTool[Params]):
        spec = ToolSpec(
            name=called,
            title=called.title(),
            description="",
            parameters=ModelParameters(Params),
            operation=Operation.READ,
            risk=RiskLevel.SAFE,
            consent_class=ConsentClass.ALWAYS,
        )

        def prepare(self, params: Params, context: CallContext) -> ReadEffect:
            return ReadEffect((), f"{params}{context}")

        def run(self, params: Params, context: CallContext) -> Output:
            return Output(None, f"{params}{context}")

    return Named()


class Provider(StaticProvider):
    def __init__(self, id: str, *tools: str, log: list[str] | None = None, fails: bool = False) -> None:
        super().__init__(id=id, tools=[tool(name) for name in tools])
        self.log = log if log is not None else []
        self.fails = fails

    async def start(self, changed: Callable[[], None]) -> None:
        del changed
        if self.fails:
            raise OSError(self.id)
        self.log.append(f"start {self.id}")

    async def stop(self) -> None:
        self.log.append(f"stop {self.id}")


async def test_a_provider_brings_its_tools_and_takes_them_away() -> None:
    registry = ToolRegistry()
    await registry.add(Provider("a", "one", "two"))
    assert [tool.name for tool in registry.tools(PERSON)] == ["one", "two"]
    await registry.remove("a")
    assert registry.tools(PERSON) == []
    with pytest.raises(KeyError):
        await registry.remove("a")


@pytest.mark.parametrize("second", [Provider("a", "new"), Provider("b", "new", "one"), Provider("b", "x", "x")])
async def test_a_duplicate_is_an_error_and_adds_nothing(second: ToolProvider) -> None:
    registry = ToolRegistry()
    await registry.add(Provider("a", "one"))
    with pytest.raises(ValueError, match="already registered"):
        await registry.add(second)
    assert [tool.name for tool in registry.tools(PERSON)] == ["one"]


async def test_nearest_names_help_a_caller_who_misspelled() -> None:
    registry = ToolRegistry()
    await registry.add(Provider("a", "grep", "apply_patch"))
    assert registry.nearest("aply_patch", PERSON) == ["apply_patch"]


async def test_providers_start_in_order_and_stop_in_reverse() -> None:
    log: list[str] = []
    registry = ToolRegistry()
    await registry.add(Provider("a", log=log))
    await registry.add(Provider("b", log=log))
    await registry.stop()
    assert log == ["start a", "start b", "stop b", "stop a"]


async def test_a_provider_that_cannot_start_brings_nothing_and_the_others_are_stopped_at_the_end() -> None:
    log: list[str] = []
    registry = ToolRegistry()
    await registry.add(Provider("a", "one", log=log))
    with pytest.raises(OSError, match="b"):
        await registry.add(Provider("b", "two", log=log, fails=True))
    assert [tool.name for tool in registry.tools(PERSON)] == ["one"]
    await registry.stop()
    assert log == ["start a", "stop a"]

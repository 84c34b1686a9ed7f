"""Providers come and go; a name is taken once."""

from typing import Any

import pytest

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, Operation, RiskLevel
from bridge.toolkit.registry import ToolProvider, ToolRegistry
from bridge.toolkit.tool import CallContext, Output, ReadEffect, ReadTool, Tool


def tool(called: str) -> Tool[Any]:
    class Named(ReadTool[Params]):
        name = called
        title = called.title()
        description = ""
        parameters = Params
        operation = Operation.READ
        risk = RiskLevel.SAFE
        consent_class = ConsentClass.ALWAYS

        def prepare(self, params: Params, context: CallContext) -> ReadEffect:
            return ReadEffect((), f"{params}{context}")

        def run(self, params: Params, context: CallContext) -> Output:
            return Output(None, f"{params}{context}")

    return Named()


class Provider(ToolProvider):
    def __init__(self, id: str, *tools: str, log: list[str] | None = None, fails: bool = False) -> None:
        super().__init__(id=id, name=id, description="", version="1", tools=[tool(name) for name in tools])
        self.log = log if log is not None else []
        self.fails = fails

    async def initialize(self) -> None:
        if self.fails:
            raise OSError(self.id)
        self.log.append(f"start {self.id}")

    async def shutdown(self) -> None:
        self.log.append(f"stop {self.id}")


def test_a_provider_brings_its_tools_and_takes_them_away() -> None:
    registry = ToolRegistry()
    registry.register(Provider("a", "one", "two"))
    assert [tool.name for tool in registry.tools()] == ["one", "two"]
    registry.unregister("a")
    assert registry.tools() == []
    with pytest.raises(KeyError):
        registry.unregister("a")


@pytest.mark.parametrize("second", [Provider("a", "new"), Provider("b", "new", "one"), Provider("b", "x", "x")])
def test_a_duplicate_is_an_error_and_adds_nothing(second: ToolProvider) -> None:
    registry = ToolRegistry()
    registry.register(Provider("a", "one"))
    with pytest.raises(ValueError, match="already registered"):
        registry.register(second)
    assert [tool.name for tool in registry.tools()] == ["one"]


def test_nearest_names_help_a_caller_who_misspelled() -> None:
    registry = ToolRegistry()
    registry.register(Provider("a", "grep", "apply_patch"))
    assert registry.nearest("aply_patch") == ["apply_patch"]


async def test_providers_start_in_order_and_stop_in_reverse() -> None:
    log: list[str] = []
    registry = ToolRegistry()
    registry.register(Provider("a", log=log))
    registry.register(Provider("b", log=log))
    await registry.start()
    await registry.stop()
    assert log == ["start a", "start b", "stop b", "stop a"]


async def test_when_one_provider_cannot_start_the_others_are_stopped() -> None:
    log: list[str] = []
    registry = ToolRegistry()
    registry.register(Provider("a", log=log))
    registry.register(Provider("b", log=log, fails=True))
    with pytest.raises(OSError, match="b"):
        await registry.start()
    assert log == ["start a", "stop a"]

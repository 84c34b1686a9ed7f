"""The user's own tools as tools of the bridge: asked about every time, run in a sandbox, listed as they are stored."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from bridge.contract.consent import ConsentClass, ConsentMode, Operation, RiskLevel
from bridge.contract.tools import McpAnnotations
from bridge.custom.custom_tools import CustomTools
from bridge.custom.storage import StoredTool
from bridge.errors import ExecutionFailed
from bridge.identity.caller import Caller
from bridge.policy.targets import custom_tool_target
from bridge.toolkit.outgoing import strings
from bridge.toolkit.parameters import JsonSchemaParameters
from bridge.toolkit.registry import ToolProvider
from bridge.toolkit.tool import CallContext, Output, ReadTool, RequestEffect, Tool, ToolSpec
from bridge.tools.formatting import quoted
from bridge.vault.text import with_hidden_characters_shown

_SPARE: Final = 60.0
"""Seconds besides those of its own: for the start, for waiting until fewer run, and for ending what is left."""


class UserTool(ReadTool[dict[str, Any]]):
    """One tool of the user's own.

    Args:
        tools: All of them.
        tool: This one, as it is stored.

    Raises:
        ValueError: Its schema cannot be used.
    """

    def __init__(self, tools: CustomTools, tool: StoredTool) -> None:
        self.tool = tool
        self.allowed = tools.allowed()
        self._tools = tools
        returns = f" Returns: {tool.returns}" if tool.returns else ""
        self.spec = ToolSpec(
            name=tool.name,
            title=tool.name,
            action=f"run/ran your tool {tool.name}",
            description=f"{tool.description}{returns}",
            parameters=JsonSchemaParameters(tool.parameters),
            operation=Operation.EXECUTE,
            risk=RiskLevel.HIGH,
            fixed_risk=True,
            consent_class=ConsentClass.NEVER,
            default_mode=ConsentMode.ALWAYS_ASK,
            default_rate=20,
            id_prefix="custom",
            listed=self.allowed and tool.enabled,
            switched=True,
            calls_others=True,
            timeout=tool.timeout / 1000 + _SPARE,
            hints=McpAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True),
        )

    async def prepare(self, params: dict[str, Any], context: CallContext) -> RequestEffect:
        """Say what will be run, with what, what it can reach, and what has changed since that was allowed."""
        tool = self.tool
        self._tools.refuse(tool)
        held = await asyncio.to_thread(self._tools.held, tool)
        await asyncio.to_thread(self._tools.refuse_unready, tool)
        if not context.looking:
            self._tools.get_ready(tool)
        given = json.dumps(params, ensure_ascii=False, indent=2)
        exact = "\n".join([f"tool: {tool.name}", tool.description, f"environment: {tool.environment}", "", given])
        change, insists = await asyncio.to_thread(self._tools.change, tool), ""
        if change is not None:
            insists, heading = "This tool was never allowed before; its code is shown", "The tool:"
            if self._tools.approvals.knows(tool.name):
                insists, heading = (
                    "This tool has changed since you allowed it",
                    "What has changed since you allowed it:",
                )
            if not context.looking:  # the code is the person's, and an agent that only asks gets no look at it
                exact = f"{exact}\n\n{heading}\n{change}"
        return RequestEffect(
            (custom_tool_target(tool.name),),
            f"Run your tool {tool.name}",
            exact,
            warnings=tuple(held),
            insists=insists,
            sends=tuple(strings(params)) if params else (),
        )

    async def run(self, params: dict[str, Any], context: CallContext) -> Output:
        """Run it, as it was shown."""
        tool = self.tool
        if await asyncio.to_thread(lambda: self._tools.all.get(tool.name)) != tool:
            raise ExecutionFailed("The user has just changed this tool; nothing was run. Call it again")
        await asyncio.to_thread(lambda: self._tools.approvals.approve_text(tool.name, self._tools.told(tool)))
        result = await self._tools.run(tool, params, context.call)
        if not result.success:
            raise ExecutionFailed(with_hidden_characters_shown(f"{tool.name} failed: {result.error}"))
        said = result.result if isinstance(result.result, str) else json.dumps(result.result, ensure_ascii=False)
        shown = with_hidden_characters_shown(said)
        text = quoted(shown, f"the user's tool {tool.name}", origin="a tool of the user's own")
        return Output(result.result, text, metadata={"executionTime": round(result.execution_time, 3)})


class CustomProvider(ToolProvider):
    """The user's own tools. Those that may not run now are there without being listed, and say why they are refused.

    Args:
        tools: The tools.
    """

    id = "custom"

    def __init__(self, tools: CustomTools) -> None:
        self._tools = tools
        self._made: dict[str, UserTool] = {}

    async def start(self, changed: Callable[[], None]) -> None:
        """Hear of changes."""
        self._tools.start(changed)

    async def stop(self) -> None:
        """End what waits for runs."""
        await self._tools.stop()

    def tools(self, _caller: Caller) -> Sequence[Tool[Any]]:
        """Return all that are stored, the same for every client."""
        allowed = self._tools.allowed()
        made: dict[str, UserTool] = {}
        for name, tool in self._tools.all.items():
            known = self._made.get(name)
            is_same = known is not None and known.tool is tool and known.allowed == allowed
            made[name] = known if known is not None and is_same else UserTool(self._tools, tool)
        self._made = made
        return list(made.values())

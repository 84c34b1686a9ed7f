"""custom.*: tools of the user's own, which the person writes, tries, changes and takes away."""

import asyncio
import secrets
from typing import Any

from bridge.contract.base import Params
from bridge.contract.custom import (
    CustomAddParams,
    CustomAnswer,
    CustomCallParams,
    CustomParams,
    CustomResult,
    CustomTestParams,
    CustomToolList,
    CustomToolSaved,
    CustomUpdateParams,
)
from bridge.contract.identity import Capability
from bridge.contract.tools import ToolResult
from bridge.errors import InvalidParameters
from bridge.rpc.dispatch import Method, RequestContext
from bridge.toolkit.tool_call import Phase, ToolCall


async def list_tools(context: RequestContext, _params: Params) -> CustomToolList:
    """Return every tool that is stored, as the file has it now, and where tools can run.

    Returns `{tools, environments, allowed, file, fault}`: the [tools of the user's own](custom-tools.md), where tools
    can run, whether they may (`allowCustomTools` is on, and was set on this computer), the file that they are stored
    in, and why it cannot be used. Each tool is `{name, description, code, parameters, returns, timeout, environment,
    enabled, createdAt, updatedAt, change}`: `change` is how it differs from what was allowed last, as a diff; all of it
    where it never was allowed; null where there is no difference. Each environment is `{environment, available,
    sentence}`.
    """
    custom = context.services.parts.custom.get()

    def look() -> CustomToolList:
        tools = tuple(custom.info(tool) for tool in custom.all.values())
        return CustomToolList(
            tools=tools,
            environments=custom.environments(),
            allowed=custom.allowed(),
            file=str(custom.file.path),
            fault=custom.file.fault,
        )

    return await asyncio.to_thread(look)


async def add(context: RequestContext, params: CustomAddParams) -> CustomToolSaved:
    """Store a tool. It is not run.

    Stores a tool. Its code is read for mistakes and not run. Returns `{tool, unchecked}`: the tool, `{name,
    description, code, parameters, returns, timeout, environment, enabled, createdAt, updatedAt, change}`, and why the
    syntax of its code could not be checked, as a sentence; null where it was.
    """
    saved = await context.services.parts.custom.get().add(params)
    context.services.note("custom", {"event": "added", "of": params.name})
    return saved


async def update(context: RequestContext, params: CustomUpdateParams) -> CustomToolSaved:
    """Change what is given of a stored tool.

    Changes what is given of a stored tool, and nothing else. `returns: null` takes that away; `createdAt` stays, and
    `updatedAt` is set. Returns `{tool, unchecked}`, as `custom.add` does.
    """
    saved = await context.services.parts.custom.get().update(params)
    only_switched = params.model_fields_set == {"name", "enabled"}
    event = ("enabled" if params.enabled else "disabled") if only_switched else "updated"
    context.services.note("custom", {"event": event, "of": params.name})
    return saved


async def remove(context: RequestContext, params: CustomParams) -> CustomToolList:
    """Take a stored tool away.

    Takes a tool away, with what it keeps and what was allowed of it. Returns `{tools, environments, allowed, file,
    fault}`, as `custom.list` does.
    """
    await context.services.parts.custom.get().remove(params.name)
    context.services.note("custom", {"event": "removed", "of": params.name})
    return await list_tools(context, Params())


async def try_out(context: RequestContext, params: CustomTestParams) -> CustomResult:
    """Run a tool once for the person who writes it. Its calls of other tools go their usual way.

    For the person's own programs alone. Runs a tool once, without a question, and switched off or not: a stored one by
    its `name`, or one that is not stored as `tool`, with the members of `custom.add`. What it calls goes its usual way.
    Returns `{success, result, error, executionTime, output}`: `executionTime` in milliseconds, and in `output` what the
    code printed. Fails while `allowCustomTools` is off.
    """
    services = context.services
    if (params.name is None) == (params.tool is None):
        raise InvalidParameters("Name either a stored tool, or give one that is not stored as `tool`")
    tool: CustomAddParams | None = params.tool
    if tool is None:
        tool = await asyncio.to_thread(services.parts.custom.get().get, params.name or "")
    whole = ToolCall(context.session.caller, tool.name, params.parameters)
    whole.execution_id, whole.phase = f"custom-{secrets.token_hex(4)}", Phase.RUNNING

    async def call(name: str, arguments: dict[str, Any]) -> ToolResult:
        return await services.pipeline.call_within(whole, name, arguments)

    services.note("custom", {"event": "tested", "of": tool.name, "executionId": whole.execution_id})
    return await services.parts.custom.get().try_out(tool, params.parameters, call)


async def call_back(context: RequestContext, params: CustomCallParams) -> CustomAnswer:
    """Answer what the code of a run in Obsidian asks.

    For the host that was given a run with [`host.runTool`](#calls-from-the-bridge-to-a-host), over the same connection,
    until the run is over. Passes on what the code asks: with `kind` `tool`, to call the tool `name` with `arguments`;
    `fetch`, to reach `url` with `method` `GET` or `POST` and a `body`, as `web_fetch` does; `storage`, to `get`, `set`,
    `remove`, `clear` or list the `keys` of what the tool keeps (`operation`, `key`, `value`). One thing is answered
    after the other. Returns `{success, result, error, code}`: of a tool its data, or its text where it has none; of a
    fetch `{url, status, contentType, body}` with the body in base64; of the storage a text, a list of keys, or null.
    The code is `no_run` for a run that is not this host's, or is over, and `too_many_calls` after 1,000 of them in one
    run.
    """
    message = params.model_dump(mode="json", exclude={"run"}, exclude_none=True)
    return await context.services.parts.host_runs.get().answer(context.session, params.run, message)


METHODS = (
    Method("custom.list", list_tools, CustomToolList, needs=Capability.ADMINISTER),
    Method("custom.add", add, CustomToolSaved, CustomAddParams, needs=Capability.ADMINISTER),
    Method("custom.update", update, CustomToolSaved, CustomUpdateParams, needs=Capability.ADMINISTER),
    Method("custom.remove", remove, CustomToolList, CustomParams, needs=Capability.ADMINISTER),
    # What is run so is not asked about, so that a client that administers could run what it likes.
    Method("custom.test", try_out, CustomResult, CustomTestParams, needs=Capability.ADMINISTER, person_only=True),
    Method("custom.call", call_back, CustomAnswer, CustomCallParams, needs=Capability.ADMINISTER, person_only=True),
)

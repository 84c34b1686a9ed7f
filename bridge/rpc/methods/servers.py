"""servers.* and custom.*: other MCP servers and the user's own tools, entered, tried, trusted and taken away."""

import asyncio
import contextlib
import hashlib
import secrets
from collections.abc import Iterator
from typing import Any

from bridge.agents.machine import ConfigurationRefused
from bridge.agents.table import AGENTS
from bridge.contract import custom as own_tools
from bridge.contract import servers as wire
from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.contract.tools import ToolResult
from bridge.errors import Conflict, InvalidParameters, NotFound, ToolFailure
from bridge.rpc.dispatch import Method, RequestContext
from bridge.servers.configuration import ServerEntry, check_name, entry, fitting_name, imported, tool_name
from bridge.servers.servers import Servers
from bridge.toolkit.tool_call import Phase, ToolCall


async def list_servers(context: RequestContext, _params: NoParams) -> wire.ServerList:
    """Return every server that is entered, as the file has it now.

    Returns `{servers, file, fault, allowed}`: the [other MCP servers](servers.md) that are entered, the file that they
    are entered in, why it cannot be used, and the setting `allowMcpServers`. Each server is `{name, description, told,
    enabled, trusted, state, reason, change, tools, faults, log, digest}`: `told` says line by line what is started or
    reached (of variables and headers the names only), `state` is `off`, `starting`, `ready` or `failed` with the
    `reason`, `change` is how it differs from what was allowed (null: not at all), `tools` are its tools as it described
    them last, each `{name, call, title, description, takes, readOnly, destructive, change}` (`takes` is its schema, in
    lines), `faults` sentences about tools that cannot be used, `log` the last lines of its error output, and `digest`
    names exactly what is shown.
    """
    servers = context.services.parts.servers.get()
    await servers.refresh()
    return wire.ServerList(
        servers=tuple(_info(servers, name, each) for name, each in servers.everything.items()),
        file=str(servers.file.path),
        fault=servers.file.fault,
        allowed=context.services.settings.current.allow_mcp_servers,
    )


async def add(context: RequestContext, params: wire.ServerAddParams) -> wire.ServerInfo:
    """Enter a server. It is not started.

    Enters a server, as `mcp.json` has it; it is not started. Fails with `exists` if there is one of this name, unless
    `replace` is set. Returns `{name, description, told, enabled, trusted, state, reason, change, tools, faults, log,
    digest}`.
    """
    name = check_name(params.name)
    return await _enter(context, name, entry(name, params.entry), replace=params.replace)


async def remove(context: RequestContext, params: wire.ServerParams) -> wire.ServerList:
    """Take a server out, and end it.

    Takes a server out, ends it, and forgets what was allowed of it. Returns `{servers, file, fault, allowed}`, as
    `servers.list` does.
    """
    servers = context.services.parts.servers.get()
    await _existing(servers, params.name)
    await servers.enter({name: each for name, each in servers.everything.items() if name != params.name})
    await asyncio.to_thread(servers.approvals.forget, params.name)
    context.services.note("server", {"event": "removed", "of": params.name})
    return await list_servers(context, NoParams())


async def try_out(context: RequestContext, params: wire.ServerParams) -> wire.ServerInfo:
    """Connect a server anew, and say which tools it has, or why it cannot be used.

    Connects a server anew. Returns `{name, description, told, enabled, trusted, state, reason, change, tools, faults,
    log, digest}`, with `state` `ready` or `failed`.
    """
    servers = context.services.parts.servers.get()
    found = await _existing(servers, params.name)
    with contextlib.suppress(ToolFailure):  # its state says so
        await servers.restart(params.name)
    return _info(servers, params.name, found)


async def trust(context: RequestContext, params: wire.ServerTrustParams) -> wire.ServerInfo:
    """Trust a server with exactly what was shown of it, or trust it no more.

    Trusts a server with exactly what was shown of it: `digest` must be that of the last `servers.test` or
    `servers.list`, else it fails with `stale`. With `trusted: false` it is trusted no more. Returns `{name,
    description, told, enabled, trusted, state, reason, change, tools, faults, log, digest}`.
    """
    servers = context.services.parts.servers.get()
    found = await _existing(servers, params.name)
    if params.trusted:
        info = _info(servers, params.name, found)
        if params.digest != info.digest:
            raise Conflict("The server is not as it was shown; look at it again", code="stale")
        held = servers.connections.get(params.name)
        definitions = held.definitions if held is not None else ()
        await asyncio.to_thread(servers.approvals.approve, params.name, found, definitions)
    trusted = found.model_copy(update={"trusted": params.trusted})
    return await _change(context, params.name, trusted, "trusted" if params.trusted else "distrusted")


async def distrust_all(context: RequestContext) -> list[str]:
    """Trust no server any more. Returns the names of those that were trusted."""
    late = context.services.parts.servers
    if not late.is_given:
        return []
    await late.get().refresh()
    trusted = {name: found for name, found in late.get().everything.items() if found.trusted}
    for name, found in trusted.items():
        await _change(context, name, found.model_copy(update={"trusted": False}), "distrusted")
    return [*trusted]


async def enable(context: RequestContext, params: wire.ServerEnableParams) -> wire.ServerInfo:
    """Say whether `mcp_loader` loads a server.

    Says whether `mcp_loader` loads a server. Returns `{name, description, told, enabled, trusted, state, reason,
    change, tools, faults, log, digest}`.
    """
    found = await _existing(context.services.parts.servers.get(), params.name)
    changed = found.model_copy(update={"enabled": params.enabled})
    return await _change(context, params.name, changed, "enabled" if params.enabled else "disabled")


async def found(context: RequestContext, _params: NoParams) -> list[wire.FoundServer]:
    """Return the servers that programs on this machine have in their configurations, without the entries of ours.

    Returns the servers in the configurations of other programs on this machine, without the bridge's own entries: a
    list of `{agent, program, name, told, fault, known}`. `fault` says why one cannot be taken over, `known` whether one
    of its name is entered already.
    """
    return await asyncio.to_thread(lambda: [shown for shown, _ in _found(context)])


async def take_over(context: RequestContext, params: wire.ServerImportParams) -> wire.ServerInfo:
    """Enter a server that another program has.

    Takes over one of `servers.found`. Returns `{name, description, told, enabled, trusted, state, reason, change,
    tools, faults, log, digest}`.
    """

    def look() -> ServerEntry | None:
        here = ((shown.agent, shown.name, taken) for shown, taken in _found(context))
        return next((taken for agent, name, taken in here if (agent, name) == (params.agent, params.name)), None)

    taken = await asyncio.to_thread(look)
    if taken is None:
        raise NotFound(f"No program has a server {params.name!r} that can be taken over")
    return await _enter(context, params.name, taken, replace=False)


async def _enter(context: RequestContext, name: str, new: ServerEntry, *, replace: bool) -> wire.ServerInfo:
    servers = context.services.parts.servers.get()
    await servers.refresh()
    if name in servers.everything and not replace:
        raise Conflict(f"There is a server {name!r} already", code="exists")
    return await _change(context, name, new, "added")


async def _change(context: RequestContext, name: str, new: ServerEntry, event: str) -> wire.ServerInfo:
    servers = context.services.parts.servers.get()
    await servers.enter({**servers.everything, name: new})
    context.services.note("server", {"event": event, "of": name})
    return _info(servers, name, new)


async def _existing(servers: Servers, name: str) -> ServerEntry:
    await servers.refresh()  # the file may have been edited by hand
    found = servers.everything.get(name)
    if found is None:
        raise NotFound(f"There is no server {name!r}")
    return found


def _found(context: RequestContext) -> Iterator[tuple[wire.FoundServer, ServerEntry | None]]:
    connector, known = context.services.parts.agents.get(), context.services.parts.servers.get().everything
    for agent in AGENTS:
        try:
            members = connector.others(agent)
        except ConfigurationRefused:
            continue  # `agents.list` says why
        for there, member in members.items():
            taken, fault, name = None, None, there
            try:
                name = fitting_name(there)
                taken = imported(name, member)
            except ToolFailure as failure:
                fault = failure.message
            yield (
                wire.FoundServer(
                    agent=agent.id,
                    program=agent.title,
                    name=name,
                    told=tuple(taken.told()) if taken else (),
                    fault=fault,
                    known=name in known,
                ),
                taken,
            )


def _info(servers: Servers, name: str, found: ServerEntry) -> wire.ServerInfo:
    held = servers.connections.get(name)
    definitions = held.definitions if held is not None else ()
    shown = "\n".join([*found.told(), *(each.fingerprint for each in definitions)])
    return wire.ServerInfo.of(
        found,
        name=name,
        told=tuple(found.told()),
        state=held.state if held is not None else "off",
        reason=held.reason if held is not None else "",
        change=servers.approvals.entry_change(name, found),
        tools=tuple(
            wire.ServerToolInfo.of(
                each, call=tool_name(name, each.name), change=servers.approvals.tool_change(name, each)
            )
            for each in definitions
        ),
        faults=tuple(held.faults) if held is not None else (),
        log=held.log.lines if held is not None else (),
        digest=hashlib.sha256(shown.encode(errors="surrogatepass")).hexdigest(),
    )


async def list_tools(context: RequestContext, _params: NoParams) -> own_tools.CustomToolList:
    """Return every tool that is stored, as the file has it now, and where tools can run.

    Returns `{tools, environments, allowed, file, fault}`: the [tools of the user's own](custom-tools.md), where tools
    can run, whether they may (`allowCustomTools` is on, and was set on this computer), the file that they are stored
    in, and why it cannot be used. Each tool is `{name, description, code, parameters, returns, timeout, environment,
    enabled, createdAt, updatedAt, change}`: `change` is how it differs from what was allowed last, as a diff; all of it
    where it never was allowed; null where there is no difference. Each environment is `{environment, available,
    sentence}`.
    """
    custom = context.services.parts.custom.get()

    def look() -> own_tools.CustomToolList:
        tools = tuple(custom.info(tool) for tool in custom.all.values())
        return own_tools.CustomToolList(
            tools=tools,
            environments=custom.environments(),
            allowed=custom.allowed(),
            file=str(custom.file.path),
            fault=custom.file.fault,
        )

    return await asyncio.to_thread(look)


async def add_tool(context: RequestContext, params: own_tools.CustomAddParams) -> own_tools.CustomToolSaved:
    """Store a tool. It is not run.

    Stores a tool. Its code is read for mistakes and not run. Returns `{tool, unchecked}`: the tool, `{name,
    description, code, parameters, returns, timeout, environment, enabled, createdAt, updatedAt, change}`, and why the
    syntax of its code could not be checked, as a sentence; null where it was.
    """
    saved = await context.services.parts.custom.get().add(params)
    context.services.note("custom", {"event": "added", "of": params.name})
    return saved


async def update_tool(context: RequestContext, params: own_tools.CustomUpdateParams) -> own_tools.CustomToolSaved:
    """Change what is given of a stored tool.

    Changes what is given of a stored tool, and nothing else. `returns: null` takes that away; `createdAt` stays, and
    `updatedAt` is set. Returns `{tool, unchecked}`, as `custom.add` does.
    """
    saved = await context.services.parts.custom.get().update(params)
    only_switched = params.model_fields_set == {"name", "enabled"}
    event = ("enabled" if params.enabled else "disabled") if only_switched else "updated"
    context.services.note("custom", {"event": event, "of": params.name})
    return saved


async def remove_tool(context: RequestContext, params: own_tools.CustomParams) -> own_tools.CustomToolList:
    """Take a stored tool away.

    Takes a tool away, with what it keeps and what was allowed of it. Returns `{tools, environments, allowed, file,
    fault}`, as `custom.list` does.
    """
    await context.services.parts.custom.get().remove(params.name)
    context.services.note("custom", {"event": "removed", "of": params.name})
    return await list_tools(context, NoParams())


async def try_tool_out(context: RequestContext, params: own_tools.CustomTestParams) -> own_tools.CustomResult:
    """Run a tool once for the person who writes it. Its calls of other tools go their usual way.

    For the person's own programs alone. Runs a tool once, without a question, and switched off or not: a stored one by
    its `name`, or one that is not stored as `tool`, with the members of `custom.add`. What it calls goes its usual way.
    Returns `{success, result, error, executionTime, output}`: `executionTime` in milliseconds, and in `output` what the
    code printed. Fails while `allowCustomTools` is off.
    """
    services = context.services
    if (params.name is None) == (params.tool is None):
        raise InvalidParameters("Give either the `name` of a stored tool, or a tool that is not stored as `tool`")
    tool: own_tools.CustomAddParams | None = params.tool
    if tool is None:
        tool = await asyncio.to_thread(services.parts.custom.get().get, params.name or "")
    whole = ToolCall(context.session.caller, tool.name, params.parameters)
    whole.execution_id, whole.phase = f"custom-{secrets.token_hex(4)}", Phase.RUNNING

    async def call(name: str, arguments: dict[str, Any]) -> ToolResult:
        return await services.pipeline.call_within(whole, name, arguments)

    services.note("custom", {"event": "tested", "of": tool.name, "executionId": whole.execution_id})
    return await services.parts.custom.get().try_out(tool, params.parameters, call)


async def call_back(context: RequestContext, params: own_tools.CustomCallParams) -> own_tools.CustomAnswer:
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
    Method("servers.list", list_servers, wire.ServerList, Capability.ADMINISTER),
    Method("servers.add", add, wire.ServerInfo, Capability.ADMINISTER),
    Method("servers.remove", remove, wire.ServerList, Capability.ADMINISTER),
    Method("servers.test", try_out, wire.ServerInfo, Capability.ADMINISTER),
    Method("servers.trust", trust, wire.ServerInfo, Capability.ADMINISTER),
    Method("servers.enable", enable, wire.ServerInfo, Capability.ADMINISTER),
    Method("servers.found", found, list[wire.FoundServer], Capability.ADMINISTER),
    Method("servers.import", take_over, wire.ServerInfo, Capability.ADMINISTER),
    Method("custom.list", list_tools, own_tools.CustomToolList, Capability.ADMINISTER),
    Method("custom.add", add_tool, own_tools.CustomToolSaved, Capability.ADMINISTER),
    Method("custom.update", update_tool, own_tools.CustomToolSaved, Capability.ADMINISTER),
    Method("custom.remove", remove_tool, own_tools.CustomToolList, Capability.ADMINISTER),
    Method("custom.test", try_tool_out, own_tools.CustomResult, Capability.ADMINISTER, person_only=True),
    Method("custom.call", call_back, own_tools.CustomAnswer, Capability.ADMINISTER, person_only=True),
)

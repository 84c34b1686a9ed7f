"""agents.*: connects the programs in which people use agents. For the person's own programs alone."""

import asyncio
from collections.abc import Sequence

from bridge.agents.connection import Connector, Plan
from bridge.agents.machine import ConfigurationRefused
from bridge.agents.table import AGENTS, BY_ID, Agent
from bridge.contract.base import NoParams
from bridge.contract.identity import Capability, ClientAddParams, ClientRevokeParams, Preset
from bridge.contract.servers import AgentDoParams, AgentInfo, AgentOutcome, AgentPlan, AgentPreviewParams
from bridge.errors import InvalidParameters
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.methods import clients


class _Clients:
    """The clients of this bridge, changed as by the methods of that name: logged, and told to every screen."""

    def __init__(self, context: RequestContext) -> None:
        self._context = context

    async def names(self) -> Sequence[str]:
        return [client.name for client in await asyncio.to_thread(self._context.services.clients.list)]

    async def add(self, name: str, preset: str) -> str:
        return (await clients.add(self._context, ClientAddParams(name=name, preset=Preset(preset)))).token

    async def revoke(self, name: str) -> None:
        found = self._context.services.clients.find(name)
        if found is not None:
            await clients.revoke(self._context, ClientRevokeParams.model_validate({"clientId": found.client_id}))


async def list_agents(context: RequestContext, _params: NoParams) -> list[AgentInfo]:
    """Return every program that can be connected, and whether it is.

    For the person's own programs alone. Returns the programs that can be connected to the vault, each `{agent, title,
    file, here, client, fault}`: its id, what people call it, its configuration, whether it seems to be on this machine,
    as which client it is connected (null when it is not), and why its configuration cannot be used.
    """
    connector = context.services.parts.agents.get()
    return await asyncio.to_thread(lambda: [_info(connector, agent) for agent in AGENTS])


async def preview(context: RequestContext, params: AgentPreviewParams) -> AgentPlan:
    """Return what connecting or disconnecting would do. Nothing is written.

    For the person's own programs alone. Returns what connecting a program, or with `remove` disconnecting it, would do:
    `{agent, client, removes, files, kept, digest}`. `files` has each file of the user's that changes, as in a
    question's preview, with absolute paths; `kept` says in sentences what is left as it is. Nothing is written.
    """
    plan = await _plan(context, params.agent, remove=params.remove)
    return AgentPlan.of(plan, agent=plan.agent.id, files=tuple(change.preview for change in plan.files))


async def connect(context: RequestContext, params: AgentDoParams) -> AgentOutcome:
    """Do what was shown: write the program's configuration, and add its client.

    For the person's own programs alone. Does exactly what was shown with this `digest`: adds the client if need be,
    keeps its token in the user's own folder, and writes the program's configuration, which gets no token. Returns
    `{backup, addedClient, revokedClient, then}`; `then` says what the person does next. Fails if the files are not as
    they were shown.
    """
    return await _do(context, params, remove=False)


async def disconnect(context: RequestContext, params: AgentDoParams) -> AgentOutcome:
    """Do what was shown: take the connection back, and revoke the client that connecting added.

    For the person's own programs alone. Takes a connection back, exactly as it was shown with this `digest`, and
    revokes the client if connecting had added it. Returns `{backup, addedClient, revokedClient, then}`.
    """
    return await _do(context, params, remove=True)


async def _do(context: RequestContext, params: AgentDoParams, *, remove: bool) -> AgentOutcome:
    """Carry out the plan that was shown; refused where it would be another one by now."""
    plan = await _plan(context, params.agent, remove=remove)
    if plan.digest != params.digest:
        raise ConfigurationRefused("The configuration has changed since it was shown. Look at the change again")
    connector = context.services.parts.agents.get()
    done = await (connector.disconnect if remove else connector.connect)(plan, _Clients(context))
    then = f"{plan.agent.title} notices it when it starts again." if remove else plan.agent.then
    return AgentOutcome.of(done, backup=None if done.backup is None else str(done.backup), then=then)


async def _plan(context: RequestContext, name: str, *, remove: bool) -> Plan:
    agent = BY_ID.get(name)
    if agent is None:
        raise InvalidParameters(f"There is no program {name!r}; agents.list lists those there are")
    connector = context.services.parts.agents.get()
    make = connector.plan_disconnect if remove else connector.plan_connect
    return await asyncio.to_thread(make, agent)


def _info(connector: Connector, agent: Agent) -> AgentInfo:
    client, fault = None, None
    try:
        client = connector.connected(agent)
    except ConfigurationRefused as refused:
        fault = str(refused)
    machine = connector.machine
    file = str(agent.file(machine))
    return AgentInfo(
        agent=agent.id, title=agent.title, file=file, here=agent.is_here(machine), client=client, fault=fault
    )


METHODS = (
    Method("agents.list", list_agents, list[AgentInfo], Capability.ADMINISTER, person_only=True),
    Method("agents.preview", preview, AgentPlan, Capability.ADMINISTER, person_only=True),
    Method("agents.connect", connect, AgentOutcome, Capability.ADMINISTER, person_only=True),
    Method("agents.disconnect", disconnect, AgentOutcome, Capability.ADMINISTER, person_only=True),
)

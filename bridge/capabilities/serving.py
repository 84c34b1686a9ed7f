"""The server: what the methods reach, the socket, and what is kept for when no bridge runs."""

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bridge import __version__
from bridge.capabilities.core import Calls, Core
from bridge.consent.screens import Outbox
from bridge.contract.discovery import Discovery
from bridge.index.comparison import compare
from bridge.rpc.services import Services
from bridge.server.server import Server
from bridge.server.tool_lists import ToolLists
from bridge.vault.paths import parse_path

if TYPE_CHECKING:
    from bridge.agents.connection import Connector


def build_services(core: Core, calls: Calls) -> Services:
    """Return what the methods of the protocol reach."""
    base, trust, index, tools = core.base, core.trust, core.index, core.tools
    clients, kept = trust.clients, base.kept("clients")

    def connector() -> "Connector":
        from bridge.agents.connection import Connector  # noqa: PLC0415 - only `agents.*` and `doctor` need it
        from bridge.agents.machine import this_machine  # noqa: PLC0415 - the same
        from bridge.agents.program import command_line  # noqa: PLC0415 - the same

        return Connector(this_machine(), base.root.path, command_line, kept)

    def unprotected() -> list[str]:
        from bridge.agents.machine import this_machine  # noqa: PLC0415 - the same
        from bridge.agents.protection import vault_protector  # noqa: PLC0415 - the same

        return vault_protector(base.root.path, this_machine(), kept).all_faults()

    base.parts.agents.fill_with(connector)
    return Services(
        vault=base.root.name,
        version=__version__,
        registry=base.registry,
        calls=calls.registry,
        pipeline=calls.pipeline,
        settings=base.settings,
        keys=core.network.keys,
        broker=base.broker,
        grants=trust.grants,
        ledger=core.history.ledger,
        limits=calls.pipeline.rate_limit,
        status=index.status,
        in_place=base.root.in_place,
        by_name_only=index.by_name_only,
        compare=compare,
        knowledge=lambda person: index if person else tools.services.storage.knowledge,
        closed=trust.grants.closed,
        faults=base.faults.all,
        unprotected=unprotected,
        attached=base.session_files.attached,
        hub=base.hub,
        clock=base.clock,
        clients=clients,
        session_ended=base.session_ended,
        note=core.log.note,
        drafts=tools.drafts,
        templates=tools.templates,
        web_readers=trust.web_readers,
        screens=trust.screens,
        outbox=Outbox(
            trust.screens,
            check=lambda path: tools.services.storage.stat(parse_path(path)),
            client=clients.by_id,
            connected=base.hub.connected,
            told=base.hub.notify_person,
            note=core.log.note,
        ),
        recorder=core.history.recorder,
        parts=base.parts,
    )


async def serve(core: Core, services: Services, port: int) -> Discovery:
    """Listen, and say where.

    Raises:
        StartError: The port is taken, or the disk is full.
    """
    base = core.base
    await _keep_tool_lists(core)
    server = Server(services, base.hub, run=base.run, state=base.state)
    for token in server.tokens.values():
        base.secrets.add(token)
    base.stack.push_async_callback(server.stop)
    discovery = await server.start(port)
    base.ports.add(urlsplit(discovery.http).port or 0)
    return discovery


async def _keep_tool_lists(core: Core) -> None:
    """Keep the tools that each client is listed, for when no bridge runs."""
    base = core.base
    lists = ToolLists(base.root.path, core.trust.clients, base.registry, base.settings)
    base.settings.on_change(lambda _change: lists.keep())
    base.clients_changed.on(lists.keep)
    base.stack.callback(lists.keep)
    await asyncio.to_thread(lists.keep)

"""ping, session.*, events.subscribe and screen.*: who is connected, what it hears, and what it sees of Obsidian."""

import asyncio
from typing import Literal

from bridge.contract import session as wire
from bridge.contract.base import NoParams
from bridge.contract.hosts import ScreenClients, ScreenSendParams, ScreenTellParams, SentText
from bridge.contract.identity import Capability
from bridge.errors import ProtocolError
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.frames import FORBIDDEN
from bridge.toolkit.registry import enabled_tools
from bridge.vault.paths import parse_path


def ping(_context: RequestContext, _params: NoParams) -> Literal["pong"]:
    """Return whether anybody is there.

    Returns `"pong"`.
    """
    return "pong"


def info(context: RequestContext, _params: NoParams) -> wire.SessionInfo:
    """Return who the caller is, and where.

    Returns `{role, client, clientId, capabilities, sessionId, vault, version, protocol, tools, hostConnected,
    waitSeconds, maxOutputBytes, structuredResults, sentBack, sent}`: who the caller is and what it may do, the vault's
    name, the version of the bridge and of [the protocol](#versions), the names of the enabled tools, whether a consent
    screen is connected, the settings `waitSeconds` and `maxOutputBytes`, whether the client's results over
    [MCP](mcp.md#what-it-gets) have structured content, how many of its drafts the person has sent back, and whether the
    person has [sent it something](looking.md#sending-something-to-a-program) that still waits.
    """
    session, services = context.session, context.services
    settings = services.settings.current
    enabled = enabled_tools(services.registry, session.caller, settings)
    return wire.SessionInfo(
        role=session.caller.role,
        client=session.name,
        client_id=session.caller.client.id,
        capabilities=tuple(capability for capability in Capability if session.caller.can(capability)),
        session_id=session.session_id,
        vault=services.vault,
        version=services.version,
        tools=tuple(tool.name for tool in services.registry.tools(session.caller) if enabled.shows(tool.spec)),
        host_connected=services.broker.connected,
        wait_seconds=settings.wait_seconds,
        max_output_bytes=settings.max_output_bytes,
        structured_results=enabled.everything,
        sent_back=services.drafts.sent_back(session.caller),
        sent=services.outbox.waits(session.caller),
    )


def name(context: RequestContext, params: wire.SessionNameParams) -> wire.SessionName:
    """Name this connection, and for a host say what it can do.

    Says what the program calls itself, in 1 to 80 printable characters. It is shown beside the name that the person
    gave, and decides nothing. With `brief` it says that it disconnects after one call: where it has no token of its
    own, the person is then offered no answer "for this session", which would hold for nothing. A request over HTTP is
    always brief. Only a client that may `answer` may say what it `can` (see [Clients and
    capabilities](#clients-and-capabilities)); others get -32001. Returns `{client, sessionId, can}`.
    """
    session = context.session
    wanted = frozenset(params.can or ())
    may = {"consent"} if session.caller.can(Capability.ANSWER) else set()
    if not session.caller.client.is_person and wanted - may:
        hint = "Only a client that answers questions says that it `can` show them; leave `can` out"
        raise ProtocolError(FORBIDDEN, "Forbidden for this client", hint=hint)
    session.introduce(params.client, None if params.can is None else wanted, brief=params.brief)
    context.services.clients.seen(session.caller.client, session.caller.calls_itself)
    return wire.SessionName(client=session.name, session_id=session.session_id, can=tuple(sorted(session.can)))


def attach(context: RequestContext, params: wire.AttachParams) -> wire.Attached:
    """Note that the user attached a file, so that it may be read whole.

    Notes that the user attached a file to the conversation, so that `read_file` may return it whole. Agents have
    sessions of their own, so the file is attached for all of them. Returns `{attached}`, the paths attached in the
    host's session.
    """
    path = str(parse_path(params.path))
    paths = context.services.attached.setdefault(context.session.session_id, [])
    if path not in paths:
        paths.append(path)
    return wire.Attached(attached=tuple(paths))


def subscribe(context: RequestContext, params: wire.SubscribeParams) -> wire.Subscribed:
    """Ask to be sent events.

    Subscribes to events; `kinds` may hold `vault.changed`, and replaces the list before. Returns `{kinds}`.
    """
    context.session.kinds = frozenset(params.kinds)
    return wire.Subscribed(kinds=tuple(sorted(context.session.kinds)))


def tell(context: RequestContext, params: ScreenTellParams) -> ScreenClients:
    """Take what the person looks at now.

    For the person's own programs alone. Obsidian says what the person looks at: `screen` is `{open, tabs, recent}`, or
    null, when nothing is told any more. `open` is the file in front, `{path, view, selection}`, and `selection` in a
    note `{text, start, end, before, after, cut}`: what is selected (up to 20,000 characters), where it begins and ends
    (`{line, column}`: lines from 1, columns from 0 in UTF-16 units), and up to 2,000 characters before and after it.
    It is kept in memory as long as the connection is open and a client may see it; each client is given of it what it
    may read. Returns `{clients}`, the names of those that may see it: without any, nothing is to be told.
    """
    found = context.services.screens.tell(params.screen, context.session.id)
    return ScreenClients(clients=tuple(client.name or "" for client in found))


def screen_clients(context: RequestContext, _params: NoParams) -> ScreenClients:
    """Return who may see what the person looks at.

    Returns `{clients}`: the names of the clients that may see what the person looks at. It can be others after
    `grants.changed` and `clients.changed`.
    """
    found = context.services.screens.clients()
    return ScreenClients(clients=tuple(client.name or "" for client in found))


async def compose(context: RequestContext, params: ScreenSendParams) -> SentText:
    """Return the very text that would go to a client.

    For the person's own programs alone. Returns `{text}`, the very text that [`screen.send`](#screensend) would send of
    what is selected in `open` (or, where nothing is, which file it is), so that the person sees it first. With the
    `clientId` `chat` it is the beginning of a message to the chat. Fails where the client may not read the file.
    """
    text = await asyncio.to_thread(context.services.outbox.compose, params.client_id, params.open)
    return SentText(text=text)


async def send(context: RequestContext, params: ScreenSendParams) -> SentText:
    """Have a client's next answer carry a text, once.

    For the person's own programs alone. The next result of a tool that the client `clientId` gets begins with what is
    selected in `open`, or with which file it is, marked as sent by the user. The client must have a name of its own,
    be connected, and not be denied the file, also when it is delivered. What was sent before and still waits is
    replaced. It is kept in memory alone; `screen.sent` says what becomes of it. Returns `{text}`, the very text.
    """
    text = await asyncio.to_thread(context.services.outbox.send, params.client_id, params.open, context.session.name)
    return SentText(text=text)


async def take(context: RequestContext, _params: NoParams) -> SentText:
    """Return what the person has sent to the caller, and forget it.

    Returns `{text}`, what the person has sent to the calling client and no answer has carried yet; empty where there is
    nothing. For a client that calls tools without `carry` and hands the text on itself.
    """
    return SentText(text=await asyncio.to_thread(context.services.outbox.take, context.session.caller))


METHODS = (
    Method("ping", ping, Literal["pong"]),
    Method("session.info", info, wire.SessionInfo),
    Method("session.name", name, wire.SessionName),
    Method("session.attach", attach, wire.Attached, Capability.ADMINISTER),
    Method("events.subscribe", subscribe, wire.Subscribed),
    Method("screen.tell", tell, ScreenClients, Capability.ADMINISTER, person_only=True),
    Method("screen.clients", screen_clients, ScreenClients, Capability.ADMINISTER, person_only=True),
    Method("screen.compose", compose, SentText, Capability.ADMINISTER, person_only=True),
    Method("screen.send", send, SentText, Capability.ADMINISTER, person_only=True),
    Method("screen.take", take, SentText),
)

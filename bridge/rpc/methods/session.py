"""ping, session.* and events.subscribe: who is connected, what it is called and what it wants to hear."""

from typing import Literal

from bridge.contract import session as wire
from bridge.contract.base import Params
from bridge.contract.identity import Capability
from bridge.errors import ProtocolError
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.frames import FORBIDDEN
from bridge.toolkit.enabled import enabled_tools
from bridge.vault.paths import parse_path


def ping(_context: RequestContext, _params: Params) -> Literal["pong"]:
    """Return whether anybody is there.

    Returns `"pong"`.
    """
    return "pong"


def info(context: RequestContext, _params: Params) -> wire.SessionInfo:
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
    context.services.seen(session.caller)
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


METHODS = (
    Method("ping", ping, Literal["pong"]),
    Method("session.info", info, wire.SessionInfo),
    Method("session.name", name, wire.SessionName, wire.SessionNameParams),
    Method("session.attach", attach, wire.Attached, wire.AttachParams, Capability.ADMINISTER),
    Method("events.subscribe", subscribe, wire.Subscribed, wire.SubscribeParams),
)

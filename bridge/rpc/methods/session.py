"""ping, session.* and events.subscribe: who is connected, what it is called and what it wants to hear."""

from typing import Literal

from bridge.contract import session as wire
from bridge.contract.base import Params
from bridge.errors import ProtocolError
from bridge.rpc.dispatch import HOST_ONLY, Method, RequestContext
from bridge.rpc.frames import FORBIDDEN
from bridge.vault.paths import parse_path


def ping(_context: RequestContext, _params: Params) -> Literal["pong"]:
    """Whether anybody is there."""
    return "pong"


def info(context: RequestContext, _params: Params) -> wire.SessionInfo:
    """Who the caller is, and where."""
    session, services = context.session, context.services
    settings = services.settings.current
    return wire.SessionInfo(
        role=session.role,
        client=session.name,
        session_id=session.session_id,
        vault=services.vault,
        version=services.version,
        tools=tuple(tool.name for tool in services.registry.tools() if tool.listed and settings.enables(tool.name)),
        host_connected=services.broker.connected,
    )


def name(context: RequestContext, params: wire.SessionNameParams) -> wire.SessionName:
    """Name this connection, and for a host say what it can do."""
    session = context.session
    if params.can and session.role != "host":
        raise ProtocolError(FORBIDDEN, "Forbidden for this role", hint="Only a host says what it `can`; leave it out")
    session.introduce(params.client, None if params.can is None else frozenset(params.can))
    return wire.SessionName(client=session.name, session_id=session.session_id, can=tuple(sorted(session.can)))


def attach(context: RequestContext, params: wire.AttachParams) -> wire.Attached:
    """Note that the user attached a file, so that it may be read whole."""
    path = str(parse_path(params.path))
    paths = context.services.attached.setdefault(context.session.session_id, [])
    if path not in paths:
        paths.append(path)
    return wire.Attached(attached=tuple(paths))


def subscribe(context: RequestContext, params: wire.SubscribeParams) -> wire.Subscribed:
    """Ask to be sent events."""
    context.session.kinds = frozenset(params.kinds)
    return wire.Subscribed(kinds=tuple(sorted(context.session.kinds)))


METHODS = (
    Method("ping", ping, Literal["pong"]),
    Method("session.info", info, wire.SessionInfo),
    Method("session.name", name, wire.SessionName, wire.SessionNameParams),
    Method("session.attach", attach, wire.Attached, wire.AttachParams, HOST_ONLY),
    Method("events.subscribe", subscribe, wire.Subscribed, wire.SubscribeParams),
)

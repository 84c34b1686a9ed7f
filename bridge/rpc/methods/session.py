"""ping, session.* and events.subscribe: who is connected, what it is called and what it wants to hear."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from bridge.contract.base import Params
from bridge.errors import ProtocolError
from bridge.rpc.codes import FORBIDDEN
from bridge.rpc.method import HOST_ONLY, Method, RequestContext
from bridge.vault.paths import parse_path

Ability = Literal["consent", "write", "dirty", "browser"]
Event = Literal["vault.changed"]


def _shown(name: str) -> str:
    """A name that is shown in a question must not draw one: nothing invisible, nothing that turns the text around."""
    if not name.isprintable() or name != name.strip():
        raise ValueError("a name has only printable characters, and no spaces around them")
    return name


class NameParams(Params):
    """How a client introduces itself."""

    client: Annotated[str, Field(min_length=1, max_length=80), AfterValidator(_shown)]
    can: list[Ability] | None = None


class SubscribeParams(Params):
    """Which events; the list replaces the one before."""

    kinds: list[Event]


class AttachParams(Params):
    """A file the user handed to the conversation."""

    path: Annotated[str, Field(max_length=4096)]


def ping(_exchange: RequestContext, _params: Params) -> str:
    """Whether anybody is there."""
    return "pong"


def info(exchange: RequestContext, _params: Params) -> dict[str, Any]:
    """Who the caller is, and where."""
    session, services = exchange.session, exchange.services
    settings = services.settings.current
    return {
        "role": session.role,
        "client": session.name,
        "sessionId": session.session_id,
        "vault": services.vault,
        "version": services.version,
        "tools": [tool.name for tool in services.registry.tools() if tool.listed and settings.enables(tool.name)],
        "hostConnected": services.broker.connected,
    }


def name(exchange: RequestContext, params: NameParams) -> dict[str, Any]:
    """Name this connection, and for a host say what it can do."""
    session = exchange.session
    if params.can and session.role != "host":
        raise ProtocolError(FORBIDDEN, "Forbidden for this role", hint="Only a host says what it `can`; leave it out")
    session.introduce(params.client, None if params.can is None else frozenset(params.can))
    return {"client": session.name, "sessionId": session.session_id, "can": sorted(session.can)}


def attach(exchange: RequestContext, params: AttachParams) -> dict[str, Any]:
    """Note that the user attached a file, so that it may be read whole."""
    path = str(parse_path(params.path))
    paths = exchange.services.attached.setdefault(exchange.session.session_id, [])
    if path not in paths:
        paths.append(path)
    return {"attached": list(paths)}


def subscribe(exchange: RequestContext, params: SubscribeParams) -> dict[str, Any]:
    """Ask to be told of events."""
    exchange.session.kinds = frozenset(params.kinds)
    return {"kinds": sorted(exchange.session.kinds)}


METHODS = (
    Method("ping", ping),
    Method("session.info", info),
    Method("session.name", name, NameParams),
    Method("session.attach", attach, AttachParams, HOST_ONLY),
    Method("events.subscribe", subscribe, SubscribeParams),
)

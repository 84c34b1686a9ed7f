"""clients.*: the programs that the person gave a name and a credential. For those who administer."""

import asyncio
import secrets
from datetime import timedelta
from typing import Final

from bridge.clock import stamp
from bridge.consent.question import Handling
from bridge.contract import consent
from bridge.contract import identity as wire
from bridge.contract.base import NoParams
from bridge.contract.consent import Coverage, Until
from bridge.contract.events import ClientsChanged, ToolsChanged
from bridge.contract.identity import Capability
from bridge.errors import PermissionDenied
from bridge.identity.caller import as_if_calling
from bridge.policy.consent import SHARED
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.services import Services

_MEANS = {
    Capability.CALL: "call tools",
    Capability.ANSWER: "answer the questions of other programs",
    Capability.ADMINISTER: "change settings and read the log and the history",
}
_UNTIL: Final[dict[wire.Sharing, Until | None]] = {"session": Until.STOP, "always": Until.UNUSED, "no": None}
_HOW_LONG: Final = {Until.STOP: "until the bridge stops", Until.UNUSED: "until you take it back"}
_EVENT: Final = {True: "widened", False: "updated"}  # what became of a client that may do something, or not any more
_CONFIRMS = "ask its own user about single calls of it that only read notes"


async def list_clients(context: RequestContext, _params: NoParams) -> list[wire.ClientInfo]:
    """Return every client with a name of its own, in the order they were added.

    Returns the clients with a name of their own, in the order they were added, each `{clientId, name, callsItself,
    capabilities, preset, elicitation, drafts, added, lastSeen, connected, looking, showing}`. `preset` is the
    [named set of tools](settings.md#presets) that it has, null where it has the one that all have; `drafts`, whether it
    [works in drafts](cli.md#clients-that-work-in-drafts), so that `tools.call` and `tools.result` return a ticket as
    soon as a person must be asked; `elicitation`, whether its own
    user may [confirm](#consentconfirm) what it reads; `callsItself` is what the program called itself last, and
    `connected` how many of its connections are open. `looking` says until when it may
    [see what the person looks at](looking.md), null where it may not, and `showing` until when it may open notes in
    Obsidian without a click: `stop` or `unused`.
    """
    services = context.services
    return [_with_connections(services, client) for client in await asyncio.to_thread(services.clients.list)]


async def add(context: RequestContext, params: wire.ClientAddParams) -> wire.NewClient:
    """Give a program a name and a token of its own. It may call tools and nothing else.

    For the person's own programs alone. Adds a client, which may `call`. `preset` is `agent` unless it is given:
    `minimal`, `agent`, `vault` or `everything` ([settings.md](settings.md#presets) says what it holds for). `name` has
    1 to 80 printable characters. It must not look like another client's (letters of other alphabets and digits that
    look alike count as one, and so do upper and lower case), mix alphabets in a word, or be what Vault Bridge calls
    somebody else (`Chat`, `Obsidian`, `You`). Returns `{client, token}`. The token is sent this once; the bridge keeps
    only its hash, outside the vault.
    """
    services = context.services
    client, token = await asyncio.to_thread(services.clients.add, params.name, params.preset, drafts=params.drafts)
    await _announce(context, "added", client, f"{client.name} was added. It may call tools.")
    return wire.NewClient(client=client, token=token)


async def rename(context: RequestContext, params: wire.ClientRenameParams) -> wire.ClientInfo:
    """Call a client by another name; all else stays.

    For the person's own programs alone. Gives a client another name and returns the client: `{clientId, name,
    callsItself, capabilities, preset, elicitation, drafts, added, lastSeen, connected, looking, showing}`. All else
    stays.
    """
    services = context.services
    before = services.clients.get(params.client_id)
    client = await asyncio.to_thread(services.clients.rename, params.client_id, params.name)
    await _announce(context, "renamed", client, f"{before.name} is called {client.name} from now on.")
    return _with_connections(services, client)


async def update(context: RequestContext, params: wire.ClientUpdateParams) -> wire.ClientInfo:
    """Change how a client works: its tools, what its user may confirm, drafts, and what it may see of Obsidian.

    For the person's own programs alone. Gives a client another named set of tools, which it hears of (`tools.changed`),
    has it work in drafts (`drafts`), or no longer,
    and lets its own user [confirm](#consentconfirm) what it reads (`elicitation`), after a person has said yes to that
    on a screen of their own, or no longer. In the same way `looking` lets it
    [see what the person looks at](looking.md) in Obsidian, and `showing` lets it open notes there without a click:
    for the `session`, `always`, or `no` longer. Returns the client: `{clientId, name, callsItself, capabilities,
    preset, elicitation, drafts, added, lastSeen, connected, looking, showing}`.

    Raises:
        PermissionDenied: Nobody said yes on a screen to the client doing more.
    """
    services = context.services
    client = services.clients.get(params.client_id)
    if params.elicitation and not client.elicitation:
        await _ask(context, client, "elicitation", _CONFIRMS)
    for what, wanted in ((Coverage.LOOKING, params.looking), (Coverage.SHOWING, params.showing)):
        if wanted is not None:
            await _share(context, client, what, wanted)
    chosen = params.model_dump(include={"preset", "elicitation", "drafts"})
    client = await asyncio.to_thread(services.clients.choose, params.client_id, **chosen)
    if params.preset is not None:
        said = f"{client.name} has the tools of the preset {params.preset}."
        await _announce(context, "updated", client, said, what="preset")
        services.hub.notify_client(client.client_id, ToolsChanged())
    if params.elicitation is not None:
        await _say_confirms(context, client)
    if params.drafts is not None:
        works = "works in drafts" if params.drafts else "asks about each change"
        said = f"{client.name} {works} from now on."
        await _announce(context, "updated", client, said, what="drafts", may=params.drafts)
    return _with_connections(services, client)


async def end_confirming(context: RequestContext) -> list[str]:
    """Let no client's own user confirm anything in it any more. Returns the names of those where they could."""
    clients = context.services.clients
    ended = [client for client in clients.list() if client.elicitation]
    for client in ended:
        changed = await asyncio.to_thread(clients.choose, client.client_id, elicitation=False)
        await _say_confirms(context, changed)
    return [client.name for client in ended]


async def _say_confirms(context: RequestContext, client: wire.ClientInfo) -> None:
    may = client.elicitation
    said = f"{client.name} {'may' if may else 'may not'} {_CONFIRMS} from now on."
    await _announce(context, _EVENT[may], client, said, what="elicitation", may=may)


async def _share(context: RequestContext, client: wire.ClientInfo, what: Coverage, wanted: wire.Sharing) -> None:
    """Let a client see what the person looks at or open notes there, after they have said yes to that, or no longer."""
    services, until = context.services, _UNTIL[wanted]
    held = services.grants.shared(what, client.client_id)
    if (None if held is None else held.until) == until:
        return
    if until is not None:
        await _ask(context, client, what.value, f"{SHARED[what]} ({_HOW_LONG[until]})")
    by = context.session.name
    grant = await asyncio.to_thread(services.grants.share, as_if_calling(client), what, until, by=by)
    may = grant is not None
    said = f"{client.name} may not {SHARED[what]} any more." if grant is None else grant.sentence
    await _announce(context, _EVENT[may], client, said, what=what.value, may=may)
    services.hub.notify_hosts(consent.GrantsChanged(bounded=services.grants.session.bounded()))


async def revoke(context: RequestContext, params: wire.ClientRevokeParams) -> wire.ClientInfo:
    """End a credential: its token is refused from now on, its connections and questions end, its answers go.

    Ends a client's token for good. Its connections are closed, its open questions are withdrawn, and what it was
    allowed is forgotten. Returns the client as it was: `{clientId, name, callsItself, capabilities, preset,
    elicitation, drafts, added, lastSeen, connected, looking, showing}`.
    """
    services = context.services
    client = await asyncio.to_thread(services.clients.revoke, params.client_id)
    services.hub.cut(client.client_id)
    await services.calls.end_client(client.client_id)
    await asyncio.to_thread(services.drafts.client_ended, client.client_id)
    for question in services.broker.pending():
        if question.client_id == client.client_id:
            services.broker.cancel(question.request_id, by=context.session.name)
    await asyncio.to_thread(services.grants.forget_client, client.client_id)
    await _announce(context, "revoked", client, f"{client.name} was revoked. Its token is not valid any more.")
    return client


async def allow(context: RequestContext, params: wire.ClientAllowParams) -> wire.ClientInfo:
    """Let a client do more, after a person has said yes to that on a screen.

    For the person's own programs alone. Lets a client `answer` or `administer`, after a person has said yes to that on
    a screen of their own: the plugin, or `vault-bridge approve`. Returns the client: `{clientId, name, callsItself,
    capabilities, preset, elicitation, drafts, added, lastSeen, connected, looking, showing}`.

    Raises:
        PermissionDenied: Nobody did.
    """
    services = context.services
    client = services.clients.get(params.client_id)
    if params.capability in client.capabilities:
        return _with_connections(services, client)
    await _ask(context, client, params.capability.value, _MEANS[params.capability])
    client = await asyncio.to_thread(services.clients.allow, params.client_id, params.capability)
    said = f"{client.name} may {_MEANS[params.capability]} from now on."
    await _announce(context, "widened", client, said, what=params.capability.value, may=True)
    return _with_connections(services, client)


async def _ask(context: RequestContext, client: wire.ClientInfo, capability: str, means: str) -> None:
    """Return when a person has said yes, on a screen of theirs, to a client doing more.

    Args:
        context: The request.
        client: The client.
        capability: What it is to have, for programs.
        means: What it may do then; reads on after "let NAME".

    Raises:
        PermissionDenied: Nobody did.
    """
    services = context.services
    answer = await services.broker.ask(
        _question(context, client, capability, means),
        Handling(person_only=True),
        timeout=services.settings.current.consent_timeout,
        wait_for_host=False,
    )
    if not answer.decision.allows:
        raise PermissionDenied(f"The user does not let {client.name} {means}", code="denied_by_user")


def _question(context: RequestContext, client: wire.ClientInfo, capability: str, means: str) -> consent.ConsentRequest:
    """Return the question whether a client may do more. The client itself cannot answer it."""
    settings, now = context.services.settings.current, context.services.clock.now()
    return consent.ConsentRequest(
        request_id=f"c-{secrets.token_hex(6)}",
        client=client.name,
        client_id=client.client_id,
        calls_itself=client.calls_itself,
        verified=True,
        session_id=client.client_id,
        tool=consent.ToolFace(
            name="clients.allow",
            title="Let a program do more",
            description="What a program may do beyond calling tools is for you alone to decide.",
            icon="key-round",
        ),
        risk_level=consent.RiskLevel.HIGH,
        operation=consent.Operation.EXECUTE,
        summary=f"Let {client.name} {means}",
        reason=f"Asked for by {context.session.name}",
        parameters={"client": client.name, "capability": capability},
        targets=(),
        covers=consent.Covers.TOOL,
        can_bypass=False,
        choices=(consent.Decision.ALLOW_ONCE, consent.Decision.DENY_ONCE),
        created_at=stamp(now),
        expires_at=stamp(now + timedelta(seconds=settings.consent_timeout)),
    )


async def _announce(
    context: RequestContext, event: str, client: wire.ClientInfo, message: str, **changed: str | bool
) -> None:
    """Log what became of a client, and tell every screen, whoever asked for it.

    Args:
        context: The request.
        event: What became of it.
        client: The client.
        message: What the screens are told.
        **changed: `what` of it was changed, and whether it `may` do that now.
    """
    shown = client.to_wire()
    about = {name: shown[name] for name in ("clientId", "capabilities", "preset", "elicitation", "drafts")}
    await context.note("client", event, client=client.name, **about, **changed)
    context.services.hub.notify_hosts(ClientsChanged(message=message))


def _with_connections(services: Services, client: wire.ClientInfo) -> wire.ClientInfo:
    looking, showing = (services.grants.shared(what, client.client_id) for what in SHARED)
    facts = {
        "connected": services.hub.connected(client.client_id),
        "looking": None if looking is None else looking.until,
        "showing": None if showing is None else showing.until,
    }
    return client.model_copy(update=facts)


METHODS = (
    Method("clients.list", list_clients, list[wire.ClientInfo], Capability.ADMINISTER),
    Method("clients.add", add, wire.NewClient, Capability.ADMINISTER, person_only=True),
    Method("clients.rename", rename, wire.ClientInfo, Capability.ADMINISTER, person_only=True),
    Method("clients.update", update, wire.ClientInfo, Capability.ADMINISTER, person_only=True),
    Method("clients.revoke", revoke, wire.ClientInfo, Capability.ADMINISTER),
    Method("clients.allow", allow, wire.ClientInfo, Capability.ADMINISTER, person_only=True),
)

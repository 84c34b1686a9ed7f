"""web.* and cache.*: what was read from the web, by whom, and what is allowed. For those who administer."""

import asyncio
from collections.abc import Iterator

from bridge.clock import stamp
from bridge.contract.base import NoParams
from bridge.contract.consent import Coverage, Grant
from bridge.contract.events import ClientsChanged
from bridge.contract.identity import Capability
from bridge.contract.web import AllowedSite, CacheState, WebCleared, WebClearParams, WebReaderInfo
from bridge.errors import PermissionDenied
from bridge.rpc.dispatch import Method, RequestContext
from bridge.rpc.services import Services

_WEB = ("https://", "http://")


async def stats(context: RequestContext, _params: NoParams) -> CacheState:
    """Return how full the cache of the web is.

    Returns how much of the web is kept: `{entries, size, hits, misses}`, the size in bytes.
    """
    return await asyncio.to_thread(context.services.parts.web.get().cache.stats)


async def clear(context: RequestContext, _params: NoParams) -> CacheState:
    """Empty the cache, and return what was in it.

    Removes it, and returns what there was: `{entries, size, hits, misses}`.
    """
    before = await asyncio.to_thread(context.services.parts.web.get().cache.clear)
    await context.note("network", "cache_cleared", entries=before.entries)
    return before


async def readers(context: RequestContext, _params: NoParams) -> list[WebReaderInfo]:
    """Return the clients that have read from the web since the person cleared them last.

    Returns the clients that have read from the web, so that [more of what they do is asked about](security.md#the-web):
    a list of `{clientId, client, since, sites}`.
    """
    names = {client.client_id: client.name for client in await asyncio.to_thread(context.services.clients.list)}
    return [
        WebReaderInfo(
            client_id=one.client, client=names.get(one.client, one.name), since=one.since, sites=tuple(one.sites)
        )
        for one in context.services.web_readers.list()
    ]


async def clear_reader(context: RequestContext, params: WebClearParams) -> WebCleared:
    """Trust a client again that has read from the web.

    Trusts such a client again. Only the person's own programs can. Returns `{cleared}`, whether it was marked.

    Raises:
        PermissionDenied: It is not one of the person's own programs that asks.
    """
    services = context.services
    if not context.session.caller.client.is_person:
        raise PermissionDenied("Only the user's own programs can clear a client", code="denied_by_rule")
    cleared = await asyncio.to_thread(services.web_readers.clear, params.client_id)
    if cleared:
        await context.note("client", "web_cleared", clientId=params.client_id)
        services.hub.notify_hosts(ClientsChanged(message="A program that has read from the web is trusted again."))
    return WebCleared(cleared=cleared)


async def sites(context: RequestContext, _params: NoParams) -> list[AllowedSite]:
    """Return what of the web is allowed: the list in the settings, and the answers that hold.

    Returns what of the web is allowed: a list of `{site, allowedBy, client, sentence, lastUsed}`. `allowedBy` is the id
    of the answer, which [`consent.revoke`](#consentrevoke) takes back, or null for what is in the setting
    `allowedDomains`; `lastUsed` is a time since the bridge started, or null.
    """
    services = context.services
    held = await asyncio.to_thread(services.grants.list)
    return [*_listed(services), *(site for grant in held for site in _granted(services, grant))]


def _listed(services: Services) -> Iterator[AllowedSite]:
    for entry in services.settings.current.allowed_domains:
        sentence = f"{entry} is in the setting `allowedDomains`"
        yield AllowedSite(site=entry, allowed_by=None, client=None, sentence=sentence, last_used=_used(services, entry))


def _granted(services: Services, grant: Grant) -> Iterator[AllowedSite]:
    if not grant.decision.allows or grant.what is Coverage.CALL:
        return
    for key in grant.where:
        if key.startswith(_WEB):
            host = key.partition("://")[2].partition("/")[0]
            yield AllowedSite.of(grant, site=key, allowed_by=grant.grant_id, last_used=_used(services, host))


def _used(services: Services, host: str) -> str | None:
    at = services.parts.web.get().last_used.of(host) if services.parts.web.is_given else None
    return None if at is None else stamp(at)


METHODS = (
    Method("cache.stats", stats, CacheState, Capability.ADMINISTER),
    Method("cache.clear", clear, CacheState, Capability.ADMINISTER),
    Method("web.readers", readers, list[WebReaderInfo], Capability.ADMINISTER),
    Method("web.clear", clear_reader, WebCleared, Capability.ADMINISTER),
    Method("web.sites", sites, list[AllowedSite], Capability.ADMINISTER),
)

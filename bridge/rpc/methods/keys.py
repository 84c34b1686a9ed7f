"""keys.*: the API keys of services on the network. For those who administer. No method returns a key."""

import asyncio

from bridge.contract.base import Params
from bridge.contract.identity import Capability
from bridge.contract.keys import KeyParams, KeySetParams, KeyStatus, KeyStatusParams
from bridge.contract.search import KeyTest, KeyTestParams, SearchServiceInfo
from bridge.rpc.dispatch import Method, RequestContext


async def set_(context: RequestContext, params: KeySetParams) -> KeyStatus:
    """Keep a key, encrypted, in the place of the one there is."""
    keys, by = context.services.keys, context.session.name
    status = await asyncio.to_thread(keys.set, params.provider, params.key.get_secret_value(), by)
    await _note(context, "set", status)
    return status


async def clear(context: RequestContext, params: KeyParams) -> KeyStatus:
    """Forget a key."""
    status = await asyncio.to_thread(context.services.keys.clear, params.provider, context.session.name)
    await _note(context, "cleared", status)
    return status


async def status(context: RequestContext, params: KeyStatusParams) -> list[KeyStatus]:
    """What is known of the key of each provider."""
    return await asyncio.to_thread(context.services.keys.all, opened=params.open)


async def rotate(context: RequestContext, _params: Params) -> list[KeyStatus]:
    """Encrypt all keys with a new master key, and remove the old one."""
    statuses = await asyncio.to_thread(context.services.keys.rotate, context.session.name)
    await _note(context, "rotated")
    return statuses


async def test(context: RequestContext, params: KeyTestParams) -> KeyTest:
    """Whether a service answers with what is set; it is asked to search for one result."""
    return await context.services.search.test(params.provider, context.services.settings.current)


def services(context: RequestContext, _params: Params) -> list[SearchServiceInfo]:
    """The services that can search the web."""
    return context.services.search.infos(context.services.settings.current)


async def _note(context: RequestContext, event: str, status: KeyStatus | None = None) -> None:
    """Log what became of the keys."""
    facts = {"event": event, "by": context.session.name}
    about = {} if status is None else {"of": status.title}
    await asyncio.to_thread(context.services.note, "key", facts | about)


METHODS = (
    Method("keys.set", set_, KeyStatus, KeySetParams, Capability.ADMINISTER),
    Method("keys.clear", clear, KeyStatus, KeyParams, Capability.ADMINISTER),
    Method("keys.status", status, list[KeyStatus], KeyStatusParams, Capability.ADMINISTER),
    Method("keys.test", test, KeyTest, KeyTestParams, Capability.ADMINISTER),
    Method("search.services", services, list[SearchServiceInfo], needs=Capability.ADMINISTER),
    Method("keys.rotate", rotate, list[KeyStatus], needs=Capability.ADMINISTER),
)

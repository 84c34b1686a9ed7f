"""keys.*: the API keys of services on the network. For those who administer. No method returns a key."""

import asyncio

from bridge.contract.base import Params
from bridge.contract.identity import Capability
from bridge.contract.keys import (
    KeyParams,
    KeySetParams,
    KeyStatus,
    KeyStatusParams,
    KeyTest,
    KeyTestParams,
    SearchServiceInfo,
)
from bridge.rpc.dispatch import Method, RequestContext


async def set_(context: RequestContext, params: KeySetParams) -> KeyStatus:
    """Keep a key, encrypted, in the place of the one there is.

    Keeps the API key of `ollama`, `brave` or `google`, in the place of the one there is. It has 8 to 4,096 printable
    ASCII characters. It is encrypted and put into the vault's settings; the master key is in the system's keyring, or
    in a file outside the vault ([security.md](security.md#api-keys)). It is bound to the server that it is for: where
    another address is set later, it is not sent there. Returns `{provider, title, server, isSet, keptIn, fault}`:
    `server` is the only server that the key is sent to, `keptIn` says where the master key is (`keyring` or `file`),
    and `fault` why the key does not open here. No method returns a key.
    """
    keys, by = context.services.keys, context.session.name
    status = await asyncio.to_thread(keys.set, params.provider, params.key.get_secret_value(), by)
    await _note(context, "set", status)
    return status


async def clear(context: RequestContext, params: KeyParams) -> KeyStatus:
    """Forget a key.

    Forgets a key, also one that does not open. The master key goes with the last key that was encrypted with it.
    Returns `{provider, title, server, isSet, keptIn, fault}`.
    """
    status = await asyncio.to_thread(context.services.keys.clear, params.provider, context.session.name)
    await _note(context, "cleared", status)
    return status


async def status(context: RequestContext, params: KeyStatusParams) -> list[KeyStatus]:
    """Return what is known of the key of each provider.

    Returns what is known of the key of each provider: a list of `{provider, title, server, isSet, keptIn, fault}`. With
    `open`, it is tried whether they open, for which the system's keyring may ask to be unlocked; without, `keptIn` and
    `fault` are null.
    """
    return await asyncio.to_thread(context.services.keys.all, opened=params.open)


async def rotate(context: RequestContext, _params: Params) -> list[KeyStatus]:
    """Encrypt all keys with a new master key, and remove the old one.

    Encrypts all keys anew with a new master key, and removes the old one: copies of the old settings cannot be opened
    any more. Nothing changes if one of the keys does not open. Returns a list as `keys.status` does: `{provider, title,
    server, isSet, keptIn, fault}`.
    """
    statuses = await asyncio.to_thread(context.services.keys.rotate, context.session.name)
    await _note(context, "rotated")
    return statuses


async def test(context: RequestContext, params: KeyTestParams) -> KeyTest:
    """Return whether a service answers with what is set; it is asked to search for one result.

    Asks a service that searches the web (`ollama`, `searxng`, `brave`, `duckduckgo`, `google`) for one result, with
    what is set, and returns `{provider, outcome, message}`. `outcome` is `connected` (it answers, though perhaps only
    that it wants fewer searches), `refused` (it says no, or something is not set) or `unreachable`.
    """
    return await context.services.parts.search.get().test(params.provider, context.services.settings.current)


def services(context: RequestContext, _params: Params) -> list[SearchServiceInfo]:
    """Return the services that can search the web.

    Returns the services that can search the web, each `{service, title, terms, link, needsKey, hasFreshness, missing}`:
    `terms` says what using it means, `link` where there is more or where keys come from, and `missing` what has to be
    set first.
    """
    return context.services.parts.search.get().infos(context.services.settings.current)


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

"""screen.*: what the person looks at in Obsidian: told by the plugin, and sent to a client where the person says so."""

import asyncio

from bridge.contract.base import NoParams
from bridge.contract.hosts import ScreenClients, ScreenSendParams, ScreenTellParams, SentText
from bridge.contract.identity import Capability
from bridge.rpc.dispatch import Method, RequestContext


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


def clients(context: RequestContext, _params: NoParams) -> ScreenClients:
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
    Method("screen.tell", tell, ScreenClients, ScreenTellParams, Capability.ADMINISTER, person_only=True),
    Method("screen.clients", clients, ScreenClients, NoParams, Capability.ADMINISTER, person_only=True),
    Method("screen.compose", compose, SentText, ScreenSendParams, Capability.ADMINISTER, person_only=True),
    Method("screen.send", send, SentText, ScreenSendParams, Capability.ADMINISTER, person_only=True),
    Method("screen.take", take, SentText),
)

"""screen.*: what the person looks at in Obsidian. For the plugin alone, which tells it while a client may see it."""

from bridge.contract.base import NoParams
from bridge.contract.identity import Capability
from bridge.contract.screen import ScreenClients, ScreenTellParams
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


METHODS = (
    Method("screen.tell", tell, ScreenClients, ScreenTellParams, Capability.ADMINISTER, person_only=True),
    Method("screen.clients", clients, ScreenClients, NoParams, Capability.ADMINISTER, person_only=True),
)

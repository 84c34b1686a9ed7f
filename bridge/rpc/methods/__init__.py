"""Every method of the protocol, as `docs/protocol.md` describes them."""

from typing import Final

from bridge.rpc.dispatch import Method
from bridge.rpc.methods import (
    agents,
    audit,
    chat,
    clients,
    consent,
    custom,
    demo,
    drafts,
    history,
    keys,
    outside_notices,
    servers,
    session,
    settings,
    status,
    templates,
    tools,
    versions,
    web,
)

METHODS: Final[tuple[Method, ...]] = (
    *session.METHODS,
    *tools.METHODS,
    *history.METHODS,
    *versions.METHODS,
    *outside_notices.METHODS,
    *status.METHODS,
    *consent.METHODS,
    *settings.METHODS,
    *keys.METHODS,
    *clients.METHODS,
    *agents.METHODS,
    *audit.METHODS,
    *drafts.METHODS,
    *templates.METHODS,
    *web.METHODS,
    *servers.METHODS,
    *chat.METHODS,
    *custom.METHODS,
    *demo.METHODS,
)

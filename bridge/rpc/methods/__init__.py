"""Every method of the protocol, as `docs/protocol.md` describes them."""

from typing import Final

from bridge.rpc.dispatch import Method
from bridge.rpc.methods import audit, clients, consent, history, session, settings, status, tools

METHODS: Final[tuple[Method, ...]] = (
    *session.METHODS,
    *tools.METHODS,
    *history.METHODS,
    *status.METHODS,
    *consent.METHODS,
    *settings.METHODS,
    *clients.METHODS,
    *audit.METHODS,
)

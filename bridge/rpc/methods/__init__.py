"""Every method of the protocol, in the order of `docs/protocol.md`."""

from typing import Final

from bridge.rpc.method import Method
from bridge.rpc.methods import audit, consent, history, index, policy, session, settings, status, tools

METHODS: Final[tuple[Method, ...]] = (
    *session.METHODS,
    *tools.METHODS,
    *history.METHODS,
    *status.METHODS,
    *consent.METHODS,
    *policy.METHODS,
    *settings.METHODS,
    *audit.METHODS,
    *index.METHODS,
)

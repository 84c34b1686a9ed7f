"""Every event there is. Nothing that serves imports this: it would bring models that a start does not need."""

from typing import Final

from bridge.contract import chat, consent, custom, events, hosts, versions
from bridge.contract.base import Event

EVENTS: Final[tuple[type[Event], ...]] = (
    consent.ConsentRequest,
    consent.ConsentResolved,
    consent.ConsentRevised,
    consent.ConsentWaiting,
    consent.OwnQuestion,
    consent.GrantsChanged,
    events.ToolStarted,
    events.ToolProgress,
    events.ToolOutput,
    events.ToolFinished,
    events.ToolsChanged,
    events.DraftsChanged,
    events.ClientsChanged,
    events.LimitHit,
    events.AuditAppended,
    events.IndexProgress,
    events.VaultChanged,
    events.VaultMoved,
    versions.OutsideNotice,
    hosts.ScreenChanged,
    hosts.ScreenSent,
    hosts.ScreenShow,
    chat.ChatDelta,
    chat.ChatToolEvent,
    chat.ChatDone,
    custom.CustomRunEnded,
)
"""Every event there is, in the order of `docs/protocol.md`."""

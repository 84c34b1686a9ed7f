"""Every event there is. Nothing that serves imports this: it would bring models that a start does not need."""

from typing import Final

from bridge.contract.base import Event
from bridge.contract.chat import ChatDelta, ChatDone, ChatToolEvent
from bridge.contract.consent import (
    ConsentRequest,
    ConsentResolved,
    ConsentRevised,
    ConsentWaiting,
    GrantsChanged,
    OwnQuestion,
)
from bridge.contract.custom import CustomRunEnded
from bridge.contract.events import (
    AuditAppended,
    ClientsChanged,
    DraftsChanged,
    IndexProgress,
    LimitHit,
    ToolFinished,
    ToolOutput,
    ToolProgress,
    ToolsChanged,
    ToolStarted,
    VaultChanged,
    VaultMoved,
)
from bridge.contract.outside import OutsideNotice
from bridge.contract.screen import ScreenChanged, ScreenSent, ScreenShow

EVENTS: Final[tuple[type[Event], ...]] = (
    ConsentRequest,
    ConsentResolved,
    ConsentRevised,
    ConsentWaiting,
    OwnQuestion,
    GrantsChanged,
    ToolStarted,
    ToolProgress,
    ToolOutput,
    ToolFinished,
    ToolsChanged,
    DraftsChanged,
    ClientsChanged,
    LimitHit,
    AuditAppended,
    IndexProgress,
    VaultChanged,
    VaultMoved,
    OutsideNotice,
    ScreenChanged,
    ScreenSent,
    ScreenShow,
    ChatDelta,
    ChatToolEvent,
    ChatDone,
    CustomRunEnded,
)
"""Every event there is, in the order of `docs/protocol.md`."""

"""Who acts at the moment: set where a host's request begins, read where its effect is logged."""

from contextvars import ContextVar
from typing import Final

current_actor: Final[ContextVar[str | None]] = ContextVar("actor", default=None)
"""The name a host gave itself; None: nobody asked, it is the bridge's own doing."""

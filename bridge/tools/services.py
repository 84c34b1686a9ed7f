"""What the tools are given."""

from dataclasses import dataclass, field
from typing import Protocol

from bridge.clock import Clock, SystemClock
from bridge.toolkit.permitted import Denials
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan


class HistoryPort(Protocol):
    """What the history's tools ask of the ledger. Plans come with the sentence that describes them."""

    def undo_plan(self, execution_id: str | None = None) -> tuple[str, ChangePlan]:
        """The id and the inverse of a change; of the newest one not undone when none is named."""
        ...

    def redo_plan(self, execution_id: str | None = None) -> tuple[str, ChangePlan]:
        """The id and the repetition of an undone change; of the one undone last when none is named."""
        ...


@dataclass(frozen=True, slots=True)
class ToolServices:
    """What the tools are built from.

    Attributes:
        files: The vault's files; the providers are given those of them that may be read.
        history: Plans that take changes back and repeat them.
        clock: The one that the calls' deadlines are given in.
        denied: What the user has closed for reading; tools that list from elsewhere than `files` must ask it too.
    """

    files: VaultFiles
    history: HistoryPort
    clock: Clock = field(default_factory=SystemClock)
    denied: Denials = field(default=lambda: None)

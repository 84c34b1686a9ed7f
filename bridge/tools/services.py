"""What the tools are given."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from bridge.clock import Clock, SystemClock
from bridge.index.knowledge import Knowledge
from bridge.index.permitted import PermittedKnowledge
from bridge.index.vault_index import VaultIndex
from bridge.toolkit.permitted import Denials
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan

Handed = Callable[[str, str], bool]
"""Whether a session (its id) has written a file (its path), or the user has attached it."""


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
        everything: All that is known of the vault's notes. It is for planning what a change means for links, and for
            searches that leave closed files out themselves; nothing of it may be shown to an agent unchecked.
        history: Plans that take changes back and repeat them.
        clock: The one that the calls' deadlines are given in.
        denied: What the user has closed for reading; tools that list from elsewhere than `files` and `index` must ask
            it too.
        handed: Which files a session may read whole (seed O).
        index: What is known of the notes that may be read: what tools ask.
    """

    files: VaultFiles
    everything: VaultIndex
    history: HistoryPort
    clock: Clock = field(default_factory=SystemClock)
    denied: Denials = field(default=lambda: None)
    handed: Handed = field(default=lambda _session_id, _path: False)
    index: Knowledge = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", PermittedKnowledge(self.everything, self.denied))

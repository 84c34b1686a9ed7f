"""What the tools are built from."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from bridge.clock import Clock, SystemClock
from bridge.index.knowledge import Knowledge
from bridge.index.permitted import PermittedKnowledge
from bridge.index.vault_index import VaultIndex
from bridge.toolkit.permitted import Denials, PermittedFiles
from bridge.tools.vault_storage import VaultStorage
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan

Handed = Callable[[str, str], bool]
"""Whether a session (its id) has written a file (its path), or the user has attached it."""


class HistoryPort(Protocol):
    """What undo and redo ask of the ledger. Without an id, the change that was made or undone last is meant.

    With a credential, only what was asked for with it is there.
    """

    def undo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        """A change's id, and the plan that takes it back."""
        ...

    def redo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        """An undone change's id, and the plan that makes it again."""
        ...


@dataclass(frozen=True, slots=True)
class ToolServices:
    """What the tools are built from.

    Attributes:
        files: All of the vault's files.
        everything: The index of them all.
        history: Plans that take changes back and repeat them.
        clock: The one that the calls' deadlines are given in.
        denied: The rules that close files for reading.
        handed: Which files a session may read whole.
        storage: The vault as tools see it: without closed files, but for planning.
        index: What is known of the notes that may be read.
    """

    files: VaultFiles
    everything: VaultIndex
    history: HistoryPort
    clock: Clock = field(default_factory=SystemClock)
    denied: Denials = field(default=lambda: None)
    handed: Handed = field(default=lambda _session_id, _path: False)
    storage: VaultStorage = field(init=False)

    def __post_init__(self) -> None:
        storage = VaultStorage(
            PermittedFiles(self.files, self.denied),
            PermittedKnowledge(self.everything, self.denied),
            self.denied,
            VaultStorage(self.files, self.everything),
        )
        object.__setattr__(self, "storage", storage)

    @property
    def index(self) -> Knowledge:
        """What is known of the notes that may be read."""
        return self.storage.knowledge

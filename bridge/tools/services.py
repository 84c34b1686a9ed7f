"""The services that the tools are built from."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bridge.clock import Clock, SystemClock
from bridge.contract.tools import ChangeDiff, PendingCall, TicketInfo, ToolResult
from bridge.identity.caller import Caller
from bridge.index.file_texts import AllFileTexts, FileTexts
from bridge.index.search.passages import Meaning
from bridge.index.vault_index import PermittedKnowledge, VaultIndex
from bridge.pictures.reader import PictureReader
from bridge.ports import Late
from bridge.toolkit.permitted import Denials, PermittedFiles, Screens
from bridge.tools.storage import VaultStorage
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan, HistoryEntry

Handed = Callable[[str, str], bool]
"""A function: whether a session (its id) has written a file (its path), or the user has attached it."""


class ReversalPort(Protocol):
    """The ledger, as undo and redo use it. Without an id, the change that was made or undone last is meant.

    With a credential, only what was asked for with it is there.
    """

    def undo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        """Return a change's id, and the plan that takes it back."""

    def redo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        """Return an undone change's id, and the plan that makes it again."""


class HistoryPort(ReversalPort, Protocol):
    """The history, as the tool `history` uses it besides."""

    def history(self, *, limit: int, credential: str | None = None) -> Sequence[HistoryEntry]:
        """Return the changes of the vault, newest first."""

    def diff(self, execution_id: str) -> ChangeDiff:
        """Return the effect of a change on each file, whoever made it."""

    def undo_several_plan(self, execution_ids: Collection[str], credential: str | None = None) -> ChangePlan:
        """Return the one plan that takes several changes back."""


class CallsPort(Protocol):
    """The calls that have a ticket, as `await_decision` uses them."""

    async def result(self, caller: Caller, call_id: str, wait: float | None = None) -> ToolResult | PendingCall:
        """Return the result of a call of this caller, or what it waits for after so many seconds."""

    def tickets(self, caller: Caller) -> list[TicketInfo]:
        """Return this caller's calls that have a ticket."""


@dataclass(frozen=True, slots=True)
class ToolServices:
    """The services that the tools are built from.

    Attributes:
        files: All of the vault's files.
        everything: The index of them all.
        history: Plans that take changes back and repeat them.
        clock: The one that the calls' deadlines are given in.
        denied: The rules that close files for reading.
        handed: The files that a session may read whole.
        calls: The calls that have a ticket. They are made by the tools, so they are there only later.
        decided: What a caller is told of its drafts that the user has sent back, or is to decide about.
        meaning: Compares texts by meaning.
        file_texts: The texts of files that are not notes.
        pictures: Makes pictures ready to be shown; None: none are shown.
        screens: The person's screen in Obsidian; None: nothing reports it.
        storage: The vault as tools see it: without closed files, but for planning.
    """

    files: VaultFiles
    everything: VaultIndex
    history: HistoryPort
    clock: Clock = field(default_factory=SystemClock)
    denied: Denials = field(default=lambda: None)
    handed: Handed = field(default=lambda _session_id, _path: False)
    calls: Callable[[], CallsPort] = Late[CallsPort]("Waiting for answers").get
    decided: Callable[[Caller], str] = lambda _caller: ""
    meaning: Callable[[], Meaning | None] = lambda: None
    file_texts: FileTexts = field(default_factory=AllFileTexts)
    pictures: PictureReader | None = None
    screens: Screens | None = None
    storage: VaultStorage = field(init=False)

    def __post_init__(self) -> None:
        storage = VaultStorage(
            PermittedFiles(self.files, self.denied),
            PermittedKnowledge(self.everything, self.denied),
            self.denied,
            VaultStorage(self.files, self.everything),
        )
        object.__setattr__(self, "storage", storage)

"""The services that the tools are built from."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bridge.clock import Clock, SystemClock
from bridge.contract.consent import FilePreview
from bridge.contract.tools import PendingCall, TicketInfo, ToolResult
from bridge.errors import NotFound
from bridge.identity.caller import Caller
from bridge.index.file_texts import AllFileTexts, FileTexts
from bridge.index.knowledge import Knowledge
from bridge.index.search.passages import Meaning
from bridge.index.vault_index import PermittedKnowledge, VaultIndex
from bridge.pictures.reader import PictureReader
from bridge.toolkit.permitted import Denials, PermittedFiles, Screens
from bridge.tools.storage import VaultStorage
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan, LeftFile

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


class PastChange(Protocol):
    """A change, as the history has it."""

    @property
    def execution_id(self) -> str:
        """Return its name."""

    @property
    def tool(self) -> str:
        """Return the tool that planned it."""

    @property
    def time(self) -> str:
        """Return when it was made, ISO 8601 UTC."""

    @property
    def state(self) -> str:
        """Return `applied`, `undone` or `conflicted`."""

    @property
    def files(self) -> tuple[str, ...]:
        """Return every path it touched."""

    @property
    def added(self) -> int:
        """Return the number of lines added."""

    @property
    def removed(self) -> int:
        """Return the number of lines removed."""

    @property
    def can_undo(self) -> bool:
        """Return whether the bytes it replaced were kept."""

    @property
    def summary(self) -> str:
        """Return the plan's sentence."""

    @property
    def left(self) -> tuple[LeftFile, ...]:
        """Return the files that its undo left as they were."""


class PastDiff(Protocol):
    """The effect of a change on each file."""

    @property
    def files(self) -> tuple[FilePreview, ...]:
        """Return the files, with their diffs."""

    @property
    def lost(self) -> tuple[str, ...]:
        """Return files of which the bytes are no longer kept."""


class HistoryPort(ReversalPort, Protocol):
    """The history, as the tool `history` uses it besides."""

    def history(
        self, *, limit: int = ..., before: str | None = None, credential: str | None = None
    ) -> Sequence[PastChange]:
        """Return the changes of the vault, newest first."""

    def diff(self, execution_id: str) -> PastDiff:
        """Return the effect of a change on each file, whoever made it."""

    def undo_several_plan(self, execution_ids: Collection[str], credential: str | None = None) -> ChangePlan:
        """Return the one plan that takes several changes back."""


class CallsPort(Protocol):
    """The calls that have a ticket, as `await_decision` uses them."""

    async def result(self, caller: Caller, call_id: str, wait: float | None = None) -> ToolResult | PendingCall:
        """Return the result of a call of this caller, or what it waits for after so many seconds."""

    def tickets(self, caller: Caller) -> list[TicketInfo]:
        """Return this caller's calls that have a ticket."""


class NoCalls:
    """The calls of a bridge in which no call has a ticket."""

    async def result(self, caller: Caller, call_id: str, wait: float | None = None) -> ToolResult | PendingCall:
        """Return the failure that says there is no such call."""
        del caller, wait
        return ToolResult.failed(NotFound(f"There is no call {call_id!r} of this client"))

    def tickets(self, caller: Caller) -> list[TicketInfo]:
        """Return an empty list."""
        del caller
        return []


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
        file_texts: The texts of files that are no notes.
        pictures: Makes pictures ready to be shown; None: none are shown.
        screens: The person's screen in Obsidian; None: nothing reports it.
        storage: The vault as tools see it: without closed files, but for planning.
        index: The index of the notes that may be read.
    """

    files: VaultFiles
    everything: VaultIndex
    history: HistoryPort
    clock: Clock = field(default_factory=SystemClock)
    denied: Denials = field(default=lambda: None)
    handed: Handed = field(default=lambda _session_id, _path: False)
    calls: Callable[[], CallsPort] = field(default=NoCalls)
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

    def over(self, files: VaultFiles, everything: VaultIndex) -> "ToolServices":
        """Return the same for tools that look at the vault as a draft has it.

        Args:
            files: All its files.
            everything: The index of them all.
        """
        return replace(self, files=files, everything=everything)

    @property
    def index(self) -> Knowledge:
        """Return the index of the notes that may be read."""
        return self.storage.knowledge

"""What the tools are built from."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bridge.clock import Clock, SystemClock
from bridge.contract.consent import FilePreview
from bridge.contract.result import PendingCall, TicketInfo, ToolResult
from bridge.errors import NotFound
from bridge.identity.caller import Caller
from bridge.index.knowledge import Knowledge
from bridge.index.pdfs.texts import NoPdfTexts, PdfTexts
from bridge.index.permitted import PermittedKnowledge
from bridge.index.search.meaning import Meaning, NoMeaning
from bridge.index.vault_index import VaultIndex
from bridge.pictures.reader import PictureReader
from bridge.toolkit.permitted import Denials, PermittedFiles
from bridge.toolkit.screens import Screens
from bridge.tools.vault_storage import VaultStorage
from bridge.vault.files import VaultFiles
from bridge.vault.plan import ChangePlan, LeftFile

Handed = Callable[[str, str], bool]
"""Whether a session (its id) has written a file (its path), or the user has attached it."""


class ReversalPort(Protocol):
    """What undo and redo ask of the ledger. Without an id, the change that was made or undone last is meant.

    With a credential, only what was asked for with it is there.
    """

    def undo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        """A change's id, and the plan that takes it back."""
        ...

    def redo_plan(self, execution_id: str | None = None, credential: str | None = None) -> tuple[str, ChangePlan]:
        """An undone change's id, and the plan that makes it again."""
        ...


class PastChange(Protocol):
    """A change, as the history has it."""

    @property
    def execution_id(self) -> str:
        """Its name."""
        ...

    @property
    def tool(self) -> str:
        """The tool that planned it."""
        ...

    @property
    def time(self) -> str:
        """When, ISO 8601 UTC."""
        ...

    @property
    def state(self) -> str:
        """`applied`, `undone` or `conflicted`."""
        ...

    @property
    def files(self) -> tuple[str, ...]:
        """Every path it touched."""
        ...

    @property
    def added(self) -> int:
        """Lines added."""
        ...

    @property
    def removed(self) -> int:
        """Lines removed."""
        ...

    @property
    def can_undo(self) -> bool:
        """Whether the bytes it replaced were kept."""
        ...

    @property
    def summary(self) -> str:
        """The plan's sentence."""
        ...

    @property
    def left(self) -> tuple[LeftFile, ...]:
        """The files that its undo left as they were."""
        ...


class PastDiff(Protocol):
    """What a change did to each file."""

    @property
    def files(self) -> tuple[FilePreview, ...]:
        """The files, with their diffs."""
        ...

    @property
    def lost(self) -> tuple[str, ...]:
        """Files of which the bytes are no longer kept."""
        ...


class HistoryPort(ReversalPort, Protocol):
    """What the tool `history` asks of it besides."""

    def history(
        self, *, limit: int = ..., before: str | None = None, credential: str | None = None
    ) -> Sequence[PastChange]:
        """The changes of the vault, newest first."""
        ...

    def diff(self, execution_id: str) -> PastDiff:
        """What a change did to each file, whoever made it."""
        ...

    def undo_several_plan(self, execution_ids: Collection[str], credential: str | None = None) -> ChangePlan:
        """The one plan that takes several changes back."""
        ...


class CallsPort(Protocol):
    """What `await_decision` asks of the calls that have a ticket."""

    async def result(self, caller: Caller, call_id: str, wait: float | None = None) -> ToolResult | PendingCall:
        """What has become of a call of this caller, or what it waits for after so many seconds."""
        ...

    def tickets(self, caller: Caller) -> list[TicketInfo]:
        """This caller's calls that have a ticket."""
        ...


class NoCalls:
    """Where no call has a ticket."""

    async def result(self, caller: Caller, call_id: str, wait: float | None = None) -> ToolResult | PendingCall:
        """There is none."""
        del caller, wait
        return ToolResult.failed(NotFound(f"There is no call {call_id!r} of this client"))

    def tickets(self, caller: Caller) -> list[TicketInfo]:
        """There are none."""
        del caller
        return []


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
        calls: The calls that have a ticket. They are made by the tools, so they are there only later.
        decided: What a caller is told of its drafts that the user has sent back, or is to decide about.
        meaning: Compares texts by meaning.
        pdfs: The texts of PDF files.
        pictures: Makes pictures ready to be shown; None: none are shown.
        screens: What the person looks at in Obsidian; None: nothing tells it.
        storage: The vault as tools see it: without closed files, but for planning.
        index: What is known of the notes that may be read.
    """

    files: VaultFiles
    everything: VaultIndex
    history: HistoryPort
    clock: Clock = field(default_factory=SystemClock)
    denied: Denials = field(default=lambda: None)
    handed: Handed = field(default=lambda _session_id, _path: False)
    calls: Callable[[], CallsPort] = field(default=NoCalls)
    decided: Callable[[Caller], str] = lambda _caller: ""
    meaning: Meaning = field(default=NoMeaning())
    pdfs: PdfTexts = field(default=NoPdfTexts())
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
        """The same for tools that look at the vault as a draft has it.

        Args:
            files: All its files.
            everything: The index of them all.
        """
        return replace(self, files=files, everything=everything)

    @property
    def index(self) -> Knowledge:
        """What is known of the notes that may be read."""
        return self.storage.knowledge

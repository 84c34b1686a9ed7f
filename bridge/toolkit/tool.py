"""What a tool is, and the words it speaks with the pipeline.

A tool is one class in one file. It says what it is in class attributes, takes its arguments as one pydantic model,
and is asked at most three things: `prepare` (what will you do?), and then either `run` (do it: reads, network,
processes) or `report` (the ledger did it: writes). It never asks for consent, never writes, never logs, never limits
itself: the pipeline does. The methods may be plain functions, which the pipeline runs in a worker thread, or
coroutines.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from bridge.contract.base import Params
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.errors import ToolFailure
from bridge.settings.model import Settings
from bridge.vault.plan import ChangePlan, Disposal

P = TypeVar("P", bound=Params)


@dataclass(frozen=True, slots=True)
class CallContext:
    """What one call knows of its caller.

    Attributes:
        session_id: The session: one client until the bridge stops.
        client: The name the caller gave itself.
        settings: The settings as they were when the call began.
        deadline: `Clock.monotonic()` value after which the call must not go on.
        progress: Called with how far a long call is: done, total (None: unknown), message.
    """

    session_id: str
    client: str
    settings: Settings
    deadline: float
    progress: Callable[[int, int | None, str], None] = field(repr=False, default=lambda _done, _total, _message: None)


@contextmanager
def discloses_content(path: object) -> Iterator[None]:
    """Say that failures inside disclose what a file holds: where a text is not, how many lines there are.

    The pipeline shows such a failure to an agent only if the agent may read the file.

    Args:
        path: The file's path.
    """
    try:
        yield
    except ToolFailure as failure:
        failure.reveals = (*failure.reveals, str(path))
        raise


@dataclass(frozen=True, slots=True)
class ReadEffect:
    """What a read tool will look at: its targets as the consent question shows them, and the question's sentence."""

    targets: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class RequestEffect:
    """What a network or process tool will do: where to, and the exact request or argv, as text."""

    targets: tuple[str, ...]
    summary: str
    exact: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool answers: for programs, for models, and about itself."""

    data: Any
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)

    def trimmed(self, limit: int) -> tuple[str, dict[str, Any]]:
        """Cut the text to at most so many bytes of UTF-8, at a line end where there is one.

        Returns:
            The text, and the metadata with `truncated` and `totalBytes` when something was cut.
        """
        data = self.text.encode(errors="replace")
        if len(data) <= limit:
            return self.text, self.metadata
        head = data[:limit]
        end = head.rfind(b"\n") + 1 or limit
        kept = head[:end].decode(errors="ignore")
        note = f"[Truncated: {len(kept.encode())} of {len(data)} bytes shown. Ask for less, or for the next part.]"
        return f"{kept}{note}", self.metadata | {"truncated": True, "totalBytes": len(data)}


@dataclass(frozen=True, slots=True)
class Unchanged:
    """What a write tool plans when the vault is already as it should be: nothing, and this answer.

    It is given when reading the targets is allowed, because it says how they are.

    Attributes:
        targets: What it looked at.
        summary: The question's sentence, where reading must be asked for.
        output: The answer.
    """

    targets: tuple[str, ...]
    summary: str
    output: Output


Effect = ReadEffect | RequestEffect | ChangePlan | Unchanged


@dataclass(frozen=True, slots=True)
class Applied:
    """What the ledger did with a plan.

    Attributes:
        execution_id: The change's name in the history.
        backup: The folder with the bytes as they were, vault-relative with a final `/`; None when nothing was kept.
        plan: What was applied.
        disposal: Where what it deleted went; None when it only stays in the backups.
    """

    execution_id: str
    backup: str | None
    plan: ChangePlan
    disposal: Disposal | None = None


class Tool(ABC, Generic[P]):
    """One tool. Subclass it, or better `ReadTool` or `WriteTool`."""

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    icon: ClassVar[str] = "wrench"
    parameters: ClassVar[type[Params]]
    operation: ClassVar[Operation]
    risk: ClassVar[RiskLevel]
    consent_class: ClassVar[ConsentClass]
    default_mode: ClassVar[ConsentMode] = ConsentMode.ALWAYS_ASK
    covers: ClassVar[Covers] = Covers.TARGET
    default_rate: ClassVar[int] = 100
    """Calls a minute, where the settings do not say."""
    sensitive: ClassVar[frozenset[str]] = frozenset()
    """Parameters whose values no log may hold."""
    id_prefix: ClassVar[str] = ""
    """What execution ids begin with; the name when empty."""
    listed: ClassVar[bool] = True
    """Whether `tools.list` shows it and `enabledTools` governs it; the history's own tools are not listed."""
    timeout: ClassVar[float] = 30.0
    """Seconds that `prepare` and `run` may each take; waiting for a person is not counted."""

    @property
    def can_bypass(self) -> bool:
        """Whether the user may set it to always allow."""
        return self.consent_class is ConsentClass.ALWAYS

    @property
    def writes(self) -> bool:
        """Whether its effect is a change plan."""
        return self.operation in {Operation.CREATE, Operation.UPDATE, Operation.DELETE}

    def mode(self, settings: Settings) -> ConsentMode:
        """When it asks: what the user set, else its default."""
        return ConsentMode(settings.consent_mode.get(self.name, self.default_mode.value))

    def rate(self, settings: Settings) -> int:
        """Calls a minute: what the user set, else its default."""
        return settings.rate_limits.get(self.name, self.default_rate)

    @abstractmethod
    def prepare(self, params: P, context: CallContext) -> Effect | Awaitable[Effect]:
        """Say what the call will do, without doing any of it."""


class ReadTool(Tool[P]):
    """A tool that changes nothing in the vault: reads, network requests, processes."""

    @abstractmethod
    def run(self, params: P, context: CallContext) -> Output | Awaitable[Output]:
        """Do it. Called only after consent."""


class WriteTool(Tool[P]):
    """A tool that changes the vault, by a change plan."""

    @abstractmethod
    def prepare(
        self, params: P, context: CallContext
    ) -> ChangePlan | Unchanged | Awaitable[ChangePlan] | Awaitable[ChangePlan | Unchanged]:
        """Plan the change, without making any of it."""

    @abstractmethod
    def report(self, params: P, applied: Applied) -> Output:
        """Say what the ledger did."""

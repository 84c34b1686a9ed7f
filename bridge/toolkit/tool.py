"""What a tool is, and the words it speaks with the pipeline.

A tool is a `ToolSpec`, which says what it is, and a handler, which is asked at most three things: `prepare` (what will
you do?), and then either `run` (do it: reads, network, processes) or `report` (the ledger did it: writes). It never
asks for consent, never writes, never logs, never limits itself: the pipeline does. The methods may be plain functions,
which the pipeline runs in a worker thread, or coroutines.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.contract.result import ResultPart
from bridge.errors import PermissionDenied, ToolFailure
from bridge.identity.caller import Caller
from bridge.policy.targets import Target, named_target
from bridge.settings.model import Settings
from bridge.toolkit.parameters import Parameters
from bridge.vault.plan import ChangePlan, Disposal

P = TypeVar("P")

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

MINIMAL: Final = "minimal"
"""The preset of tools that find and read."""
VAULT: Final = "vault"
"""The preset of all tools for the vault's own files."""


@dataclass(frozen=True, slots=True)
class ToolAnnotations:
    """Hints about a tool, as MCP has them. They help models and people choose; nothing is decided by them.

    Attributes:
        read_only: It changes nothing.
        destructive: It may change or remove what is there.
        idempotent: A second call with the same arguments does nothing more.
        open_world: It reaches beyond this vault.
    """

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """What a tool is.

    Attributes:
        name: What it is called by: at most 64 letters, digits, `_` and `-` of ASCII. No tool can look like another one,
            or be taken for a method of the bridge.
        title: For people.
        description: For models and people.
        parameters: What it takes.
        operation: What it does to the world.
        risk: How dangerous it is.
        consent_class: How far it may ever be trusted.
        default_mode: When it asks, where the user has not set that.
        covers: What an answer for longer holds for, where the person names no rung.
        icon: The name of a Lucide icon.
        default_rate: Calls a minute, where the settings do not say.
        sensitive: Parameters whose values no log may hold.
        id_prefix: What execution ids begin with; the name when empty.
        listed: Whether `tools.list` shows it and `enabledTools` governs it; the history's own tools are not listed.
        timeout: Seconds that `prepare` and `run` may each take, or a function that works them out from the parameters;
            waiting for a person is not counted.
        presets: The named sets of `enabledTools` that it belongs to.
        hints: Its annotations, where they are not what the operation says.

    Raises:
        ValueError: The name is none.
    """

    name: str
    title: str
    description: str
    parameters: Parameters[Any]
    operation: Operation
    risk: RiskLevel
    consent_class: ConsentClass
    default_mode: ConsentMode = ConsentMode.ALWAYS_ASK
    covers: Covers = Covers.TARGET
    icon: str = "wrench"
    default_rate: int = 100
    sensitive: frozenset[str] = frozenset()
    id_prefix: str = ""
    listed: bool = True
    timeout: float | Callable[[Any], float] = 30.0
    presets: frozenset[str] = frozenset()
    hints: ToolAnnotations | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"{self.name!r} cannot be a tool's name: 1 to 64 letters, digits, '_' and '-' of ASCII only"
            )

    @property
    def annotations(self) -> ToolAnnotations:
        """What models are told of its effects."""
        return self.hints or ToolAnnotations(
            read_only=self.operation is Operation.READ,
            destructive=self.operation in {Operation.UPDATE, Operation.DELETE, Operation.EXECUTE},
            idempotent=self.operation is Operation.READ,
            open_world=self.operation in {Operation.NETWORK, Operation.EXECUTE},
        )

    @property
    def can_bypass(self) -> bool:
        """Whether the user may set it to always allow."""
        return self.consent_class is ConsentClass.ALWAYS

    @property
    def writes(self) -> bool:
        """Whether its effect is a change plan."""
        return self.operation in {Operation.CREATE, Operation.UPDATE, Operation.DELETE}

    def seconds(self, params: Any) -> float:
        """How long `prepare` and `run` may each take for these parameters."""
        return self.timeout(params) if callable(self.timeout) else self.timeout

    def mode(self, settings: Settings) -> ConsentMode:
        """When it asks: what the user set, else its default."""
        return ConsentMode(settings.consent_mode.get(self.name, self.default_mode.value))

    def rate(self, settings: Settings) -> int:
        """Calls a minute: what the user set, else its default."""
        return settings.rate_limits.get(self.name, self.default_rate)

    def is_enabled(self, settings: Settings) -> bool:
        """Whether agents may call it; what is not listed always may."""
        return not self.listed or settings.enables(self.name)


async def _nothing_more(target: Target, summary: str) -> None:
    raise PermissionDenied(f"{target.label} cannot be asked about here: {summary}", code="no_ui")


@dataclass(slots=True)
class CallContext:
    """What one call knows of its surroundings.

    Attributes:
        caller: Who calls.
        settings: The settings as they were when the call began.
        deadline: `Clock.monotonic()` value after which the call must not go on; later after the person was asked.
        progress: Called with how far a long call is: done, total (None: unknown), message.
        authorize: Awaited with a target that the tool learns of while it runs (a redirect, a second file) and a
            sentence that says what it will do there. It returns when that is allowed, after asking the person where the
            policy says so, and raises PermissionDenied when it is not. What was allowed with the call itself, or once
            before in it, is not asked about again.
    """

    caller: Caller
    settings: Settings
    deadline: float
    progress: Callable[[int, int | None, str], None] = field(repr=False, default=lambda _done, _total, _message: None)
    authorize: Callable[[Target, str], Awaitable[None]] = field(repr=False, default=_nothing_more)


def in_vault(*names: str) -> tuple[Target, ...]:
    """Places of the vault as targets: files by their paths, folders with a final slash, the vault by an empty name."""
    return tuple(map(named_target, names))


def matching(glob: str) -> tuple[Target, ...]:
    """What a glob may match as a target: the folder that holds all of it, shown as the glob."""
    magic = next((index for index, character in enumerate(glob) if character in "*?[{"), len(glob))
    folder = glob[:magic].rpartition("/")[0]
    held = named_target(f"{folder}/" if folder else "")
    return (Target(held.kind, glob, held.place, held.above),)


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

    targets: tuple[Target, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class RequestEffect:
    """What a network or process tool will do: where to, and the exact request or argv, as text."""

    targets: tuple[Target, ...]
    summary: str
    exact: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool answers.

    Attributes:
        data: For programs: any JSON value.
        text: For models.
        metadata: About the answer itself.
        parts: What text cannot carry, in order: images, structured data, links to notes, further texts.
    """

    data: Any
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    parts: tuple[ResultPart, ...] = ()

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

    targets: tuple[Target, ...]
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
    """One tool: its spec, and the handler that carries it out. Subclass `ReadTool` or `WriteTool`."""

    spec: ToolSpec

    @property
    def name(self) -> str:
        """What it is called by."""
        return self.spec.name

    @abstractmethod
    def prepare(self, params: P, context: CallContext) -> Effect | Awaitable[Effect]:
        """Say what the call will do, without doing any of it."""


class ReadTool(Tool[P]):
    """A tool that changes nothing in the vault: reads, network requests, processes."""

    @abstractmethod
    def run(self, params: P, context: CallContext) -> Output | Awaitable[Output] | AsyncIterator[str | Output]:
        """Do it. Called only after consent.

        Returns:
            The answer. A tool whose answer comes in pieces is an async generator: it yields pieces of text, which the
            caller is sent as they come, and may end with an `Output`; without one, the pieces together are the text.
        """


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

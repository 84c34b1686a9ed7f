"""The interface of a tool, and its words with the pipeline.

A tool is a `ToolSpec`, which says what it is, and a handler, which is asked at most three things: `prepare` (what will
you do?), and then either `run` (do it: reads, network, processes) or `report` (the ledger did it: writes). It never
asks for consent, never writes, never logs, never limits itself: the pipeline does. The methods may be plain functions,
which the pipeline runs in a worker thread, or coroutines.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, NamedTuple, TypeVar

from bridge.contract.chains import ChainCall
from bridge.contract.consent import ConsentClass, ConsentMode, Covers, Operation, RiskLevel
from bridge.contract.tools import McpAnnotations, ResultPart, ToolResult
from bridge.errors import PermissionDenied
from bridge.identity.caller import Caller
from bridge.policy.consent import Rule
from bridge.policy.targets import Target, command_target, named_target
from bridge.settings.model import Settings
from bridge.toolkit.effects.kind import EffectKind
from bridge.toolkit.parameters import Parameters, Schema
from bridge.vault.plan import Applied, ChangePlan

P = TypeVar("P")

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

MINIMAL: Final = "minimal"
"""The preset of tools that find and read."""
AGENT: Final = "agent"
"""The preset of the few tools that do the work of all others, for models."""
VAULT: Final = "vault"
"""The preset of all tools for the vault's own files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """The specification of a tool.

    Attributes:
        name: Its name: at most 64 letters, digits, `_` and `-` of ASCII. No tool can look like another one,
            or be taken for a method of the bridge.
        title: For people, in sentence case; the words of the name where it is empty.
        description: For models and people.
        action: How the log words its use, such as `read/read {path|a file}`; see `audit/records.py`. Without one, it
            says that the tool was used.
        parameters: Its parameters.
        output: The shape of its results' `data`, where every call that succeeds has the same.
        operation: Its effect on the world.
        risk: How dangerous it is, as the list of tools has it.
        fixed_risk: Whether every question shows that; else a write is shown with the risk of what it would change.
        consent_class: How far it may ever be trusted.
        default_mode: When it asks, unless the user has set that.
        covers: What a lasting answer holds for, if the person chooses nothing narrower or wider.
        icon: The name of a Lucide icon.
        default_rate: Calls a minute, where the settings do not say.
        usual_rate: The same, where it depends on the settings.
        sensitive: Parameters whose values no log may hold.
        bulky: Parameters that are lists of bytes, which the question shows otherwise: logs and the list of parameters
            have their number.
        id_prefix: The beginning of execution ids; the name when empty.
        listed: Whether `tools.list` shows it and `enabledTools` governs it; the history's own tools are not listed.
        timeout: Seconds that `prepare` and `run` may each take, or a function that works them out from the parameters;
            waiting for a person is not counted.
        presets: The named sets of `enabledTools` that it belongs to.
        replaces: The tools whose work it does too. They can be called where it is enabled, and what was said about
            them holds for that work of it; see `registry.py`.
        acts: What a call does, from its parameters and the paths that it is about: each act by the names of the tools
            whose work it is, its own among them unless it does that only for the other one. Without it, a call does
            the work of its own tool alone.
        hints: Its annotations, where they are not what the operation says.
        stages: Whether its plans are staged while its caller has a draft; without, it makes none in there.
        listed_sites: Whether a mode that always allows holds only for the sites of `allowedDomains`; others are asked
            about, as long as no answer of the person's covers them.
        switched: Whether a setting of its own switches it on, so that `enabledTools` need not name it.
        calls_others: Whether it calls other tools while it runs. None of them can be such a tool, too.
        by_caller: Whether the caller makes the change itself that its plan shows. The plan is asked about as a whole,
            and then the tool is run; the ledger does nothing.
        own: Whether it gives a caller only what is its own already. Everybody has such a tool and no call of it is
            asked about: neither `enabledTools` nor a consent mode governs it.

    Raises:
        ValueError: The name is none.
    """

    name: str
    title: str = ""
    description: str
    parameters: Parameters[Any]
    operation: Operation
    risk: RiskLevel
    fixed_risk: bool = False
    consent_class: ConsentClass
    default_mode: ConsentMode = ConsentMode.SESSION_ALLOW
    covers: Covers = Covers.TARGET
    icon: str = "wrench"
    default_rate: int = 100
    usual_rate: Callable[[Settings], int] | None = None
    sensitive: frozenset[str] = frozenset()
    bulky: frozenset[str] = frozenset()
    action: str = ""
    id_prefix: str = ""
    listed: bool = True
    timeout: float | Callable[[Any], float] = 30.0
    presets: frozenset[str] = frozenset()
    replaces: frozenset[str] = frozenset()
    acts: Callable[[Any, Sequence[str]], Iterable[frozenset[str]]] | None = None
    hints: McpAnnotations | None = None
    stages: bool = True
    listed_sites: bool = False
    switched: bool = False
    calls_others: bool = False
    by_caller: bool = False
    own: bool = False
    output: Schema | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                f"{self.name!r} cannot be a tool's name: 1 to 64 letters, digits, '_' and '-' of ASCII only"
            )
        object.__setattr__(self, "title", self.title or self.name.replace("_", " ").capitalize())

    @property
    def annotations(self) -> McpAnnotations:
        """Return what models are told of its effects, which helps them choose; nothing is decided by it."""
        if self.hints is not None:
            return self.hints
        reads, outside = self.operation is Operation.READ, self.operation in {Operation.NETWORK, Operation.EXECUTE}
        destroys = self.operation in {Operation.UPDATE, Operation.DELETE, Operation.EXECUTE}
        return McpAnnotations(
            read_only_hint=reads, destructive_hint=None if reads else destroys, open_world_hint=outside
        )

    @property
    def can_bypass(self) -> bool:
        """Return whether the user may set it to always allow."""
        return self.consent_class is ConsentClass.ALWAYS

    @property
    def modes(self) -> tuple[ConsentMode, ...]:
        """Return the user's choices: never, every time, and once a session and always where its class allows."""
        session = () if self.consent_class is ConsentClass.NEVER else (ConsentMode.SESSION_ALLOW,)
        always = (ConsentMode.ALWAYS_ALLOW,) if self.can_bypass else ()
        return (ConsentMode.NEVER_ALLOW, ConsentMode.ALWAYS_ASK, *session, *always)

    @property
    def writes(self) -> bool:
        """Return whether its effect is a change plan that the ledger carries out."""
        return self.operation in {Operation.CREATE, Operation.UPDATE, Operation.DELETE} and not self.by_caller

    def seconds(self, params: Any) -> float:
        """Return how long `prepare` and `run` may each take for these parameters."""
        return self.timeout(params) if callable(self.timeout) else self.timeout

    def mode(self, settings: Settings) -> ConsentMode:
        """Return when it asks: as the user set it, else its default."""
        return ConsentMode(settings.consent_mode.get(self.name, self.default_mode.value))

    def rate(self, settings: Settings) -> int:
        """Return the calls a minute: what the user set, else its default."""
        usual = self.default_rate if self.usual_rate is None else self.usual_rate(settings)
        return settings.rate_limits.get(self.name, usual)

    @property
    def is_governed(self) -> bool:
        """Return whether settings are about it."""
        return self.listed and not self.own

    def is_enabled(self, settings: Settings) -> bool:
        """Return whether agents may call it; they always may where no setting is about it."""
        return not self.is_governed or self.switched or settings.enables(self.name)


async def _nothing_more(target: Target, summary: str) -> None:
    raise PermissionDenied(f"{target.label} cannot be asked about here: {summary}", code="no_ui")


async def _no_other(name: str, _arguments: dict[str, Any]) -> ToolResult:
    raise PermissionDenied(f"{name!r} cannot be called from here", code="no_nesting")


async def _not_reviewed(effect: "RequestEffect") -> None:
    raise PermissionDenied(f"Nobody can be asked here: {effect.summary}", code="no_ui")


@dataclass(slots=True, weakref_slot=True)
class CallContext:
    """The surroundings of a call, as the tool knows them.

    Attributes:
        caller: The caller.
        settings: The settings as they were when the call began.
        deadline: `Clock.monotonic()` value after which the call must not go on; later after the person was asked.
        progress: Called with how far a long call is: done, total (None: unknown), message.
        authorize: Awaited with a target that the tool learns of while it runs (a redirect, a second file) and a
            sentence that says what it will do there. It returns when that is allowed, after asking the person where the
            policy says so, and raises PermissionDenied when it is not. What was allowed with the call itself, or once
            before in it, is not asked about again.
        review: Awaited with what the tool has got, before the caller gets it. It returns when the person has said yes,
            and raises PermissionDenied when they have not.
        call: Awaited with a tool's name and arguments: makes a call of the same caller as a part of this one, and
            returns its result. It goes the way of every call, and is asked about like one; no time passes for this one
            meanwhile. A tool that makes such calls says so in its spec (`calls_others`), and is never called so.
        asked: Whether a person was asked about this very call.
        approved: The change that was allowed, while a tool runs whose caller makes it itself.
        looking: Whether the call is only looked at (a preview, an explanation). Nothing may then be told of the vault
            that an answer of the person's has not allowed, not even by a question that would be asked.
        reason: Why, in the caller's words.
    """

    caller: Caller
    settings: Settings
    deadline: float
    progress: Callable[[int, int | None, str], None] = field(repr=False, default=lambda _done, _total, _message: None)
    authorize: Callable[[Target, str], Awaitable[None]] = field(repr=False, default=_nothing_more)
    review: Callable[["RequestEffect"], Awaitable[None]] = field(repr=False, default=_not_reviewed)
    call: Callable[[str, dict[str, Any]], Awaitable[ToolResult]] = field(repr=False, default=_no_other)
    asked: bool = False
    approved: ChangePlan | None = None
    looking: bool = False
    reason: str | None = None


def in_vault(*names: str) -> tuple[Target, ...]:
    """Return places of the vault as targets: files by path, folders with a final slash, the vault by an empty name."""
    return tuple(map(named_target, names))


def running(program: str, arguments: Sequence[str], places: Collection[int] = frozenset()) -> tuple[Target, ...]:
    """Return a command as a target.

    Args:
        program: The program's real, absolute path.
        arguments: Its arguments.
        places: Which of the arguments, counted from 0, name a place in the vault and nothing else: an answer for longer
            holds with other places there.
    """
    return (command_target(program, arguments, vault_paths=places),)


def matching(glob: str) -> tuple[Target, ...]:
    """Return the target of a glob: the folder that holds all that it may match, shown as the glob."""
    magic = next((index for index, character in enumerate(glob) if character in "*?[{"), len(glob))
    folder = glob[:magic].rpartition("/")[0]
    held = named_target(f"{folder}/" if folder else "")
    return (Target(held.kind, glob, held.place, held.above),)


class ReadEffect(NamedTuple):
    """The intention of a read tool: what it will look at.

    Attributes:
        targets: The places, as the consent question shows them.
        summary: The question's sentence.
        own: Whether there is nothing in it but what is the caller's own, so that nobody is asked.
        granted: An answer that allows exactly this, as long as nothing denies it.
    """

    targets: tuple[Target, ...]
    summary: str
    own: bool = False
    granted: Rule | None = None


class RequestEffect(NamedTuple):
    """The intention of a network or process tool: what it will do.

    Attributes:
        targets: Where it goes.
        summary: The question's sentence.
        exact: The exact request or argv, as text.
        warnings: A sentence for each thing that the person should mind.
        insists: Why it must be asked about whatever was said before, as a sentence; empty: nothing of the kind.
        writes: Whether it changes something there, so that it is asked about every single time.
        at_most: How far this very call may be trusted, where that is less than its tool may; None: as far.
        sends: The texts that leave with it.
        address: The address of the page that is asked for.
        networked: Whether what comes back may be from the network, though the tool is none of the network's.
        sends_known: Whether nothing leaves but what the caller has read as it is. The pipeline says so.
    """

    targets: tuple[Target, ...]
    summary: str
    exact: str
    warnings: tuple[str, ...] = ()
    insists: str = ""
    writes: bool = False
    at_most: ConsentClass | None = None
    sends: tuple[str, ...] = ()
    address: str = ""
    networked: bool = False
    sends_known: bool = False

    @property
    def sends_something(self) -> bool:
        """Return whether anything leaves with it."""
        return bool(self.sends or self.address)


@dataclass(frozen=True, slots=True)
class Output:
    """The answer of a tool.

    Attributes:
        data: For programs: any JSON value.
        text: For models.
        metadata: About the answer itself.
        parts: What text cannot carry, in order: images, structured data, links to notes, further texts.
        strangers: Whose words are in it that the person has not seen, though the tool is none of the network's.
    """

    data: Any
    text: str
    metadata: dict[str, Any] = field(default_factory=dict)
    parts: tuple[ResultPart, ...] = ()
    strangers: tuple[Target, ...] = ()

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


STILL_INDEXED: Final = "[The vault is still being indexed: there may be more.]"
"""The line of a text that says that an answer may be incomplete."""


class Relayed(NamedTuple):
    """The result of another call of the same caller, handed on exactly as it is.

    Attributes:
        result: The result.
        output: What handing it on was, for the log.
    """

    result: ToolResult
    output: Output


class Unchanged(NamedTuple):
    """The plan of a write tool when the vault is already as it should be: nothing, and this answer.

    It is given when reading the targets is allowed, because it says how they are.

    Attributes:
        targets: The things that it looked at.
        summary: The question's sentence, where reading must be asked for.
        output: The answer.
    """

    targets: tuple[Target, ...]
    summary: str
    output: Output


class CopiedChanges(NamedTuple):
    """The changes that a program made to a copy of the vault, to be made in the vault as one change.

    Attributes:
        plan: Plans it against the vault as it is, without the files for which a given function returns a reason; None
            where nothing is left to do. Blocks.
        report: The answer, with what was done; None: nothing was.
    """

    plan: "Callable[[Callable[[str], str | None]], ChangePlan | None]"
    report: "Callable[[Applied | None], Output]"


class ChainEffect(NamedTuple):
    """The intention of a chain: other calls, in order, each of which says itself what it does.

    Attributes:
        calls: The calls.
        summary: What it is, in a sentence that can go on.
        params: What references to parameters stand for; None outside of a template.
    """

    calls: tuple[ChainCall, ...]
    summary: str
    params: Mapping[str, Any] | None = None

    @property
    def targets(self) -> tuple[Target, ...]:
        """Return no targets: each of its calls has its own."""
        return ()


WriteEffect = ChangePlan | Unchanged | ChainEffect | RequestEffect
Effect = ReadEffect | RequestEffect | ChangePlan | Unchanged | ChainEffect | EffectKind
"""The effects that a tool may say a call will have; `effects/running.py` has the kind of each."""


class Tool(ABC, Generic[P]):
    """One tool: its spec, and the handler that carries it out. Subclass `ReadTool` or `WriteTool`."""

    spec: ToolSpec

    @property
    def name(self) -> str:
        """Return the name by which it is called."""
        return self.spec.name

    @abstractmethod
    def prepare(self, params: P, context: CallContext) -> Effect | Awaitable[Effect]:
        """Say what the call will do, without doing any of it."""


class ReadTool(Tool[P]):
    """A tool that changes nothing in the vault: reads, network requests, processes."""

    @abstractmethod
    def run(
        self, params: P, context: CallContext
    ) -> (
        Output | Awaitable[Output | Relayed] | AsyncIterator[str | Output] | AsyncIterator[str | Output | CopiedChanges]
    ):
        """Do it. Called only after consent.

        Returns:
            The answer, or the result of another call to hand on. A tool whose answer comes in pieces is an async
            generator: it yields pieces of text, which the caller is sent as they come, and may end with an `Output`;
            without one, the pieces together are the text. It ends with `CopiedChanges` where it has worked on a copy of
            the vault, which must be there until the generator is closed.
        """


class WriteTool(Tool[P]):
    """A tool that changes the vault, by a change plan."""

    @abstractmethod
    def prepare(
        self, params: P, context: CallContext
    ) -> WriteEffect | Awaitable[ChangePlan] | Awaitable[ChangePlan | Unchanged] | Awaitable[WriteEffect]:
        """Plan the change, without making any of it.

        Returns:
            The plan. Only where the call is looked at, and the plan depends on a request, that request.
        """

    @abstractmethod
    def report(self, params: P, applied: Applied) -> Output:
        """Say what the ledger did."""

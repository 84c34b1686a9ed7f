"""The interface through which the pipeline and the consent step handle an effect, whatever its kind."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from bridge.contract.consent import Addition, ConsentClass, Operation, Preview
from bridge.contract.tools import CallPlan
from bridge.errors import ToolFailure
from bridge.policy.consent import Rule
from bridge.policy.risk import Risk
from bridge.policy.targets import Target
from bridge.settings.model import Settings
from bridge.vault.plan import Hazard

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import Running
    from bridge.toolkit.tool import ChainEffect, Output, ReadEffect, Relayed, RequestEffect, ToolSpec, Unchanged
    from bridge.toolkit.tool_call import ToolCall


class Terms(NamedTuple):
    """The terms of an effect for the rules and the question, beside its targets and its operation.

    Attributes:
        about: The paths or keys that the call's acts are worked out from.
        subjects: What the person sees as what the call is about, where that is less than its targets.
        additions: How it adds, where it does nothing but add.
        files: How many files it changes.
        at_most: How far this very call may be trusted, where that is less than its tool may; None: as far.
        takes_back: Whether it brings an earlier state back, which the person may do without being asked.
        own: Whether it gives a caller only what is the caller's own.
        granted: An answer that allows exactly this, as long as nothing denies it.
        reads: Files whose text it puts into others.
        digest: The digest of its plan; None where there is none.
        draft: The draft that it is the plan of; None for any other effect.
        reason: Why, in the words of the draft's client.
        size: Bytes of new text; None where nothing is written.
        linked_from: How many notes link to what it deletes, where that is known.
        insists: Why it must be asked about whatever was said before, as a sentence; empty: nothing of the kind.
        hazards: What its new text does.
        sends_new: Whether anything leaves but what the caller has read as it is.
    """

    about: tuple[str, ...]
    subjects: tuple[Target, ...] = ()
    additions: frozenset[Addition] | None = None
    files: int = 0
    at_most: ConsentClass | None = None
    takes_back: bool = False
    own: bool = False
    granted: Rule | None = None
    reads: tuple[str, ...] = ()
    digest: str | None = None
    draft: str | None = None
    reason: str | None = None
    size: int | None = None
    linked_from: int | None = None
    insists: str = ""
    hazards: tuple[Hazard, ...] = ()
    sends_new: bool = False


class EffectKind(ABC):
    """One effect of a call.

    The pipeline calls, in this order: `examine`, `ask`, and `carry_out` of what `ask` has returned; for a preview
    `examine`, `ask_to_show` and `call_plan`.

    Attributes:
        only_reads: Whether it does nothing but read the vault.
        failure: Why the call is not possible, where that is known by now.
    """

    only_reads: bool = False
    failure: ToolFailure | None = None

    @property
    @abstractmethod
    def targets(self) -> tuple[Target, ...]:
        """Return what it touches."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """Return the question's sentence."""

    @property
    def is_large(self) -> bool:
        """Return whether it touches so much that its question is worked out in a thread."""
        return False

    def operation(self, spec: "ToolSpec") -> Operation:
        """Return what it does to the world."""
        return spec.operation

    def risk(self, spec: "ToolSpec") -> Risk:
        """Return how dangerous it is."""
        return Risk(spec.risk)

    def terms(self) -> Terms:
        """Return what the rules and the question need to know of it."""
        return Terms(tuple(target.place.key for target in self.targets))

    def preview(self, spec: "ToolSpec", tool_call: "ToolCall", settings: Settings, insists: str) -> Preview | None:
        """Return what the question shows of it, beside its summary and its targets.

        Args:
            spec: Its tool.
            tool_call: Its call.
            settings: The settings as they were when the call began.
            insists: Why it is asked about whatever was said before; empty where that is not so.
        """
        del spec, tool_call, settings, insists
        return None

    def call_plan(self, spec: "ToolSpec") -> CallPlan:
        """Return it as `tools.preview` shows it."""
        return CallPlan(**self._members(spec))

    def _members(self, spec: "ToolSpec") -> dict[str, Any]:
        """Return the members that every plan of `tools.preview` has."""
        risk = self.risk(spec)
        return {
            "tool": spec.name,
            "operation": self.operation(spec),
            "risk_level": risk.level,
            "risk_reasons": risk.reasons,
            "summary": self.summary,
            "targets": tuple(target.label for target in self.targets),
        }

    async def examine(self, running: "Running", *, run: bool) -> "EffectKind":
        """Return the same effect with what the person should mind about it.

        Args:
            running: The call.
            run: Whether the call is to be run; else it is only looked at, and nothing leaves.
        """
        del running, run
        return self

    async def ask_to_show(self, running: "Running") -> None:
        """Return when the caller may be shown it in a preview.

        Raises:
            PermissionDenied: It may not.
        """
        del running

    async def ask(self, running: "Running") -> "EffectKind":
        """Return what is to be carried out, once that is allowed.

        Raises:
            ToolFailure: It is not allowed, or not possible any more.
        """
        await running.ask(self)
        return self

    @abstractmethod
    async def carry_out(self, running: "Running") -> "Output | Relayed":
        """Do it, and return what the caller is answered."""


E = TypeVar("E", bound="ReadEffect | RequestEffect | Unchanged | ChainEffect")


@dataclass(frozen=True)
class PreparedEffect(EffectKind, Generic[E]):
    """An effect with the targets and the summary that its tool has given it.

    Attributes:
        effect: As the tool has prepared it.
    """

    effect: E

    @property
    def targets(self) -> tuple[Target, ...]:
        """Return what it touches."""
        return self.effect.targets

    @property
    def summary(self) -> str:
        """Return the question's sentence."""
        return self.effect.summary

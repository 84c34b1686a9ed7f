"""Calls that do nothing: an answer that is known already, or a failure that says what is in the vault."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.errors import ToolFailure
from bridge.policy.targets import Target
from bridge.toolkit.effects.kind import EffectKind
from bridge.toolkit.tool import Output, Unchanged

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import Running


class _Finding(EffectKind):
    """Something that a call found out about the vault, and that its caller is told only where it may read there."""

    async def ask_to_show(self, running: "Running") -> None:
        """Return when the caller may be told."""
        await running.ask_to_tell(self.targets, self.summary)

    async def ask(self, running: "Running") -> EffectKind:
        """Return it when the caller may be told."""
        await running.ask_to_tell(self.targets, self.summary)
        return self


@dataclass(frozen=True)
class Answering(_Finding):
    """An answer without an effect, because the vault is already as it should be.

    Attributes:
        effect: As the tool has prepared it.
    """

    effect: Unchanged

    @property
    def targets(self) -> tuple[Target, ...]:
        """What the tool looked at."""
        return self.effect.targets

    @property
    def summary(self) -> str:
        """The question's sentence."""
        return self.effect.summary

    async def carry_out(self, running: "Running") -> Output:
        """Return the answer."""
        del running
        return self.effect.output


class Failing(_Finding):
    """A failure of a tool that has looked at the vault before: its reason may say what is there.

    Args:
        targets: What the tool looked at.
        summary: The question's sentence.
        failure: The failure.
    """

    def __init__(self, targets: tuple[Target, ...], summary: str, failure: ToolFailure) -> None:
        self._targets = targets
        self._summary = summary
        self.failure: ToolFailure = failure

    @property
    def targets(self) -> tuple[Target, ...]:
        """What the tool looked at."""
        return self._targets

    @property
    def summary(self) -> str:
        """The question's sentence."""
        return self._summary

    async def carry_out(self, running: "Running") -> Output:
        """Raise the failure."""
        del running
        raise self.failure

"""Calls that do nothing: an answer that is known already, or a failure that says what is in the vault."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.errors import ToolFailure
from bridge.toolkit.effects.kind import EffectKind, PreparedEffect
from bridge.toolkit.tool import Output, ReadEffect, Unchanged

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


class Answering(_Finding, PreparedEffect[Unchanged]):
    """An answer without an effect, because the vault is already as it should be."""

    async def carry_out(self, running: "Running") -> Output:
        """Return the answer."""
        del running
        return self.effect.output


@dataclass(frozen=True)
class Failing(_Finding, PreparedEffect[ReadEffect]):
    """A failure of a tool that has looked at the vault before: its reason may say what is there.

    Attributes:
        failure: The failure.
    """

    failure: ToolFailure

    async def carry_out(self, running: "Running") -> Output:
        """Raise the failure."""
        del running
        raise self.failure

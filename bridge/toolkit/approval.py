"""What a question is about, until it is answered: the effect as it was shown, or the part of it that was wanted."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

from bridge.journal.ledger import Ledger
from bridge.toolkit.tool import Effect, Output
from bridge.vault.partial import KeptHunks, LeftOut, is_divisible
from bridge.vault.plan import ChangePlan


class Approval:
    """One effect on its way through a question.

    Args:
        effect: What the tool will do.
        ledger: Looks at the vault again.
        workers: Threads for that.

    Attributes:
        effect: What is to be done; after an answer with hunks, the smaller plan.
        left_out: What the person left out of it.
        can_be_parted: Whether hunks may be left out.
    """

    def __init__(self, effect: Effect, ledger: Ledger, workers: Executor) -> None:
        self.effect = effect
        self.left_out: tuple[LeftOut, ...] = ()
        self.can_be_parted = isinstance(effect, ChangePlan) and is_divisible(effect)
        self._ledger = ledger
        self._workers = workers

    async def check(self) -> None:
        """Re-hash the plan's files: done when a yes comes, and again by the ledger when it writes.

        Raises:
            Conflict: The vault has changed since.
        """
        if isinstance(self.effect, ChangePlan):
            await asyncio.get_running_loop().run_in_executor(self._workers, self._ledger.check, self.effect)

    async def part(self, keep: KeptHunks) -> str:
        """Leave everything out that is not kept, and check the rest.

        Returns:
            The digest of what will be done.

        Raises:
            InvalidParameters: The choice makes no sense; all is as before.
            Conflict: The vault has changed since.
        """
        if not isinstance(self.effect, ChangePlan):
            raise TypeError("only a change plan has hunks")
        work = asyncio.get_running_loop().run_in_executor(self._workers, self._ledger.part, self.effect, keep)
        partial = await work
        self.effect, self.left_out = partial.plan, partial.left_out
        return partial.plan.digest

    def tell(self, output: Output) -> Output:
        """A tool's answer, with what the person left out."""
        if not self.left_out:
            return output
        facts = [_wire(file) for file in self.left_out]
        data = output.data | {"leftOut": facts} if isinstance(output.data, dict) else output.data
        lines = ["", "The user left out the following; do not repeat it without asking them why."]
        for file in self.left_out:
            which = f"{len(file.hunks)} of {file.of} hunks" if file.hunks else "the whole file"
            lines += [f"{file.path} ({file.change}): {which}", file.diff.removesuffix("\n")]
        return Output(data, output.text + "\n".join(lines), output.metadata)


def _wire(file: LeftOut) -> Mapping[str, Any]:
    return {
        "path": file.path,
        "change": file.change,
        "hunks": list(file.hunks),
        "of": file.of,
        "diff": file.diff,
    }

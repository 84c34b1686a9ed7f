"""One change on its way through a question: what was proposed, what a person made of it, what its caller is told."""

import asyncio
import dataclasses
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

from bridge.identity.caller import Caller
from bridge.journal.ledger import Ledger
from bridge.toolkit.effects.change import PlannedChange
from bridge.toolkit.tool import Applied, Output
from bridge.vault.partial import KeptHunks, LeftOut, is_divisible
from bridge.vault.plan import ChangePlan
from bridge.vault.revision import HunkText, RevisedLines, RevisedPlan, is_editable, revised_lines

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class PlanEdit:
    """That a person has edited the text of a plan.

    Attributes:
        by: At which screen.
        digest: Of the plan that came of it.
    """

    by: Caller
    digest: str


class Approval:
    """One change on its way through a question.

    Args:
        effect: What the tool will do, as the person is shown it.
        ledger: Looks at the vault again.
        workers: Threads for that.
        warned: Adds to a plan the warnings of what its diff does not show.
        own_warnings: Those that the tool gave its plan itself.

    Attributes:
        effect: What is to be done: what was proposed, and then what the person made of it.
        left_out: What the person left out of it.
    """

    def __init__(
        self,
        effect: PlannedChange,
        ledger: Ledger,
        workers: Executor,
        *,
        warned: Callable[[ChangePlan], ChangePlan] = lambda plan: plan,
        own_warnings: tuple[str, ...] = (),
    ) -> None:
        self.effect = effect
        self.left_out: tuple[LeftOut, ...] = ()
        self._proposed = effect.plan
        self._before: dict[str, bytes] = {}
        """The bytes from before of each file that the person has edited."""
        self._ledger = ledger
        self._workers = workers
        self._warned = warned
        self._own_warnings = tuple(f"About the text before you edited it: {warning}" for warning in own_warnings)

    @property
    def plan(self) -> ChangePlan:
        """What is to be done."""
        return self.effect.plan

    @property
    def held(self) -> int:
        """Bytes of new text and of diffs that are kept while the change waits."""
        text = sum(map(len, self.plan.blobs.values()))
        return text + sum(len(preview.diff) for preview in self.plan.previews)

    @property
    def is_divisible(self) -> bool:
        """Whether hunks may be left out."""
        return is_divisible(self.plan)

    @property
    def is_editable(self) -> bool:
        """Whether the person may edit the text first."""
        return is_editable(self.plan)

    async def check(self) -> None:
        """Re-hash the plan's files: done when a yes comes, and again by the ledger when it writes.

        Raises:
            Conflict: The vault has changed since.
        """
        await self._working(self._ledger.check, self.plan)

    async def keep_selected(self, keep: KeptHunks) -> str:
        """Leave everything out that is not kept, and check the rest.

        Args:
            keep: The hunks wanted of each file, by path, counted from 0.

        Returns:
            The digest of what will be done.

        Raises:
            InvalidParameters: The choice makes no sense; all is as before.
            Conflict: The vault has changed since.
        """
        partial = await self._working(self._ledger.part, self.plan, keep)
        self.effect, self.left_out = self.with_plan(partial.plan), partial.left_out
        return partial.plan.digest

    async def revised(self, text: HunkText) -> RevisedPlan:
        """The plan with other text in one hunk, with warnings of its own. It holds once it is taken.

        Args:
            text: The text, and for which hunk.

        Raises:
            InvalidParameters: There is no such hunk, or the text cannot be written.
            Conflict: The vault has changed since.
        """

        def revised() -> RevisedPlan:
            found = self._ledger.revise(dataclasses.replace(self.plan, warnings=self._own_warnings), text)
            return dataclasses.replace(found, plan=self._warned(found.plan))

        return await self._working(revised)

    def with_plan(self, plan: ChangePlan) -> PlannedChange:
        """Return the same effect with another plan."""
        return dataclasses.replace(self.effect, plan=plan)

    def take(self, revised: RevisedPlan) -> None:
        """From now on this is what is to be done."""
        self.effect = self.with_plan(revised.plan)
        self._before[revised.path] = revised.old

    def reported(self, applied: Applied) -> Applied:
        """What was done, for the tool's report: without the diffs of files whose text is the person's.

        They show what is in the file, which whoever proposed the change may not have read.
        """
        previews = tuple(
            shown.model_copy(update={"diff": ""}) if shown.path in self._before else shown
            for shown in applied.plan.previews
        )
        return dataclasses.replace(applied, plan=dataclasses.replace(applied.plan, previews=previews))

    def in_answer(self, output: Output) -> Output:
        """Return a tool's answer, and in it what the person edited and left out."""
        facts: dict[str, Any] = {}
        lines = [""]
        if revised := self._revised_lines():
            facts["revised"] = [{"path": file.path, "diff": file.diff, "otherLines": file.others} for file in revised]
            lines.append("The user edited your text before allowing it; what they wrote is what is there now.")
            for file in revised:
                lines += [f"{file.path}:", *file.diff.splitlines()]
                lines += [f"{_lines(file.others)} that you did not propose."] if file.others else []
        if self.left_out:
            facts["leftOut"] = [self._left_out(part) for part in self.left_out]
            lines.append("The user left out the following; do not repeat it without asking them why.")
            for part in self.left_out:
                which = f"{len(part.hunks)} of {part.of} hunks" if part.hunks else "the whole file"
                lines += [f"{part.path} ({part.change}): {which}", *self._diff(part).splitlines()]
        if not facts:
            return output
        data = output.data | facts if isinstance(output.data, dict) else output.data
        return dataclasses.replace(output, data=data, text=output.text + "\n".join(lines))

    def _revised_lines(self) -> list[RevisedLines]:
        """What became of the lines that were proposed, for each file that the person edited and that was written."""
        after = {change.path: change.after for change in self.plan.changes}
        found = []
        for change, shown in zip(self._proposed.changes, self._proposed.previews, strict=False):
            if change.path in self._before and (written := after.get(change.path)) is not None:
                proposed = self._proposed.blobs[change.after or ""], shown
                old = self._before[change.path]
                found.append(revised_lines(change.path, old, proposed, self.plan.blobs[written]))
        return found

    def _left_out(self, file: LeftOut) -> dict[str, Any]:
        return {
            "path": file.path,
            "change": file.change,
            "hunks": list(file.hunks),
            "of": file.of,
            "diff": self._diff(file),
        }

    def _diff(self, file: LeftOut) -> str:
        """What was left out, as whoever proposed it may see it: not the person's own text."""
        return "" if file.path in self._before else file.diff

    async def _working(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._workers, work, *arguments)


def _lines(count: int) -> str:
    return "They changed 1 line" if count == 1 else f"They changed {count} lines"

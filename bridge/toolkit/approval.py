"""One change on its way through a question: what was proposed, what a person made of it, what its caller is told."""

import asyncio
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, TypeVar

from bridge.contract.consent import LineComment, Take
from bridge.contract.drafts import ReviewComment
from bridge.drafts.store import Drafts, said_of
from bridge.errors import InvalidParameters
from bridge.identity.caller import Caller
from bridge.journal.ledger import Ledger
from bridge.toolkit.effects.change import PlannedChange
from bridge.toolkit.tool import Applied, Output
from bridge.vault.person_edits import (
    HunkText,
    KeptHunks,
    LeftOut,
    RevisedLines,
    RevisedPlan,
    is_divisible,
    is_editable,
    revised_lines,
)
from bridge.vault.plan import ChangeKind, ChangePlan, Rest

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class PlanEdit:
    """An edit by a person of the text of a plan.

    Attributes:
        by: The screen at which it was made.
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
        drafted: Where the plan is that of a draft: knows the draft.
        who: Whose that is, for people.

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
        drafted: Drafts | None = None,
        who: str = "",
    ) -> None:
        self._drafted = drafted if effect.plan.draft is not None else None
        self._who = who
        self._whole = effect.plan
        """The plan before anything was left out of it."""
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
        """Return the plan to be carried out."""
        return self.effect.plan

    @property
    def held(self) -> int:
        """Return the bytes of new text and of diffs that are kept while the change waits."""
        text = sum(map(len, self.plan.blobs.values()))
        return text + sum(len(preview.diff) for preview in self.plan.previews)

    @property
    def is_divisible(self) -> bool:
        """Return whether hunks may be left out."""
        return is_divisible(self.plan)

    @property
    def is_editable(self) -> bool:
        """Return whether the person may edit the text first."""
        return is_editable(self.plan)

    async def check(self) -> None:
        """Re-hash the plan's files: done when a yes comes, and again by the ledger when it writes.

        Raises:
            Conflict: The vault has changed since.
        """
        await self._working(self._ledger.check, self.plan)

    @property
    def is_draft(self) -> bool:
        """Return whether it is a draft, which can be sent back."""
        return self._drafted is not None

    async def comments(self, said: Sequence[LineComment]) -> tuple[ReviewComment, ...]:
        """Return the person's comments on files and lines, as the client of the draft is told.

        Raises:
            InvalidParameters: There is no such file or line.
        """
        drafted, draft = self._of_draft
        return await self._working(drafted.comments, draft, self.plan, said)

    def send_rest_back(self, words: str, comments: tuple[ReviewComment, ...]) -> None:
        """Keep what is left out in the draft, and send it back to its client."""
        whole = {change.path: change for change in self._whole.changes}
        moved = {change.path: change.new_path for change in self._whole.changes if change.kind is ChangeKind.MOVE}
        files: dict[str, bytes | None] = {}
        for left in self.left_out:
            is_part = left.change == ChangeKind.MODIFY and len(left.hunks) < left.of
            after = whole[left.path].after or ""
            files[moved.get(left.path) or left.path] = self._whole.blobs[after] if is_part else None
        for place in self.plan.conflicts:
            if place.taken is None:
                files.setdefault(place.path, None)
        self.effect = self.with_plan(dataclasses.replace(self.plan, rest=Rest(files, words, comments)))

    @property
    def _of_draft(self) -> tuple[Drafts, str]:
        if self._drafted is None or self.plan.draft is None:
            raise InvalidParameters("Only a draft can be sent back, and its files be commented on")
        return self._drafted, self.plan.draft

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
        self._whole = self.plan
        partial = await self._working(self._ledger.part, self.plan, keep)
        self.effect, self.left_out = self.with_plan(partial.plan), partial.left_out
        return partial.plan.digest

    async def revised(self, change: HunkText | Mapping[str, Take] | None, by: str) -> RevisedPlan:
        """Return the plan with other text in one hunk, with warnings of its own. It holds once it is taken.

        Of a draft that is handed in, the text becomes part of the draft.

        Args:
            change: The text, and for which hunk; of a draft also what is taken where others changed the same, or None
                where the vault has changed.
            by: The person's screen.

        Raises:
            InvalidParameters: There is no such hunk or place, or the text cannot be written.
            Conflict: The vault has changed since.
        """

        def revised() -> RevisedPlan:
            if not isinstance(change, HunkText):
                drafted, draft = self._of_draft
                if change is not None and self._before and not drafted.is_handed_in(draft):
                    raise InvalidParameters("You have edited the text; choose what is taken first, then edit")
                plan = drafted.renewed(draft, self._who) if change is None else drafted.choose(draft, self._who, change)
                return RevisedPlan(self._warned(plan), "", b"")
            found = self._ledger.revise(dataclasses.replace(self.plan, warnings=self._own_warnings), change)
            if (
                self._drafted is not None
                and self.plan.draft is not None
                and self._drafted.is_handed_in(self.plan.draft)
            ):
                if any(place.path == found.path and place.taken is None for place in self.plan.conflicts):
                    raise InvalidParameters(f"Choose what is taken in {found.path!r} first, then edit it")
                after = next(one.after for one in found.plan.changes if one.path == found.path)
                data = found.plan.blobs[after or ""]
                plan = self._drafted.edit(self.plan.draft, self._who, found.path, data, by)
                return RevisedPlan(self._warned(plan), found.path, found.old)
            return found._replace(plan=self._warned(found.plan))

        return await self._working(revised)

    def with_plan(self, plan: ChangePlan) -> PlannedChange:
        """Return the same effect with another plan."""
        return dataclasses.replace(self.effect, plan=plan)

    def take(self, revised: RevisedPlan) -> None:
        """Take this as what is to be done from now on."""
        self.effect = self.with_plan(revised.plan)
        if revised.path:
            self._before[revised.path] = revised.old
        elif not self._before:
            self._proposed = revised.plan

    def reported(self, applied: Applied) -> Applied:
        """Return what was done, for the tool's report: without the diffs of files whose text is the person's.

        They show what is in the file, which whoever proposed the change may not have read.
        """
        previews = tuple(
            shown.model_copy(update={"diff": ""}) if shown.path in self._before else shown
            for shown in applied.plan.previews
        )
        return applied._replace(plan=dataclasses.replace(applied.plan, previews=previews))

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
            if self.plan.rest is not None:
                lines[-1] = "The user sent the following back; it stays in the draft."
                lines += [said_of(comment) for comment in self.plan.rest.comments]
                facts["sentBack"] = [comment.to_wire() for comment in self.plan.rest.comments]
            for part in self.left_out:
                which = f"{len(part.hunks)} of {part.of} hunks" if part.hunks else "the whole file"
                lines += [f"{part.path} ({part.change}): {which}", *self._diff(part).splitlines()]
        if not facts:
            return output
        data = output.data | facts if isinstance(output.data, dict) else output.data
        return dataclasses.replace(output, data=data, text=output.text + "\n".join(lines))

    def _revised_lines(self) -> list[RevisedLines]:
        """Return what became of the proposed lines, for each file that the person edited and that was written."""
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
        """Return the diff of what was left out, as whoever proposed it may see it: not of the person's own text."""
        return "" if file.path in self._before else file.diff

    async def _working(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._workers, work, *arguments)


def _lines(count: int) -> str:
    return "They changed 1 line" if count == 1 else f"They changed {count} lines"

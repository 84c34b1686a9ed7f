"""A change that the person is asked about: as it was planned, what they make of it, what its caller is told of that."""

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bridge.contract.consent import LineComment, Operation, Preview, Take
from bridge.contract.drafts import ReviewComment
from bridge.contract.tools import WritePlan
from bridge.drafts.store import Drafts, said_of
from bridge.errors import InvalidParameters
from bridge.journal.plan_executor import unsaved_warnings
from bridge.policy.risk import Risk, additions_of, assess, with_hazards
from bridge.policy.targets import Target
from bridge.settings.model import Settings
from bridge.toolkit.effects.kind import EffectKind, Terms
from bridge.toolkit.tool import Output, Relayed, ToolSpec, in_vault
from bridge.toolkit.tool_call import ToolCall
from bridge.vault import person_edits as edits
from bridge.vault.plan import Applied, ChangeKind, ChangePlan, Hazard, Rest
from bridge.vault.text import counted

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import CallServices, Running

T = TypeVar("T")


_MANY: Final = 100  # changes of which the question is worked out beside the loop
_CARRIES = "It adds an address that carries text of a note, which would leave when the address is followed"


@dataclass(frozen=True)
class PlannedChange(EffectKind):
    """A change of files.

    Attributes:
        plan: The change.
    """

    plan: ChangePlan

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """Return every file that it touches, and those of which it says why it does not."""
        return in_vault(*self.plan.targets, *(one.path for one in self.plan.left))

    @property
    def is_large(self) -> bool:
        """Return whether it changes many files."""
        return len(self.plan.changes) > _MANY

    @property
    def summary(self) -> str:
        """Return the question's sentence."""
        return self.plan.summary

    def operation(self, spec: ToolSpec) -> Operation:
        """Return what the plan as a whole does."""
        del spec
        return self.plan.operation

    def risk(self, spec: ToolSpec) -> Risk:
        """Return the plan's risk, unless the tool's is fixed."""
        return assess(spec.risk if spec.fixed_risk else None, self.plan)

    def terms(self) -> Terms:
        """Return what the rules and the question need to know of it."""
        return self._terms

    @cached_property
    def _terms(self) -> Terms:
        plan = self.plan
        return Terms(
            plan.subjects,
            subjects=in_vault(*plan.subjects),
            additions=additions_of(plan),
            files=plan.files,
            takes_back=plan.reversal is not None or plan.restores,
            reads=plan.reads,
            digest=plan.digest,
            draft=plan.draft,
            reason=plan.reason,
            size=sum(map(len, plan.blobs.values())),
            linked_from=plan.linked_from,
            insists=_CARRIES if Hazard.CARRIES in plan.hazards else "",
            hazards=plan.hazards,
        )

    def preview(self, spec: ToolSpec, tool_call: ToolCall, settings: Settings, insists: str) -> Preview:
        """Return the diffs, and where the bytes from before go."""
        overwrites = any(change.before for change in self.plan.changes)
        backup = f".vault-bridge/backups/{tool_call.execution_id}/"
        return Preview(
            files=self.plan.previews,
            backup=backup if overwrites and settings.patch_backup_enabled and not spec.by_caller else None,
            warnings=(*self.plan.warnings, *([insists] if insists else [])),
            conflicts=self.plan.conflicts,
        )

    def call_plan(self, spec: ToolSpec) -> WritePlan:
        """Return the diffs."""
        plan = self.plan
        return WritePlan(**self._members(spec), digest=plan.digest, files=plan.previews, warnings=plan.warnings)

    async def ask_to_show(self, running: "Running") -> None:
        """Return when the caller may see the diffs."""
        what = f"Show what {running.tool.spec.title} would change: {self.summary}"
        await running.ask_to_tell(self.targets, what)

    @abstractmethod
    async def carry_out(self, running: "Running") -> Output | Relayed:
        """Do it, and return what the caller is answered."""


def with_warnings(services: "CallServices", plan: ChangePlan, *, by_caller: bool = False) -> ChangePlan:
    """Return a plan with warnings of what its diff does not show: the same for every tool that writes. Blocks.

    Args:
        services: The services that calls need.
        plan: The plan, with the warnings that its tool gave it.
        by_caller: Whether its caller makes the change itself, so that no backups are kept.
    """
    shown = with_hazards(plan)
    found = [*unsaved_warnings(plan, services.ledger.editors), *services.losses(plan), *services.read_only(plan)]
    if not by_caller and is_lost(services, plan):
        found.append(edits.NO_BACKUP)
    return replace(shown, warnings=(*found, *shown.warnings)) if found else shown


def is_lost(services: "CallServices", plan: ChangePlan) -> bool:
    """Return whether the user has set that what a plan replaces is lost."""
    return edits.needs_backup(plan) and not services.settings().patch_backup_enabled


class Approval:
    """One change on its way through a question.

    Args:
        effect: What the tool will do, as the person is shown it.
        services: The services that calls need.
        own_warnings: The warnings that the tool gave its plan itself.
        who: Whose the plan is, for people.

    Attributes:
        effect: What is to be done: what was proposed, and then what the person made of it.
        left_out: What the person left out of it.
    """

    def __init__(
        self, effect: PlannedChange, services: "CallServices", *, own_warnings: tuple[str, ...] = (), who: str = ""
    ) -> None:
        self._services = services
        self._who = who
        self._whole = effect.plan  # the plan before anything was left out of it
        self.effect = effect
        self.left_out: tuple[edits.OmittedPart, ...] = ()
        self._proposed = effect.plan
        self._before: dict[str, bytes] = {}  # the bytes from before of each file that the person has edited
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
    def offered(self) -> dict[str, bool]:
        """Return what the question offers besides: whether hunks may be left out, and the text edited first."""
        return {"hunks_supported": edits.is_divisible(self.plan), "editable": edits.is_editable(self.plan)}

    async def check(self) -> None:
        """Re-hash the plan's files: done when a yes comes, and again by the ledger when it writes.

        Raises:
            Conflict: The vault has changed since.
        """
        await self._working(self._services.ledger.check, self.plan)

    @property
    def is_draft(self) -> bool:
        """Return whether it is a draft, which can be sent back."""
        return self._services.drafts is not None and self.plan.draft is not None

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
        self.effect = self.with_plan(replace(self.plan, rest=Rest(files, words, comments)))

    @property
    def _of_draft(self) -> tuple[Drafts, str]:
        if self._services.drafts is None or self.plan.draft is None:
            raise InvalidParameters("Only a draft can be sent back, and its files be commented on")
        return self._services.drafts, self.plan.draft

    async def keep_selected(self, keep: edits.KeptHunks) -> str:
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
        partial = await self._working(self._services.ledger.part, self.plan, keep)
        self.effect, self.left_out = self.with_plan(partial.plan), partial.left_out
        return partial.plan.digest

    async def revised(self, change: edits.HunkText | Mapping[str, Take] | None, by: str) -> edits.RevisedPlan:
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

        def revised() -> edits.RevisedPlan:
            if not isinstance(change, edits.HunkText):
                drafts, name = self._of_draft
                if change is not None and self._before and not drafts.is_handed_in(name):
                    raise InvalidParameters("You have edited the text; choose what is taken first, then edit")
                plan = drafts.renewed(name, self._who) if change is None else drafts.choose(name, self._who, change)
                return edits.RevisedPlan(with_warnings(self._services, plan), "", b"")
            found = self._services.ledger.revise(replace(self.plan, warnings=self._own_warnings), change)
            drafted, draft = self._services.drafts, self.plan.draft
            if drafted is not None and draft is not None and drafted.is_handed_in(draft):
                if any(place.path == found.path and place.taken is None for place in self.plan.conflicts):
                    raise InvalidParameters(f"Choose what is taken in {found.path!r} first, then edit it")
                after = next(one.after for one in found.plan.changes if one.path == found.path)
                plan = drafted.edit(draft, self._who, found.path, found.plan.blobs[after or ""], by)
                found = edits.RevisedPlan(plan, found.path, found.old)
            return found._replace(plan=with_warnings(self._services, found.plan))

        return await self._working(revised)

    def with_plan(self, plan: ChangePlan) -> PlannedChange:
        """Return the same effect with another plan."""
        return replace(self.effect, plan=plan)

    def take(self, revised: edits.RevisedPlan) -> None:
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
        return applied._replace(plan=replace(applied.plan, previews=previews))

    def in_answer(self, output: Output) -> Output:
        """Return a tool's answer, and in it what the person edited and left out."""
        facts: dict[str, Any] = {}
        lines = [""]
        if revised := self._revised_lines():
            facts["revised"] = [{"path": file.path, "diff": file.diff, "otherLines": file.others} for file in revised]
            lines.append("The user edited your text before allowing it; what they wrote is what is there now.")
            for file in revised:
                lines += [f"{file.path}:", *file.diff.splitlines()]
                if file.others:
                    lines.append(f"They changed {counted(file.others, 'line')} that you did not propose.")
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
        return replace(output, data=data, text=output.text + "\n".join(lines))

    def _revised_lines(self) -> list[edits.RevisedLines]:
        """Return what became of the proposed lines, for each file that the person edited and that was written."""
        after = {change.path: change.after for change in self.plan.changes}
        found = []
        for change, shown in zip(self._proposed.changes, self._proposed.previews, strict=False):
            if change.path in self._before and (written := after.get(change.path)) is not None:
                proposed = self._proposed.blobs[change.after or ""], shown
                old = self._before[change.path]
                found.append(edits.revised_lines(change.path, old, proposed, self.plan.blobs[written]))
        return found

    def _left_out(self, file: edits.OmittedPart) -> dict[str, Any]:
        part = {"path": file.path, "change": file.change, "hunks": list(file.hunks), "of": file.of}
        return part | {"diff": self._diff(file)}

    def _diff(self, file: edits.OmittedPart) -> str:
        """Return the diff of what was left out, as whoever proposed it may see it: not of the person's own text."""
        return "" if file.path in self._before else file.diff

    async def _working(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._services.person_workers, work, *arguments)

"""The common parts of effects that are a change plan: how they are shown, asked about and applied."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from bridge.contract.consent import Operation, Preview
from bridge.contract.tools import WritePlan
from bridge.journal.editors import unsaved_warnings
from bridge.journal.journal import Cause
from bridge.policy.risk import Risk, additions_of, assess, with_hazards
from bridge.policy.targets import Target
from bridge.settings.model import Settings
from bridge.toolkit.effects.kind import EffectKind, Terms
from bridge.toolkit.tool import Applied, Output, Relayed, ToolSpec, in_vault
from bridge.toolkit.tool_call import ToolCall
from bridge.vault.paths import without_middle
from bridge.vault.person_edits import NO_BACKUP, needs_backup
from bridge.vault.plan import ChangePlan, Hazard

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import CallServices, Running

_MANY: Final = 100
"""Changes of which the question is worked out beside the loop."""
_MOST_SAID: Final = 1000
"""Bytes of an answer about a change; of a longer one, long paths are shortened."""
_LONGEST_PATH: Final = 100
"""Bytes of a path that is named in such an answer, or characters from which it is shortened."""
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
    if not by_caller and _is_lost(services, plan):
        found.append(NO_BACKUP)
    return replace(shown, warnings=(*found, *shown.warnings)) if found else shown


def _is_lost(services: "CallServices", plan: ChangePlan) -> bool:
    """Return whether the user has set that what a plan replaces is lost."""
    return needs_backup(plan) and not services.settings().patch_backup_enabled


async def apply(running: "Running", plan: ChangePlan) -> Applied:
    """Hand a plan to the ledger. A write once begun is finished, also when the caller goes away."""
    tool_call, services = running.tool_call, running.services
    await note_addresses(running, plan)
    cause = Cause(
        execution_id=tool_call.execution_id,
        tool=tool_call.tool,
        client=tool_call.caller.name,
        session_id=tool_call.caller.session_id,
        call_id=tool_call.call_key,
        arguments_hash=tool_call.arguments_hash,
        kind=plan.reversal or "change",
        reverses=plan.reverses,
        credential=tool_call.caller.subject,
        grant=tool_call.grant,
    )
    done = await running.to_end(partial(services.ledger.apply, plan, cause))
    return Applied(done.execution_id, done.backup, plan, done.disposal)


async def note_addresses(running: "Running", plan: ChangePlan) -> None:
    """Keep whose the addresses are that a plan writes. Raises ExecutionFailed where that is not possible."""
    if running.services.outgoing is not None:
        await running.in_thread(partial(running.services.outgoing.writing, running.tool_call.caller, plan))


def with_id(services: "CallServices", output: Output, applied: Applied, *, named: bool = True) -> Output:
    """Return the answer to a write with the name under which it can be undone, or that it cannot.

    Args:
        services: The services that calls need.
        output: The tool's own answer.
        applied: The ledger's result.
        named: Whether the answer says the change's name.
    """
    name = applied.execution_id if named else ""
    text = output.text if name in output.text else f"{output.text} ({name})"
    can_undo = applied.backup is not None or not _is_lost(services, applied.plan)
    return replace(output, text=text if can_undo else f"{text}\nNo backup was kept, so this cannot be undone.")


def with_short_paths(output: Output, plan: ChangePlan) -> Output:
    """Return an answer about a change, of whose long paths the middle is left out where it is too long.

    Args:
        output: The tool's own answer. Its data has the paths as they are.
        plan: The change.
    """
    text = output.text
    if len(text.encode()) <= _MOST_SAID:
        return output
    paths = (*plan.targets, *(one.path for one in plan.left))
    names = {path[:end] for path in paths for end in (len(path), path.rfind("."), *_folders(path))}
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, without_middle(name, _LONGEST_PATH)) if len(name) > _LONGEST_PATH else text
    return replace(output, text=text)


def _folders(path: str) -> Iterator[int]:
    """Yield where each of the folders that a path lies in ends."""
    return (place for place, character in enumerate(path) if character == "/")

"""Making in the vault what a program has done to a copy of it, as one change that the person has seen."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Self

from bridge.contract.consent import Operation
from bridge.errors import Conflict
from bridge.toolkit.approval import Approval
from bridge.toolkit.effects.change import PlannedChange, apply, with_id, with_warnings
from bridge.toolkit.effects.kind import Terms
from bridge.toolkit.tool import Outcome, Output
from bridge.toolkit.tool_call import Phase
from bridge.vault.plan import Change, ChangeKind, ChangePlan

if TYPE_CHECKING:
    from bridge.toolkit.effects.running import Running

MOST_CONFLICTS: Final = 100
"""Files that others changed in the instant in which a program's changes are made, and that are left alone; beyond that
nothing is changed."""
_INSISTS: Final = "a program did this to a copy of the vault; what it changes in the vault is asked about every time"


@dataclass(frozen=True)
class ProgramChange(PlannedChange):
    """What a program did to a copy of the vault.

    Attributes:
        planned: The plan, without the warnings that the person is shown.
        outcome: How the program's tool plans and reports it.
    """

    planned: ChangePlan
    outcome: Outcome

    def terms(self) -> Terms:
        """Return what the rules need to know of it."""
        return replace(super().terms(), insists=_INSISTS)

    async def ask(self, running: "Running") -> Self:
        """Ask the person. Their time is not the call's."""
        services = running.services
        with running.time_paused():
            await running.ask(self, Approval(self, services.ledger, services.person_workers))
        return self

    async def carry_out(self, running: "Running") -> Output:
        """Apply it, and report what the program did."""
        running.tool_call.phase = Phase.WRITING
        applied = await apply(running, self.planned)
        running.tool_call.made = self.planned
        return with_id(running.services, self.outcome.report(applied), applied)


async def take_over(running: "Running", outcome: Outcome) -> Output:
    """Make an outcome in the vault.

    What others changed meanwhile is left alone, and the person is asked about what remains.

    Raises:
        PermissionDenied: They say no.
        Conflict: The vault does not hold still.
    """

    def refused(path: str) -> str | None:
        if path in conflicts:
            return conflicts[path]
        writing = ChangePlan(Operation.UPDATE, "", (Change(ChangeKind.MODIFY, path),), {})
        verdict = running.verdict(ProgramChange(writing, writing, outcome))[1]
        return verdict.why if verdict.outcome == "deny" else None

    conflicts: dict[str, str] = {}
    while True:
        plan = await running.in_thread(partial(outcome.plan, refused))
        if plan is None:
            return outcome.report(None)
        shown = await running.in_thread(partial(with_warnings, running.services, plan))
        try:
            change = await ProgramChange(shown, plan, outcome).ask(running)
            return await change.carry_out(running)
        except Conflict as conflict:
            if running.tool_call.made is plan:
                raise  # not the change failed, but its report
            running.tool_call.phase = Phase.RUNNING
            path = conflict.data.get("path")
            if not isinstance(path, str) or path in conflicts or len(conflicts) > MOST_CONFLICTS:
                raise
            conflicts[path] = conflict.message

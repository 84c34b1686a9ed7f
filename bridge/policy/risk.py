"""The risk of a change: judged by its effect on the vault, not by the tool that plans it.

The thresholds are those of `docs/protocol.md`, "Risk". Nothing is decided by the risk; it is shown with the question.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from bridge.contract.consent import Addition, FilePreview, RiskLevel
from bridge.vault.plan import ChangeKind, ChangePlan, Hazard

MANY_LINES: Final = 20
"""Lines lost, or replaced with the whole text, from which a change is of high risk."""
MANY_CHANGED_LINES: Final = 100
"""Lines that get another text, from which it is."""
MANY_FILES: Final = 20
"""Files moved or changed, from which it is; files created or only added to, from which it is of medium risk."""

_ORDER: Final = tuple(RiskLevel)
_HAZARDS: Final = {
    Hazard.RUNS: (RiskLevel.HIGH, "adds text that runs as a program"),
    Hazard.HIDES: (RiskLevel.HIGH, "adds characters that cannot be seen"),
    Hazard.LOOKS_ALIKE: (RiskLevel.MEDIUM, "adds letters that look like others"),
    Hazard.LOADS: (RiskLevel.MEDIUM, "adds text that loads something from the network"),
    Hazard.CARRIES: (RiskLevel.HIGH, "adds an address that carries text of a note"),
    Hazard.LEADS_OUT: (RiskLevel.MEDIUM, "adds a link that leads out of the vault"),
}
_ADDS: Final = {Addition.TAG: "adds tags", Addition.PROPERTY: "adds properties", Addition.APPEND: "adds text"}

_Part = tuple[RiskLevel, str]


class Risk(NamedTuple):
    """The risk of a call.

    Attributes:
        level: The level that is shown.
        reasons: What makes it so, in short phrases for people such as `deletes 3 files`, the worst first.
    """

    level: RiskLevel
    reasons: tuple[str, ...] = ()


def assess(fixed: RiskLevel | None, plan: ChangePlan) -> Risk:
    """Return the risk of a change.

    Args:
        fixed: The level that the tool has whatever it does; None to go by the plan.
        plan: The change, with its warnings.
    """
    parts = sorted(_parts(plan), key=lambda part: -_ORDER.index(part[0]))
    level = fixed or (parts[0][0] if parts else RiskLevel.LOW)
    return Risk(level, tuple(reason for _level, reason in parts))


def _parts(plan: ChangePlan) -> Iterator[_Part]:
    """Yield everything that a change does, each with the level that it alone would have."""
    count = {kind: sum(change.kind is kind for change in plan.changes) for kind in ChangeKind}
    if deleted := count[ChangeKind.DELETE]:
        yield RiskLevel.HIGH, f"deletes {_counted(deleted, 'file')}"
    elif count[ChangeKind.RMDIR] and not count[ChangeKind.MOVE]:
        yield RiskLevel.MEDIUM, f"removes {_counted(count[ChangeKind.RMDIR], 'folder')}"
    for hazard in dict.fromkeys(plan.hazards):
        yield _HAZARDS[hazard]
    if plan.moved:
        yield _many(len(plan.moved), RiskLevel.MEDIUM), f"moves {_counted(len(plan.moved), 'file')}"
    if plan.follows:
        yield _many(len(plan.follows), RiskLevel.MEDIUM), f"changes links in {_counted(len(plan.follows), 'file')}"
    own = [shown for shown in plan.previews if shown.change in {"modify", "move"} and not shown.follows]
    yield from _added(plan, own) if plan.additions is not None else _edited(plan, own)
    if created := count[ChangeKind.CREATE]:
        yield _many(created, RiskLevel.LOW), f"creates {_counted(created, 'file')}"
    elif count[ChangeKind.MKDIR] and not (plan.moved or count[ChangeKind.RMDIR]):
        yield RiskLevel.LOW, f"creates {_counted(count[ChangeKind.MKDIR], 'folder')}"
    if len(plan.warnings) > len(plan.hazards):
        yield RiskLevel.MEDIUM, "comes with a warning"


def _added(plan: ChangePlan, own: Sequence[FilePreview]) -> Iterator[_Part]:
    """Yield the risk of the additions that a change makes without doing anything else."""
    for addition, reason in _ADDS.items():
        if addition in (plan.additions or ()):
            yield RiskLevel.LOW, reason
    if len(own) >= MANY_FILES:
        yield RiskLevel.MEDIUM, f"changes {_counted(len(own), 'file')}"


def _edited(plan: ChangePlan, own: Sequence[FilePreview]) -> Iterator[_Part]:
    """Yield the risk of a change to existing lines."""
    lost = sum(max(shown.removed - shown.added, 0) for shown in own)
    changed = sum(min(shown.removed, shown.added) for shown in own)
    if plan.replaces:
        level = RiskLevel.HIGH if lost + changed >= MANY_LINES else RiskLevel.MEDIUM
        yield level, "replaces the whole text of a file"
    if lost:
        yield RiskLevel.HIGH if lost >= MANY_LINES else RiskLevel.MEDIUM, f"removes {_counted(lost, 'line')}"
    if changed:
        level = RiskLevel.HIGH if changed >= MANY_CHANGED_LINES else RiskLevel.MEDIUM
        yield level, f"changes {_counted(changed, 'line')}"
    if any(shown.change == "modify" and not shown.removed for shown in own):
        yield RiskLevel.MEDIUM, "adds lines that may change how others are read"
    if len(own) - len(plan.moved) >= MANY_FILES:
        yield RiskLevel.HIGH, f"changes {_counted(len(own) - len(plan.moved), 'file')}"


def _many(files: int, few: RiskLevel) -> RiskLevel:
    """Return the level of so many files, which is one higher from `MANY_FILES` on."""
    return few if files < MANY_FILES else _ORDER[_ORDER.index(few) + 1]


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def additions_of(plan: ChangePlan) -> frozenset[Addition] | None:
    """Return what a plan adds, when it does nothing else and there is nothing to warn of.

    Args:
        plan: The plan, with its warnings.

    Returns:
        The kinds of what is added; None when the plan does anything else.
    """
    return None if plan.warnings or plan.replaces or plan.reversal or plan.follows else plan.additions

"""Whether a plan only adds. What each step adds is judged while it is planned (`bridge.notes.additions.judge`)."""

from bridge.contract.consent import Addition
from bridge.vault.plan import ChangePlan


def additions_of(plan: ChangePlan) -> frozenset[Addition] | None:
    """What a plan adds, when it does nothing else and there is nothing to warn of.

    Args:
        plan: The plan, with its warnings.

    Returns:
        The kinds of what is added; None when the plan does anything else.
    """
    return None if plan.warnings or plan.replaces or plan.reversal or plan.follows else plan.additions

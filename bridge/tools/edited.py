"""What the tools that edit one file tell programs of what they did."""

from typing import Any

from bridge.toolkit.tool import Applied


def edited(applied: Applied) -> dict[str, Any]:
    """The file, its diff, and where its bytes from before are; None when none were kept.

    Args:
        applied: What the ledger did with a plan of one change.
    """
    (shown,) = applied.plan.previews
    return {
        "path": shown.path,
        "added": shown.added,
        "removed": shown.removed,
        "diff": shown.diff,
        "backup": applied.backup and applied.backup + shown.path,
    }

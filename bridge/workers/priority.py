"""The priority of a worker process's own work: what a person does goes first."""

import contextlib
import os
from typing import Final

LAST: Final = 19
"""For work that nobody waits for."""
LATER: Final = 10
"""For work that somebody may wait for, and that strangers can ask for in any amount."""


def step_back(nice: int) -> None:
    """Let other processes go first.

    Args:
        nice: `LATER` or `LAST`; on Windows these are the priorities below the normal one and for idle times.
    """
    import psutil  # noqa: PLC0415 - in a worker process alone

    with contextlib.suppress(psutil.Error, OSError):
        if os.name == "nt":
            nice = psutil.IDLE_PRIORITY_CLASS if nice == LAST else psutil.BELOW_NORMAL_PRIORITY_CLASS
        psutil.Process().nice(nice)

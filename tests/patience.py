"""How long tests wait for what comes at once on a machine that has nothing else to do."""

from typing import Final

PATIENCE: Final = 90
"""Seconds. Who waits so long for an event waits in vain, however busy the machine is: it bounds a failure, and is less
than what pytest gives a test. It is no claim about how long anything takes.
"""

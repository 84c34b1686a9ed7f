"""Load on this machine, and whether embedding passages should wait for it to pass."""

import os
from typing import Literal

LOAD = 2.0
"""Programs that wait for each processor, on average of a minute, from which the machine is busy."""

Strain = Literal["battery", "load"]


def strain() -> Strain | None:
    """Return what makes heavy work in the background unwelcome now; None if nothing does."""
    import psutil  # noqa: PLC0415 - a start is faster without

    # Not every system has these, and some containers may not ask.
    sensors = getattr(psutil, "sensors_battery", None)
    try:
        battery = sensors() if sensors is not None else None
        if battery is not None and battery.power_plugged is False:
            return "battery"
        if psutil.getloadavg()[0] > LOAD * (os.cpu_count() or 1):
            return "load"
    except (OSError, psutil.Error, AttributeError):
        return None
    return None

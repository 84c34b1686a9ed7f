"""Time, passed in wherever it matters, so that rules about time can be tested without waiting."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The time, as the bridge uses it."""

    def now(self) -> datetime:
        """Return the time of the wall clock, in UTC: for stamps that people read."""

    def monotonic(self) -> float:
        """Return seconds that never jump: for limits, time-outs and durations."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """Return the time of the wall clock, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return the seconds since some fixed moment."""
        return time.monotonic()


def stamp_of(seconds: float) -> str:
    """Return a time in seconds since 1970 as `stamp` does."""
    return stamp(datetime.fromtimestamp(seconds, UTC))


def moment_of(text: str) -> datetime:
    """Return the time that `stamp` wrote. Raise ValueError for what is none, or has no zone and cannot be compared."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"the time {text!r} has no zone")
    return moment


def stamp(moment: datetime) -> str:
    """Return ISO 8601 in UTC with milliseconds and `Z`, as every time on the wire and in the log is written."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

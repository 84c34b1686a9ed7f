"""Times as people type them (how long ago, or ISO 8601), and as they read them."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Final

from bridge.cli.arguments import BadArguments
from bridge.clock import stamp

SINCE_HELP: Final = "Only from this time on: 30m, 1h, 2d or 1w ago, 10:01, or ISO 8601."

_AGO: Final = re.compile(r"(\d{1,6})\s*([smhdw])", re.IGNORECASE)
_CLOCK: Final = re.compile(r"\d\d:\d\d(:\d\d)?")
_MINUTE: Final = 60
_HOUR: Final = 3_600
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def since_time(text: str | None, now: datetime | None = None) -> str | None:
    """Return the moment that a person means, as the bridge takes it; None where they named none.

    Args:
        text: What they typed: `1h`, `10:01` of today or else yesterday, or an ISO 8601 time, which is meant here where
            it names no zone.
        now: The time.

    Raises:
        BadArguments: It cannot be read.
    """
    if text is None:
        return None
    now = now or datetime.now(UTC)
    try:
        if ago := _AGO.fullmatch(text.strip()):
            return stamp(now - timedelta(**{_UNITS[ago[2].lower()]: int(ago[1])}))
        if _CLOCK.fullmatch(text.strip()):
            return stamp(_last(time.fromisoformat(text.strip()), now.astimezone()))
        return stamp(datetime.fromisoformat(text.strip()).astimezone())
    except (ValueError, OverflowError, OSError):
        raise BadArguments(f"{text!r} is not a time: write 30m, 1h, 2d or 1w, or a date such as 2026-01-31") from None


def _last(clock: time, now: datetime) -> datetime:
    """Return when it was last this time of day here."""
    today = datetime.combine(now.date(), clock)
    past = today if today.astimezone() <= now else datetime.combine(now.date() - timedelta(days=1), clock)
    return past.astimezone()


def until_words(moment: str, now: datetime | None = None) -> str:
    """Return when something ends, in the time of this machine: `18:20`, `tomorrow 18:20` or `2026-01-31 18:20`.

    Args:
        moment: ISO 8601.
        now: The time.
    """
    local, today = datetime.fromisoformat(moment).astimezone(), (now or datetime.now(UTC)).astimezone().date()
    clock = f"{local:%H:%M}"
    if local.date() == today:
        return clock
    return f"tomorrow {clock}" if local.date() == today + timedelta(days=1) else f"{local:%Y-%m-%d} {clock}"


def took_words(milliseconds: float | None) -> str:
    """Return how long something took: `12 ms`, `4.2 s`, `3 min` or `2.5 h`; `-` where that is not known."""
    if milliseconds is None:
        return "-"
    seconds = milliseconds / 1000
    if seconds < 1:
        return f"{milliseconds:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    return f"{seconds / _MINUTE:.0f} min" if seconds < _HOUR else f"{seconds / _HOUR:.1f} h"

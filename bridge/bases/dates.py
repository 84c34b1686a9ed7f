"""Dates and durations, read, moved, compared and put into words as in Obsidian, which uses moment.js for that.

A date is a moment with or without its time of day, seen in one time zone. A duration has years, months and days, which
are of the calendar, beside its hours, minutes and seconds.
"""

import math
import re
from calendar import monthrange
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta, tzinfo
from typing import Final, NamedTuple

from bridge.bases.failures import ExpressionError
from bridge.bases.numbers import Number, number_text, rounded
from bridge.notes.moment_format import format_moment

SECOND: Final = 1000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 (in UTC, as all that is counted from it)
_DATE: Final = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?", re.ASCII
)
_SIMPLE: Final = re.compile(r"(-?\d{1,15}) ?([A-Za-z]{1,8})", re.ASCII)
_ISO: Final = re.compile(
    r"P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?"
    r"T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?",
    re.ASCII,
)
_SHORT_UNITS: Final = {"y": "year", "M": "month", "w": "week", "d": "day", "h": "hour", "m": "minute", "s": "second"}
_UNITS: Final = dict(zip(_SHORT_UNITS.values(), ((0, 1), (1, 1), (2, 7), (2, 1), (3, 1), (4, 1), (5, 1)), strict=True))
"""Which part of a duration a unit is, and how many of that."""
_BEYOND: Final = "a date beyond the years 1 to 9999 is not evaluated"
_SURELY_WITHIN: Final = 61_000_000_000_000
"""Milliseconds before or after 1970 that are in the calendar in every zone: some 1,930 years."""
_CYCLE: Final = 28
"""Years after which the calendar repeats, within a century."""
_MONTH_DAYS: Final = 146_097 / 4800
"""Days of a month on the average, as moment.js has them."""


class Zone:
    """The time zone in which dates are seen.

    Args:
        zone: The zone; None for that of this computer.
    """

    __slots__ = ("_zone",)

    def __init__(self, zone: tzinfo | None = None) -> None:
        self._zone = zone

    def local(self, ms: int) -> datetime:
        """Return what clocks show at a moment.

        Args:
            ms: Milliseconds since 1970.

        Raises:
            ExpressionError: It is beyond the calendar.
        """
        try:
            utc = _EPOCH + timedelta(milliseconds=ms)
            return utc + self._offset(utc.replace(tzinfo=UTC))
        except (OverflowError, ValueError):
            raise ExpressionError(_BEYOND) from None

    def ms(self, local: datetime) -> int:
        """Return the moment at which clocks show something."""
        try:
            seconds = local.replace(tzinfo=self._zone).timestamp()
        except (OSError, OverflowError, ValueError):
            offset = self._offset(_near(local).replace(tzinfo=UTC))
            return (local - offset - _EPOCH) // timedelta(milliseconds=1)
        return round(seconds * SECOND)

    def aware(self, ms: int) -> datetime:
        """Return a moment with its offset, for what writes it."""
        utc = _EPOCH.replace(tzinfo=UTC) + timedelta(milliseconds=ms)
        try:
            return utc.astimezone(self._zone)
        except (OSError, OverflowError, ValueError):
            return utc

    def _offset(self, utc: datetime) -> timedelta:
        try:
            return utc.astimezone(self._zone).utcoffset() or timedelta()
        except (OSError, OverflowError, ValueError):  # before 1970, on Windows; the ends of the calendar
            return _near(utc).astimezone(self._zone).utcoffset() or timedelta()


def _near(when: datetime) -> datetime:
    """Return the same day in a year that every system supports."""
    return when.replace(year=1972 + (when.year - 1972) % _CYCLE, day=min(when.day, 28))


class Date:
    """A date, with or without its time of day.

    Args:
        ms: Milliseconds since 1970.
        zone: Where it is seen.
        has_time: Whether the time of day belongs to it.
    """

    __slots__ = ("_local", "has_time", "ms", "zone")

    def __init__(self, ms: int, zone: Zone, *, has_time: bool = True) -> None:
        self.ms, self.zone, self.has_time = ms, zone, has_time
        self._local: datetime | None = None

    def within(self) -> "Date":
        """Return it, where clocks can show it.

        Raises:
            ExpressionError: It is beyond the calendar.
        """
        if abs(self.ms) > _SURELY_WITHIN:
            self.zone.local(self.ms)
        return self

    @property
    def local(self) -> datetime:
        """Return the local time, as clocks show it."""
        if self._local is None:
            self._local = self.zone.local(self.ms)
        return self._local

    def day(self) -> "Date":
        """Return the same day without its time."""
        if not self.has_time:
            return self
        midnight = self.local.replace(hour=0, minute=0, second=0, microsecond=0)
        return Date(self.zone.ms(midnight), self.zone, has_time=False)

    def format(self, pattern: str) -> str:
        """Write it in a format of moment.js.

        Raises:
            ExpressionError: The format has the week of a day whose week is beyond the calendar.
        """
        try:
            return format_moment(self.zone.aware(self.ms), pattern)
        except OverflowError:
            raise ExpressionError(_BEYOND) from None

    def time(self) -> str:
        """Write its time of day."""
        local = self.local
        return f"{local.hour:02}:{local.minute:02}:{local.second:02}"

    def relative(self, now: int) -> str:
        """Say how far it is from now: `3 days ago`, `in 2 months`.

        Args:
            now: Milliseconds since 1970.
        """
        there, here = self.local, self.zone.local(now)
        months, rest = _difference(here, there)
        said = _humanised(months, 0, rest)
        return f"in {said}" if self.ms > now else f"{said} ago"

    def __str__(self) -> str:
        local = self.local
        date = f"{local.year:04}-{local.month:02}-{local.day:02}"
        return f"{date}T{self.time()}" if self.has_time else date


class Duration(NamedTuple):
    """A length of time by its parts, each of which may be negative or broken."""

    years: Number = 0
    months: Number = 0
    days: Number = 0
    hours: Number = 0
    minutes: Number = 0
    seconds: Number = 0
    milliseconds: Number = 0

    @property
    def clock_ms(self) -> Number:
        """Return the milliseconds of the parts below a day."""
        return self.hours * HOUR + self.minutes * MINUTE + self.seconds * SECOND + self.milliseconds

    def scaled(self, factor: Number) -> "Duration":
        """Return a multiple of it."""
        return Duration(*(part * factor for part in self))

    def added(self, other: "Duration", sign: int = 1) -> "Duration":
        """Return both together, part by part."""
        return Duration(*(own + sign * part for own, part in zip(self, other, strict=True)))

    def ms(self, now: Date) -> int:
        """Return how long it is, from now on: a month has as many days as this one."""
        return moved(now, self).ms - now.ms

    def humanised(self) -> str:
        """Say it in words, as moment.js does: `a day`, `14 days`, `2 hours`."""
        return _humanised(self.months + 12 * self.years, self.days, self.clock_ms)


def read_date(text: str, zone: Zone) -> Date | None:
    """Read a date as ISO 8601 writes it, with or without its time; None if the text is none.

    Args:
        text: The text, all of it.
        zone: The zone that it is in, where it names none.
    """
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, offset = found.groups()
    try:
        local = datetime(  # noqa: DTZ001 (the zone is applied below)
            int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0)
        )
        ms = int((fraction or "").ljust(3, "0")[:3])
        if offset is None:
            return Date(zone.ms(local) + ms, zone, has_time=hour is not None).within()
        return Date((local - _offset(offset) - _EPOCH) // timedelta(milliseconds=1) + ms, zone).within()
    except (ValueError, OverflowError, ExpressionError):
        return None


def _offset(text: str) -> timedelta:
    if text == "Z":
        return timedelta()
    minutes = int(text[1:3]) * 60 + int(text[3:].lstrip(":") or 0)
    return timedelta(minutes=-minutes if text[0] == "-" else minutes)


def read_duration(text: str) -> Duration | None:
    """Read a duration: `1d`, `2 weeks`, `-3 hours`, or as ISO 8601 has it with a time (`P1DT2H`); else None."""
    simple = _SIMPLE.fullmatch(text)
    if simple is not None:
        unit = _UNITS.get(_SHORT_UNITS.get(simple[2]) or simple[2].removesuffix("s"))
        if unit is None:
            return None
        parts = [0] * 7
        parts[unit[0]] = int(simple[1]) * unit[1]
        return Duration(*parts)
    iso = _ISO.search(text)
    if iso is None:
        return None
    years, months, weeks, days, hours, minutes, seconds = (int(part or 0) for part in iso.groups())
    return Duration(years, months, days + 7 * weeks, hours, minutes, seconds)


def moved(date: Date, by: Duration, sign: int = 1) -> Date:
    """Return a date moved by a duration: the calendar's parts one after the other, as JavaScript counts them.

    A day that a month does not have is one of the next month: a month after the 31st of January is in March.

    Raises:
        ExpressionError: It would be beyond the calendar.
    """
    clock = sign * by.clock_ms
    days = sign * by.days
    has_time = date.has_time or any((by.hours, by.minutes, by.seconds, by.milliseconds))
    try:
        if not (by.years or by.months or by.days):
            return Date(date.ms + round(clock), date.zone, has_time=has_time).within()
        local = date.local
        for step in (round(sign * by.years * 12), round(sign * by.months)):
            local = _with_months(local, step)
        whole_days = math.trunc(days)
        local += timedelta(days=whole_days)
        rest = (days - whole_days) * DAY + clock
        return Date(date.zone.ms(local) + round(rest), date.zone, has_time=has_time).within()
    except (OverflowError, ValueError):
        raise ExpressionError(_BEYOND) from None


def between(left: Date, right: Date) -> Duration:
    """Return how long it is from the right date to the left one."""
    return Duration(milliseconds=left.ms - right.ms)


def measured(duration: Duration, unit: str, now: Date) -> Number | None:
    """Return all of a duration in one unit, with its fraction, counted from now on; None for no unit.

    Args:
        duration: The duration.
        unit: `years`, `months`, `weeks`, `days`, `hours`, `minutes`, `seconds` or `milliseconds`.
        now: The time.
    """
    if unit in {"years", "months"}:
        then = moved(now, duration)
        months = _months_between(then.local, now.local)
        return _plain(months / 12 if unit == "years" else months)
    length = _LENGTHS.get(unit)
    if length is None:
        return None
    then = moved(now, duration)
    # A day is a day of the calendar, however long the clocks make it.
    ms = (then.local - now.local) / timedelta(milliseconds=1) if unit in {"weeks", "days"} else then.ms - now.ms
    return _plain(ms / length)


UNITS: Final = ("years", "months", "days", "weeks", "hours", "minutes", "seconds", "milliseconds")
_LENGTHS: Final = {"weeks": WEEK, "days": DAY, "hours": HOUR, "minutes": MINUTE, "seconds": SECOND, "milliseconds": 1}


def _plain(value: float) -> Number:
    return int(value) if value.is_integer() else value


def _with_months(local: datetime, months: int) -> datetime:
    """Return a date so many months later; a day that the month does not have overflows into the next."""
    total = local.year * 12 + local.month - 1 + months
    first = local.replace(year=total // 12, month=total % 12 + 1, day=1)
    return first + timedelta(days=local.day - 1)


def _clamped(local: datetime, months: int) -> datetime:
    """Return a date so many months later, as moment.js counts: the last day of a month that is too short.

    Raises:
        ExpressionError: It would be beyond the calendar.
    """
    total = local.year * 12 + local.month - 1 + months
    year, month = total // 12, total % 12 + 1
    if not MINYEAR <= year <= MAXYEAR:
        raise ExpressionError(_BEYOND)
    return local.replace(year=year, month=month, day=min(local.day, monthrange(year, month)[1]))


def _difference(here: datetime, there: datetime) -> tuple[int, float]:
    """Return the whole months from one date to another, and the milliseconds that are left; both with the sign."""
    if there < here:
        months, rest = _difference(there, here)
        return -months, -rest
    months = (there.year - here.year) * 12 + there.month - here.month
    if _clamped(here, months) > there:
        months -= 1
    return months, (there - _clamped(here, months)) / timedelta(milliseconds=1)


def _months_between(then: datetime, now: datetime) -> float:
    """Return the months from one date to another with their fraction, as moment.js counts them."""
    if then.day < now.day:
        return -_months_between(now, then)
    count = (now.year - then.year) * 12 + now.month - then.month
    anchor = _clamped(then, count)
    if now < anchor:
        part = (now - anchor) / (anchor - _clamped(then, count - 1))
    else:
        part = (now - anchor) / (_clamped(then, count + 1) - anchor)
    return -(count + part) or 0.0


def _humanised(months: Number, days: Number, ms: Number) -> str:
    """Return a length of time in moment.js's words, without its sign."""
    if months * _MONTH_DAYS + days + ms / DAY < 0:
        months, days, ms = -months, -days, -ms
    exact = days + rounded(months * _MONTH_DAYS) + ms / DAY
    in_months = months + (days + ms / DAY) / _MONTH_DAYS
    counts = {
        "second": rounded(exact * DAY / SECOND),
        "minute": rounded(exact * DAY / MINUTE),
        "hour": rounded(exact * DAY / HOUR),
        "day": rounded(exact),
        "month": rounded(in_months),
        "year": rounded(in_months / 12),
    }
    if counts["second"] < 45:  # noqa: PLR2004 (moment.js's thresholds)
        return "a few seconds"
    for unit, most in (("minute", 45), ("hour", 22), ("day", 26), ("month", 11), ("year", math.inf)):
        count = counts[unit]
        if count <= 1:
            return f"{'an' if unit == 'hour' else 'a'} {unit}"
        if count < most:
            return f"{number_text(count)} {unit}s"
    return ""

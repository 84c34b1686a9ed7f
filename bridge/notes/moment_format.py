"""Dates as moment.js writes them, in the names of daily notes and in templates.

Rules 81, 82, 99 and 100 of docs/obsidian.md. The names of months and days are English, and weeks begin on Sunday where
the format asks for the week of the language, as in moment's own language.
"""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

_LONG: Final = {
    "LTS": "h:mm:ss A",
    "LT": "h:mm A",
    "LLLL": "dddd, MMMM D, YYYY h:mm A",
    "LLL": "MMMM D, YYYY h:mm A",
    "LL": "MMMM D, YYYY",
    "L": "MM/DD/YYYY",
    "llll": "ddd, MMM D, YYYY h:mm A",
    "lll": "MMM D, YYYY h:mm A",
    "ll": "MMM D, YYYY",
    "l": "M/D/YYYY",
}
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_TEENS: Final = range(11, 14)

_Token = Callable[[datetime], str]


def format_moment(when: datetime, pattern: str) -> str:
    """Return a time in a format of moment.js.

    Args:
        when: The time, with its offset.
        pattern: The format: `YYYY-MM-DD`. What stands in `[...]`, and a token after a backslash, is literal.
    """
    spelled = _LONG_TOKEN.sub(lambda found: found[0] if found[3] is None or found[2] else _LONG[found[3]], pattern)
    return _TOKEN.sub(lambda found: _said(when, found), spelled)


def _said(when: datetime, found: re.Match[str]) -> str:
    literal, escaped, token = found.groups()
    if literal is not None:
        return literal
    write = None if escaped else _TOKENS.get(token)
    return token.replace("\\", "") if write is None else write(when)


def _ordinal(number: int) -> str:
    """Return an ordinal: `1st`, `2nd`, `11th`."""
    last = 0 if number % 100 in _TEENS else number % 10
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


def _weekday(when: datetime) -> int:
    """Return the day of the week, from Sunday, 0."""
    return when.isoweekday() % 7


def _week(when: datetime) -> tuple[int, int]:
    """Return the year and number of a week that begins on Sunday; the first is the one with the 1st of January."""
    day = when.date()
    sunday = day - timedelta(days=_weekday(when))
    year = (sunday + timedelta(days=6)).year
    first = date(year, 1, 1)
    return year, (sunday - first + timedelta(days=first.isoweekday() % 7)).days // 7 + 1


def _iso(when: datetime) -> tuple[int, int]:
    year, week, _day = when.isocalendar()
    return year, week


def _hour(when: datetime) -> int:
    return when.hour % 12 or 12


def _offset(when: datetime, colon: str) -> str:
    minutes = int((when.utcoffset() or timedelta()).total_seconds() // 60)
    sign, minutes = ("-" if minutes < 0 else "+"), abs(minutes)
    return f"{sign}{minutes // 60:02}{colon}{minutes % 60:02}"


def _written(number: Callable[[datetime], int], write: Callable[[int], str], when: datetime) -> str:
    return write(number(when))


def _fraction(when: datetime, digits: int) -> str:
    return f"{when.microsecond // 1000:03}".ljust(digits, "0")[:digits]


_NUMBERS: Final[dict[str, Callable[[datetime], int]]] = {
    "M": lambda when: when.month,
    "Q": lambda when: (when.month + 2) // 3,
    "D": lambda when: when.day,
    "DDD": lambda when: when.timetuple().tm_yday,
    "d": _weekday,
    "w": lambda when: _week(when)[1],
    "W": lambda when: _iso(when)[1],
    "y": lambda when: when.year,
    "H": lambda when: when.hour,
    "h": _hour,
    "k": lambda when: when.hour or 24,
    "m": lambda when: when.minute,
    "s": lambda when: when.second,
}
_TOKENS: Final[dict[str, _Token]] = {
    **{token: partial(_written, number, str) for token, number in _NUMBERS.items()},
    **{
        f"{token}o": partial(_written, _NUMBERS[token], _ordinal)
        for token in ("M", "Q", "D", "DDD", "d", "w", "W", "y")
    },
    **{token * 2: partial(_written, _NUMBERS[token], "{:02}".format) for token in "MDwWHhkms"},
    **dict.fromkeys(("yy", "yyy", "yyyy"), lambda when: str(when.year)),
    "MMM": lambda when: _MONTHS[when.month - 1][:3],
    "MMMM": lambda when: _MONTHS[when.month - 1],
    "DDDD": lambda when: f"{when.timetuple().tm_yday:03}",
    "dd": lambda when: _DAYS[_weekday(when)][:2],
    "ddd": lambda when: _DAYS[_weekday(when)][:3],
    "dddd": lambda when: _DAYS[_weekday(when)],
    "e": lambda when: str(_weekday(when)),
    "E": lambda when: str(when.isoweekday()),
    "YY": lambda when: f"{when.year % 100:02}",
    "YYYY": lambda when: f"{when.year:04}",
    "YYYYY": lambda when: f"{when.year:05}",
    "YYYYYY": lambda when: f"+{when.year:06}",
    **dict.fromkeys(("N", "NN", "NNN", "NNNNN"), lambda _when: "AD"),
    "NNNN": lambda _when: "Anno Domini",
    "gg": lambda when: f"{_week(when)[0] % 100:02}",
    "gggg": lambda when: f"{_week(when)[0]:04}",
    "ggggg": lambda when: f"{_week(when)[0]:05}",
    "GG": lambda when: f"{_iso(when)[0] % 100:02}",
    "GGGG": lambda when: f"{_iso(when)[0]:04}",
    "GGGGG": lambda when: f"{_iso(when)[0]:05}",
    "A": lambda when: "AM" if when.hour < 12 else "PM",  # noqa: PLR2004 (noon)
    "a": lambda when: "am" if when.hour < 12 else "pm",  # noqa: PLR2004
    "Hmm": lambda when: f"{when.hour}{when.minute:02}",
    "Hmmss": lambda when: f"{when.hour}{when.minute:02}{when.second:02}",
    "hmm": lambda when: f"{_hour(when)}{when.minute:02}",
    "hmmss": lambda when: f"{_hour(when)}{when.minute:02}{when.second:02}",
    **{"S" * digits: partial(_fraction, digits=digits) for digits in range(1, 10)},
    "Z": lambda when: _offset(when, ":"),
    "ZZ": lambda when: _offset(when, ""),
    "z": lambda _when: "",
    "zz": lambda _when: "",
    "X": lambda when: str(int(when.timestamp())),
    "x": lambda when: str(round(when.timestamp() * 1000)),
}

_LITERAL = r"\[([^\[]*)\]"
_LONG_TOKEN = re.compile(rf"{_LITERAL}|(\\)?({'|'.join(sorted(_LONG, key=len, reverse=True))})")
_TOKEN = re.compile(rf"{_LITERAL}|(\\)?({'|'.join(sorted(_TOKENS, key=len, reverse=True))}|.)", re.DOTALL)


_FIELD = re.compile(r"\{\{\s*(title|date|time)\s*(?::([^{}\n]*))?\}\}", re.IGNORECASE)
_OTHER = re.compile(r"\{\{[^{}\n]{1,100}\}\}|<%[^\n]{0,100}")


class TemplateFields(NamedTuple):
    """The values for the fields of a template.

    Attributes:
        title: The new note's name.
        when: The date and time.
        date_format: The format of dates without one of their own.
        time_format: The same for times.
    """

    title: str
    when: datetime
    date_format: str
    time_format: str

    def fill(self, text: str) -> str:
        """Return a template with its fields filled. Fields that only plugins know stay as they are.

        Args:
            text: The template.
        """
        return _FIELD.sub(self._filled, text)

    def _filled(self, found: re.Match[str]) -> str:
        name, pattern = found[1].lower(), (found[2] or "").strip()
        if name == "title":
            return self.title
        return format_moment(self.when, pattern or (self.date_format if name == "date" else self.time_format))


def unfilled(text: str) -> list[str]:
    """Return the fields that are left in a text, each once: those of Templater and other plugins.

    Args:
        text: A filled template.
    """
    return list(dict.fromkeys(_OTHER.findall(text)))

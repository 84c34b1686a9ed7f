"""Summaries below columns: those that the app has, and those of the base."""

from collections.abc import Callable
from typing import Final

from bridge.bases.dates import Date, between, read_date
from bridge.bases.failures import Budget
from bridge.bases.lists import deviation, is_empty, median, numbers, total, unique
from bridge.bases.numbers import Number, quotient, tame
from bridge.bases.rows import Value
from bridge.bases.values import TEXTS

Summary = Callable[[list[Value], Budget], Value]


def _dates(values: list[Value]) -> list[Date]:
    zone = next((value.zone for value in values if type(value) is Date), None)
    if zone is None:
        return []
    read = (read_date(value, zone) if type(value) in TEXTS else value for value in values)
    return [date for date in read if type(date) is Date]


def _of_numbers(summary: Callable[[list[Number]], Value]) -> Summary:
    def run(values: list[Value], _budget: Budget) -> Value:
        found = numbers(values)
        return summary(found) if found else None

    return run


def _range(values: list[Value], _budget: Budget) -> Value:
    """Return the range from the smallest number to the largest, or from the first date to the last."""
    found = numbers(values)
    if found:
        return tame(max(found) - min(found))
    dates = sorted(_dates(values), key=lambda date: date.ms)
    return between(dates[-1], dates[0]) if dates else None


def _earliest(values: list[Value], _budget: Budget) -> Value:
    return min(_dates(values), key=lambda date: date.ms, default=None)


def _latest(values: list[Value], _budget: Budget) -> Value:
    return max(_dates(values), key=lambda date: date.ms, default=None)


def _counted(test: Callable[[Value], bool]) -> Summary:
    return lambda values, _budget: sum(map(test, values))


SUMMARIES: Final[dict[str, Summary]] = {
    "average": _of_numbers(lambda found: quotient(total(found), len(found))),
    "min": _of_numbers(min),
    "max": _of_numbers(max),
    "sum": _of_numbers(total),
    "range": _range,
    "median": _of_numbers(median),
    "stddev": _of_numbers(deviation),
    "earliest": _earliest,
    "latest": _latest,
    "checked": _counted(lambda value: value is True),
    "unchecked": _counted(lambda value: value is False),
    "empty": _counted(is_empty),
    "filled": _counted(lambda value: not is_empty(value)),
    "unique": lambda values, budget: len(unique([value for value in values if not is_empty(value)], budget)),
}
"""The app's own summaries, by their names in lower case."""

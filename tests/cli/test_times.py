"""Times as people type them."""

from datetime import UTC, datetime, timedelta

import pytest

from bridge.cli.arguments import BadArguments
from bridge.cli.layout import local_time, since_time, until_words

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def _here(hour: int, minute: int) -> str:
    """A time of that day in UTC, as the clock on the wall of this machine shows it."""
    return f"{NOW.replace(hour=hour, minute=minute).astimezone():%H:%M}"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (None, None),
        ("90s", "2026-01-31T11:58:30.000Z"),
        ("30m", "2026-01-31T11:30:00.000Z"),
        (" 1 H ", "2026-01-31T11:00:00.000Z"),
        ("2d", "2026-01-29T12:00:00.000Z"),
        ("1w", "2026-01-24T12:00:00.000Z"),
        (_here(11, 59), "2026-01-31T11:59:00.000Z"),
        (_here(12, 1), "2026-01-30T12:01:00.000Z"),
        ("2026-01-31T10:30:00Z", "2026-01-31T10:30:00.000Z"),
        ("2026-01-31T10:30:00+02:00", "2026-01-31T08:30:00.000Z"),
    ],
)
def test_a_time_is_so_long_ago_or_a_moment(typed: str | None, meant: str | None) -> None:
    assert since_time(typed, NOW) == meant


@pytest.mark.parametrize("typed", ["", "yesterday", "1y", "h", "-1h", "999999w", "25:00", "2026-13-01"])
def test_what_is_no_time_is_explained(typed: str) -> None:
    with pytest.raises(BadArguments, match="30m, 1h, 2d or 1w"):
        since_time(typed, NOW)


@pytest.mark.parametrize(
    ("days", "words"), [(0, "{:%H:%M}"), (1, "tomorrow {:%H:%M}"), (2, "{:%Y-%m-%d %H:%M}"), (-1, "{:%Y-%m-%d %H:%M}")]
)
def test_an_end_is_said_in_the_time_of_this_machine(days: int, words: str) -> None:
    moment = NOW + timedelta(days=days)
    assert until_words(moment.isoformat(), NOW) == words.format(moment.astimezone())


def test_a_time_that_is_none_here_stays_as_it_is() -> None:
    assert local_time("9999-12-31T23:59:59-12:00") == "9999-12-31T23:59:59-12:00"

"""Dates are written as moment.js writes them: compared with what moment itself made of the same dates and formats."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from bridge.notes.moment_format import format_moment

GOLDEN = json.loads((Path(__file__).parent / "golden" / "moment.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("stamp", "written"), GOLDEN["table"])
def test_every_format_is_written_as_moment_writes_it(stamp: str, written: dict[str, str]) -> None:
    when = datetime.fromisoformat(stamp).replace(tzinfo=UTC)
    assert {pattern: format_moment(when, pattern) for pattern in written} == written


@pytest.mark.parametrize(("minutes", "shown"), [(90, "+01:30 +0130"), (-210, "-03:30 -0330"), (0, "+00:00 +0000")])
def test_the_offset_is_that_of_the_time(minutes: int, shown: str) -> None:
    when = datetime(2026, 1, 1, tzinfo=timezone(timedelta(minutes=minutes)))
    assert format_moment(when, "Z ZZ") == shown

"""Sizes, times and sentences as answers have them."""

import pytest

from bridge.tools.formatting import done, exact_size, local_date, local_time, moment, shortened, size
from bridge.vault.text import counted


@pytest.mark.parametrize(
    ("count", "words", "exactly"),
    [
        (0, "0 bytes", "0 bytes"),
        (1, "1 byte", "1 byte"),
        (156, "156 bytes", "156 bytes"),
        (1023, "1,023 bytes", "1,023 bytes"),
        (1024, "1.0 KB", "1.0 KB (1,024 bytes)"),
        (2355, "2.3 KB", "2.3 KB (2,355 bytes)"),
        (2456, "2.4 KB", "2.4 KB (2,456 bytes)"),
        (1_048_575, "1.0 MB", "1.0 MB (1,048,575 bytes)"),
        (5_000_000, "4.8 MB", "4.8 MB (5,000,000 bytes)"),
        (3_000_000_000, "2,861.0 MB", "2,861.0 MB (3,000,000,000 bytes)"),
    ],
)
def test_sizes_are_written_as_people_say_them(count: int, words: str, exactly: str) -> None:
    assert (size(count), exact_size(count)) == (words, exactly)


def test_one_is_not_many() -> None:
    assert [counted(count, "line") for count in (0, 1, 2)] == ["0 lines", "1 line", "2 lines"]


def test_times_are_those_of_this_machine() -> None:
    instant = moment(1_770_128_565_000_000_000)
    assert instant is not None
    here = instant.astimezone()
    assert local_time(1_770_128_565_000_000_000) == here.strftime("%Y-%m-%d %H:%M:%S")
    assert local_date(1_770_128_565_000_000_000) == here.strftime("%Y-%m-%d")


@pytest.mark.parametrize("nanoseconds", [None, 10**30, -(10**30)])
def test_a_time_that_no_calendar_has_is_unknown(nanoseconds: int | None) -> None:
    assert local_time(nanoseconds) == local_date(nanoseconds) == "unknown"


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        ('Create folder "Projects"', 'Created folder "Projects".'),
        ('Overwrite file "notes/draft.md" (2.3 KB)', 'Overwrote file "notes/draft.md" (2.3 KB).'),
        ("Delete 'notes/old-note.md' to trash", "Deleted 'notes/old-note.md' to trash."),
        ('Move "a.md" to "b.md"', 'Moved "a.md" to "b.md".'),
        ('Insert 5 lines after line 42 in "notes/log.md"', 'Inserted 5 lines after line 42 in "notes/log.md".'),
    ],
)
def test_what_was_asked_is_reported_as_done(summary: str, words: str) -> None:
    assert done(summary) == words


def test_only_what_is_long_is_cut() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "abc..."

"""Lines and tables that stay readable on a narrow screen, and times as people type and read them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from bridge.cli.arguments import BadArguments
from bridge.clock import stamp
from bridge.identity.caller import UNNAMED

NARROWEST = 8
"""Columns of text a line keeps, however narrow the screen."""
GAP = "  "
LEAST_FLEXIBLE = 15
"""Columns that the last column keeps; with less room every row becomes a block of lines."""


def fold(
    line: Text, width: int, *, first: str = "", rest: str | None = None, style: str = "", words: bool = False
) -> Iterator[Text]:
    """Yield a line in pieces that fit on the screen. Nothing is dropped: what is approved is seen whole.

    Args:
        line: The line.
        width: Cells that a piece may have.
        first: The prefix of the first piece.
        rest: The prefix of the others; None: the same.
        style: The style of the prefixes.
        words: Whether to cut between words where there are any.
    """
    for prefix, piece in _pieces(line, width, first, rest, words=words):
        yield Text.assemble((prefix, style), piece)


def wrap(line: Text, width: int, *, first: str = "", rest: str | None = None) -> Iterator[Text]:
    """Fold between words, without the blanks at the cuts: for sentences."""
    for at, (prefix, piece) in enumerate(_pieces(line, width, first, rest, words=True)):
        piece.rstrip()
        blanks = len(piece.plain) - len(piece.plain.lstrip(" ")) if at else 0
        yield Text.assemble(prefix, piece[blanks:])


def _pieces(line: Text, width: int, first: str, rest: str | None, *, words: bool) -> Iterator[tuple[str, Text]]:
    """Yield the pieces of a line, each with its prefix."""
    after = first if rest is None else rest
    room = max(NARROWEST, width - max(cell_len(first), cell_len(after)))
    for at, piece in enumerate(line.divide(_cuts(line.plain, room, words=words))):
        yield after if at else first, piece


def draw_table(headings: Sequence[str], rows: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    """Yield the lines of a table: as wide as it needs, its last column folded to fit, and at last one block a row.

    Args:
        headings: The names of the columns.
        rows: The cells, one line each.
        width: Cells a line may have.
    """
    last = len(headings) - 1
    sizes = [max(len(name), *(row[column].cell_len for row in rows), 0) for column, name in enumerate(headings)]
    excess = sum(sizes) + len(GAP) * (len(sizes) - 1) - width
    if excess > 0 and sizes[last] - excess < LEAST_FLEXIBLE:
        yield from _blocks(headings, rows, width)
        return
    sizes[last] -= max(0, excess)
    yield _line([Text(name, "bold") for name in headings], sizes)
    for row in rows:
        folded = list(fold(row[last], sizes[last], words=True))
        yield _line([*row[:last], folded[0]], sizes)
        for piece in folded[1:]:
            yield _line([*(Text() for _ in range(last)), piece], sizes)


def draw_facts(facts: Mapping[str, Text], width: int) -> Iterator[Text]:
    """Yield one fact a line, each under its label."""
    size = max(len(label) for label in facts) + len(GAP)
    for label, value in facts.items():
        first, *rest = wrap(value, width, first=" " * size)
        yield Text.assemble((label, "bold"), first[len(label) :])
        yield from rest


def local_time(stamp: str) -> str:
    """Return an ISO 8601 time in this machine's zone, to the second; what is not a time stays as it is."""
    try:
        moment = datetime.fromisoformat(stamp).astimezone()
    except (ValueError, OverflowError):
        return stamp
    this_year = moment.year == datetime.now(moment.tzinfo).year
    return f"{moment:%m-%d %H:%M:%S}" if this_year else f"{moment:%Y-%m-%d %H:%M}"


def _cuts(plain: str, room: int, *, words: bool) -> list[int]:
    """Return where to cut so that every piece fits."""
    sizes = [_size(char) for char in plain]
    cuts: list[int] = []
    used = start = after_blank = 0
    for at, char in enumerate(plain):
        while used + sizes[at] > room:
            start = after_blank if words and after_blank > start else at
            cuts.append(start)
            used = sum(sizes[start:at])
        used += sizes[at]
        if char == " ":
            after_blank = at + 1
    return cuts


def _size(char: str) -> int:
    """Return the cells of one character. The selector that makes an emoji of a symbol may make it wider."""
    return 1 if char == "\ufe0f" else cell_len(char)


def _line(cells: Sequence[Text], sizes: Sequence[int]) -> Text:
    line = Text()
    for cell, size in zip(cells, sizes, strict=True):
        line.append_text(cell).append(" " * (size - cell.cell_len) + GAP)
    line.rstrip()
    return line


def _blocks(headings: Sequence[str], rows: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    for row in rows:
        yield from fold(row[0], width)
        for name, cell in zip(headings[1:], row[1:], strict=True):
            if cell.plain:
                yield from wrap(Text.assemble(f"{name}: ", cell), width, first="  ", rest="    ")


def short_client(name: str) -> str:
    """Return who called, for a table: the name that the person gave, or `unnamed` and what the program calls itself."""
    said = name.removeprefix(UNNAMED).removeprefix(", calls itself ")
    return f"unnamed {said}".rstrip() if name.startswith(UNNAMED) else name


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

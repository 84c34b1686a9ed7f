"""The functions of texts, as JavaScript has them: it counts a character beyond U+FFFF as two."""

from typing import Final

from bridge.bases import patterns
from bridge.bases.failures import MOST_TEXT, Budget, ExpressionError, TooMuch
from bridge.bases.numbers import EXACT, WHITE, Number, whole
from bridge.bases.patterns import Pattern

_WIDE: Final = "\uffff"
_HTML: Final = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#039;"}


def length(text: str) -> int:
    """Return how long a text is."""
    if text.isascii():
        return len(text)
    return len(text) + sum(character > _WIDE for character in text)


def sliced(text: str, start: Number, end: Number | None) -> str:
    """Return a part of a text; what is negative counts from the end."""
    if text.isascii() or max(text) <= _WIDE:
        first, last = bounds(len(text), start, end)
        return text[first:last]
    units = text.encode("utf-16-le", "surrogatepass")
    first, last = bounds(len(units) // 2, start, end)
    return units[2 * first : 2 * last].decode("utf-16-le", "surrogatepass")


def bounds(size: int, start: Number, end: Number | None) -> tuple[int, int]:
    """Return where a slice of so many things begins and ends."""
    first, last = whole(start), size if end is None else whole(end)
    first = max(0, size + first) if first < 0 else min(first, size)
    last = max(0, size + last) if last < 0 else min(last, size)
    return first, max(first, last)


def repeated(text: str, count: Number, budget: Budget) -> str:
    """Return a text so many times.

    Raises:
        ExpressionError: It cannot be there so many times.
    """
    times = whole(count)
    if times < 0 or times >= EXACT:
        raise ExpressionError("repeat() takes a count that is not negative")
    if len(text) * times > MOST_TEXT:
        raise TooMuch(f"a text of more than {MOST_TEXT:,} characters is not made")
    budget.text(len(text) * times)
    return text * times


def titled(text: str) -> str:
    """Return a text in which every word begins with a capital letter."""
    pieces: list[str] = []
    begins = True
    for character in text:
        pieces.append(character.upper() if begins else character)
        begins = character in WHITE
    return "".join(pieces)


def replaced(text: str, wanted: str | Pattern, replacement: str, budget: Budget) -> str:
    """Replace every place of a text; of a pattern the first match, or every one if it is global."""
    if isinstance(wanted, Pattern):
        return patterns.replaced(text, wanted, replacement, budget)
    if wanted and "$" not in replacement:
        budget.text(len(text) + text.count(wanted) * max(0, len(replacement) - len(wanted)))
        return text.replace(wanted, replacement)
    pieces: list[str] = []
    at = size = 0
    places = _places(text, wanted)
    for start in places:
        end = start + len(wanted)
        pieces += text[at:start], patterns.expand(replacement, text, (start, end))
        size += start - at + len(pieces[-1])
        budget.text(size)
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _places(text: str, wanted: str) -> list[int]:
    """Return the offsets of a text in another, without overlaps; an empty one is everywhere."""
    if not wanted:
        return list(range(len(text) + 1))
    places: list[int] = []
    at = text.find(wanted)
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + len(wanted))
    return places


def split(text: str, separator: str | Pattern, budget: Budget) -> list[str | None]:
    """Split a text; an empty separator splits between all characters."""
    if isinstance(separator, Pattern):
        return patterns.split(text, separator, budget)
    pieces: list[str | None] = list(text.split(separator)) if separator else list(text)
    budget.items(len(pieces))
    return pieces


def escaped(text: str, budget: Budget) -> str:
    """Return a text in which nothing means anything in HTML."""
    budget.text(6 * len(text))
    return text.translate(_HTML)

"""The functions of texts, as JavaScript has them: it counts a character beyond U+FFFF as two.

Regular expressions are run by RE2: no pattern can take longer than its text is long. What RE2 does not have (looking
ahead or behind, references to groups) is an error that says so.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final

import re2

from bridge.bases.failures import MOST_TEXT, ExpressionError, StepBudget, TooMuch
from bridge.bases.numbers import EXACT, WHITE, Number, whole

_FLAGS: Final = frozenset("dgimsuy")
_MOST_MEMORY: Final = 8 << 20
_LINE_ENDS: Final = r"\n\r\x{2028}\x{2029}"
_WHITE: Final = r"\s\v\x{00a0}\x{feff}\pZ"
_ESCAPES: Final = {"s": f"[{_WHITE}]", "S": f"[^{_WHITE}]", "0": r"\x{0}"}
_ESCAPES_IN_CLASS: Final = {"s": _WHITE, "b": r"\x08", "0": r"\x{0}"}
_NAMED_GROUP: Final = re.compile(r"\?<([A-Za-z_]\w*)>", re.ASCII)
_UNICODE: Final = re.compile(r"u(?:([0-9a-fA-F]{4})|\{([0-9a-fA-F]{1,6})\})")
_REFERENCE: Final = re.compile(r"\$(?:([$&`'])|(\d{1,2})|<([^>]*)>)")
_LOOKING: Final = ("?=", "?!", "?<=", "?<!")


class TextPattern:
    """A regular expression as it is written between slashes.

    Args:
        source: What stands between them.
        flags: What stands behind.

    Raises:
        ExpressionError: It is none, or asks for what is not evaluated.
    """

    __slots__ = ("_compiled", "flags", "is_global", "source")

    def __init__(self, source: str, flags: str) -> None:
        if not set(flags) <= _FLAGS or len(set(flags)) < len(flags):
            raise ExpressionError(f"the regular expression has unknown flags: {flags}")
        self.source, self.flags, self.is_global = source, flags, "g" in flags
        options = re2.Options()
        options.max_mem, options.log_errors = _MOST_MEMORY, False
        options.case_sensitive = "i" not in flags
        options.dot_nl = True  # what a dot is not is written out
        prefix = "(?m)" if "m" in flags else ""
        try:
            self._compiled = re2.compile(prefix + _translated(source, dot_all="s" in flags), options)
        except re2.error as error:
            reason = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
            raise ExpressionError(f"the regular expression /{source}/ is not evaluated: {reason}") from None

    def matches(self, text: str, budget: StepBudget) -> bool:
        """Return whether it matches anywhere in a text."""
        budget.spend(len(text) // 8)
        return self._compiled.search(_readable(text)) is not None

    def found(self, text: str, budget: StepBudget) -> Iterator[Any]:
        """Find every match in a text, in order."""
        budget.spend(len(text))
        return iter(self._compiled.finditer(_readable(text)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextPattern) and (self.source, self.flags) == (other.source, other.flags)

    def __hash__(self) -> int:
        return hash((self.source, self.flags))

    def __str__(self) -> str:
        return f"/{self.source}/{self.flags}"


_Named = Callable[[], dict[str, str | None]]
_Found = tuple[tuple[int, int], tuple[str | None, ...], _Named]
"""What is replaced: its place, and what its groups found, by number and by name."""


def _expanded(replacement: str, text: str, span: tuple[int, int], groups: tuple[str | None, ...], named: _Named) -> str:
    """Write a replacement: `$$`, `$&`, `$1` and `$<name>` as JavaScript has them."""
    if "$" not in replacement:
        return replacement

    def said(found: re.Match[str]) -> str:
        sign, number, name = found.groups()
        if sign is not None:
            return {"$": "$", "&": text[span[0] : span[1]], "`": text[: span[0]], "'": text[span[1] :]}[sign]
        if number is not None:
            for digits in (number, number[:1]):
                if 1 <= int(digits) <= len(groups):
                    return (groups[int(digits) - 1] or "") + number[len(digits) :]
            return found[0]
        return (named().get(name) or "") if named() else found[0]

    return _REFERENCE.sub(said, replacement)


def split_at_matches(text: str, pattern: TextPattern, budget: StepBudget) -> list[str | None]:
    """Split a text at the matches of a pattern, as JavaScript does: what groups found is kept."""
    pieces: list[str | None] = []
    at = 0
    if not text:
        return [] if pattern.matches(text, budget) else [text]
    for match in pattern.found(text, budget):
        start, end = match.span()
        if end == start and (start in {at, len(text)} or start == 0):
            continue
        pieces.append(text[at:start])
        pieces.extend(match.groups())
        budget.items(len(pieces))
        at = end
    pieces.append(text[at:])
    return pieces


def _readable(text: str) -> str:
    """Return the text, of the same length, without halves of characters, which RE2 does not take."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\ufffd", text)
    return text


def _translated(source: str, *, dot_all: bool) -> str:
    """Return the pattern as RE2 writes it."""
    pieces: list[str] = []
    at, in_class = 0, False
    while at < len(source):
        character = source[at]
        if character == "\\":
            piece, at = _escape(source, at + 1, in_class=in_class)
            pieces.append(piece)
            continue
        at += 1
        if in_class:
            in_class = character != "]"
            pieces.append("\\[" if character == "[" else character)
        elif character == "[":
            if source.startswith(("]", "^]"), at):  # nothing, and everything
                everything = source[at] == "^"
                pieces.append("(?s:.)" if everything else r"[^\x{0}-\x{10ffff}]")
                at += 2 if everything else 1
                continue
            in_class = True
            pieces.append(character)
        elif character == "(":
            piece, at = _group(source, at)
            pieces.append(piece)
        else:
            pieces.append(f"[^{_LINE_ENDS}]" if character == "." and not dot_all else character)
    return "".join(pieces)


def _group(source: str, at: int) -> tuple[str, int]:
    if source.startswith(_LOOKING, at):
        raise ExpressionError("looking ahead or behind in a regular expression is not evaluated")
    named = _NAMED_GROUP.match(source, at)
    return (f"(?P<{named[1]}>", named.end()) if named else ("(", at)


def _escape(source: str, at: int, *, in_class: bool) -> tuple[str, int]:
    """Translate one escape, which begins after the backslash."""
    letter = source[at : at + 1]
    unicode = _UNICODE.match(source, at)
    if unicode is not None:
        return f"\\x{{{unicode[1] or unicode[2]}}}", unicode.end()
    special = (_ESCAPES_IN_CLASS if in_class else _ESCAPES).get(letter)
    if special is not None:
        return special, at + 1
    if (letter.isdigit() or letter == "k") and not in_class:
        raise ExpressionError("references to groups in a regular expression are not evaluated")
    if letter == "" or letter.isalnum():
        return f"\\{letter}", at + 1
    return (f"\\{letter}" if letter.isascii() and letter != "_" else letter), at + 1


_WORD_START: Final = re.compile(f"(?:\\A|(?<=[{WHITE}])).", re.DOTALL)
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


def repeated(text: str, count: Number, budget: StepBudget) -> str:
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
    return _WORD_START.sub(lambda found: found[0].upper(), text)


def replaced(text: str, wanted: str | TextPattern, replacement: str, budget: StepBudget) -> str:
    """Replace every place of a text; of a pattern the first match, or every one if it is global.

    Args:
        text: The text.
        wanted: What is replaced.
        replacement: What is put there; `$1` and `$&` stand for what was found.
        budget: The remaining work of the query.
    """
    if isinstance(wanted, TextPattern):
        matches = ((match.span(), match.groups(), match.groupdict) for match in wanted.found(text, budget))
        return _replaced(text, matches if wanted.is_global else islice(matches, 1), replacement, budget)
    if wanted and "$" not in replacement:
        budget.text(len(text) + text.count(wanted) * max(0, len(replacement) - len(wanted)))
        return text.replace(wanted, replacement)
    places = (((at, at + len(wanted)), (), dict) for at in _places(text, wanted))
    return _replaced(text, places, replacement, budget)


def _replaced(text: str, found: Iterable[_Found], replacement: str, budget: StepBudget) -> str:
    pieces: list[str] = []
    at = length = 0
    for (start, end), groups, named in found:
        pieces += text[at:start], _expanded(replacement, text, (start, end), groups, named)
        length += start - at + len(pieces[-1])
        budget.text(length)
        at = end
    pieces.append(text[at:])
    budget.text(length + len(pieces[-1]))
    return "".join(pieces)


def _places(text: str, wanted: str) -> list[int]:
    """Return the offsets of a text in another, without overlaps; an empty one is everywhere."""
    if not wanted:
        return list(range(len(text) + 1))
    places, at = list[int](), text.find(wanted)
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + len(wanted))
    return places


def split(text: str, separator: str | TextPattern, budget: StepBudget) -> list[str | None]:
    """Split a text; an empty separator splits between all characters."""
    if isinstance(separator, TextPattern):
        return split_at_matches(text, separator, budget)
    pieces: list[str | None] = list(text.split(separator)) if separator else list(text)
    budget.items(len(pieces))
    return pieces


def escaped(text: str, budget: StepBudget) -> str:
    """Return a text in which nothing means anything in HTML."""
    budget.text(6 * len(text))
    return text.translate(_HTML)

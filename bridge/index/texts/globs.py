"""Globs with the meaning wcmatch gives them, on an engine that no glob can keep busy.

wcmatch itself makes patterns for Python's `re`: four `**` with names between them take it a second for one path of 240
characters, and a vault has thousands. Nor does RE2 take its patterns, which look ahead. Here every glob becomes one
pattern for RE2, and 10,000 paths take a millisecond.

`*` and `?` stay within a name, `**` as a whole part of the path spans folders, `[a-z]`, `[!a]` and `[[:alpha:]]` are
classes, `{a,b}` and `{1..3}` are expanded first, and a backslash takes a character literally. Names with a leading dot
are not special: walks decide about hidden files. Extended globs such as `@(a|b)` are off, because notes have names
like `Plan (draft).md`.
"""

import contextlib
import re
from functools import lru_cache
from typing import Any, NamedTuple

import bracex
import re2

from bridge.errors import InvalidParameters
from bridge.index.texts.line_patterns import re2_options

MAX_LENGTH = 1024
MAX_EXPANSIONS = 1000
"""Alternatives that braces may stand for, as in wcmatch."""
MAX_BRACES = 100
"""Opening braces. The expansion goes down one call for each, and how deep that may go differs between Pythons."""
MAX_EXPANDED = 10_000
"""Characters of all alternatives together."""

_GLOB_CHARACTERS = re.compile(r"[*?]|\[[^]/]+]|\{[^{}]*(?:,|\.\.)[^{}]*\}")
_SPECIAL = re.compile(r"[*?\[\]{}\\]")
_SHOWN = 80
_NOTHING = r"[^\x00-\x{10FFFF}]"
_ESCAPED = re.compile(r"\\(.?)", re.DOTALL)
_POSIX = re.compile(r"\[:(\w+):]")
_POSIX_CLASSES: dict[str, tuple[tuple[int, int], ...]] = {
    name: tuple((ord(bounds[0]), ord(bounds[1])) for bounds in ranges)
    for name, ranges in {
        "alnum": ("09", "AZ", "az"),
        "alpha": ("AZ", "az"),
        "ascii": ("\x00\x7f",),
        "blank": ("\t\t", "  "),
        "cntrl": ("\x00\x1f", "\x7f\x7f"),
        "digit": ("09",),
        "graph": ("!~",),
        "lower": ("az",),
        "print": (" ~",),
        "punct": ("!/", ":@", "[`", "{~"),
        "space": ("\t\r", "  "),
        "upper": ("AZ",),
        "word": ("09", "AZ", "__", "az"),
        "xdigit": ("09", "AF", "af"),
    }.items()
}
_NEVER = (ord("\n"), ord("/"))
"""Characters that no name contains."""


class Glob(NamedTuple):
    """A compiled glob.

    Attributes:
        text: As the user wrote it.
        regex: RE2's object, for one path.
        lines_regex: The same, for paths that are lines of a text: as many lines in a row as it means.
    """

    text: str
    regex: Any
    lines_regex: Any

    def matches(self, path: str) -> bool:
        """Return whether it matches a vault path."""
        return self.regex.fullmatch(path.encode()) is not None


def looks_like_glob(text: str) -> bool:
    """Return whether a text has a character that makes it a glob rather than a name."""
    return _GLOB_CHARACTERS.search(text) is not None


def escape_glob(text: str) -> str:
    """Return a glob that means a text literally."""
    return _SPECIAL.sub(r"\\\g<0>", text)


@lru_cache(maxsize=64)
def compile_glob(text: str, *, case_sensitive: bool = True) -> Glob:
    """Make a glob ready.

    Args:
        text: The glob, over vault paths: no slash at either end, no `.` parts.
        case_sensitive: Whether upper and lower case differ.

    Raises:
        InvalidParameters: It is empty, too long, or its braces stand for too much.
    """
    if not text:
        raise InvalidParameters("The glob is empty; give one such as '**/*.md'")
    if len(text) > MAX_LENGTH:
        raise InvalidParameters(f"The glob has {len(text)} characters; at most {MAX_LENGTH} are allowed")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidParameters("The glob holds half of a surrogate pair; remove it") from None
    sources = [_translate(pattern) for pattern in _expand(text)]
    options = re2_options(case_sensitive=case_sensitive)
    either = "|".join(sources) if "\n" not in text else _NOTHING
    return Glob(text, re2.compile(f"(?:{either})", options), re2.compile(f"(?m)(?:^(?:{either})\n)+", options))


def check_glob(text: str) -> None:
    r"""Refuse what is surely a slip, though it means something: a bracket or brace that is not closed.

    Args:
        text: The glob, as a caller wrote it.

    Raises:
        InvalidParameters: It has one. To mean the character itself, a backslash stands before it.
    """
    plain = _ESCAPED.sub("", text)
    for opening, closing in ("[]", "{}"):
        rest = plain.partition(opening)
        while rest[1]:
            if closing not in rest[2]:
                raise InvalidParameters(
                    f"In the glob {text[:_SHOWN]!r}, {opening!r} is not closed; add {closing!r}, "
                    f"or write '\\{opening}' for the character itself"
                )
            rest = rest[2].partition(closing)[2].partition(opening)


def _expand(text: str) -> list[str]:
    """Return the patterns that the braces stand for.

    Raises:
        InvalidParameters: They stand for too much.
    """
    patterns: list[str] = []
    if text.count("{") <= MAX_BRACES:
        with contextlib.suppress(bracex.ExpansionLimitException):
            patterns = list(bracex.iexpand(text, keep_escapes=True, limit=MAX_EXPANSIONS))
    if not patterns or sum(map(len, patterns)) > MAX_EXPANDED:
        raise InvalidParameters(
            f"The braces of the glob {text[:80]!r} stand for too many names; use fewer or smaller braces"
        )
    return patterns


def _translate(pattern: str) -> str:
    """Return a glob without braces as a regular expression for RE2."""
    # An escaped slash after a slash is a second one, which no path has; slashes in a row are else one.
    if any(found[1] == "/" and pattern[: found.start()].endswith("/") for found in _ESCAPED.finditer(pattern)):
        return _NOTHING
    # A backslash before a slash or before nothing means nothing.
    pattern = _ESCAPED.sub(lambda escaped: escaped[1] if escaped[1] in {"", "/"} else escaped[0], pattern)
    result: list[str] = []
    position = 0
    while position < len(pattern):
        source, position = _next(pattern, position)
        result.append(source)
    return "".join(result)


def _next(pattern: str, position: int) -> tuple[str, int]:
    """Return the regular expression of what stands at a position, and where the next thing stands."""
    character = pattern[position]
    if character in "*/":
        end = position
        while end < len(pattern) and pattern[end] == character:
            end += 1
        return ("/", end) if character == "/" else _stars(pattern, position, end)
    if character == "?":
        return "[^/\\n]", position + 1
    if character == "[":
        found = _class(pattern, position)
        if found:
            return found
    if character == "\\":
        position += 1
    literal: str = re2.escape(pattern[position])
    return literal, position + 1


def _stars(pattern: str, start: int, end: int) -> tuple[str, int]:
    """Translate stars: `**` as a whole part of the path spans folders; every other row of stars is one star."""
    whole_part = (start == 0 or pattern[start - 1] == "/") and (end == len(pattern) or pattern[end] == "/")
    if end - start != len("**") or not whole_part:
        return "[^/\\n]*", end
    if end == len(pattern):
        return ".*", end
    while end < len(pattern) and pattern[end] == "/":
        end += 1
    return "(?:.*/)?", end


def _class(pattern: str, start: int) -> tuple[str, int] | None:
    """Return a class as a regular expression for RE2.

    Args:
        pattern: The glob.
        start: Where in it the `[` stands.

    Returns:
        The expression and where the class ends; None when it is no class, because it is not closed or holds a slash:
        then the `[` means itself.
    """
    position = start + 1
    negated = pattern[position : position + 1] in {"!", "^"}
    position += negated
    first = position
    ranges: list[tuple[int, int]] = []
    while True:
        character = pattern[position : position + 1]
        if character in {"", "/"}:
            return None
        if character == "]" and position > first:
            return _render(ranges, negated=negated), position + 1
        posix = _posix(pattern, position)
        if posix:
            name, position = posix
            ranges += _POSIX_CLASSES[name]
            continue
        low, position = _character(pattern, position)
        high = low
        if pattern[position : position + 1] == "-" and _continues(pattern, position + 1):
            high, position = _character(pattern, position + 1)
        ranges.append((low, high))


def _posix(pattern: str, position: int) -> tuple[str, int] | None:
    """Return the named class at a position and where it ends, if there is one."""
    named = _POSIX.match(pattern, position)
    return (named[1], named.end()) if named and named[1] in _POSIX_CLASSES else None


def _continues(pattern: str, position: int) -> bool:
    """Return whether the hyphen before this position makes a range, instead of meaning itself."""
    return pattern[position : position + 1] not in {"", "]", "/"} and not _posix(pattern, position)


def _character(pattern: str, position: int) -> tuple[int, int]:
    """Return the character at a position, which a backslash may precede, and where the next one stands."""
    if pattern[position] == "\\":
        position += 1
    return ord(pattern[position]), position + 1


def _render(ranges: list[tuple[int, int]], *, negated: bool) -> str:
    """Return the class, without ranges that go backwards, and never matching what no name holds."""
    forward = [(low, high) for low, high in ranges if low <= high]
    if negated:
        forward += [(code, code) for code in _NEVER]
        return f"[^{''.join(map(_range, forward))}]"
    for code in _NEVER:
        forward = [
            part
            for low, high in forward
            for part in ([(low, code - 1), (code + 1, high)] if low <= code <= high else [(low, high)])
            if part[0] <= part[1]
        ]
    return f"[{''.join(map(_range, forward))}]" if forward else _NOTHING


def _range(bounds: tuple[int, int]) -> str:
    return rf"\x{{{bounds[0]:x}}}-\x{{{bounds[1]:x}}}"

"""Globs with the meaning wcmatch gives them, on an engine that no glob can keep busy.

`*` and `?` stay within a name, `**` as a whole part of the path spans folders, `[a-z]`, `[!a]` and `[[:alpha:]]` are
classes, `{a,b}` and `{1..3}` are expanded first, and a backslash takes a character literally. Names with a leading dot
are not special: walks decide about hidden files. Extended globs such as `@(a|b)` are off, because notes have names
like `Plan (draft).md`.
"""

import contextlib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import bracex
import re2

from bridge.errors import InvalidParameters
from bridge.index.glob_class import parse_class

MAX_LENGTH = 1024
MAX_EXPANSIONS = 1000
"""Alternatives that braces may stand for, as in wcmatch."""
MAX_BRACES = 100
"""Opening braces. The expansion goes down one call for each, and how deep that may go differs between Pythons."""
MAX_EXPANDED = 10_000
"""Characters of all alternatives together."""

_GLOB_CHARACTERS = re.compile(r"[*?]|\[[^]/]+]|\{[^{}]*(?:,|\.\.)[^{}]*\}")
_NOTHING = r"[^\x00-\x{10FFFF}]"
_ESCAPED = re.compile(r"\\(.?)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Glob:
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
        """Whether a vault path is meant."""
        return self.regex.fullmatch(path.encode()) is not None


def looks_like_glob(text: str) -> bool:
    """Whether a text has a character that makes it a glob rather than a name."""
    return _GLOB_CHARACTERS.search(text) is not None


@lru_cache(maxsize=64)
def compile_glob(text: str, *, case_sensitive: bool = True) -> Glob:
    """Make a glob ready.

    Args:
        text: The glob, over vault paths: no slash at either end, no `.` parts.
        case_sensitive: As seed L's globs are; seed S's are not.

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
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.case_sensitive = case_sensitive
    either = "|".join(sources) if "\n" not in text else _NOTHING
    return Glob(
        text,
        re2.compile(f"(?:{either})", options),
        re2.compile(f"(?m)(?:^(?:{either})\n)+", options),
    )


def _expand(text: str) -> list[str]:
    """What the braces stand for.

    Raises:
        InvalidParameters: Too much.
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
    """A glob without braces as a regular expression for RE2."""
    # A backslash before a slash or before nothing means nothing.
    pattern = _ESCAPED.sub(lambda escaped: escaped[1] if escaped[1] in {"", "/"} else escaped[0], pattern)
    result: list[str] = []
    position = 0
    while position < len(pattern):
        source, position = _next(pattern, position)
        result.append(source)
    return "".join(result)


def _next(pattern: str, position: int) -> tuple[str, int]:
    """The regular expression of what stands at a position, and where the next thing stands."""
    character = pattern[position]
    if character in "*/":
        end = position
        while end < len(pattern) and pattern[end] == character:
            end += 1
        return ("/", end) if character == "/" else _stars(pattern, position, end)
    if character == "?":
        return "[^/\\n]", position + 1
    if character == "[":
        found = parse_class(pattern, position)
        if found:
            return found
    if character == "\\":
        position += 1
    literal: str = re2.escape(pattern[position])
    return literal, position + 1


def _stars(pattern: str, start: int, end: int) -> tuple[str, int]:
    """`**` that is a whole part of the path spans folders; every other row of stars is one star."""
    whole_part = (start == 0 or pattern[start - 1] == "/") and (end == len(pattern) or pattern[end] == "/")
    if end - start != len("**") or not whole_part:
        return "[^/\\n]*", end
    if end == len(pattern):
        return ".*", end
    while end < len(pattern) and pattern[end] == "/":
        end += 1
    return "(?:.*/)?", end

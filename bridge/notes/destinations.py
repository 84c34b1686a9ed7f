"""Destinations of Markdown links: where one ends, and which file it names (rules 21 to 24)."""

import re
from html import unescape
from urllib.parse import unquote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MALFORMED = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ANGLED = re.compile(r"<([^<>\n\\]*+(?:\\.[^<>\n\\]*+)*+)>")
_PARTS = re.compile(r"[()\s]|\\.?", re.DOTALL)
_SPACE = re.compile(r"[ \t]*+\n?[ \t]*+")
_TITLE_END = {'"': re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"[ \t]*+\)', re.DOTALL)}
_TITLE_END["'"] = re.compile(_TITLE_END['"'].pattern.replace('"', "'"), re.DOTALL)
_TITLE_END["("] = re.compile(r"[^()\\]*+(?:\\.[^()\\]*+)*+\)[ \t]*+\)", re.DOTALL)

MAX_DESTINATION = 4096
"""Characters that are looked at for the end of one destination. The longest path of any system is shorter."""

MAX_PARENTHESES = 8
"""Parentheses within parentheses in one destination."""


def destination_end(text: str, start: int, end: int) -> tuple[str, int] | None:
    """The destination that begins after `](`, as written, and the end of the link; None when there is no link.

    Args:
        text: The note.
        start: One past the opening parenthesis.
        end: Where the paragraph ends.
    """
    end = min(end, start + MAX_DESTINATION)
    at = _after_space(text, start, end)
    if text.startswith("<", at):
        angled = _ANGLED.match(text, at, end)
        if angled is None:
            return None
        destination, at = angled[1], angled.end()
    else:
        stop = _bare_end(text, at, end)
        if stop < 0:
            return None
        destination, at = text[at:stop], stop
    if text.startswith(")", at) and at < end:
        return destination, at + 1
    after = _after_space(text, at, end)
    if after == at or after >= end:
        return None
    if text[after] == ")":
        return destination, after + 1
    title = _TITLE_END.get(text[after])
    closed = title.match(text, after + 1, end) if title else None
    return (destination, closed.end()) if closed else None


def _after_space(text: str, at: int, end: int) -> int:
    space = _SPACE.match(text, at, end)
    return space.end() if space else at


def _bare_end(text: str, start: int, end: int) -> int:
    """Where a destination without `<>` ends: at white space, or at the parenthesis that was not opened in it.

    -1 when parentheses are nested so deeply that it is none.
    """
    depth = 0
    for part in _PARTS.finditer(text, start, end):
        mark = part[0]
        if mark == "(":
            depth += 1
            if depth > MAX_PARENTHESES:
                return -1
        elif mark == ")":
            if not depth:
                return part.start()
            depth -= 1
        elif mark[0] != "\\":
            return part.start()
    return end


def is_external(destination: str) -> bool:
    """Whether a destination leads out of the vault (rule 22)."""
    return _SCHEME.match(destination) is not None


def decode_destination(destination: str) -> str:
    """The path and subpath that a destination stands for (rule 21).

    Args:
        destination: As written, without the `<>` around it.
    """
    if "\\" in destination:
        destination = _ESCAPE.sub(r"\1", destination)
    if "&" in destination and ";" in destination:
        destination = unescape(destination)
    if "%" not in destination or _MALFORMED.search(destination):
        return destination
    try:
        return unquote(destination, errors="strict")
    except UnicodeDecodeError:  # not UTF-8: taken literally, as a browser's decoder refuses it whole
        return destination

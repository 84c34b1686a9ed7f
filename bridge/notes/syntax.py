"""Spelling of links and tags: wikilinks, Markdown links and their destinations, and the characters of a tag.

Rules 7, 14 to 24, 59 to 62 and 73 of docs/obsidian.md.
"""

import contextlib
import re
from html import unescape
from typing import NamedTuple
from urllib.parse import quote, unquote

from bridge.vault.text import NOTE_EXTENSION, is_note

SPACE = (
    "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""White space in JavaScript, which Obsidian drops at both ends of a link's target (rule 15)."""

MAX_LENGTH = 16 * 1024
"""Characters that one wikilink may have; no path is as long, and no text that is shown instead."""

_BODY = re.compile(r"[^\n\[\]]*+(?>(?:\[(?!\[)|\](?!\]))[^\n\[\]]*+)*+\]\]")


def wikilink_end(text: str, start: int, end: int) -> int:
    """Return one past a wikilink's `]]`, on the same line and without another `[[` (rule 17); -1 without one.

    Args:
        text: The note.
        start: One past its `[[`.
        end: Where the run of text ends.
    """
    body = _BODY.match(text, start, min(end, start + MAX_LENGTH))
    # What is empty is no link (rule 16).
    return body.end() if body is not None and body.end() > start + len("]]") else -1


def split_wikilink(inner: str) -> tuple[str, str]:
    """Return a wikilink's target and displayed text (rules 15, 16, 18 and 19). The target is empty for no link.

    Args:
        inner: What stands between the brackets.
    """
    bar = inner.find("|", 1)  # a bar that comes first belongs to the name
    if bar < 1:
        target = inner.strip(SPACE)
        return target, default_display(target)
    # In a table the bar is escaped, and the backslash belongs to neither part.
    target = inner[: bar - 1] if bar > 1 and inner[bar - 1] == "\\" else inner[:bar]
    return target.strip(SPACE), inner[bar + 1 :]


def default_display(link: str) -> str:
    """Return the text that a link without one shows: `Note#A#B` as `Note > A > B` (rule 19).

    Args:
        link: Its path and subpath.
    """
    if "#" not in link:
        return link
    return " > ".join(part for part in link.split("#") if part)


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MALFORMED = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ANGLED = re.compile(r"<([^<>\n\\]*+(?>\\.[^<>\n\\]*+)*+)>")
_PARTS = re.compile(r"[()\s]|\\.?", re.DOTALL)
_SPACE = re.compile(r"[ \t]*+\n?[ \t]*+")
_TITLE_END = {'"': re.compile(r'[^"\\]*+(?>\\.[^"\\]*+)*+"[ \t]*+\)', re.DOTALL)}
_TITLE_END["'"] = re.compile(_TITLE_END['"'].pattern.replace('"', "'"), re.DOTALL)
_TITLE_END["("] = re.compile(r"[^()\\]*+(?>\\.[^()\\]*+)*+\)[ \t]*+\)", re.DOTALL)

MAX_DESTINATION = 4096
"""Characters that are looked at for the end of one destination. The longest path of any system is shorter."""

MAX_PARENTHESES = 8
"""Parentheses within parentheses in one destination."""


def destination_end(text: str, start: int, end: int) -> tuple[str, int] | None:
    """Return the destination that begins after `](`, as written, and the end of the link; None when there is no link.

    Args:
        text: The note.
        start: One past the opening parenthesis.
        end: The end of the paragraph.
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
    """Return where a destination without `<>` ends: at white space, or at an unmatched closing parenthesis.

    -1 if parentheses are nested so deeply that it is not one.
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
    """Return whether a destination leads out of the vault (rule 22)."""
    return _SCHEME.match(destination) is not None or "://" in destination


def decode_destination(destination: str) -> str:
    """Return the path and subpath that a destination stands for (rules 15 and 21).

    Args:
        destination: As written, without the `<>` around it.
    """
    if "\\" in destination:
        destination = _ESCAPE.sub(r"\1", destination)
    if "&" in destination and ";" in destination:
        destination = unescape(destination)
    if "%" in destination and not _MALFORMED.search(destination):
        with contextlib.suppress(UnicodeDecodeError):  # not UTF-8: taken literally, as a browser refuses it whole
            destination = unquote(destination, errors="strict")
    return destination.strip(SPACE)


ANCHOR = re.compile(
    r"<a\s(?:[^<>]{0,2000}?\s)??href\s{0,9}=\s{0,9}(?:\"([^\"<>\n]{0,4096})\"|'([^'<>\n]{0,4096})'|([^\s\"'=<>`]{1,4096}))",
    re.IGNORECASE,
)
"""The beginning of `<a href="address">`, up to its end; the address is the one group that there is."""

DEFINITION = re.compile(
    r"[ \t]*+\[(?!\^)((?>[^\]\\\n]|\\.)++)\]:[ \t]*+(?:<([^>\[\]\n]*+)>|([^\s\[\]]++))"
    r"(?>[ \t]++(?:\"[^\"]*+\"|'[^']*+'|\([^)]*+\)))?+[ \t]*+\Z"
)
"""A line that says where a reference leads: its label (group 1) and its address, in `<>` (group 2) or not (3)."""

TAG_CHARACTER = r"[^\s!-,.:-@\[\\\]^`{-~\u2000-\u206f\u2e00-\u2e7f]"
"""One character of a tag, as a pattern: anything but white space and punctuation; `-`, `_` and `/` are allowed."""

_TAG = re.compile(f"{TAG_CHARACTER}++")


def is_tag(name: str) -> bool:
    """Return whether a name, without `#`, can be a tag: its characters only, not digits alone (rules 61 and 62)."""
    return _TAG.fullmatch(name) is not None and not name.isdecimal()


_UNLINKABLE = re.compile(r"[#^|\[\]\x00-\x1f]")
_ENCODED = re.compile(r"[\s\x00-\x20\x7f()\[\]#^|%<>\\`]|&(?=[#\w])")
_ENCODED_IN_ANGLES = re.compile(r"[\x00-\x1f\x7f#%<>\\]|&(?=[#\w])")
_HASH = re.compile("#|%23")
_MOST_TRIES = 8


class LinkParts(NamedTuple):
    """The positions of a link's parts in its text: `original[start:end]`.

    Attributes:
        path: The path, without the subpath.
        subpath: The subpath; empty when there is none.
        text: The text, or the size of an embed; None when there is none.
        angles: Whether the path is in `<...>`.
    """

    path: tuple[int, int]
    subpath: tuple[int, int]
    text: tuple[int, int] | None
    angles: bool = False


def without_extension(path: str) -> str:
    """Return a path as wikilinks write it: that of a note without `.md`."""
    return path[: -len(NOTE_EXTENSION)] if is_note(path) else path


def fits_wikilink(path: str) -> bool:
    """Return whether a path can be written between `[[` and `]]` (rule 7)."""
    return _UNLINKABLE.search(path) is None


def encode_destination(path: str, *, angles: bool = False) -> str:
    """Return a path as the destination of a Markdown link: what would end or change it is percent-encoded (rule 73).

    Args:
        path: The path.
        angles: Whether it stands in `<...>`, where spaces and parentheses are free.
    """
    return (_ENCODED_IN_ANGLES if angles else _ENCODED).sub(lambda found: quote(found[0], safe=""), path)


def encode_subpath(subpath: str) -> str:
    """Return a subpath as it follows a path in a Markdown link; the `^` before a block's id stays."""
    parts = (part.partition("^") if part.startswith("^") else ("", "", part) for part in subpath.split("#"))
    return "#".join(mark + encode_destination(name) for _none, mark, name in parts)


def wikilink_parts(original: str) -> LinkParts | None:
    """Return the parts of `[[path#subpath|text]]`; None when it is no such link."""
    start, end = original.find("[[") + 2, len(original) - 2
    if not original.startswith(("[[", "![[")) or start > end or not original.endswith("]]"):
        return None
    bar = original.find("|", start + 1, end)  # a bar that comes first belongs to the name (rule 16)
    stop = end if bar < 0 else bar
    if bar >= 0 and original[start:stop].endswith("\\"):  # in a table (rule 18)
        stop -= 1
    mark = original.find("#", start, stop)
    path_end = stop if mark < 0 else mark
    path = original[start:path_end]  # white space around it belongs to no part (rule 15)
    start += len(path) - len(path.lstrip(SPACE))
    inner_end = max(start, path_end - (len(path) - len(path.rstrip(SPACE))))
    return LinkParts((start, inner_end), (path_end, stop), None if bar < 0 else (bar + 1, end))


def markdown_link_parts(original: str) -> LinkParts | None:
    """Return the parts of `[text](path#subpath "title")`; None when it is no such link."""
    start, close = original.find("[") + 1, len(original)
    if not original.startswith(("[", "![")):
        return None
    for _try in range(_MOST_TRIES):  # from the end, because a text may hold links of its own
        close = original.rfind("](", start, close)
        if close < 0:
            break
        found = destination_end(original, close + 2, len(original))
        if found is not None and found[1] == len(original):
            place = close + 2
            while original[place] in " \t\n":
                place += 1
            place += original[place] == "<"
            return _destination_parts(original, place, place + len(found[0]), (start, close))
    return None


def address_parts(original: str) -> LinkParts | None:
    """Return the parts of `[label]: path#subpath "title"`, or of `<a href="path#subpath"`; None when it is neither."""
    found = ANCHOR.match(original) if original.startswith("<") else DEFINITION.match(original)
    if found is None:
        return None
    place, end = found.span(found.lastindex or 0)
    return _destination_parts(original, place, end, None)


def _destination_parts(original: str, place: int, end: int, text: tuple[int, int] | None) -> LinkParts:
    mark = _HASH.search(original, place, end)
    path_end = mark.start() if mark else end
    return LinkParts((place, path_end), (path_end, end), text, original[place - 1] == "<")

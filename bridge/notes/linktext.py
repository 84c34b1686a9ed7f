"""Spelling of links: the path that Obsidian would write, and its form in each kind of link.

The rules are those of docs/obsidian.md.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple
from urllib.parse import quote

from bridge.notes.names import Names
from bridge.notes.syntax import ANCHOR, DEFINITION, SPACE, destination_end
from bridge.vault.text import NOTE_EXTENSION, is_note

LinkFormat = Literal["shortest", "relative", "absolute"]
"""The user's setting `newLinkFormat` (rule 75)."""

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


def link_path(target: str, source: str, names: Names, form: LinkFormat, *, markdown: bool) -> str | None:
    """Return the path that a link to a file is written with (rule 72), as it is before any encoding.

    Where that would lead elsewhere, because another file is preferred, or no such link can be written, it is written
    so that it leads there all the same: from the vault down, with its extension, with a `/` before it; or from the
    folder that the link is in, where the path that is left can be written.

    Args:
        target: The file.
        source: The file that the link is in.
        names: The vault's files.
        form: What the user wants.
        markdown: Whether the link is a Markdown link, which keeps `.md`.

    Returns:
        None when no path leads there: it is no file of the vault, or no link can hold its name.
    """
    found = (
        written
        for path in _wished(target, source, names, form)
        for written in ([path] if markdown else dict.fromkeys([without_extension(path), path]))
        if "#" not in written and names.resolve(written, source) == target
    )
    if markdown:
        return next(found, None)
    first = next(found, None)
    return first if first is None or fits_wikilink(first) else next(filter(fits_wikilink, found), first)


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
            angles = original[place] == "<"
            place, end = place + angles, place + angles + len(found[0])
            mark = _HASH.search(original, place, end)
            path_end = mark.start() if mark else end
            return LinkParts((place, path_end), (path_end, end), (start, close), angles)
    return None


def address_parts(original: str) -> LinkParts | None:
    """Return the parts of `[label]: path#subpath "title"`, or of `<a href="path#subpath"`; None when it is neither."""
    found = ANCHOR.match(original) if original.startswith("<") else DEFINITION.match(original)
    if found is None:
        return None
    number = found.lastindex or 0
    place, end = found.span(number)
    mark = _HASH.search(original, place, end)
    path_end = mark.start() if mark else end
    angles = original[place - 1] == "<"
    return LinkParts((place, path_end), (path_end, end), None, angles)


def _wished(target: str, source: str, names: Names, form: LinkFormat) -> Iterator[str]:
    """Yield the paths that may be written, the one that Obsidian would write first."""
    name, relative = target.rpartition("/")[2], _relative(target, source)
    from_here = relative if relative.startswith("../") else "./" + relative
    if form == "relative":
        yield relative
        yield from_here
    elif form == "shortest" and len(names.named(name)) == 1:
        yield name
    yield target
    yield "/" + target
    yield name  # where a folder's name is what no link can hold (rules 37 and 40)
    yield from_here
    tail = target
    while "/" in tail:  # the end of the path, as far as it can be written (rule 36)
        tail = tail.partition("/")[2]
        yield tail


def _relative(target: str, source: str) -> str:
    here, there = source.split("/")[:-1], target.split("/")
    common = 0
    while common < min(len(here), len(there) - 1) and here[common] == there[common]:
        common += 1
    return "/".join([".."] * (len(here) - common) + there[common:])

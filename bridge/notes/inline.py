"""Links, embeds and tags within one paragraph, heading, list item or table row.

One scan from left to right; the first construct wins (rule 28). Code, math, comments in HTML and tags of HTML are
stepped over (rule 26). Every construct is looked for at most once from each side, so that hostile text costs no more
than plain text.
"""

import re

from bridge.notes.destinations import decode_destination, destination_end, is_external
from bridge.notes.note import Link, Tag
from bridge.notes.tags import TAG_CHARACTER
from bridge.notes.wikilinks import BODY, split_wikilink

_TOKEN = re.compile(r"\\[!-/:-@\[-`{-~]|`++|\$++|<|\^\[|!?\[++|\]|#++|%%", re.DOTALL)
_TAG = re.compile(f"{TAG_CHARACTER}++")
_MATH_END = re.compile(r"(?<![\\\s])\$(?!\d)")
_HTML_TAG = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9-]*+"
    r"(?:\s++[A-Za-z_:][A-Za-z0-9:._-]*+(?:\s*+=\s*+(?:[^\"'=<>`\s]++|'[^']*+'|\"[^\"]*+\"))?+)*+\s*+/?"
    r"|/[A-Za-z][A-Za-z0-9-]*+\s*+|[A-Za-z][A-Za-z0-9+.-]*+:[^\s<>]*+|[^\s<>@\[\]]++@[^\s<>\[\]]++)>"
)
_MAX_HTML_TAG = 2048
_MAX_HTML_FAILURES = 200
_MAX_WORD = 1024
_EMPHASIS = "*_~="
_NEVER = 1 << 62


class Found:
    """What was found so far, in order."""

    __slots__ = ("embeds", "links", "tags")

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.embeds: list[Link] = []
        self.tags: list[Tag] = []


class _Unit:
    """One run of text, and what is known to be missing in the rest of it."""

    __slots__ = ("code_runs", "comment_gone", "end", "found", "html_failures", "math_gone", "open", "text")

    def __init__(self, text: str, end: int, found: Found) -> None:
        self.text = text
        self.end = end
        self.found = found
        self.open: list[tuple[int, str]] = []  # brackets that may begin a link: where, and how they are written
        self.code_runs: dict[int, list[int]] | None = None  # where back-ticks stand in runs, by length, last first
        self.math_gone = self.comment_gone = _NEVER
        self.html_failures = 0


def scan_inline(text: str, start: int, end: int, found: Found) -> None:
    """Find the links, embeds and tags between two places.

    Args:
        text: The note.
        start: Where the run of text begins.
        end: Where it ends.
        found: Where they are put.
    """
    if text.find("[", start, end) < 0 and text.find("#", start, end) < 0:
        return
    unit = _Unit(text, end, found)
    position = last = start  # where to look next, and where the last construct ended
    search = _TOKEN.search
    while token := search(text, position, end):
        at, position = token.span()
        mark = text[at]
        if mark == "[" or mark == "!":
            position, last = _opened(unit, at, position, last)
        elif mark == "]":
            if unit.open:
                position, last = _closed(unit, at, last)
        elif mark == "#":
            position, last = _tag(unit, at, position, last, start)
        elif mark == "\\" or mark == "%":
            last = position
        elif mark == "^":
            unit.open.append((at, "^"))
        else:
            after = _skipped(unit, mark, at, position, start)
            if after:
                position = last = after


def _opened(unit: _Unit, at: int, after: int, last: int) -> tuple[int, int]:
    """`[`, `![`, `[[` or more of them."""
    text = unit.text
    embed = text[at] == "!"
    count = after - at - embed
    if count == 1:
        unit.open.append((at, "!" if embed else "["))
        return after, last
    body = BODY.match(text, after, unit.end)
    if body is None or body.end() == after + 2:
        for bracket in range(max(at + embed, after - 8), after):
            unit.open.append((bracket, "["))
        return after, last
    embed = embed and count == 2
    begin = after - 2 - embed
    for bracket in range(max(at, begin - 8), begin):
        if text[bracket] == "[":
            unit.open.append((bracket, "["))
    end = body.end()
    link, display = split_wikilink(text[after : end - 2])
    (unit.found.embeds if embed else unit.found.links).append(Link(begin, end, text[begin:end], link, display, embed))
    if not embed:
        _no_link_around(unit)
    return end, end


def _no_link_around(unit: _Unit) -> None:
    """A link within the text of another: the inner one counts."""
    if unit.open:
        unit.open = [bracket for bracket in unit.open if bracket[1] != "["]


def _closed(unit: _Unit, at: int, last: int) -> tuple[int, int]:
    """`]`: the end of a link's text when a destination follows."""
    begin, kind = unit.open.pop()
    text, after = unit.text, at + 1
    if kind == "^" or after >= unit.end or text[after] != "(":
        return after, last
    ended = destination_end(text, after + 1, unit.end)
    if ended is None:
        return after, last
    destination, end = ended
    found = unit.found
    while found.tags and found.tags[-1].start > begin:
        found.tags.pop()  # rule 64
    embed = kind == "!"
    if not embed:
        _no_link_around(unit)
    if destination and not is_external(destination):
        display = text[begin + 1 + embed : at]
        link = Link(begin, end, text[begin:end], decode_destination(destination), display, embed, markdown=True)
        (found.embeds if embed else found.links).append(link)
    return end, end


def _tag(unit: _Unit, at: int, after: int, last: int, start: int) -> tuple[int, int]:
    """`#`: a tag at a line's start, after white space or right after another construct (rules 59 and 60)."""
    text = unit.text
    if after - at > 1 or not (at == start or at == last or text[at - 1].isspace() or _led_in(unit, at, start)):
        return after, last
    tag = _TAG.match(text, after, unit.end)
    if tag is None or tag[0].isdecimal():
        return after, last
    unit.found.tags.append(Tag(at, tag.end(), text[at : tag.end()]))
    return tag.end(), tag.end()


def _led_in(unit: _Unit, at: int, start: int) -> bool:
    """Whether what stands before `#` is the mark of a quote, or opens an emphasis that is closed later."""
    text = unit.text
    before = text[at - 1]
    if before == ">":
        return not text[max(text.rfind("\n", start, at) + 1, start, at - 64) : at].strip("> \t")
    if before not in _EMPHASIS:
        return False
    begin = at - 1
    while begin > start and at - begin < 3 and text[begin - 1] == before:
        begin -= 1
    if begin > start and not text[begin - 1].isspace():
        return False
    return text.find(text[begin:at], at, min(unit.end, at + _MAX_WORD)) >= 0


def _skipped(unit: _Unit, mark: str, at: int, after: int, start: int) -> int:
    """The end of code, math, a comment or a tag of HTML that begins here; 0 when it is only text."""
    if mark == "`":
        return _code_end(unit, at, after)
    if mark == "$":
        return _math_end(unit, at, after, start)
    text, end = unit.text, unit.end
    if text.startswith("<!--", at):
        if at >= unit.comment_gone:
            return 0
        closing = text.find("-->", at + 4, end)
        if closing < 0:
            unit.comment_gone = at
            return 0
        return closing + 3
    reach = _MAX_HTML_TAG if unit.html_failures < _MAX_HTML_FAILURES else 128
    tag = _HTML_TAG.match(text, at, min(end, at + reach))
    if tag is None:
        unit.html_failures += 1
        return 0
    return tag.end()


def _code_end(unit: _Unit, at: int, after: int) -> int:
    if unit.code_runs is None:
        unit.code_runs = {}
        for run in re.finditer("`++", unit.text[at : unit.end]):
            unit.code_runs.setdefault(run.end() - run.start(), []).append(at + run.start())
        for places in unit.code_runs.values():
            places.reverse()
    # Part of a run may open code that a shorter run closes.
    for length in sorted((length for length in unit.code_runs if length <= after - at), reverse=True):
        places = unit.code_runs[length]
        while places and places[-1] < after:
            places.pop()
        if places:
            return places[-1] + length
        del unit.code_runs[length]
    return after


def _math_end(unit: _Unit, at: int, after: int, start: int) -> int:
    text, end = unit.text, unit.end
    if after - at > 2 or at >= unit.math_gone:
        return 0
    if after - at == 2:
        closing = text.find("$$", after, end)
        return closing + 2 if closing > after else 0
    if after >= end or text[after].isspace():
        return 0
    word = max(text.rfind(" ", max(start, at - _MAX_WORD), at), text.rfind("\n", max(start, at - _MAX_WORD), at))
    if "://" in text[max(word, start, at - _MAX_WORD) : at]:
        return 0  # within an address
    closed = _MATH_END.search(text, after + 1, end)
    if closed is None:
        unit.math_gone = at
        return 0
    return closed.end()

"""Links, embeds and tags within one paragraph, heading, list item or table row.

One scan from left to right; the first construct wins (rule 28 of docs/obsidian.md). Nothing is looked for in code,
mathematics and HTML (rule 26). No construct is looked for twice over the same text, and what is missing in the rest of
the text is remembered, so that hostile text costs no more than plain text.
"""

import re
from functools import cache

from bridge.notes import syntax
from bridge.notes.note import LETTERS_OF_A_STEP, STEPS_OF_A_FIND, Link, Tag, Work
from bridge.notes.syntax import ANCHOR, decode_destination, destination_end, is_external, split_wikilink, wikilink_end

_BLOCKS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hgroup|hr|html|iframe|legend|li|link"
    "|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|pre|section|source|title|summary|table|tbody|td"
    "|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE = r"\s++[A-Za-z_:][A-Za-z0-9:._-]*+(?>\s*+=\s*+(?:[^\"'=<>`\x00-\x20]++|'[^']*+'|\"[^\"]*+\"))?+"

TAG = rf"<(?:[A-Za-z][A-Za-z0-9-]*+(?>{_ATTRIBUTE})*+\s*+/?|/[A-Za-z][A-Za-z0-9-]*+\s*+)>"
"""One tag, as a pattern."""

_BLANK = re.compile(r"\A\Z")


@cache
def _kinds() -> tuple[tuple[re.Pattern[str], re.Pattern[str], bool], ...]:
    """Return how blocks of HTML begin and end, and whether they may follow text without a blank line."""
    opaque = re.compile(r"<(?:script|pre|style)(?=[\s>]|\Z)", re.IGNORECASE)
    return (
        (opaque, re.compile(r"</(?:script|pre|style)>", re.IGNORECASE), True),
        (re.compile(r"<!--"), re.compile(r"-->"), True),
        (re.compile(r"<\?"), re.compile(r"\?>"), True),
        (re.compile(r"<![A-Za-z]"), re.compile(r">"), True),
        (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>"), True),
        (re.compile(rf"</?(?:{_BLOCKS})(?=\s|/?>|\Z)", re.IGNORECASE), _BLANK, True),
        (re.compile(rf"{TAG}\s*+\Z"), _BLANK, False),
    )


def html_block(text: str, start: int, end: int) -> tuple[re.Pattern[str], bool] | None:
    """Return the pattern of the block's last line, and whether the block may follow text without a blank line.

    Args:
        text: The note.
        start: The position of `<`.
        end: The end of the line.

    Returns:
        None if no block of HTML begins there.
    """
    for opening, closing, interrupts in _kinds():
        if opening.match(text, start, end):
            return closing, interrupts
    return None


_HTML_TAG = re.compile(TAG)
_AUTOLINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.-]*+:[^\s<>]*+|[^\s<>@\[\]]++@[^\s<>\[\]]++)>")
_BACKTICKS = re.compile(r"`++")

_MAX_TAG = 2048
_MAX_FAILURES = 200
_MAX_TAG_AFTER_FAILURES = 128
_MAX_WORD = 256
_NEVER = 1 << 62
_DISPLAY_MATH = 2


class LiteralSpans:
    """A reader that steps over the opaque stretches of one run of text.

    Args:
        text: The note.
        start: The beginning of the run.
        end: Its end.
    """

    __slots__ = ("_code", "_end", "_failures", "_no_comment", "_no_display", "_no_math", "_start", "_text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end
        self._code: dict[int, list[int]] | None = None
        self._no_math = self._no_display = self._no_comment = _NEVER
        self._failures = 0

    def after_code(self, at: int, after: int) -> int:
        """Return the end of the code that back-ticks open, or of the back-ticks when they open none.

        Args:
            at: The first of them.
            after: One past the last.
        """
        if self._code is None:
            self._code = self._runs(at)
        # What is left of a run that nothing closes may open code that a shorter run closes.
        for length in sorted((length for length in self._code if length <= after - at), reverse=True):
            places = self._code[length]
            while places and places[-1] < after:
                places.pop()
            if places:
                return places[-1] + length
            del self._code[length]
        return after

    def _runs(self, at: int) -> dict[int, list[int]]:
        """Return where runs of back-ticks begin, by length, the last first."""
        runs: dict[int, list[int]] = {}
        for run in _BACKTICKS.finditer(self._text, at, self._end):
            runs.setdefault(len(run[0]), []).append(run.start())
        for places in runs.values():
            places.reverse()
        return runs

    def after_math(self, at: int, after: int) -> int:
        """Return the end of the mathematics that dollar signs open; -1 when they open none.

        Args:
            at: The first of them.
            after: One past the last.
        """
        text, end = self._text, self._end
        if after - at == _DISPLAY_MATH:
            closing = text.find("$$", after, end) if at < self._no_display else -1
            if closing < 0:
                self._no_display = min(self._no_display, at)
            return closing + 2 if closing > after else -1
        if after - at > _DISPLAY_MATH or at >= self._no_math or after >= end or text[after].isspace():
            return -1
        if self._in_address(at):
            return -1
        closing = text.find("$", after + 1, end)
        while closing >= 0:
            before, behind = text[closing - 1], text[closing + 1 : closing + 2] if closing + 1 < end else ""
            if before != "\\" and not before.isspace() and not behind.isdecimal():
                return closing + 1
            closing = text.find("$", closing + 1, end)
        self._no_math = at
        return -1

    def _in_address(self, at: int) -> bool:
        """Return whether the word up to here is the beginning of a web address."""
        words = self._text[max(self._start, at - _MAX_WORD) : at].split()
        return bool(words) and not self._text[at - 1].isspace() and "://" in words[-1]

    def after_html(self, at: int) -> int:
        """Return the end of the comment, tag or address in angle brackets that `<` opens; -1 if it opens none.

        Args:
            at: The `<`.
        """
        text, end = self._text, self._end
        if text.startswith("<!--", at):
            closing = text.find("-->", at + 4, end) if at < self._no_comment else -1
            if closing < 0:
                self._no_comment = min(self._no_comment, at)
            return closing + 3 if closing >= 0 else -1
        reach = _MAX_TAG if self._failures < _MAX_FAILURES else _MAX_TAG_AFTER_FAILURES
        tag = _HTML_TAG.match(text, at, min(end, at + reach)) or _AUTOLINK.match(text, at, min(end, at + reach))
        if tag is None:
            self._failures += 1
            return -1
        return tag.end()


# Each alternative begins with one certain character: then the regex engine skips plain text quickly.
_TOKEN = re.compile(r"\\[!-/:-@\[-`{-~]|``*+|\$\$*+|<|\^\[|!\[\[*+|\[\[*+|\]|##*+|%%")
_TAG = re.compile(f"{syntax.TAG_CHARACTER}++")

_WINDOW = 256 * 1024
"""Characters that are searched in one step; more would hold other threads for too long."""

_MAX_EMPHASIS = 1024
_MAX_MARKS = 3
_MAX_QUOTE = 64
_MAX_BRACKETS = 8


class InlineItems:
    """The links, embeds and tags found so far, each in the order of the text.

    Args:
        work: Counts what finding them takes.
    """

    __slots__ = ("addresses", "embeds", "links", "tags", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.addresses: list[Link] = []
        self.links: list[Link] = []
        self.embeds: list[Link] = []
        self.tags: list[Tag] = []


def scan_inline(text: str, start: int, end: int, items: InlineItems) -> None:
    """Find the links, embeds and tags between two places.

    Args:
        text: The note.
        start: Where the run of text begins.
        end: Its end.
        items: They are added to these.
    """
    if any(text.find(mark, start, end) >= 0 for mark in "[#<"):
        _Scan(text, start, end, items).run()


def scan_anchors(text: str, start: int, end: int, items: InlineItems) -> None:
    """Find the addresses within the vault in tags of HTML, `<a href="address">`.

    Args:
        text: The note.
        start: Where HTML begins.
        end: Its end; nothing is found where that is before it.
        items: They are added to these.
    """
    for tag in ANCHOR.finditer(text, start, end):
        destination = tag[tag.lastindex or 0]
        target = "" if is_external(destination) else decode_destination(destination)
        if target and not target.startswith("#"):
            span = tag.span()
            items.addresses.append(Link(*span, tag[0], target, target, markdown=True, kind="anchor"))


class _Scan:
    """One run of text being scanned. `last` is where the last construct ended."""

    __slots__ = ("end", "items", "last", "literal", "open", "start", "text")

    def __init__(self, text: str, start: int, end: int, items: InlineItems) -> None:
        self.text, self.end, self.items = text, end, items
        self.start = self.last = start
        self.literal = LiteralSpans(text, start, end)
        self.open: list[tuple[int, str]] = []  # brackets that may begin a link: where, and which kind

    def run(self) -> None:
        text, end = self.text, self.end
        position = self.start
        spend = self.items.work.spend
        spend((end - position) // LETTERS_OF_A_STEP)
        reach = min(end, position + _WINDOW)
        while True:
            token = _TOKEN.search(text, position, reach)
            if reach < end and (token is None or token.end() >= reach - 1):
                # At the window's border: begin there again, for it may cut a token in two.
                position = token.start() if token else reach - 1
                reach = min(end, position + _WINDOW)
                token = _TOKEN.match(text, position, end) if token else None
                if token is None:
                    continue
            if token is None:
                return
            spend(1)
            position = self._after(text[token.start()], token.start(), token.end())

    def _after(self, mark: str, at: int, after: int) -> int:
        """Take in what begins at a token; returns where to go on."""
        if mark in "[!":
            return self._opening(at, after)
        if mark == "]":
            return self._closing(after) if self.open else after
        if mark == "#":
            return self._tag(at, after)
        if mark == "^":
            self.open.append((at, "^"))
            return after
        if mark in "\\%":
            behind = after
        elif mark == "`":
            behind = self.literal.after_code(at, after)
        elif mark == "$":
            behind = self.literal.after_math(at, after)
        else:
            behind = self.literal.after_html(at)
            if self.text.startswith(("a", "A"), at + 1):
                scan_anchors(self.text, at, behind, self.items)
        if behind < 0:
            return after
        self.last = behind
        return behind

    def _opening(self, at: int, after: int) -> int:
        """Read one `[` or more, perhaps after `!`."""
        text, brackets = self.text, at
        embed = text[at] == "!"
        if embed:
            brackets += 1
        inside, end = self._wikilink(brackets, after)
        target, display = split_wikilink(text[inside : end - 2]) if end >= 0 else ("", "")
        if not target:
            self._push(at, after, embed=embed)
            return after
        embed = embed and brackets == inside - 2
        begin = at if embed else inside - 2
        self._push(at, begin, embed=not embed and text[at] == "!")
        self._add(Link(begin, end, text[begin:end], target, display, embed))
        return end

    def _wikilink(self, brackets: int, after: int) -> tuple[int, int]:
        """Return where the inside of a wikilink begins and one past its end, which is -1 if there is none.

        The last two brackets of a row open it, unless one more is closed within (`[[[A] b]]`, rule 17).
        """
        if after - brackets < len("[["):
            return after, -1
        if after - brackets > len("[["):
            end = wikilink_end(self.text, after - 1, self.end)
            if end >= 0 and self.text.find("]", after, end - 2) >= 0:
                return after - 1, end
        return after, wikilink_end(self.text, after, self.end)

    def _push(self, start: int, stop: int, *, embed: bool) -> None:
        """Remember brackets, of a long row of them only the last, for no more can be closed."""
        if start >= stop:
            return
        first = start + embed
        self.open.extend((bracket, "[") for bracket in range(max(first + embed, stop - _MAX_BRACKETS), stop))
        if embed and stop - first <= _MAX_BRACKETS:
            self.open.insert(len(self.open) - (stop - first - 1), (start, "!"))

    def _add(self, link: Link) -> None:
        if link.embed:
            self.items.embeds.append(link)
        else:
            self.items.links.append(link)
            self._no_link_around()
        self.items.work.spend(STEPS_OF_A_FIND)
        self.last = link.end

    def _no_link_around(self) -> None:
        """Drop links around an inner one: of a link within the text of another only the inner one counts."""
        if self.open:
            self.open = [bracket for bracket in self.open if bracket[1] != "["]

    def _closing(self, after: int) -> int:
        """Read a `]`: the end of a link's text if a destination follows."""
        text, items = self.text, self.items
        begin, kind = self.open.pop()
        if kind == "^" or after >= self.end or text[after] != "(":
            return after
        ended = destination_end(text, after + 1, self.end)
        if ended is None:
            return after
        destination, end = ended
        embed = kind == "!"
        external = is_external(destination)
        if embed or not external:  # rule 64
            while items.tags and items.tags[-1].start > begin:
                items.tags.pop()
        target = "" if external else decode_destination(destination)
        if target:
            display = text[begin + 1 + embed : after - 1]
            self._add(Link(begin, end, text[begin:end], target, display, embed, markdown=True))
        elif not embed:
            self._no_link_around()
        self.last = end
        return end

    def _tag(self, at: int, after: int) -> int:
        """Read a `#`: a tag at the start, after white space or right after another construct (rules 59 and 60)."""
        if after - at > 1:
            return after
        if at not in (self.start, self.last) and not self.text[at - 1].isspace() and not self._led_in(at):
            return after
        tag = _TAG.match(self.text, after, self.end)
        if tag is None or tag[0].isdecimal():
            return after
        self.items.work.spend(STEPS_OF_A_FIND)
        self.items.tags.append(Tag(at, tag.end(), self.text[at : tag.end()]))
        self.last = tag.end()
        return self.last

    def _led_in(self, at: int) -> bool:
        """Return whether the text before `#` is the mark of a quote, or opens an emphasis that is closed later."""
        text, before = self.text, self.text[at - 1]
        if before == ">":
            reach = max(self.start, at - _MAX_QUOTE)
            return not text[max(text.rfind("\n", reach, at) + 1, reach) : at].strip("> \t")
        if before not in "*_~=":
            return False
        begin = at - 1
        while begin > self.start and at - begin < _MAX_MARKS and text[begin - 1] == before:
            begin -= 1
        if begin > self.start and not text[begin - 1].isspace():
            return False
        return text.find(text[begin:at], at, min(self.end, at + _MAX_EMPHASIS)) >= 0

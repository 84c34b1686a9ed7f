"""Stretches of a note in which nothing is looked for: code, mathematics, HTML (rule 26 of docs/obsidian.md).

What is found to be missing in the rest of the text is remembered, so that it is not looked for again: text of nothing
but opening marks is read in linear time.
"""

import re
from functools import cache

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
    return (
        (
            re.compile(r"<(?:script|pre|style)(?=[\s>]|\Z)", re.IGNORECASE),
            re.compile(r"</(?:script|pre|style)>", re.IGNORECASE),
            True,
        ),
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
_NOT_BACKTICKS = re.compile(r"[^`]")

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
        self._text = text
        self._start = start
        self._end = end
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
        begin = self._text.find("`", at, self._end)
        while begin >= 0:
            other = _NOT_BACKTICKS.search(self._text, begin, self._end)
            end = other.start() if other else self._end
            runs.setdefault(end - begin, []).append(begin)
            begin = self._text.find("`", end, self._end)
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

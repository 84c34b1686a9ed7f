"""Blocks of HTML: what begins one, and what ends it. Nothing in them is parsed (rule 26)."""

import re

_BLOCKS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hgroup|hr|html|iframe|legend|li|link"
    "|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|pre|section|source|title|summary|table|tbody|td"
    "|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE = r"\s++[A-Za-z_:][A-Za-z0-9:._-]*+(?:\s*+=\s*+(?:[^\"'=<>`\x00-\x20]++|'[^']*+'|\"[^\"]*+\"))?+"

TAG = rf"<(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+\s*+/?|/[A-Za-z][A-Za-z0-9-]*+\s*+)>"
"""One tag, as a pattern."""

_BLANK = re.compile(r"\A\Z")
_KINDS = (
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
    """What a line of a block's end looks like, and whether such a block may follow text without a blank line.

    Args:
        text: The note.
        start: Where `<` is.
        end: Where the line ends.

    Returns:
        None when no block of HTML begins there.
    """
    for opening, closing, interrupts in _KINDS:
        if opening.match(text, start, end):
            return closing, interrupts
    return None

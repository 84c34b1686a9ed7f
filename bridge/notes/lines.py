"""What one line begins: the marks by which blocks are told apart."""

import re

HEADING, QUOTE, RULE, BULLET, NUMBER, FENCE, MATH, HTML, COMMENT, FOOTNOTE = range(1, 11)
"""The kinds of line that begin a block, as numbers of the groups in `BEGIN`."""

BEGIN = re.compile(
    r"[ \t]*+(?:"
    r"(\#{1,6}+(?=[ \t]|\Z))"
    r"|(>)"
    r"|((?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)\Z)"
    r"|([*+-](?=[ \t]|\Z))"
    r"|(\d++[.)](?=[ \t]|\Z))"
    r"|(`{3,}+(?=[^`]*+\Z)|~{3,}+)"
    r"|(\${2,}+(?=[^$]*+\Z))"
    r"|(<)"
    r"|(%%)"
    r"|(\[\^[^\]\s]++\]:))"
)
"""Matches the line (`match(text, its start, its end)`) that begins a block other than a paragraph."""

PLAIN = frozenset(chr(code) for code in range(128) if chr(code).isalpha() or chr(code) in "\"'(.,;:?@/\\{}&") | {"["}

_BLOCKS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hgroup|hr|html|iframe|legend|li|link"
    "|main|menu|menuitem|meta|nav|noframes|ol|optgroup|option|p|param|pre|section|source|title|summary|table|tbody|td"
    "|tfoot|th|thead|title|tr|track|ul"
)
_RAW = re.compile(r"<(?:script|pre|style)(?=[\s>]|\Z)", re.IGNORECASE)
_RAW_END = re.compile(r"</(?:script|pre|style)>", re.IGNORECASE)
_ELEMENT = re.compile(rf"</?(?:{_BLOCKS})(?=\s|/?>|\Z)", re.IGNORECASE)
_ATTRIBUTE = r"\s++[A-Za-z_:][A-Za-z0-9:._-]*+(?:\s*+=\s*+(?:[^\"'=<>`\x00-\x20]++|'[^']*+'|\"[^\"]*+\"))?+"
_WHOLE_TAG = re.compile(rf"<(?:[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+\s*+/?|/[A-Za-z][A-Za-z0-9-]*+\s*+)>\s*+\Z")
_EMPTY = re.compile(r"\A\Z")

HtmlEnd = re.Pattern[str]


def html_end(line: str) -> tuple[re.Pattern[str], bool] | None:
    """What ends the HTML that a line begins, and whether such HTML may follow a paragraph without a blank line.

    Args:
        line: The line from its `<`.
    """
    if line.startswith("<!--"):
        return re.compile("-->"), True
    if _RAW.match(line):
        return _RAW_END, True
    if line.startswith("<?"):
        return re.compile(r"\?>"), True
    if line.startswith("<![CDATA["):
        return re.compile("]]>"), True
    if line[1:2] == "!" and line[2:3].isalpha() and line.isascii():
        return re.compile(">"), True
    if _ELEMENT.match(line):
        return _EMPTY, True
    if _WHOLE_TAG.match(line):
        return _EMPTY, False
    return None

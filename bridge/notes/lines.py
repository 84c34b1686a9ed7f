"""What one line begins: the marks by which blocks are told apart, and how far a line is indented."""

import re
from typing import NamedTuple

TEXT, HEADING, QUOTE, RULE, BULLET, NUMBER, FENCE, MATH, HTML, COMMENT, FOOTNOTE, INDENTED, BLANK = range(13)
"""The kinds of line. Those from `HEADING` to `FOOTNOTE` are numbers of groups in the pattern below."""

TAB = 4
"""Columns to which a tab is filled up; indentation from which text is code."""

_BEGIN = re.compile(
    r"[ \t]*+(?:"
    r"(\#{1,6}+(?=[ \t]|\Z))"
    r"|(>)"
    r"|((?:(?:\* *+){3,}+|(?:- *+){3,}+|(?:_ *+){3,}+)\Z)"
    r"|([*+-](?=[ \t]|\Z))"
    r"|([0-9]++[.)](?=[ \t]|\Z))"
    r"|(`{3,}+(?=[^`]*+\Z)|~{3,}+)"
    r"|(\${2,}+(?=[^$]*+\Z))"
    r"|(<)"
    r"|(%%)"
    r"|(\[\^[^\]\s]++\]:))"
)


class Mark(NamedTuple):
    """What a line begins with: the kind of block, and where the characters that say so are."""

    kind: int
    start: int
    end: int


def line_mark(text: str, start: int, end: int) -> Mark:
    """What a line begins, however far it is indented; `TEXT` when it is nothing else.

    Args:
        text: The note.
        start: Where the line begins.
        end: Where it ends.
    """
    match = _BEGIN.match(text, start, end)
    if match is None or match.lastindex is None:
        return Mark(TEXT, start, start)
    return Mark(match.lastindex, *match.span(match.lastindex))


def leading_columns(text: str, start: int, end: int) -> tuple[int, int]:
    """How many columns of white space lead a line, and where they end; a tab reaches to the next multiple of four.

    Args:
        text: The note.
        start: Where the line begins.
        end: Where it ends.
    """
    columns = 0
    while start < end:
        mark = text[start]
        if mark == " ":
            columns += 1
        elif mark == "\t":
            columns += TAB - columns % TAB
        else:
            break
        start += 1
    return columns, start

"""Text from outside, made harmless to look at.

Note texts, paths, parameters, and the names that clients give themselves are written by others. Printed as they are,
they could move the cursor, hide a line, reverse the reading order or draw a false answer. So everything that a
terminal acts on, and everything that a person cannot see, is drawn as a visible escape: `␛`, `␍`, `<U+202E>`.
Nothing is left out, and nothing is ever read as markup.
"""

import json
import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Span, Text

ESCAPE_STYLE = "bold magenta"
"""Distinguishes an escape from the same characters written in the text."""

MOST_MARKS = 3
"""Combining marks in a row that real writing needs; more would spill over the neighbouring lines."""

_INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_VARIATION_SELECTOR = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_EMOJI_SELECTOR = "\ufe0f"
_WIDE_SPACE = "\u3000"
_UNSAFE_IN_JSON = re.compile(
    "[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef]"
)


def sanitize(
    text: str, *, style: str = "", tab: str | None = None, marks: Sequence[tuple[int, int]] = (), mark_style: str = ""
) -> Text:
    """Return one line, as styled text in which every control, invisible or reordering character is a visible escape.

    Args:
        text: Anything. Line breaks become `␊` and `␍`: use `sanitize_lines` where they should break lines.
        style: The style of what is not escaped.
        tab: What a tab is drawn as; None draws `␉`.
        marks: Parts of `text`, as (start, end), in order, that are drawn in `mark_style` on top.
        mark_style: Their style.
    """
    parts: list[str] = []
    spans: list[Span] = []
    borders = deque(at for span in marks for at in span)
    drawn_borders: list[int] = []
    read = written = 0
    for piece, escaped, length in _pieces(text, {} if tab is None else {"\t": tab}):
        while borders and borders[0] < read + length:
            border = borders.popleft()
            drawn_borders.append(written + (0 if escaped else border - read))
        if escaped and spans and spans[-1].end == written:
            spans[-1] = Span(spans[-1].start, written + len(piece), ESCAPE_STYLE)
        elif escaped:
            spans.append(Span(written, written + len(piece), ESCAPE_STYLE))
        parts.append(piece)
        read += length
        written += len(piece)
    drawn_borders += [written] * len(borders)
    spans += [Span(start, end, mark_style) for start, end in zip(drawn_borders[::2], drawn_borders[1::2], strict=True)]
    return Text("".join(parts), style=style, spans=spans)


def sanitize_lines(text: str, *, style: str = "", tab: str | None = None) -> list[Text]:
    r"""Do the same for text of several lines. `\n` and `\r\n` break a line; a lone `\r` is drawn."""
    return [sanitize(line.removesuffix("\r"), style=style, tab=tab) for line in text.split("\n")]


def sanitize_plain(text: str, *, keep: str = "") -> str:
    """Return the same as a plain string, for messages and pipes; the characters in `keep` stay."""
    return "".join(piece for piece, _, _ in _pieces(text, {char: char for char in keep}))


def sanitize_json(value: Any, *, indent: int | None = None) -> str:
    r"""Return JSON of exactly `value`, with the same characters written as `\uXXXX`: lossless, and safe to look at."""
    written = json.dumps(value, ensure_ascii=False, indent=indent)
    return _UNSAFE_IN_JSON.sub(lambda found: json.dumps(found[0])[1:-1], written)


def _pieces(text: str, drawn_as: dict[str, str]) -> Iterator[tuple[str, bool, int]]:
    """Yield `text` in pieces that may be printed: each with whether it is an escape, and what length it stands for."""
    if text.isascii() and text.isprintable():
        yield text, False, len(text)
        return
    start = marks = 0
    previous = ""
    for at, char in enumerate(text):
        marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if marks > MOST_MARKS or (marks and not previous) or _must_be_drawn(char, previous):
            if start < at:
                yield text[start:at], False, at - start
            replacement = drawn_as.get(char)
            yield replacement or _escape(char), char != replacement, 1
            start = at + 1
        previous = char
    if start < len(text):
        yield text[start:], False, len(text) - start


def _must_be_drawn(char: str, previous: str) -> bool:
    if char.isascii():
        return not char.isprintable()
    if _VARIATION_SELECTOR.match(char):
        # The one that turns a symbol into an emoji is in every second note; anywhere else it hides something.
        return not (char == _EMOJI_SELECTOR and previous and unicodedata.category(previous) in {"So", "Sm"})
    return (not char.isprintable() and char != _WIDE_SPACE) or char in _INVISIBLE_LETTERS


def _escape(char: str) -> str:
    code = ord(char)
    if char < " ":
        return chr(0x2400 + code)  # the control pictures stand in the order of the controls
    return {0x7F: "␡", 0xA0: "⍽"}.get(code, f"<U+{code:04X}>")

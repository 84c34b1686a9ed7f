"""Characters that nobody sees: they turn text around, join or split words, or carry a message that only programs read.

The ranges are those of Unicode's Default_Ignorable_Code_Point and Bidi_Control, the control characters, and the tags
with which text is smuggled past people to language models ("ASCII smuggling"). What belongs to a script or to an emoji
is no trick: a joiner between two letters that are not ASCII, and the variation selectors 1 to 16.
"""

import re
import unicodedata
from collections.abc import Iterator

_ALWAYS = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, but for tab and line breaks
    "\r"  # a carriage return inside a line overwrites it on a terminal
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_JOINERS = "\u200c\u200d"
_HIDDEN = re.compile(f"[{_ALWAYS}]|(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])")


def hidden_characters(text: str) -> Iterator[tuple[int, str]]:
    """Where a text holds characters that are not seen: the offset, and the name such as `U+200B ZERO WIDTH SPACE`."""
    if not (text.isascii() and text.isprintable()):  # most lines of most notes
        for found in _HIDDEN.finditer(text):
            yield found.start(), _name(found[0])


def without_hidden_characters(text: str) -> str:
    """A text as people see it."""
    return _HIDDEN.sub("", text)


def with_hidden_characters_shown(text: str) -> str:
    """Return a text in which each of them stands as its code point, such as `<U+001B>`, so that it does nothing."""
    return _HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text.replace("\r\n", "\n"))


def _name(character: str) -> str:
    code = f"U+{ord(character):04X}"
    try:
        return f"{code} {unicodedata.name(character)}"
    except ValueError:
        return code

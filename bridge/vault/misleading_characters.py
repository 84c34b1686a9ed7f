"""Characters that mislead people: those that nobody sees, and letters of another script that look like Latin ones."""

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
_STEP = 100_000
"""Characters that are looked at without a turn for other threads."""
_HIDDEN = re.compile(f"[{_ALWAYS}]|(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])")


def hidden_characters(text: str) -> Iterator[tuple[int, str]]:
    """Yield each invisible character in a text: its offset, and its name such as `U+200B ZERO WIDTH SPACE`."""
    for start in range(0, len(text), _STEP):
        end = start + _STEP
        piece = text[start:end]
        if not (piece.isascii() and piece.isprintable()):  # most lines of most notes are
            for found in _HIDDEN.finditer(text, start, end + 1):  # what follows a joiner decides about it
                if found.start() < end:
                    yield found.start(), _name(found[0])


def without_hidden_characters(text: str) -> str:
    """Return a text as people see it."""
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


_CYRILLIC = "асеорхуіјѕһԁԛԝАВЕКМНОРСТХУІЈЅԌ"  # noqa: RUF001 - these are the ones
_GREEK = "οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"  # noqa: RUF001 - these are the ones
AS_LATIN = str.maketrans(_CYRILLIC + _GREEK, "aceopxyijshdqwABEKMHOPCTXYIJSG" + "oABEZHIKMNOPTYX")
"""Each of these letters by the Latin one that it looks like, for `str.translate`."""
_LIKE_LATIN = frozenset(_CYRILLIC + _GREEK)
_ANY = re.compile(f"[{_CYRILLIC}{_GREEK}]")
_WORD = re.compile(r"[^\W\d_]+")


def lookalikes(text: str) -> Iterator[tuple[int, str]]:
    """Yield each such word in a text: the offset of its first letter that is not Latin, and a description.

    Args:
        text: One line, or a path.
    """
    if text.isascii() or _ANY.search(text) is None:
        return
    for word in _WORD.finditer(text):
        letters = word[0]
        if letters.isascii() or not any(map(_is_latin, letters)):
            continue
        foreign = [at for at, letter in enumerate(letters) if not _is_latin(letter)]
        if foreign and all(letters[at] in _LIKE_LATIN for at in foreign):
            letter = letters[foreign[0]]
            yield word.start() + foreign[0], f"U+{ord(letter):04X} {unicodedata.name(letter)} in {letters[:40]!r}"


def _is_latin(letter: str) -> bool:
    return letter.isascii() or "\u00c0" <= letter <= "\u024f" or "\u1e00" <= letter <= "\u1eff"

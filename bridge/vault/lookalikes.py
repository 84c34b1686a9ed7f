"""Letters of another script that look like Latin ones within a Latin word, such as a Cyrillic `er` in `price`.

Only words that mix the two are found, and of those only the ones in which every foreign letter is a lookalike, so that
notes in several languages, formulas and units are left alone. A word that is wholly in another script is not looked at.
"""

import re
import unicodedata
from collections.abc import Iterator

_CYRILLIC = "асеорхуіјѕһԁԛԝАВЕКМНОРСТХУІЈЅԌ"  # noqa: RUF001 - these are the ones
_GREEK = "οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"  # noqa: RUF001 - these are the ones
AS_LATIN = str.maketrans(_CYRILLIC + _GREEK, "aceopxyijshdqwABEKMHOPCTXYIJSG" + "oABEZHIKMNOPTYX")
"""Each of these letters by the Latin one that it looks like, for `str.translate`."""
_LIKE_LATIN = frozenset(_CYRILLIC + _GREEK)
_ANY = re.compile(f"[{_CYRILLIC}{_GREEK}]")
_WORD = re.compile(r"[^\W\d_]+")


def lookalikes(text: str) -> Iterator[tuple[int, str]]:
    """Where a text holds such words: the offset of the first letter that is not Latin, and what it is, with its word.

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

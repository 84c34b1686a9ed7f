"""Names of clients: which a person could take for another one's, or for words of the bridge itself.

A person decides by the name that a question shows. So a new name must not look like one that is there: its letters are
compared by what they look like, one word has letters of one alphabet, and alphabets that nobody writes today are left
out, as Unicode's rules for names advise (UTS 39).
"""

import re
import unicodedata
from typing import Final

from bridge.identity.caller import CHAT, DEMO, HOST, UNNAMED
from bridge.vault.hidden_characters import hidden_characters
from bridge.vault.lookalikes import AS_LATIN

_OUR_WORDS: Final = (
    *(client.name or "" for client in (CHAT, DEMO, HOST)),
    *(UNNAMED, "You", "You typed in Obsidian", "The user", "Obsidian", "The terminal", "Terminal", "Vault Bridge"),
    *("Vault Bridge Consent", "The bridge", "Another program", "Shared"),
)
"""What questions, the log and the history call others than clients."""
_SMALL: Final = str.maketrans("вгкмнптαβγεηικνρςτυχωոսօհյզց01|", "brkmhntabyenikvpctuxwnuohjqgoll")  # noqa: RUF001 - lookalikes
"""Small letters of other alphabets, and digits, by the Latin letters that they look like."""
_PAIRS: Final = (("i", "l"), ("rn", "m"), ("vv", "w"), ("cl", "d"))
_WORD: Final = re.compile(r"[^\W\d_]+")
_EAST_ASIAN: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC"})
_ALPHABETS: Final = _EAST_ASIAN | set(
    """
    LATIN CYRILLIC GREEK ARMENIAN HEBREW ARABIC THAANA DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA
    MALAYALAM SINHALA THAI LAO TIBETAN MYANMAR GEORGIAN ETHIOPIC KHMER
    """.split()  # noqa: SIM905 - reads better
)
"""Those that are in everyday use (UAX 31), as the names of their letters begin."""


def look_of(name: str) -> str:
    """Return what a name looks like at a glance: two that come to the same text can be taken for each other."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    look = plain.translate(AS_LATIN).casefold().translate(_SMALL)
    for pair, letter in _PAIRS:
        look = look.replace(pair, letter)
    return "".join(filter(str.isalnum, look)) or look


def fault_of(name: str) -> str | None:
    """Return why nobody should be called so, whoever else there is; None where there is nothing against it."""
    if look_of(name) in _OUR_LOOKS:
        return f"{name!r} is what Vault Bridge calls something else, or looks like it"
    if any(hidden_characters(name)):
        return "A client's name holds no characters that nobody sees"
    for word in _WORD.findall(unicodedata.normalize("NFKC", name)):
        alphabets = {_alphabet(letter) for letter in word}
        if not alphabets <= _ALPHABETS:
            return f"A client's name is written in letters that are in everyday use, and {word!r} is not"
        if len(alphabets) > 1 and not alphabets - _EAST_ASIAN <= {"LATIN"}:
            return f"{word!r} mixes letters of several alphabets, which look alike; write it in one"
    return None


def _alphabet(letter: str) -> str:
    return re.split(r"[ -]", unicodedata.name(letter, ""), maxsplit=1)[0]


_OUR_LOOKS: Final = frozenset(map(look_of, _OUR_WORDS))

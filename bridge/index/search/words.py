"""The words of a query, as they are looked for in the index and in texts."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bridge.index.search.languages import Languages, stem_of
from bridge.index.search.note_text import folded
from bridge.index.store.fulltext import phrase, words

MOST_WORDS = 64
"""Different words of a query that are looked for."""
MOST_WANTED = 3
"""Words that say something, up to which a query asks for the notes with all of them; a longer one is a question."""

_SHORT = 3
_EDGES = " \t\n.,;:!?'\"()[]{}<>/\\|…“”‘’«»„‚–—、。，！？：；「」『』（）・"  # noqa: RUF001
_SYMBOL = re.compile(r"[^\w\s" + re.escape(_EDGES) + r"\-_*~`=^]")
_PARTS = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class RankedWord:
    """One word.

    Attributes:
        text: As it is looked for in texts.
        any: FTS5's expression for it; empty when the index holds no such words.
        scored: The same, so that the word itself weighs more than one that only begins so; but of a question, whose
            order its passages decide too.
        literal: Whether it has signs that the index leaves out (`C++`), so that texts must be asked too.
        unspaced: Whether its script puts no spaces between words.
        beginning: What a word of a text begins with that is this one or a form of it, folded.
        may_go_on: Whether such a word may be longer.
    """

    text: str
    any: str
    scored: str
    literal: bool
    unspaced: bool
    beginning: str = ""
    may_go_on: bool = False


class QueryWords(NamedTuple):
    """What is looked for.

    Attributes:
        terms: The words.
        question: Whether notes with some of them are an answer as well as notes with all.
        whole: All words that were asked for, as a note may be called.
    """

    terms: list[RankedWord]
    question: bool
    whole: str


def make_terms(texts: Iterable[str]) -> list[RankedWord]:
    """The different words of a query, without the punctuation around them."""
    found: dict[str, RankedWord] = {}
    for text in texts:
        word = text.strip(_EDGES).removeprefix("#")
        key = folded(word)
        if not word or key in found or len(found) >= MOST_WORDS:
            continue
        literal = _SYMBOL.search(word) is not None
        unspaced = _UNSPACED.search(word) is not None
        if words(word):
            longer = not literal and (len(word) > _SHORT or unspaced)
            whole, begun = phrase(word), phrase(word, prefix=longer)
            scored = f"({whole} OR {begun})" if longer else whole
            found[key] = RankedWord(word, begun, scored, literal, unspaced, key, longer)
        elif literal:
            found[key] = RankedWord(word, "", "", literal=True, unspaced=False, beginning=key)
    return list(found.values())


def query_words(texts: Sequence[str], languages: Languages, notes: int) -> QueryWords:
    """The words of a query that say something, and whether it is a question.

    Args:
        texts: What stands between its spaces.
        languages: Of the vault.
        notes: How many there are.
    """
    terms = make_terms(texts)
    parts = make_terms(part for term in terms for part in ([term.text] if term.literal else _PARTS.findall(term.text)))
    whole = " ".join(term.text for term in terms)
    language = languages.of({without_accents(part.beginning) for part in parts}, notes)
    if language is None:
        return _question(parts, whole) if len(parts) > MOST_WANTED else QueryWords(terms, question=False, whole=whole)

    def forms(term: RankedWord) -> RankedWord:
        return _with_forms(term, stem_of(term.beginning, language))

    told = [part for part in parts if without_accents(part.beginning) not in language.words]
    if len(told) > MOST_WANTED:
        return _question(map(forms, told), whole)
    wanted = [term for term in terms if without_accents(term.beginning) not in language.words]
    if len(wanted) < len(terms):  # a question, though a short one
        wanted = list(map(forms, wanted))
    return QueryWords(wanted or terms, question=False, whole=whole)


def without_accents(text: str) -> str:
    """A text in as many characters, without accents."""
    return text if text.isascii() else text.translate(_BARE)


def _question(terms: Iterable[RankedWord], whole: str) -> QueryWords:
    return QueryWords([replace(term, scored=term.any) for term in terms], question=True, whole=whole)


def _with_forms(word: RankedWord, stem: str) -> RankedWord:
    """The same word, found by its other forms too."""
    if not stem or word.literal or word.unspaced:
        return word
    begun = phrase(stem, prefix=True)
    return replace(word, any=begun, scored=f"({phrase(word.text)} OR {begun})", beginning=stem, may_go_on=True)


class _BareLetters(dict[int, int]):
    """Letters without their accents, worked out when they are met."""

    def __missing__(self, code: int) -> int:
        parts = unicodedata.normalize("NFD", chr(code))
        self[code] = ord(parts[0]) if all(map(unicodedata.combining, parts[1:])) else code
        return self[code]


_BARE = _BareLetters()

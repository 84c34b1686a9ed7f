"""The words of a query, as they are looked for in the index and in texts, and in which language a question is asked.

`function_words.txt` has the words that say nothing in a question: articles, pronouns, prepositions, conjunctions,
auxiliary verbs, and what questions begin with. Published lists of stop words also hold nouns and verbs that people ask
for (`fire`, `date`, `system`), and so are of no use here.
"""

import re
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from bridge.index.search.text_session import folded
from bridge.index.store.fulltext import MARKS, bare, ideographs, is_unspaced, phrase, pieces, spellings, words
from bridge.vault.paths import nfc

LEAST_NOTES = 2
"""Notes that must hold a language's commonest words before the vault counts as written in it."""
LEAST_OTHER = 2
"""Function words of another language than the vault's first that make a question one in that language."""
LONGEST_WORD = 64
"""Letters of a word from which it is no word of a language."""
LEAST_STEM = 4
"""Letters of a word's stem from which other words that begin so count as forms of it."""

Count = Callable[[str], int]
"""Returns the number of notes that contain a word."""
MOST_WORDS = 64
"""Different words of a query that are looked for."""
MOST_WANTED = 3
"""Words that say something, up to which a query asks for the notes with all of them; a longer one is a question."""
LEAST_BEGINNING = 5
"""Letters of another spelling from which it may go on: `fuel` is not to find what begins with `ful`."""
_SHORT = 3
_EDGES = " \t\n.,;:!?'\"()[]{}<>/\\|…“”‘’«»„‚–—、。，！？：；「」『』（）・"  # noqa: RUF001
_SYMBOL = re.compile(r"[^\w\s" + MARKS + re.escape(_EDGES) + r"\-_*~`=^]")
_PARTS = re.compile(rf"(?:[^\W_]|[{MARKS}])+")


class Language(NamedTuple):
    """A language.

    Attributes:
        name: As the stemmers call it.
        marks: Its commonest words, as far as hardly any other language has them.
        words: All its function words, without accents.
    """

    name: str
    marks: tuple[str, ...]
    words: frozenset[str]


class Languages:
    """The languages of one vault. Any thread may ask.

    Args:
        count: Returns the number of notes that contain a word.
    """

    def __init__(self, count: Count) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._found: tuple[int, tuple[Language, ...]] = (-1, ())

    def of(self, words: Collection[str], notes: int) -> Language | None:
        """Return the language of a question; None without a function word of a language that the vault uses.

        Args:
            words: The question's, folded, without accents.
            notes: How many there are in the vault: when there are twice as many, its languages are looked up again.
        """
        found: Language | None = None
        best = 0
        for place, language in enumerate(self._written(notes)):
            hits = sum(word in language.words for word in words)
            if hits > best and (place == 0 or hits >= LEAST_OTHER):
                found, best = language, hits
        return found

    def first(self, word: str, notes: int) -> Language:
        """Return the language in which most notes are written, of those with a word's letters if there are any.

        Args:
            word: Without accents.
            notes: See `of`.
        """
        written = self._written(notes)
        return next((each for each in written if each.marks[0].isascii() == word.isascii()), written[0])

    def _written(self, notes: int) -> Sequence[Language]:
        """Return the languages in which the vault is written, the commonest first."""
        size = notes.bit_length()
        with self._lock:
            if self._found[0] != size:
                counted = [(sorted(map(self._count, language.marks))[1], language) for language in LANGUAGES]
                counted.sort(key=lambda entry: -entry[0])
                self._found = size, tuple(language for count, language in counted if count >= LEAST_NOTES)
            return self._found[1] or LANGUAGES[:1]


@lru_cache(maxsize=4096)
def stem_of(word: str, language: Language) -> str:
    """Return the beginning shared by a word's forms: `sermon` for `sermons`, `translat` for `translator`.

    Args:
        word: Folded.
        language: Its language.

    Returns:
        The beginning of the word itself that its stem and it have in common; empty when that is too short to say
        anything.
    """
    if len(word) > LONGEST_WORD:
        return ""
    import snowballstemmer  # noqa: PLC0415 - a start is faster without

    stem: str = snowballstemmer.stemmer(language.name).stemWord(word)
    common = 0
    for own, its in zip(word, stem, strict=False):
        if own != its:
            break
        common += 1
    return word[:common] if common >= LEAST_STEM else ""


def _languages() -> tuple[Language, ...]:
    """Return the languages of `function_words.txt`: of each its name, its marks and its other function words."""
    found = []
    for block in Path(__file__).with_name("function_words.txt").read_text(encoding="utf-8").split("\n\n"):
        name, marks, words = re.split(r": |\n", block, maxsplit=2)
        found.append(Language(name, tuple(marks.split()), frozenset([*marks.split(), *words.split()])))
    return tuple(found)


LANGUAGES = _languages()


class RankedWord(NamedTuple):
    """One word.

    Attributes:
        text: As it is looked for in texts.
        any: FTS5's expression for it; empty when the index holds no such words.
        scored: The same, so that the word itself weighs more than one that only begins so; but of a question, whose
            order its passages decide too.
        literal: Whether it has signs that the index leaves out (`C++`), so that texts must be asked too.
        unspaced: Whether its script puts no spaces between words.
        spellings: How else it may be typed, folded.
        beginning: What a word of a text begins with that is this one or a form of it, folded.
        may_go_on: Whether such a word may be longer.
    """

    text: str
    any: str
    scored: str
    literal: bool
    unspaced: bool
    spellings: tuple[str, ...] = ()
    beginning: str = ""
    may_go_on: bool = False


class QueryWords(NamedTuple):
    """The words of a query.

    Attributes:
        terms: The words.
        question: Whether notes with some of them answer it as well as notes with all.
        whole: All the words together, since they may be a note's name.
        forms: The same words, found by their other forms too, for notes with some of them.
    """

    terms: list[RankedWord]
    question: bool
    whole: str
    forms: list[RankedWord]


def make_terms(texts: Iterable[str]) -> list[RankedWord]:
    """Return the different words of a query, without the punctuation around them."""
    found: dict[str, RankedWord] = {}
    for text in texts:
        word = nfc(text).strip(_EDGES).removeprefix("#")
        key = folded(word)
        if not word or key in found or len(found) >= MOST_WORDS:
            continue
        literal = _SYMBOL.search(word) is not None
        unspaced = is_unspaced(word)
        if words(word):
            longer = not literal and not unspaced and len(word) > _SHORT
            others = () if literal or unspaced else spellings(key)
            found[key] = _expressed(RankedWord(word, "", "", literal, unspaced, others, key, longer))
        elif literal:
            found[key] = RankedWord(word, "", "", literal=True, unspaced=False, beginning=key)
    return list(found.values())


def query_words(texts: Sequence[str], languages: Languages, notes: int) -> QueryWords:
    """Return the words of a query that say something, and whether it is a question.

    Args:
        texts: What stands between its spaces.
        languages: Of the vault.
        notes: How many there are.
    """
    terms = make_terms(texts)
    whole = " ".join(term.text for term in terms)
    terms = [part for term in terms for part in _apart(term)]
    parts = make_terms(part for term in terms for part in ([term.text] if term.literal else _PARTS.findall(term.text)))
    language = languages.of({bare(part.beginning) for part in parts}, notes)
    silent = language.words if language is not None else frozenset()
    told = [part for part in parts if bare(part.beginning) not in silent]

    def forms(terms: Sequence[RankedWord]) -> list[RankedWord]:
        # Words alone may be in any language: it is taken to be that of most notes.
        spoken = [language or languages.first(bare(term.beginning), notes) for term in terms]
        return [_with_forms(term, stem_of(term.beginning, it)) for term, it in zip(terms, spoken, strict=True)]

    if len(told) > MOST_WANTED:
        return _question(forms(told), whole)
    wanted = [term for term in terms if bare(term.beginning) not in silent] or terms
    short = len(wanted) < len(terms)  # a question, though a short one
    return QueryWords(forms(wanted) if short else wanted, question=False, whole=whole, forms=forms(wanted))


def _question(terms: Iterable[RankedWord], whole: str) -> QueryWords:
    """Return a question: for Chinese characters, which mean something by themselves, each of them counts too."""
    asked = list(terms)
    known = {term.text for term in asked}
    single = make_terms(each for term in asked if term.unspaced for each in ideographs(term.text))
    asked += [term for term in single if term.text not in known]
    asked = [term._replace(scored=term.any) for term in asked[:MOST_WORDS]]
    return QueryWords(asked, question=True, whole=whole, forms=asked)


def _with_forms(word: RankedWord, stem: str) -> RankedWord:
    """Return the same word, found by its other forms too."""
    if not stem or word.literal or word.unspaced:
        return word
    return _expressed(word._replace(beginning=stem, may_go_on=True))


def _apart(word: RankedWord) -> list[RankedWord]:
    """Return the pieces of a word without spaces, of which notes may hold some; else the word itself."""
    return (make_terms(pieces(word.text)) if word.unspaced and not word.literal else []) or [word]


def _expressed(word: RankedWord) -> RankedWord:
    """Return a word with its forms for the index."""
    whole = [phrase(text) for text in (word.text, *word.spellings)]
    if not word.may_go_on:
        any_of = _any(whole)
        return word._replace(any=any_of, scored=any_of)
    begun = [phrase(word.beginning, prefix=True)]
    begun += [phrase(text, prefix=len(text) >= LEAST_BEGINNING) for text in word.spellings]
    return word._replace(any=_any(begun), scored=_any([*whole, *begun]))


def _any(expressions: Sequence[str]) -> str:
    different = list(dict.fromkeys(expressions))
    return different[0] if len(different) == 1 else f"({' OR '.join(different)})"

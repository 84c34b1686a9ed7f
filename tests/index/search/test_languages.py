"""Which words of a question say nothing, and what the others are forms of."""

from collections.abc import Mapping

import pytest

from bridge.index.search.words import LANGUAGES, Languages, stem_of

ENGLISH, GERMAN, *_ = LANGUAGES
IN_ENGLISH = {"the": 900, "of": 900, "and": 900}
SOME_GERMAN = {"und": 40, "nicht": 30, "ist": 30}


def languages(counts: Mapping[str, int]) -> Languages:
    return Languages(lambda word: counts.get(word, 0))


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("which war did he win", "english"),
        ("was macht der bauer im winter", "german"),
        ("war poets", None),  # one word of another language than the vault's first is no question in that language
        ("sermons hymns", None),
    ],
)
def test_the_language_of_a_question_is_that_of_most_of_its_function_words(question: str, language: str | None) -> None:
    found = languages(IN_ENGLISH | SOME_GERMAN).of(question.split(), 1000)
    assert (found.name if found else None) == language


def test_a_language_that_no_note_is_written_in_is_no_question_s() -> None:
    assert languages(IN_ENGLISH).of(["wie", "macht", "der", "bauer"], 1000) is None


def test_an_empty_vault_takes_questions_for_english() -> None:
    assert languages({}).of(["what", "is", "it"], 0) is ENGLISH


def test_languages_are_looked_up_again_when_the_vault_has_grown() -> None:
    counts = dict(IN_ENGLISH)
    asked = languages(counts)
    assert asked.of(["wie", "macht", "der", "bauer"], 10) is None
    counts |= SOME_GERMAN
    assert asked.of(["wie", "macht", "der", "bauer"], 11) is None
    assert asked.of(["wie", "macht", "der", "bauer"], 20) is GERMAN


@pytest.mark.parametrize(
    ("word", "beginning"),
    [
        ("sermons", "sermon"),
        ("translator", "translat"),
        ("armies", "armi"),  # what it and its stem have in common, and not the stem of another word
        ("does", ""),
        ("bed", ""),
        ("antidis" * 2000, ""),
    ],
)
def test_a_stem_is_a_beginning_of_the_word_and_says_something(word: str, beginning: str) -> None:
    assert stem_of(word, ENGLISH) == beginning


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_each_language_has_a_stemmer_and_words_without_accents(language: object) -> None:
    found = next(each for each in LANGUAGES if each is language)
    assert stem_of("organization" * 2, found)
    assert set(found.marks) <= found.words
    assert all(word == word.lower().strip() for word in found.words)

"""How well questions find the notes that answer them; golden/README.md says what the questions are."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bridge.clock import SystemClock
from bridge.index.search.meaning import Meaning
from bridge.index.search.note_search import NoteQuery, NoteSearch
from bridge.index.search.text_session import SearchTexts
from bridge.index.store.fulltext import StoredWords
from bridge.index.vault_index import VaultIndex
from bridge.index.vectors.packaged import BETTER, QUICK, PackagedModel
from bridge.index.vectors.vectors import Vectors
from bridge.vault.files import VaultFiles
from bridge.vault.root import VaultRoot
from scripts.lib.golden import ask, read_questions, read_vault
from tests.patience import PATIENCE

KINDS = {"words", "sentence", "other"}
Find = Callable[[str], Sequence[str]]


def finder(index: VaultIndex, root: VaultRoot, meaning: Meaning | None = None) -> Find:
    """What the tool search_notes finds in a vault."""
    clock = SystemClock()
    search = NoteSearch(index, StoredWords(index.search), SearchTexts(index.texts, VaultFiles(root), clock), meaning)
    return lambda question: [found.path for found in search.search(NoteQuery(question, clock.monotonic() + 60)).results]


@pytest.mark.parametrize(
    ("vault", "hits", "reciprocal"),
    [
        ("small_vault", 1, 0.96),  # 0.956 where all words come first
        ("east_asian", 0.94, 0.86),  # 0 where a run without spaces is one word
    ],
)
def test_questions_find_their_notes_in_a_small_vault(
    notes: Path, indexed: Callable[[Path], VaultIndex], vault: str, hits: float, reciprocal: float
) -> None:
    for path, text in read_vault(vault).items():
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        (notes / path).write_text(text, encoding="utf-8")
    with VaultRoot(notes) as root:
        quality = ask(finder(indexed(notes), root), read_questions(vault))
    assert quality.hits >= hits
    assert quality.reciprocal >= reciprocal


@pytest.mark.slow
def test_questions_held_back_find_their_notes_in_real_vaults(
    real_notes: Path, indexed: Callable[[Path], VaultIndex]
) -> None:
    with VaultRoot(real_notes) as root:
        quality = ask(finder(indexed(real_notes), root), read_questions("held_back"))
    assert quality.hits >= 0.85
    assert quality.reciprocal >= 0.80  # 0.725 where all words come first


@pytest.mark.slow
@pytest.mark.skipif(QUICK.files() is None or BETTER.files() is None, reason="the extra `semantic` is not installed")
def test_with_the_packaged_models_more_questions_are_answered(
    real_notes: Path, indexed: Callable[[Path], VaultIndex]
) -> None:
    index, clock, questions = indexed(real_notes), SystemClock(), read_questions("held_back")
    with VaultRoot(real_notes) as root:
        vectors = Vectors(
            index,
            VaultFiles(root),
            lambda: None,
            clock,
            folder=None,
            mode=lambda: "on",
            model=lambda: PackagedModel.installed(QUICK, clock),
            better_mode=lambda: "on",
            better_model=lambda: PackagedModel.installed(BETTER, clock),
            delay=0,
        )
        index.refresh()
        vectors.start()
        end = clock.monotonic() + PATIENCE
        while vectors.status().state != "ready":
            assert clock.monotonic() < end, vectors.status()
            threading.Event().wait(0.05)
        find = finder(index, root, vectors)
        quality = ask(find, questions)
        other = ask(find, [question for question in questions if question.kind == "other"])
        vectors.close()
    assert quality.hits >= 0.90  # 0.89 by words alone
    assert quality.reciprocal >= 0.84  # 0.836 by words alone
    assert other.hits >= 0.80  # 0.79 by words alone


@pytest.mark.parametrize("name", ["tuning", "held_back", "small_vault"])
def test_every_question_says_how_it_is_asked(name: str) -> None:
    questions = read_questions(name)
    assert {question.kind for question in questions} == KINDS
    assert all(question.text.strip() and question.note.endswith(".md") for question in questions)


def test_no_question_is_in_both_halves_and_each_kind_is_as_often_in_both() -> None:
    tuning, held_back = read_questions("tuning"), read_questions("held_back")
    assert not {question.text for question in tuning} & {question.text for question in held_back}
    for kind in KINDS:
        counts = [sum(question.kind == kind for question in half) for half in (tuning, held_back)]
        assert abs(counts[0] - counts[1]) <= 1


def test_a_third_of_the_questions_are_in_other_words() -> None:
    for name in ("tuning", "held_back", "small_vault"):
        questions = read_questions(name)
        assert sum(question.kind == "other" for question in questions) * 3 >= len(questions)


def test_each_question_is_about_a_note_that_is_there() -> None:
    for vault in ("small_vault", "east_asian"):
        assert {question.note for question in read_questions(vault)} <= read_vault(vault).keys()


@pytest.mark.slow
def test_each_question_of_real_vaults_is_about_a_note_that_is_there(real_notes: Path) -> None:
    questions = [*read_questions("tuning"), *read_questions("held_back")]
    assert [question.note for question in questions if not (real_notes / question.note).is_file()] == []

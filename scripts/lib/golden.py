"""The quality of search by questions: the questions of tests/index/search/golden, and a count of the answers."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "index" / "search" / "golden"
DEPTH = 10
"""Notes of an answer that are looked at."""
HIT = 5
"""Among how many of them the right note must be to count as found."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        kind: How it is asked: in the note's own `words`, in a `sentence`, or in `other` words than the note's.
        note: The path of the note that answers it.
        text: The question.
    """

    kind: str
    note: str
    text: str


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality of the answers to some questions.

    Attributes:
        questions: How many there were.
        hits: The part of them of which the right note was among the first five.
        reciprocal: The mean of 1 / (place of the right note among the first ten), 0 where it was not (MRR@10).
    """

    questions: int
    hits: float
    reciprocal: float

    def __str__(self) -> str:
        return f"hit@{HIT} {self.hits:.2f}, MRR@{DEPTH} {self.reciprocal:.3f} of {self.questions}"


def read_questions(name: str) -> list[Question]:
    """The questions of one file, such as `held_back`."""
    with (GOLDEN / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [Question(*row) for row in rows[1:]]


def read_vault(name: str) -> dict[str, str]:
    """Return the notes of a vault that is always at hand, `small_vault` or `east_asian`, by path."""
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    notes = (part.partition("\n") for part in text.removeprefix("=== ").split("\n=== "))
    return {path: content for path, _break, content in notes}


def ask(find: Callable[[str], Sequence[str]], questions: Sequence[Question]) -> Quality:
    """Ask all of some questions.

    Args:
        find: The paths of notes that a question finds, best first.
        questions: At least one.
    """
    places: list[int] = []
    for question in questions:
        found = list(find(question.text))[:DEPTH]
        places.append(found.index(question.note) + 1 if question.note in found else 0)
    hits = sum(0 < place <= HIT for place in places)
    return Quality(len(places), hits / len(places), sum(1 / place for place in places if place) / len(places))

"""What searches ask of the vectors of notes, where there are any, and how much the answer counts."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from bridge.index.knowledge import IndexedFile

NEAR = 400
"""Passages, the nearest to a question in meaning, that count where their note also has some of its words."""
FOUND_NEAR = 50
"""Notes, the nearest to a question, that are found by that alone; and openings that count."""
WEIGHT = 3.0
"""What a note that means the same as the question counts, beside one that holds all its words once.

That is where no passage holds any of the words. The more of them the best one holds, the less meaning counts.
"""

OPENING = 1.5
"""What the likeness of a note's name and opening counts, beside that of its nearest passage."""


class NearPassage(NamedTuple):
    """A passage that is near something in meaning.

    Attributes:
        path: Its note.
        start: Where it begins, in characters.
        end: Where it ends.
        likeness: How near it is: 1 is the same.
    """

    path: str
    start: int
    end: int
    likeness: float


class Near(NamedTuple):
    """What is near a question in meaning.

    Attributes:
        passages: The nearest passages, the nearest first.
        openings: The nearest openings of notes, each the first passage of one, the nearest first.
    """

    passages: Sequence[NearPassage] = ()
    openings: Sequence[NearPassage] = ()


class MeaningState(NamedTuple):
    """Whether meaning can be compared.

    Attributes:
        model: The model; empty where there is none.
        dimensions: How many numbers its vectors have; 0 where that is not known.
        why_not: Why only words are compared, as the end of a sentence; empty where meaning is compared too.
        is_fault: Whether that is because something does not work that should.
    """

    model: str = ""
    dimensions: int = 0
    why_not: str = ""
    is_fault: bool = False

    @property
    def fault(self) -> str:
        """Why only words are compared although there should be more; empty otherwise."""
        return self.why_not if self.is_fault else ""


class Meaning(Protocol):
    """Compares by meaning. `VectorIndex` does it."""

    def state(self) -> MeaningState:
        """Whether it can."""
        ...

    def nearest(
        self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int
    ) -> Sequence[NearPassage] | None:
        """The passages that are nearest to a text or a vector, the nearest first.

        Args:
            asked: A question, or a vector of the same model.
            files: The files that may be found, as they are now.
            count: How many at most.

        Returns:
            None where meaning cannot be compared now.

        Raises:
            InvalidParameters: The vector is none of the model's.
        """
        ...

    def openings(self, question: str, files: Mapping[str, IndexedFile]) -> Sequence[NearPassage] | None:
        """The notes whose names and openings are nearest to a question, `FOUND_NEAR` at most, the nearest first.

        Args:
            question: The question.
            files: The files that may be found, as they are now.

        Returns:
            The first passage of each; None where openings cannot be compared now.
        """
        ...

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> Sequence[NearPassage] | None:
        """For each of the notes nearest to a note, its passage that is nearest; the nearest first.

        Args:
            path: The note, which is not among them.
            files: The files that may be found, as they are now.
            count: How many at most.

        Returns:
            None where meaning cannot be compared now.
        """
        ...


class NoMeaning:
    """Where there is no model. It has the members of `Meaning`."""

    def state(self) -> MeaningState:
        """It cannot."""
        return MeaningState(why_not="no model for search by meaning is installed")

    def nearest(self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int) -> None:
        """It cannot be compared."""
        del asked, files, count

    def openings(self, question: str, files: Mapping[str, IndexedFile]) -> None:
        """They cannot be compared."""
        del question, files

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> None:
        """It cannot be compared."""
        del path, files, count


class LateMeaning:
    """What can be compared once there are vectors, and nothing where there will never be any. It is a `Meaning`.

    Args:
        find: Returns what compares, as soon as it is there.
    """

    def __init__(self, find: Callable[[], Meaning | None]) -> None:
        self._find = find

    def state(self) -> MeaningState:
        """Return whether it can."""
        return self._meaning.state()

    def nearest(
        self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int
    ) -> Sequence[NearPassage] | None:
        """See `Meaning`."""
        return self._meaning.nearest(asked, files, count)

    def openings(self, question: str, files: Mapping[str, IndexedFile]) -> Sequence[NearPassage] | None:
        """See `Meaning`."""
        return self._meaning.openings(question, files)

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> Sequence[NearPassage] | None:
        """See `Meaning`."""
        return self._meaning.related(path, files, count)

    @property
    def _meaning(self) -> Meaning:
        return self._find() or NoMeaning()

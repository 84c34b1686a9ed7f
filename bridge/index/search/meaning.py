"""Search by meaning: what searches ask of the vectors of notes, if there are any, and the weight of the answer."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from bridge.index.knowledge import IndexedFile

NEAR = 400
"""Passages, the nearest to a question in meaning, that count where their note also has some of its words."""
FOUND_NEAR = 50
"""Notes, the nearest to a question, that are found by that alone; and openings that count."""
WEIGHT = 3.5
"""Score of a note with the question's meaning, relative to one that has all its words once.

This holds if no passage contains any of the words. The more of them the best one contains, the less meaning counts.
"""

OPENING = 1.5
"""Weight of the likeness of a note's name and opening, relative to that of its nearest passage."""


class NearPassage(NamedTuple):
    """A passage that is near something in meaning.

    Attributes:
        path: Its note.
        start: Its beginning, in characters.
        end: Its end.
        likeness: How near it is: 1 is the same.
    """

    path: str
    start: int
    end: int
    likeness: float


class Near(NamedTuple):
    """The passages nearest to a question in meaning.

    Attributes:
        passages: The nearest passages, the nearest first.
        openings: The nearest openings of notes, each the first passage of one, the nearest first.
    """

    passages: Sequence[NearPassage] = ()
    openings: Sequence[NearPassage] = ()


class MeaningState(NamedTuple):
    """The availability of search by meaning.

    Attributes:
        model: The model; empty if there is none.
        dimensions: Length of its vectors; 0 if not known.
        why_not: The reason why only words are compared, as the end of a sentence; empty if meaning is compared too.
        is_fault: Whether the reason is a fault.
    """

    model: str = ""
    dimensions: int = 0
    why_not: str = ""
    is_fault: bool = False

    @property
    def fault(self) -> str:
        """Return the fault because of which only words are compared; empty if there is none."""
        return self.why_not if self.is_fault else ""


class Meaning(Protocol):
    """The comparison by meaning, which `VectorIndex` implements."""

    def state(self) -> MeaningState:
        """Return whether meaning can be compared."""
        ...

    def nearest(
        self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int
    ) -> Sequence[NearPassage] | None:
        """Return the passages that are nearest to a text or a vector, the nearest first.

        Args:
            asked: A question, or a vector of the same model.
            files: The files that may be found, as they are now.
            count: Maximum number.

        Returns:
            None if meaning cannot be compared now.

        Raises:
            InvalidParameters: The vector is none of the model's.
        """
        ...

    def openings(self, question: str, files: Mapping[str, IndexedFile]) -> Sequence[NearPassage] | None:
        """Return the notes whose names and openings are nearest to a question, `FOUND_NEAR` at most, the nearest first.

        Args:
            question: The question.
            files: The files that may be found, as they are now.

        Returns:
            The first passage of each; None if openings cannot be compared now.
        """
        ...

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> Sequence[NearPassage] | None:
        """Return the nearest passage of each of the notes nearest to a note; the nearest first.

        Args:
            path: The note, which is not among them.
            files: The files that may be found, as they are now.
            count: Maximum number.

        Returns:
            None if meaning cannot be compared now.
        """
        ...


class NoMeaning:
    """A stand-in for when there is no model. It has the members of `Meaning`."""

    def state(self) -> MeaningState:
        """Return why meaning cannot be compared."""
        return MeaningState(why_not="no model for search by meaning is installed")

    def nearest(self, asked: str | Sequence[float], files: Mapping[str, IndexedFile], count: int) -> None:
        """Return None: there is nothing to compare with."""
        del asked, files, count

    def openings(self, question: str, files: Mapping[str, IndexedFile]) -> None:
        """Return None: there is nothing to compare with."""
        del question, files

    def related(self, path: str, files: Mapping[str, IndexedFile], count: int) -> None:
        """Return None: there is nothing to compare with."""
        del path, files, count


class LateMeaning:
    """A `Meaning` that answers once there are vectors, and never if there will be none.

    Args:
        find: Returns what compares, once it exists.
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

"""Limit on the work for one note, which is the same on every machine: it counts steps, not seconds."""

from typing import Final

from bridge.errors import ExecutionFailed

MOST_STEPS: Final = 600_000
"""Steps of the notes that an index or a warning reads; so many take about a second."""

STEPS_OF_A_FIND: Final = 3
"""Steps for each link, tag, heading and block besides finding it: it is kept, too."""

LETTERS_OF_A_STEP: Final = 4096
"""Characters that are looked through in the time of one step."""

_UNBOUNDED: Final = 1 << 62


class TooMuchWork(ExecutionFailed):
    """A note is more work than it may be: it is nested too deeply, or holds too much."""

    def __init__(self) -> None:
        super().__init__(
            "The note is nested too deeply, or holds too many links, tags and list items, to be understood; "
            "read it by its lines and edit it as text, or split it"
        )


class Work:
    """The steps of reading one note: a line looked at once in each container around it, a mark within a line, a find.

    Args:
        most: Maximum number; without it, as many as there are.
    """

    __slots__ = ("_left",)

    def __init__(self, most: int = _UNBOUNDED) -> None:
        self._left = most

    @classmethod
    def of_one_note(cls) -> "Work":
        """Return the amount of work that one note of a vault may be."""
        return cls(MOST_STEPS)

    def spend(self, steps: int) -> None:
        """Count more steps.

        Raises:
            TooMuchWork: There were too many.
        """
        self._left -= steps
        if self._left < 0:
            raise TooMuchWork

"""Whether what was answered in a call was asked of an index that does not know everything yet."""

from contextvars import ContextVar
from typing import Final

ANSWERS: Final[ContextVar["Answers | None"]] = ContextVar("answers", default=None)
"""Those of the call that is under way, in its tasks and threads; None where nobody asks."""


class Answers:
    """The answers of one call.

    Attributes:
        incomplete: Whether any of them was given while the index was being built.
    """

    incomplete = False


def answered_incompletely() -> None:
    """An answer is given that may lack something."""
    answers = ANSWERS.get()
    if answers is not None:
        answers.incomplete = True

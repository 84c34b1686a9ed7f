"""Errors in a base, and a limit on the work of one query."""

from typing import Final

MOST_STEPS: Final = 40_000_000
"""Steps of one query: a part of an expression, evaluated once. So many take some seconds."""

MOST_TEXT: Final = 1_000_000
"""Characters that one text may have."""

MOST_ITEMS: Final = 100_000
"""Items that one list may have."""

LETTERS_OF_A_STEP: Final = 8
"""Characters of a text that count as one step: they take memory."""


class ExpressionError(Exception):
    """An expression cannot be read or evaluated. `str(error)` says why.

    Args:
        message: The error, in the words of the app where they are known.
        position: The position in the expression; None if it is not known.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class TooMuch(ExpressionError):
    """The query is more work than it may be: it ends, and not only this expression."""


class BaseError(Exception):
    """An error in a base, because of which nothing can be shown.

    Args:
        message: The error.
        where: The place in the base: `views[1].filters.and[0]`.
        expression: The expression that is wrong; empty if none is.
        position: Where in the expression.
    """

    def __init__(self, message: str, where: str = "", expression: str = "", position: int | None = None) -> None:
        super().__init__(message)
        self.message, self.where = message, where
        self.expression, self.position = expression, position

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        at = "" if self.position is None else f", at character {self.position + 1}"
        quoted = f" in `{self.expression[:200]}`{at}" if self.expression else ""
        return f"{place}{self.message}{quoted}"


class StepBudget:
    """The steps that are left of one query.

    Args:
        most: Maximum number.
    """

    __slots__ = ("left",)

    def __init__(self, most: int = MOST_STEPS) -> None:
        self.left = most

    def spend(self, steps: int) -> None:
        """Take so many steps more.

        Raises:
            TooMuch: There were too many.
        """
        self.left -= steps
        if self.left < 0:
            raise TooMuch("the query is too much work; filter earlier, or show fewer formulas")

    def text(self, length: int) -> None:
        """Take the room of a text before it is made.

        Raises:
            TooMuch: It is too long, or there were too many.
        """
        if length > MOST_TEXT:
            raise TooMuch(f"a text of more than {MOST_TEXT:,} characters is not made")
        self.spend(length // LETTERS_OF_A_STEP)

    def items(self, length: int) -> None:
        """Take the room of a list before it is made.

        Raises:
            TooMuch: It is too long, or there were too many.
        """
        if length > MOST_ITEMS:
            raise TooMuch(f"a list of more than {MOST_ITEMS:,} items is not made")
        self.spend(length)

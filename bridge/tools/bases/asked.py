"""A question to a base. Apart, so that a start need not import the code that evaluates one."""

from typing import NamedTuple


class Asked(NamedTuple):
    """A question to a base.

    Attributes:
        base: The path of a base, or of a note with one; None for a filter alone.
        view: One of its views; None for the first.
        filter: An expression that rows must fulfil besides.
        this: The note that it is looked at from; None for the base, or the note that it is in.
        folder: Where the files must be, with a final slash; empty for everywhere.
    """

    base: str | None
    view: str | None
    filter: str | None
    this: str | None
    folder: str

"""The effects of a change to a base: whether it can be read, its errors, and the rows of its views.

They are shown for every tool, and worked out from what an agent may see, because the agent reads them too.
"""

from collections.abc import Iterator
from typing import Final

from bridge.bases.base_file import Base, View, read_base
from bridge.bases.dates import Date
from bridge.bases.failures import BaseError, Budget
from bridge.bases.rows import Row
from bridge.bases.views import check, evaluate, view_of
from bridge.clock import Clock
from bridge.index.base_rows import BaseVaults
from bridge.index.knowledge import Knowledge

NAMED: Final = 3
"""Mistakes, views and rows that are named; the others are only counted."""
_STEPS: Final = 4_000_000
"""Steps that a view is given; it takes less than a second."""


class BaseWarnings:
    """A check of what changes do to bases.

    Args:
        knowledge: The knowledge about the vault, as far as agents may see it.
        clock: The time.
    """

    def __init__(self, knowledge: Knowledge, clock: Clock) -> None:
        self._vaults = BaseVaults(knowledge)
        self._clock = clock

    def of(self, path: str, text: str, *, rows: bool = True) -> Iterator[str]:
        """Return a sentence for each mistake, and for each view how many rows it would have.

        Args:
            path: The base, or the note that it is in.
            text: The base as it will be.
            rows: Whether the rows are told.
        """
        try:
            base = read_base(text)
        except BaseError as error:
            yield f"The base in {path!r} will show nothing: {error}"
            return
        wrong = check(base)
        for mistake in wrong[:NAMED]:
            yield f"The base in {path!r} has a mistake: {mistake}"
        if len(wrong) > NAMED:
            yield f"The base in {path!r} has {len(wrong) - NAMED} more mistakes"
        views = base.views or (view_of(base, None),)
        for view in views[: NAMED if rows else 0]:
            yield from self._rows(path, base, view)

    def _rows(self, path: str, base: Base, view: View) -> Iterator[str]:
        vault = self._vaults.get()
        this = vault.row(path) or Row(path, 0, (0, 0), {}, (), vault)
        now = Date(round(self._clock.now().timestamp() * 1000), vault.zone)
        name = f"The view {view.name!r} of {path!r}" if view.name else f"The base in {path!r}"
        try:
            table = evaluate(base, view, vault, now, this=this, budget=Budget(_STEPS))
        except BaseError as error:
            if error.where.startswith(("views", "filters")) and error.expression:
                return  # it is among the mistakes
            yield f"{name} cannot be shown: {error}"
            return
        rows = table.rows
        named = ", ".join(row.name for row in rows[:NAMED])
        more = f" and {len(rows) - NAMED:,} more" if len(rows) > NAMED else ""
        count = f"{len(rows):,} row" if len(rows) == 1 else f"{len(rows):,} rows"
        yield f"{name} would show {count}{f': {named}{more}' if rows else ''}"
        for problem in table.problems[:1]:
            yield f"{name} is not complete: {problem}"

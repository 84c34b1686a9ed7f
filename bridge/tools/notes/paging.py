"""Answers in pages: how many items there are, and where the next page begins."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from bridge.errors import InvalidParameters

T = TypeVar("T")
NOTHING_THERE: Final = "There is nothing at this cursor, or no more; begin again without cursor"


class Page(NamedTuple):
    """Some of the items.

    Attributes:
        items: Those of this page.
        total: The number of all items.
        cursor: Asks for the next page; None after the last one.
    """

    items: Sequence[Any]
    total: int
    cursor: str | None

    @property
    def metadata(self) -> dict[str, Any]:
        """Return what is said about the answer."""
        known: dict[str, Any] = {"total": self.total, "truncated": self.cursor is not None}
        return known if self.cursor is None else known | {"cursor": self.cursor}


def page(items: Sequence[T], key: Callable[[T], str], cursor: str | None, limit: int) -> Page:
    """Return the items after those of the page before.

    Args:
        items: All of them, in order.
        key: What an item is called. The cursor is the key of a page's last item, so items that come or go between
            two pages move nothing.
        cursor: Where to go on; None for the beginning.
        limit: The most to return.

    Raises:
        InvalidParameters: The cursor is the key of none of these items.
    """
    start = 0
    if cursor is not None:
        start = next((index for index, item in enumerate(items, 1) if key(item) == cursor), 0)
        if not start:
            raise InvalidParameters(NOTHING_THERE)
    shown = items[start : start + limit]
    more = start + limit < len(items)
    return Page(shown, len(items), key(shown[-1]) if more and shown else None)


def counted_page(items: Sequence[T], cursor: str | None, limit: int) -> Page:
    """Return the items after the first so many of them.

    Args:
        items: All of them, in order.
        cursor: How many to leave out, as the page before said; None for the beginning.
        limit: The most to return.

    Raises:
        InvalidParameters: There are no more items than that.
    """
    start = int(cursor or 0)
    if start and start >= len(items):
        raise InvalidParameters(NOTHING_THERE)
    end = start + limit
    return Page(items[start:end], len(items), str(end) if end < len(items) else None)


def listing(lines: Sequence[str], shown: Page, nothing: str) -> str:
    """Return a page for a model.

    Args:
        lines: Its items.
        shown: The page.
        nothing: The answer when there are no items at all.
    """
    if not shown.total:
        return nothing
    if shown.cursor is None:
        return "\n".join(lines)
    return "\n".join([*lines, f"[{len(lines)} of {shown.total} shown. For the next, set cursor to {shown.cursor!r}.]"])

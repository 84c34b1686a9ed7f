"""What a call has looked at in the vault. Whatever it says then may tell of it.

Where the vault is looked at, the look is noted: on the disk (`root.py`, `files.py`) and in the index. So a failure of
a tool need not say what it gives away. One that comes before any look was judged from the arguments alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

EVERYTHING: Final = ""
"""The whole vault: names are looked up in all of it."""

_noted: ContextVar[set[str] | None] = ContextVar("noted", default=None)


def looked_at(path: object = EVERYTHING) -> None:
    """Note a look, if anybody wants to know.

    Args:
        path: The file or folder, whether or not there is one.
    """
    noted = _noted.get()
    if noted is not None and EVERYTHING not in noted:  # beyond everything there is no more to know
        noted.add(str(path))


@contextmanager
def noting_looks() -> Iterator[set[str]]:
    """Note what is looked at in the block, and in threads that are given a copy of its context.

    Yields:
        The paths so far; the empty one is the whole vault.
    """
    noted: set[str] = set()
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)

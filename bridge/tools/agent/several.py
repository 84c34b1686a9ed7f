"""Parameters that take one thing or a list of them, and answers about several files."""

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BeforeValidator

MOST_FILES: Final = 100
"""Files that one call names."""
_NAMED: Final = 3


def one_or_many(value: Any) -> Any:
    """Return a list, also of the one thing that was sent without one."""
    return [value] if isinstance(value, str | dict) else value


Several: Final = BeforeValidator(one_or_many)
"""Marks a list in place of which its only item may be sent."""


def changed_files(paths: Sequence[str]) -> str:
    """Return files in the middle of a sentence: a few by name."""
    shown = ", ".join(paths[:_NAMED])
    more = len(paths) - _NAMED
    return f"{len(paths)} files: {shown} and {more} more" if more > 0 else shown

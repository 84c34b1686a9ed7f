"""The finding of one check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bridge.records.folder import UserFolder

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of one check.

    Attributes:
        name: The check.
        level: `fail`: something does not work or is not safe; `warn`: it works, and should be looked at.
        what: What is so, as a sentence.
        remedy: What to do; empty when all is well.
    """

    name: str
    level: Level
    what: str
    remedy: str = ""


Check = Callable[[Path], Iterator[Finding]]
"""Looks at the vault in this folder. What it raises becomes a failure of the check."""


class LookedAtFolder(UserFolder):
    """A folder of the user's that is only looked at: it is neither made nor written to.

    Args:
        path: Where it lies, whether it is there or not.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, data: bytes) -> None:
        """Raise OSError: nothing is written."""
        del data
        raise PermissionError(None, "is only looked at", name)

    def remove(self, *names: str) -> None:
        """Raise OSError: nothing is removed."""
        raise PermissionError(None, "is only looked at", *names[:1])

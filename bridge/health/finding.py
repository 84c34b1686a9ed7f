"""What one check found."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found.

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

"""A folder of the user's that checks only look at."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(slots=True)
class LookedAtFolder:
    """A folder of the user's that is only looked at.

    Attributes:
        path: Where it lies, whether it is there or not.
    """

    path: Path

    def read(self, name: str) -> bytes | None:
        """The content of a file; None when there is none."""
        try:
            return (self.path / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Nothing is written. Raises OSError."""
        del data
        raise PermissionError(None, "is only looked at", name)

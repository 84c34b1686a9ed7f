"""A folder of the user's that checks only look at."""

from pathlib import Path

from bridge.records.folder import UserFolder


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

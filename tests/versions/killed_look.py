"""A bridge that looks at a vault and is gone in the middle of it: run as a program of its own.

Its arguments are the vault, the store, the cache, how many seconds its clock is ahead, and how many transactions it
begins until it is gone.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from bridge.versions.database import Database
from tests.versions.recorded_vault import RecordedVault


def main() -> None:
    """Look, and be gone before it is complete; or after it, where there was little to do."""
    folder, store, cache = map(Path, sys.argv[1:4])
    ahead, left = float(sys.argv[4]), int(sys.argv[5])
    writing = Database.writing

    @contextlib.contextmanager
    def counted(database: Database) -> Iterator[None]:
        nonlocal left
        left -= 1
        with writing(database):
            yield
            if left == 0:
                os._exit(0)
        if left < 0:
            os._exit(0)

    recorded = RecordedVault(folder, store, cache=cache)
    recorded.clock.move(ahead)
    Database.writing = counted  # type: ignore[method-assign,assignment]
    recorded.look()
    os._exit(0)


if __name__ == "__main__":
    main()

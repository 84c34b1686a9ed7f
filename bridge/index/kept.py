"""An answer that is kept for as long as it is true."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """One answer, and the version of what is known that it is of. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: tuple[int, T] | None = None

    def get(self, version: int, find: Callable[[], T]) -> T:
        """The answer; it is found anew when it is of another version.

        Args:
            version: Of what is known, as it was before the answer is looked for.
            find: Finds the answer.
        """
        with self._lock:
            if self._held is None or self._held[0] != version:
                self._held = version, find()
            return self._held[1]

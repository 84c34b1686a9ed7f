"""Ports: services that are not made at the same time find each other through something that exists before either."""

import threading
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

from bridge.errors import NotFound

P = ParamSpec("P")
T = TypeVar("T")


class Signal(Generic[P]):
    """A signal for whoever wants to hear of something, in the order in which they asked for it."""

    def __init__(self) -> None:
        self._listeners: tuple[Callable[P, object], ...] = ()

    def on(self, listener: Callable[P, object]) -> None:
        """Call a function, too, from the next time on."""
        self._listeners = (*self._listeners, listener)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call all of them. One that fails keeps the others from nothing; the first failure is raised at the end."""
        failure: Exception | None = None
        for listener in self._listeners:
            try:
                listener(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - raised below
                failure = failure or error
        if failure is not None:
            raise failure


class Late(Generic[T]):
    """A service that is given later or, where its capability was left out, never.

    Args:
        what: What it is, as the beginning of a sentence.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._make: Callable[[], T] | None = None
        self._made: list[T] = []
        self._lock = threading.Lock()

    def fill(self, service: T) -> None:
        """Give the service."""
        self._make = None
        self._made = [service]

    def fill_with(self, make: Callable[[], T]) -> None:
        """Give what makes the service, when it is first asked for."""
        self._make = make

    @property
    def is_given(self) -> bool:
        """Return whether there is one, or will be when it is asked for."""
        return bool(self._made) or self._make is not None

    @property
    def made(self) -> T | None:
        """Return the service, if it has been made."""
        return self._made[0] if self._made else None

    def get(self) -> T:
        """Return the service.

        Raises:
            NotFound: There is none.
        """
        if not self._made:
            with self._lock:
                if not self._made:
                    if self._make is None:
                        raise NotFound(f"{self._what} is not part of this bridge", code="left_out")
                    self._made = [self._make()]
        return self._made[0]

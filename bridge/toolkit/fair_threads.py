"""Threads that clients share, of which no client holds all: slow calls of one hold up no quick ones of others."""

import contextlib
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class _Key(NamedTuple):
    """The client whose work it is, and whether it is for a large call."""

    who: str
    large: bool


class FairThreads:
    """The threads, divided among clients. Any thread may ask.

    Args:
        threads: The threads; they are shut down by whoever made them.
        most: How many of them one client may hold.
    """

    def __init__(self, threads: Executor, most: int) -> None:
        self._threads = threads
        self._most = most
        self._lock = threading.Lock()
        self._held: Counter[_Key] = Counter()
        self._shut_down = False
        self._waiting: dict[_Key, deque[Callable[[], bool]]] = {}

    def of(self, who: str, *, large: bool = False) -> Executor:
        """Return the threads as one client has them.

        Args:
            who: Identifies the client.
            large: Whether they are for calls that hold very much, for which a client has one thread: several that go
                through long texts would get no more done together, but whoever is served meanwhile waits for each.
        """
        return _Share(self, who, large=large)

    def submit(self, who: str, work: Callable[[], T], *, large: bool = False) -> "Future[T]":
        """Do something as soon as it is this client's turn.

        Args:
            who: Identifies the client.
            work: What to do.
            large: As of `of`.

        Returns:
            The result; cancelled where the threads are shut down first.
        """
        future: Future[T] = Future()
        key = _Key(who, large)

        def run() -> None:
            try:
                _carry_out(work, future)
            finally:
                self._next(key)

        def ended(begun: "Future[None]") -> None:
            if begun.cancelled():
                # The threads are being shut down, and must not be asked for anything while that goes on.
                self._shut_down = True
                future.cancel()
                self._next(key)

        def begin() -> bool:
            with contextlib.suppress(RuntimeError):  # they are shut down
                if not self._shut_down:
                    self._threads.submit(run).add_done_callback(ended)
                    return True
            future.cancel()
            return False

        with self._lock:
            if self._held[key] >= (1 if large else self._most):
                self._waiting.setdefault(key, deque()).append(begin)
                return future
            self._held[key] += 1
        if not begin():
            self._next(key)
        return future

    def _next(self, key: _Key) -> None:
        """Begin what a client has waiting, now that it has one thread less."""
        begun = False
        while not begun:
            with self._lock:
                waiting = self._waiting.get(key)
                begin = waiting.popleft() if waiting else None
                if not waiting:
                    self._waiting.pop(key, None)
                if begin is None:
                    self._held[key] -= 1
                    if not self._held[key]:
                        del self._held[key]
                    return
            begun = begin()


def _carry_out(work: Callable[[], T], future: "Future[T]") -> None:
    """Do something, and give its result or its failure to whoever waits for it."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 - whoever waits gets it
        future.set_exception(error)
    else:
        future.set_result(result)


class _Share(Executor):
    """The threads as one client has them."""

    def __init__(self, threads: FairThreads, who: str, *, large: bool) -> None:
        self._submit = partial(threads.submit, who, large=large)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        return self._submit(lambda: fn(*args, **kwargs))

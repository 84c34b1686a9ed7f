"""Threads that clients share, of which no client holds all: slow calls of one hold up no quick ones of others."""

import contextlib
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

T = TypeVar("T")


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
        self._held: Counter[str] = Counter()
        self._shut_down = False
        self._waiting: dict[str, deque[Callable[[], bool]]] = {}

    def of(self, who: str) -> Executor:
        """Return the threads as one client has them.

        Args:
            who: Identifies the client.
        """
        return _Share(self, who)

    def submit(self, who: str, work: Callable[[], T]) -> "Future[T]":
        """Do something as soon as it is this client's turn.

        Args:
            who: Identifies the client.
            work: What to do.

        Returns:
            The result; cancelled where the threads are shut down first.
        """
        future: Future[T] = Future()

        def run() -> None:
            try:
                _carry_out(work, future)
            finally:
                self._next(who)

        def ended(begun: "Future[None]") -> None:
            if begun.cancelled():
                # The threads are being shut down, and must not be asked for anything while that goes on.
                self._shut_down = True
                future.cancel()
                self._next(who)

        def begin() -> bool:
            with contextlib.suppress(RuntimeError):  # they are shut down
                if not self._shut_down:
                    self._threads.submit(run).add_done_callback(ended)
                    return True
            future.cancel()
            return False

        with self._lock:
            if self._held[who] >= self._most:
                self._waiting.setdefault(who, deque()).append(begin)
                return future
            self._held[who] += 1
        if not begin():
            self._next(who)
        return future

    def _next(self, who: str) -> None:
        """Begin what a client has waiting, now that it has one thread less."""
        begun = False
        while not begun:
            with self._lock:
                waiting = self._waiting.get(who)
                begin = waiting.popleft() if waiting else None
                if not waiting:
                    self._waiting.pop(who, None)
                if begin is None:
                    self._held[who] -= 1
                    if not self._held[who]:
                        del self._held[who]
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

    def __init__(self, threads: FairThreads, who: str) -> None:
        self._shared = threads
        self._who = who

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        return self._shared.submit(self._who, lambda: fn(*args, **kwargs))

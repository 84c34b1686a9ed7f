"""Following the disk: the system's reports of changes, and the one thread that keeps the index as the disk is."""

import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from bridge.clock import Clock
from bridge.index.index_state import IndexState
from bridge.index.indexer import Indexer
from bridge.memory import note_waiting

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 60.0
"""Seconds between comparisons of the whole disk, because the system's reports of changes may get lost."""

SWEEP_SHARE = 0.02
"""The largest share of its time that it spends on them."""

FAILED_SECONDS = 5.0
"""Seconds to wait after a failure."""

SAVE_SECONDS = 10.0
"""Seconds after a change until it is saved."""

MANY = 2000
"""Number of changed paths above which comparing the whole disk is faster than examining each."""

DEBOUNCE_MS = 5
STEP_MS = 2
"""Milliseconds between checks for reports. Checking every millisecond would take 2.5 % of a core."""


class IndexThread:
    """The thread that runs the indexer after changes, and now and then.

    Args:
        indexer: Does the work.
        state: What is kept when nothing else is to be done.
        clock: The time.
    """

    def __init__(self, indexer: Indexer, state: IndexState, clock: Clock) -> None:
        self._indexer = indexer
        self._state = state
        self._clock = clock
        self._wake = threading.Condition()
        self._stopping = False
        self._paths_wait = False
        self._sweep_at = float("-inf")
        self._saved_version = state.version
        self._save_at: float | None = None
        self._thread = threading.Thread(target=self._run, name="index", daemon=True)

    def start(self) -> None:
        """Begin with a sweep."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, and wait until it has stopped."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._indexer.stop()
        if self._thread.is_alive():
            self._thread.join()

    def changed(self, paths: Iterable[str]) -> None:
        """Note that paths have changed, as far as is known. Returns at once."""
        many = self._indexer.note(paths) > MANY
        with self._wake:
            self._paths_wait = True
            if many:
                self._sweep_at = float("-inf")
            self._wake.notify()

    def sweep_soon(self) -> None:
        """Note that something may have changed that nobody reported. Returns at once."""
        with self._wake:
            self._sweep_at = float("-inf")
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(self._has_work, timeout=self._patience())
                if self._stopping:
                    return
                self._paths_wait = False
            try:
                self._work()
            except Exception:
                logger.exception("The index could not be brought up to date; it is tried again")
                self._sweep_at = self._clock.monotonic() + FAILED_SECONDS

    def _has_work(self) -> bool:
        return self._stopping or self._paths_wait or self._sweep_at <= self._clock.monotonic()

    def _patience(self) -> float:
        """Return the seconds for which there is nothing to do."""
        now = self._clock.monotonic()
        next_check = self._indexer.next_check
        moments = [self._sweep_at, *(moment for moment in (next_check, self._save_at) if moment is not None)]
        return max(0.0, min(moments) - now)

    def _work(self) -> None:
        began = self._clock.monotonic()
        self._indexer.take_noted()
        if self._sweep_at <= began:
            self._sweep_at = float("inf")
            done = self._indexer.sweep()
            took = self._clock.monotonic() - began
            wait = max(SWEEP_SECONDS, took / SWEEP_SHARE) if done else FAILED_SECONDS
            with self._wake:
                self._sweep_at = min(self._sweep_at, began + took + wait)
        next_check = self._indexer.next_check
        if next_check is not None and next_check <= self._clock.monotonic():
            self._indexer.check_due()
        self._keep()

    def _keep(self) -> None:
        """Keep what is new, when it has been new for a while."""
        now = self._clock.monotonic()
        if self._save_at is not None and self._save_at <= now:
            self._save_at = None
            self._saved_version = self._state.version
            self._state.tidy(lambda: not self._has_work())
            self._state.save()
        elif self._save_at is None and self._state.version != self._saved_version:
            self._save_at = now + SAVE_SECONDS


class Watcher:
    """A watcher that reports every path that appears, changes or goes, outside dot-folders.

    Reports can be lost (a queue overflows, a network drive reports nothing), so nobody may rely on them alone.

    Args:
        folder: The vault's real folder.
        on_change: Called with vault paths that have changed, in a thread of the watcher's.
        on_trouble: Called when nothing is reported (any more).
        on_begin: Called once what changes is reported, in the watcher's thread. What changed before is not.
    """

    def __init__(
        self,
        folder: Path,
        on_change: Callable[[set[str]], None],
        on_trouble: Callable[[], None] = lambda: None,
        on_begin: Callable[[], None] = lambda: None,
    ) -> None:
        self._folder = folder
        self._on_change = on_change
        self._on_trouble = on_trouble
        self._on_begin = on_begin
        self._has_begun = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch. Returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching and wait until it has stopped."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def is_set(self) -> bool:
        """Return whether to stop. The library asks at each check, for the first time once the system reports to it."""
        if not self._has_begun:
            self._has_begun = True
            self._on_begin()
        note_waiting()
        return self._stop.is_set()

    def _run(self) -> None:
        try:
            self._watch()
        except (OSError, RuntimeError) as error:
            # For example the limit of inotify watches.
            logger.warning("The vault cannot be watched for changes (%s); it is compared now and then", error)
        if not self._stop.is_set():
            self._on_trouble()

    def _watch(self) -> None:
        from watchfiles import watch  # noqa: PLC0415 - loaded in this thread, a start need not wait for it

        changes = watch(
            self._folder,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            stop_event=self,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        for batch in changes:
            paths = {place for _change, path in batch if (place := self._place(path)) is not None}
            if paths:
                self._on_change(paths)

    def _place(self, path: str) -> str | None:
        """Return the vault path; None for what is hidden, in a dot-folder, or the vault itself."""
        try:
            parts = Path(path).relative_to(self._folder).parts
        except ValueError:
            return None
        return "/".join(parts) if parts and not any(part.startswith(".") for part in parts) else None

"""Changes that other programs make in the vault, as the operating system reports them."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path

logger = logging.getLogger(__name__)

DEBOUNCE_MS = 5
STEP_MS = 2
"""How often it is looked whether something was reported. Looking every millisecond would take 2.5 % of a core."""


class Watcher:
    """Tells of every path that appears, changes or goes, outside dot-folders.

    Reports can be lost (a queue overflows, a network drive reports nothing), so nobody may rely on them alone.

    Args:
        folder: The vault's real folder.
        on_change: Told vault paths that have changed, in a thread of the watcher's.
        on_trouble: Told that nothing is reported (any more).
    """

    def __init__(
        self, folder: Path, on_change: Callable[[set[str]], None], on_trouble: Callable[[], None] = lambda: None
    ) -> None:
        self._folder = folder
        self._on_change = on_change
        self._on_trouble = on_trouble
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
            stop_event=self._stop,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        for batch in changes:
            paths = {place for _change, path in batch if (place := self._place(path)) is not None}
            if paths:
                self._on_change(paths)

    def _place(self, path: str) -> str | None:
        """The vault path; None for what is hidden, in a dot-folder, or the vault itself."""
        try:
            parts = Path(path).relative_to(self._folder).parts
        except ValueError:
            return None
        return "/".join(parts) if parts and not any(part.startswith(".") for part in parts) else None

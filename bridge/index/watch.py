"""Changes that other programs make in the vault, as the operating system reports them."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from watchfiles import Change, awatch

from bridge.errors import ToolFailure
from bridge.vault.paths import VaultPath, parse_path

logger = logging.getLogger(__name__)

DEBOUNCE_MS = 50
STEP_MS = 10


class Watcher:
    """Tells of every file that appears, changes or goes, outside dot-folders.

    Events can be lost (a queue overflows, a network drive reports nothing), so nobody may rely on them alone.

    Args:
        folder: The vault's real folder.
        on_change: Told the path and `created`, `modified` or `deleted`, on the event loop.
    """

    def __init__(self, folder: Path, on_change: Callable[[VaultPath, str], None]) -> None:
        self._folder = folder
        self._on_change = on_change
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to watch."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop watching and wait until it has stopped."""
        self._stop.set()
        if self._task is not None:
            await self._task

    async def _run(self) -> None:
        changes = awatch(
            self._folder,
            watch_filter=lambda _change, path: self._place(path) is not None,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            stop_event=self._stop,
            recursive=True,
            ignore_permission_denied=True,
        )
        try:
            async for batch in changes:
                for path in sorted({path for _change, path in batch}):
                    place = self._place(path)
                    if place is not None:
                        kinds = {change for change, changed in batch if changed == path}
                        self._on_change(place, _told(kinds, Path(path)))
        except (OSError, RuntimeError) as error:
            # For example the limit of inotify watches: the bridge works without, it only learns later.
            logger.warning("The vault cannot be watched for changes (%s); they are noticed when files are read", error)

    def _place(self, path: str) -> VaultPath | None:
        """Where in the vault, or None for what tools may not see."""
        try:
            relative = Path(path).relative_to(self._folder).as_posix()
            return parse_path(relative) if not Path(path).name.startswith(".") else None
        except (ValueError, ToolFailure):
            return None


def _told(kinds: set[Change], path: Path) -> str:
    """What became of a path. Programs that write safely put a new file in an old one's place: gone and come at once."""
    if not path.exists():
        return "deleted"
    return "created" if kinds == {Change.added} else "modified"

"""A word to the person when the vault's folder is moved or replaced while it is served."""

from collections.abc import Callable

from bridge.contract.events import VaultMoved
from bridge.vault.root import MOVED


class PlaceWatch:
    """Notices when the vault's folder is moved or replaced, and when it is back.

    Args:
        in_place: Whether it is where it was opened.
        notify: Sends an event to the hosts; from any thread.
    """

    def __init__(self, in_place: Callable[[], bool], notify: Callable[[VaultMoved], None]) -> None:
        self._in_place = in_place
        self._notify = notify
        self._was = True

    def look(self) -> None:
        """Look once. Blocks for as long as the disk takes."""
        now = self._in_place()
        if now != self._was:
            self._was = now
            message = "The vault's folder is back in its place; changes can be written again" if now else MOVED
            self._notify(VaultMoved(in_place=now, message=message))

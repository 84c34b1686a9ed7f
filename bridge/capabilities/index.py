"""The index of the vault's notes, and the notifications of what happens to them."""

import asyncio
from typing import Final

from bridge.capabilities.base import Base
from bridge.capabilities.history import History
from bridge.index.index_thread import Watcher
from bridge.index.vault_index import VaultIndex
from bridge.records.folder import cache_folder
from bridge.rpc.hub import VaultEvents
from bridge.rpc.place_watch import PlaceWatch

PLACE_SECONDS: Final = 5.0
"""The interval of checks that the vault's folder is still in its place."""


async def open_index(base: Base, history: History, events: VaultEvents) -> VaultIndex:
    """Open it, with what was known at the last stop. It follows the vault once it is started."""
    base.changed.on(events.changed)

    def load() -> VaultIndex:
        place = cache_folder(base.root.path)
        return VaultIndex(base.files, base.clock, folder=place, on_change=base.changed, on_progress=events.progress)

    index = await asyncio.to_thread(load)
    base.stop_in_thread(index.close)
    index.record_with(history.recorder)
    base.writing.append(index.writing)
    base.applied.on(index.applied)
    return index


def watch(base: Base, index: VaultIndex) -> None:
    """Watch for what other programs change, and whether the vault is still in its place."""
    base.repeat(PLACE_SECONDS, PlaceWatch(base.root.in_place, base.hub.notify_hosts).look)
    base.touched.on(index.changed)
    watcher = Watcher(base.root.path, base.touched, index.unwatched, index.watched)
    watcher.start()
    base.stop_in_thread(watcher.stop)

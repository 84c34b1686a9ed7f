"""What sessions are told of the vault: changes, and how far its index is."""

from typing import Any

from bridge.clock import stamp
from bridge.index.knowledge import IndexStatus
from bridge.rpc.hub import Hub
from bridge.toolkit.permitted import Denials
from bridge.vault.plan import ChangeKind, ChangePlan


class VaultEvents:
    """Tells `vault.changed` and `index.progress`. Every method may be called from any thread.

    Args:
        hub: Knows who listens.
        denied: What the user has closed; agents hear nothing of it.
    """

    def __init__(self, hub: Hub, denied: Denials) -> None:
        self._hub = hub
        self._denied = denied

    def changed(self, path: str, change: str) -> None:
        """A file was `created`, `modified` or `deleted`, and the index knows."""
        denial = self._denied()
        closed = denial is not None and denial(path) is not None
        self._hub.publish("vault.changed", {"path": path, "change": change}, hosts_only=closed)

    def applied(self, plan: ChangePlan) -> None:
        """We have changed files, and the index knows."""
        for change in plan.changes:
            if change.kind is ChangeKind.CREATE:
                self.changed(change.path, "created")
            elif change.kind is ChangeKind.MODIFY:
                self.changed(change.path, "modified")
            elif change.kind is ChangeKind.DELETE:
                self.changed(change.path, "deleted")
            elif change.kind is ChangeKind.MOVE and change.new_path is not None:
                self.changed(change.path, "deleted")
                self.changed(change.new_path, "created")

    def progress(self, done: int, total: int) -> None:
        """So many files of those that are to be read are read."""
        self._hub.notify_hosts("index.progress", {"done": done, "total": total})


def status_wire(status: IndexStatus) -> dict[str, Any]:
    """`vault.status`."""
    return {
        "notes": status.notes,
        "files": status.files,
        "indexed": status.indexed,
        "indexing": status.indexing,
        "lastSweep": None if status.last_sweep is None else stamp(status.last_sweep),
    }
